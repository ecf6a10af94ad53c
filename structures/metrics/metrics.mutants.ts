import {
  like,
  type Mutants,
  mutantAsked,
  mutantsIn,
  planted,
  plantedIn,
  racy,
  writtenIn,
} from "../shared/mutants.ts";
import { pausing } from "../shared/mutated.ts";
import type { MetricsCompetitor } from "./metrics.contract.ts";

const CELLS = "metrics/parts/cells.ts";

/** Leaves the core for a while in the middle of what others must not see, where this holds: now and then. */
function awayAt(condition: string): string {
  return `if (${condition}) ${pausing(1)}`;
}

const TABLE: Mutants<MetricsCompetitor> = {
  ...writtenIn<MetricsCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
  /** Believes a high word and a low word that it read one after the other. */
  "reads-torn": racy(
    plantedIn(
      CELLS,
      "own-lines",
      "readsAreWhole",
      [
        "const word = Atomics.load(memory, at);",
        `${awayAt("at === 0")} const word = Atomics.load(memory, at);`,
      ],
      ["if (Atomics.load(memory, at + (word < 0 ? 2 : 1) * apart) === high)", ""],
    ),
  ),
  /** Has one high word, so that a reader may see it before the low word that it goes with. */
  "one-high-word": racy(
    plantedIn(
      CELLS,
      "own-lines",
      "readsAreWhole",
      ["word < 0 ? [2, 1] : [1, 2]", "[1, 1]"],
      [
        "Atomics.store(memory, at, unused === 2 ? low + TAG : low);",
        `${awayAt("high % 4096 === 0")} Atomics.store(memory, at, low);`,
      ],
    ),
  ),
  /** Every second time answers what it answered first. */
  "answers-again": racy(
    like("own-lines", "readsNeverFall", (honest) => ({
      reader(memory, setup) {
        const read = honest.reader!(memory, setup);
        const first = read();
        let times = 0;
        return () => (++times % 2 === 0 ? first : read());
      },
    })),
  ),
  /** A worker begins its cells at 0, whoever had the seat. */
  "resets-the-seat": like("own-lines", "seatIsContinued", (honest) => ({
    attach(memory, setup, worker) {
      const { length } = memory;
      memory.fill(0, (worker.index * length) / setup.workers, ((worker.index + 1) * length) / setup.workers);
      return honest.attach(memory, setup, worker);
    },
  })),
  /** Leaves the words at what they were, which is 0 in memory that is new. */
  "counts-on-zeroes": like("shared-atomics-add", "emptyAtFirst", () => ({ format() {} })),
  /** A load and a store where Atomics.add belongs. */
  "adds-in-two-steps": racy(
    planted("shared-atomics-add", "addsAreConserved", [
      "Atomics.add(memory, COUNTER, n);",
      `const before = Atomics.load(memory, COUNTER); ${awayAt("before % 4096 === 0")} Atomics.store(memory, COUNTER, before + n);`,
    ]),
  ),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
