import type { Collection } from "./collection.ts";
import { benchmarkJs } from "./harnesses/benchmark-js.ts";
import { mitata } from "./harnesses/mitata.ts";
import { tinybench } from "./harnesses/tinybench.ts";
import { vitest } from "./harnesses/vitest.ts";

/** Stands in for a benchmark library: has its surface, and collects what a file would have measured. */
export interface Harness {
  /** As it is imported: "mitata". */
  readonly package: string;
  /** What `require` of it returns, and an import without a name. Its properties have names. Called once in each thread. */
  surface(collection: Collection): object;
}

export const HARNESSES: readonly Harness[] = [tinybench, mitata, vitest, benchmarkJs];
