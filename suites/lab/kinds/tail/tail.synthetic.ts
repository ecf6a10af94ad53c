import { race } from "../../../engine/race.ts";
import { allocateRegion, type Region } from "../../../engine/words/layout.ts";
import { type Scenario, tail } from "../../../shared/vocabulary.ts";

/** A suite of tails for tests: workers count their operations together, all but the last do, or the last one throws. */
export default ["counted", "forgotten", "thrown"].map(
  (family): Scenario =>
    tail(
      race<unknown, null, Region>({
        scenario: family,
        title: "operations are counted",
        headline: false,
        operation: "addition",
        baseline: "counter",
        params: { full: null, smoke: null },
        role: (index) => (index === 0 ? "first" : "other"),
        prepare: () => allocateRegion(1),
        attach: (_competitor, _setup, counter, { index, workers }) => ({
          run(operations) {
            const isLast = index === workers - 1;
            if (isLast && family === "thrown") throw new Error("no more");
            if (!isLast || family === "counted") Atomics.add(counter, 0, operations);
            return operations;
          },
        }),
        law(_competitor, _setup, counter, work) {
          const operations = work.reduce((sum, done) => sum + done.operations, 0);
          return counter[0] === operations ? undefined : `${operations} operations, ${counter[0]} counted`;
        },
      }),
      { family, workers: 2, role: "first", intervalUs: 20, count: { full: 2_000, smoke: 2_000 } },
    ),
);
