import type { Traits } from "./traits.ts";

/**
 * The run-time half of a primitive's contract. The types stop a competitor in this repository from forgetting a
 * field; `fields` does the same for a candidate that is loaded from elsewhere.
 */
export interface Contract<Competitor extends Traits> {
  /** The question this primitive's races answer, in one sentence. */
  readonly question: string;
  /** Name of the competitor that is slow and obviously right. It races too. */
  readonly oracle: string;
  /** Every field that a competitor must have, and what `typeof` says of it. */
  readonly fields: Readonly<Record<RequiredKey<Competitor>, "string" | "number" | "boolean" | "function">>;
  /** Memory of one instance in words a reader of the shelf understands. */
  footprint(competitor: Competitor): string;
}

type RequiredKey<T> = { [Key in keyof T]-?: undefined extends T[Key] ? never : Key }[keyof T];
