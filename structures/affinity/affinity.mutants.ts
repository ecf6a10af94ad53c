import { like, type Mutants, mutantAsked, mutantsIn, writtenIn } from "../shared/mutants.ts";
import type { AffinityCompetitor } from "./affinity.contract.ts";

const TABLE: Mutants<AffinityCompetitor> = {
  ...writtenIn<AffinityCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
  /** Claims to move no key, as the others do. */
  "modulo-claims-nothing-moves": like("modulo", "fewKeysMove", () => ({ surplus: () => 0 })),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
