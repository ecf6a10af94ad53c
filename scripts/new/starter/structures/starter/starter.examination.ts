import type { Examination } from "../shared/contract.ts";
import { examined } from "../shared/examination.ts";
import { contract, type StarterCompetitor } from "./starter.contract.ts";
import { numbersAddUp } from "./starter.laws.ts";

const NUMBERS = 1000;

/** Every law applied to one competitor; each mutant must fail. */
export const examination = {
  tries: "the sum of the first thousand numbers",
  examine: (url) => examined(url, contract, async (competitor: StarterCompetitor) => lawsBroken(competitor)),
} satisfies Examination;

function lawsBroken(competitor: StarterCompetitor): (string | undefined)[] {
  const handle = competitor.attach();
  let checksum = 0;
  for (let count = 0; count < NUMBERS; count++) checksum = (checksum + handle.next()) | 0;
  return [numbersAddUp(NUMBERS, checksum)];
}
