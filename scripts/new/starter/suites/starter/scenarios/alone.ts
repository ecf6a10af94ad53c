import type { StarterCompetitor } from "../../../structures/starter/starter.contract.ts";
import { numbersAddUp } from "../../../structures/starter/starter.laws.ts";
import { race } from "../../engine/race.ts";

export default race<StarterCompetitor, null, null>({
  scenario: "alone",
  title: "numbers for one worker",
  operation: "number",
  headline: true,
  baseline: "plain-counter",
  mostWorkers: 1,
  params: { full: null, smoke: null },
  prepare: () => null,

  attach(competitor) {
    const handle = competitor.attach();
    return {
      run(operations) {
        let sum = 0;
        for (let done = 0; done < operations; done++) sum = (sum + handle.next()) | 0;
        return sum;
      },
    };
  },

  law(_competitor, _setup, _shared, work) {
    const [{ operations, checksum }] = work as [(typeof work)[number]];
    return numbersAddUp(operations, checksum);
  },
});
