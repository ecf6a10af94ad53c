/** What adapters read of a value has to be there: these say in one line, and by its place, what is not. */

/** A text, a list of such, or an object with such keys. What is at a key with a question mark may be missing, or null. */
export type Shape = "text" | "anything" | readonly [Shape] | { readonly [key: string]: Shape };

/**
 * @param reader who reads the value; the message begins with it.
 * @param expected what to give instead, in words.
 * @throws {TypeError} with one line, if the value or a part of it is not of this shape.
 */
export function refuseMisshapen(reader: string, expected: string, value: unknown, shape: Shape): void {
  const misfit = misfitIn(value, shape, "");
  if (misfit === undefined) return;
  const { place, part, kind } = misfit;
  if (place === "") refuseResult(reader, expected, value);
  throw new TypeError(`${reader}: ${place} is ${described(part)}, not ${kind}: give ${expected}`);
}

/** Throws the one-line TypeError of all functions that read a result. */
export function refuseResult(reader: string, expected: string, given: unknown): never {
  throw new TypeError(`${reader}: expected ${expected}, not ${described(given)}`);
}

interface Misfit {
  /** As code has it: `benchmarks[0].runs`; empty for the whole. */
  readonly place: string;
  readonly part: unknown;
  readonly kind: string;
}

function misfitIn(part: unknown, shape: Shape, place: string): Misfit | undefined {
  if (shape === "anything") return undefined;
  if (shape === "text") return typeof part === "string" ? undefined : { place, part, kind: "a text" };
  if (isListShape(shape)) {
    if (!Array.isArray(part)) return { place, part, kind: "a list" };
    return first(part.entries(), ([index, item]) => misfitIn(item, shape[0], `${place}[${index}]`));
  }
  if (typeof part !== "object" || part === null || Array.isArray(part))
    return { place, part, kind: "an object" };
  return first(Object.entries(shape), ([named, own]) => {
    const key = named.replace("?", "");
    const item = (part as Readonly<Record<string, unknown>>)[key];
    if (key !== named && (item === undefined || item === null)) return undefined;
    return misfitIn(item, own, place === "" ? key : `${place}.${key}`);
  });
}

function isListShape(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function first<Item, Found>(items: Iterable<Item>, find: (item: Item) => Found | undefined) {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function described(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const keys = Object.keys(value);
  return keys.length === 0 ? "an object without keys" : `an object with the keys ${keys.join(", ")}`;
}
