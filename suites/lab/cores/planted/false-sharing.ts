import { defineRace } from "../../../engine/define-race.ts";
import { allocateRegion, type Region } from "../../../engine/words/layout.ts";
import { WORDS_PER_LINE } from "../machine/lines.ts";

/** Words of each worker's counters. */
const COUNTERS = WORDS_PER_LINE / 2;
/** Words before the first worker's, and written by none. */
const HEADER = WORDS_PER_LINE / 2;

/** Where a worker's counters begin. */
type Layout = { first(index: number): number };

/**
 * Workers count what they do, each in words of its own. The faulty layout packs them behind a header of half a line: from
 * the second worker on, each two neighbours share a line. The first two do not.
 */
export default defineRace<Layout, undefined, Region>({
  scenario: "false-sharing",
  title: "each worker adds to counters of its own",
  operation: "count",
  competitors: {
    honest: { first: (index) => HEADER + index * 2 * WORDS_PER_LINE },
    faulty: { first: (index) => HEADER + index * COUNTERS },
  },
  prepare: ({ first }, { workers }) => allocateRegion(first(workers)),
  attach({ first }, _setup, memory, { index }) {
    const [requests, bytes] = [first(index), first(index) + 1];
    return {
      run(operations) {
        for (let done = 0; done < operations; done++) {
          Atomics.add(memory, requests, 1);
          Atomics.add(memory, bytes, 1_500);
        }
        return 0;
      },
    };
  },
  law({ first }, _setup, memory, work) {
    const wrong = work.findIndex(({ operations }, index) => memory[first(index)] !== operations);
    return wrong < 0
      ? undefined
      : `everyCountIsKept: worker ${wrong} counted ${memory[first(wrong)]} of its ${work[wrong]!.operations} operations`;
  },
});
