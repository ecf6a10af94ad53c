import { like, type Mutants, mutantAsked, mutantsIn, racy, writtenIn } from "../shared/mutants.ts";
import type { MetricsCompetitor } from "./metrics.contract.ts";

const TABLE: Mutants<MetricsCompetitor> = {
  ...writtenIn<MetricsCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
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
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
