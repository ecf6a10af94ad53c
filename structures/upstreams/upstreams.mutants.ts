import { like, type Mutants, mutantAsked, mutantsIn, writtenIn } from "../shared/mutants.ts";
import type { UpstreamsCompetitor } from "./upstreams.contract.ts";

const TABLE: Mutants<UpstreamsCompetitor> = {
  ...writtenIn<UpstreamsCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
  /** Says that its origins are fixed, and changes them. */
  "is-not-fixed": like("balanced-two-choices", "fixedOnesSaySo", () => ({ drains: "never" })),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
