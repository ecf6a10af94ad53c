import { race } from "../../engine/race.ts";
import { allocateRegion, type Region } from "../../engine/words/layout.ts";

/** Words: how many have resumed and not rested, and how often an operation or a second resume found that otherwise. */
const RESUMED = 0;
const WRONG = 1;

/** A race of no competitor's work, which breaks its law unless its crew has resumed whenever it runs, and rests else. */
export default [
  race<unknown, unknown, Region>({
    scenario: "resting",
    title: "made up",
    operation: "look",
    headline: true,
    baseline: "cas-ring",
    params: { full: {}, smoke: {} },
    prepare: () => allocateRegion(2),
    attach(_competitor, _setup, memory) {
      const expect = (resumed: number, found: number) => {
        if (found !== resumed) Atomics.add(memory, WRONG, 1);
      };
      return {
        resume: () => expect(0, Atomics.add(memory, RESUMED, 1)),
        rest: () => expect(1, Atomics.sub(memory, RESUMED, 1)),
        run(operations) {
          for (let looked = 0; looked < operations; looked++) expect(1, Atomics.load(memory, RESUMED));
          return 0;
        },
      };
    },
    law(_competitor, _setup, memory) {
      const [resumed, wrong] = [Atomics.load(memory, RESUMED), Atomics.load(memory, WRONG)];
      return resumed + wrong === 0 ? undefined : `${resumed} rest not, and ${wrong} times that was wrong`;
    },
  }),
];
