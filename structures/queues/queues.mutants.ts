import { like, type Mutants, mutantAsked, mutantsIn, writtenIn } from "../shared/mutants.ts";
import type { QueuesCompetitor } from "./queues.contract.ts";

const TABLE: Mutants<QueuesCompetitor> = {
  ...writtenIn<QueuesCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
  /** Takes any setup that it is given. */
  "takes-any-setup": like("locked-ring", "badInputIsRefused", () => ({ words: () => 1024 })),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
