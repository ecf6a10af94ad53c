/**
 * What operations return, as numbers that a state can hold. Equal values have one number, which is given in the order in
 * which values are first met. A value is copied then: what its operation does to it later changes nothing.
 */
export class Results {
  readonly #values: unknown[] = [];
  readonly #primitives = new Map<unknown, number>();
  readonly #structures = new Map<string, number>();

  /**
   * Throws an UnkeptResult for anything but undefined, null, booleans, numbers, bigints, strings, typed arrays over private
   * memory, and arrays and plain objects of such.
   */
  idOf(value: unknown): number {
    // A Map takes -0 for 0.
    if (!Object.is(value, -0) && isPrimitive(value)) {
      const known = this.#primitives.get(value);
      if (known !== undefined) return known;
      this.#primitives.set(value, this.#values.length);
      return this.#values.push(value) - 1;
    }
    const key = keyOf(value);
    const known = this.#structures.get(key);
    if (known !== undefined) return known;
    this.#structures.set(key, this.#values.length);
    return this.#values.push(copyOf(value)) - 1;
  }

  /** The value of a number that `idOf` gave. Arrays and objects are frozen. */
  valueOfId(id: number): unknown {
    return this.#values[id];
  }
}

/** A value that no state can hold; the message names its kind. */
export class UnkeptResult extends Error {}

const TypedArray = Object.getPrototypeOf(Int8Array) as abstract new () => Int32Array | BigInt64Array;

function isPrimitive(value: unknown): boolean {
  return (
    value === null || (typeof value !== "object" && typeof value !== "function" && typeof value !== "symbol")
  );
}

/** The same text for equal values only. */
export function keyOf(value: unknown, around: readonly unknown[] = []): string {
  if (Object.is(value, -0)) return "-0";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (isPrimitive(value)) return String(value);
  if (around.includes(value)) throw new UnkeptResult("an object that contains itself");
  const within = [...around, value];
  if (Array.isArray(value)) return `[${Array.from(value, (one) => keyOf(one, within))}]`;
  if (value instanceof TypedArray && !(value.buffer instanceof ArrayBuffer))
    throw new UnkeptResult("a view of shared memory");
  if (value instanceof TypedArray)
    return `${value[Symbol.toStringTag]}[${Array.from(value as Int32Array, (one) => keyOf(one, within))}]`;
  if (!isPlain(value)) throw new UnkeptResult(kindOf(value));
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([name, one]) => `${JSON.stringify(name)}:${keyOf(one, within)}`)}}`;
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(Array.from(value, copyOf));
  if (value instanceof TypedArray) return value.slice();
  if (typeof value !== "object" || value === null) return value;
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copyOf(one)])));
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === null || prototype === Object.prototype;
}

function kindOf(value: unknown): string {
  if (typeof value === "symbol") return "a symbol";
  if (typeof value === "function") return "a function";
  // Not the object's own property: what stands in for shared memory has none.
  const name = (Object.getPrototypeOf(value) as object).constructor?.name;
  return name === undefined || name === "" ? "an object of a class" : `an object of class ${name}`;
}

/** A value as a reader knows it, on one line. */
export function shown(value: unknown): string {
  if (Object.is(value, -0)) return "-0";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
  if (value instanceof TypedArray)
    return `${value[Symbol.toStringTag]} [${Array.from(value as Int32Array, shown).join(", ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value).map(([name, one]) => `${nameOf(name)}: ${shown(one)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

function nameOf(property: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(property) ? property : JSON.stringify(property);
}
