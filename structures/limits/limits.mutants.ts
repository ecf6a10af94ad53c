import { like, type Mutants, mutantAsked, mutantsIn, writtenIn } from "../shared/mutants.ts";
import type { LimitsCompetitor } from "./limits.contract.ts";

const TABLE: Mutants<LimitsCompetitor> = {
  ...writtenIn<LimitsCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
  /** Takes any limit that it is given. */
  "takes-any-setup": like("gcra-cas", "badInputIsRefused", () => ({ words: () => 64 })),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
