import type { Progress, Traits } from "./traits.ts";

/**
 * The run-time half of a primitive's contract. The types stop a competitor in this repository from omitting a field or
 * inventing a value. `fields` and `optional` do the same for a candidate that is loaded from elsewhere.
 */
export interface Contract<Competitor extends Traits> {
  /** The question this primitive's races answer, in one sentence. */
  readonly question: string;
  /** Name of the competitor that is slow and obviously right. It races too. */
  readonly oracle: string;
  /** Every field that a competitor must have besides the fields of all primitives, and what may stand there. */
  readonly fields: { readonly [Key in RequiredKey<Own<Competitor>>]: FieldOf<Competitor[Key]> };
  /** The same for the fields that it may leave out. */
  readonly optional: {
    readonly [Key in OptionalKey<Own<Competitor>>]: FieldOf<NonNullable<Competitor[Key]>>;
  };
  /** Which of its claims contradict each other, and how to mend it, in one line. Absent where all do. */
  contradiction?(competitor: Competitor): string | undefined;
  /** Memory of one instance in words a reader of the shelf understands. */
  footprint(competitor: Competitor): string;
}

/** The contract of a primitive that is known by its name alone. */
export interface AnyContract extends Omit<Contract<Traits>, "fields" | "optional"> {
  readonly fields: Fields;
  readonly optional: Fields;
}

export type Fields = Readonly<Record<string, Field>>;

/**
 * What may stand in a field: the values there are, each `true`; or anything of a type. A `number` is 0 or more,
 * Infinity included. `true` is for a field that is left out where it does not hold.
 */
export type Field = "string" | "number" | "boolean" | "true" | "function" | "object" | Values;
export type Values = Readonly<Record<string, true>>;

/** A union of strings is all its values, so that it is a type error to forget one. */
type FieldOf<Value> = [Value] extends [string]
  ? string extends Value
    ? "string"
    : { readonly [One in Value]: true }
  : [Value] extends [number]
    ? "number"
    : [Value] extends [true]
      ? "true"
      : [Value] extends [boolean]
        ? "boolean"
        : [Value] extends [(...args: never[]) => unknown]
          ? "function"
          : "object";

type Own<Competitor> = Omit<Competitor, keyof Traits>;
type OptionalKey<T> = { [Key in keyof T]-?: undefined extends T[Key] ? Key : never }[keyof T];
type RequiredKey<T> = Exclude<keyof T, OptionalKey<T>>;

/** What every competitor must say of itself, and what it may. */
export const TRAITS = {
  fields: {
    summary: "string",
    source: "string",
    progress: { "wait-free": true, "lock-free": true, blocking: true } satisfies FieldOf<Progress>,
  },
  optional: {
    formerly: "string",
    variantOf: "string",
    yardstickOf: "string",
    lowerBound: "true",
    needsLinear: "true",
    sleepWord: "number",
    holderWords: "object",
    unavailable: "function",
  },
} as const satisfies {
  fields: { [Key in RequiredKey<Traits>]: FieldOf<Traits[Key]> };
  optional: { [Key in OptionalKey<Traits>]: FieldOf<NonNullable<Traits[Key]>> };
};

/** All laws of a primitive, applied to one competitor: one that passes is as good as the laws can show. */
export interface Examination {
  /** What is tried, in a few words that fit one line. */
  readonly tries: string;
  /**
   * The sentence of each broken law, which begins with its name; none for an honest competitor. Rejects where
   * `loadCompetitor` does. A competitor that never returns may keep it from returning, where it runs in this thread.
   */
  examine(url: string): Promise<string[]>;
}
