import { mutantAsked, mutantsIn, writtenIn } from "../shared/mutants.ts";
import type { DrawsCompetitor } from "./draws.contract.ts";

const TABLE = writtenIn<DrawsCompetitor>(new URL("testdata/mutants.txt", import.meta.url));

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
