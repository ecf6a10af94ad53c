import { type Mutants, mutantAsked, mutantsIn, writtenIn } from "../shared/mutants.ts";
import type { SlotsCompetitor } from "./slots.contract.ts";

const TABLE: Mutants<SlotsCompetitor> = {
  ...writtenIn<SlotsCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
