import { type Mutants, mutantAsked, mutantsIn, writtenIn } from "../shared/mutants.ts";
import type { QueuesCompetitor } from "./queues.contract.ts";

const TABLE: Mutants<QueuesCompetitor> = writtenIn(new URL("testdata/mutants.txt", import.meta.url));

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
