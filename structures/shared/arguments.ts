import { inspect } from "node:util";

/**
 * Checks of what the doors of the package are given: its exported functions and classes. From JavaScript anything may
 * come. Each check throws before any work is done, in one line that says what is wrong and how to mend it. `door` is the
 * name of the function or class.
 */

/** What an option may be, besides undefined, which is as good as absent. `any`: its own rule is checked elsewhere. */
export type OptionKind = keyof typeof KINDS;

/** The kind of each option that there is, so that it is a type error to forget one. */
export type OptionKinds<Options> = { readonly [Name in keyof Required<Options>]: OptionKind };

/** Throws a TypeError for options that are no object, for one that the door does not have, and for one of another kind. */
export function assertOptions<Options extends object>(
  door: string,
  options: Options,
  kinds: OptionKinds<Options>,
): void {
  const known = kinds as Readonly<Record<string, OptionKind>>;
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw noOptions(door, options, known);
  const names = Object.keys(options);
  // By the fastest way that there is, as some doors are asked a million times a second.
  for (const name of names) {
    const value = options[name as keyof Options];
    const kind = known[name];
    // What an object inherits, as `constructor`, is no string.
    if (typeof kind !== "string")
      throw new TypeError(`${door}: there is no option ${shown(name)}: it takes ${namesOf(known)}`);
    const { is, what } = KINDS[kind];
    if (value !== undefined && !is(value))
      throw new TypeError(`${door}: ${name} ${shown(value)} is not ${what}`);
  }
  // A signal in the place of { signal } has no names of its own, and would be taken for no options.
  if (names.length === 0 && isSignal(options)) throw noOptions(door, options, known);
}

function noOptions(door: string, value: unknown, known: object): TypeError {
  return new TypeError(`${door}: options ${shown(value)} are no plain object: give { ${namesOf(known)} }`);
}

const namesOf = (known: object) => Object.keys(known).join(", ");

/** Throws a TypeError for what is no function. `name` is that of the argument. */
export function assertFunction(door: string, name: string, value: unknown): void {
  if (typeof value !== "function") throw new TypeError(`${door}: ${name} ${shown(value)} is not a function`);
}

/** Throws a RangeError for what is no integer from `least` to `most`. */
export function assertInteger(name: string, value: unknown, least: number, most: number): void {
  if (!(Number.isInteger(value) && (value as number) >= least && (value as number) <= most))
    throw new RangeError(`${name} ${shown(value)} is not an integer in ${least} .. ${most}`);
}

/** A value as an error shows it: short, on one line, a string in quotes. */
export function shown(value: unknown): string {
  return inspect(value, { depth: -1, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 100 });
}

const KINDS = {
  array: { is: (value) => Array.isArray(value) || ArrayBuffer.isView(value), what: "an array" },
  any: { is: () => true, what: "" },
  boolean: { is: (value) => typeof value === "boolean", what: "a boolean" },
  function: { is: (value) => typeof value === "function", what: "a function" },
  object: { is: (value) => typeof value === "object" && value !== null, what: "an object" },
  signal: { is: isSignal, what: "an AbortSignal" },
} satisfies Record<string, { is(value: unknown): boolean; what: string }>;

function isSignal(value: unknown): boolean {
  const { aborted, addEventListener } = Object(value) as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}
