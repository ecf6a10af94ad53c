import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";
import { makePicker, type PickInstance } from "../../../structures/pick/pick.instance.ts";
import { totalsAreRight } from "../../../structures/pick/pick.laws.ts";
import { race } from "../../engine/race.ts";
import { both, type Params } from "../picking.ts";

/** A round robin of 1000 backends at a line each, and as much again. */
const MOST_WORDS_TO_REBUILD = 64_000;

/**
 * What a change of members costs the thread that makes it. The region is formatted for the new members, one worker
 * attaches to it and picks once. By turns with one backend less and with all.
 */
export default race<PickCompetitor, Params, readonly PickInstance[]>({
  scenario: "rebuild-1000",
  title: "a new instance for a change of members, 1000 backends",
  operation: "rebuild",
  // Hundreds of rebuilds of 0.01 to 0.2 ms.
  sliceMs: 40,
  // A rebuild leaves 0.5 to 34 kB of garbage on the engine's heap, which cannot be moved: each process has few crews.
  // With sixteen the A/A control, which ran in one slice of sixteen, was 9 to 13 % slower than the baseline. The
  // baseline ran in every second one.
  isLarge: () => true,
  placement: () => "objects",
  headline: false,
  // The least that a round robin can have: a rotation and a position.
  baseline: "locked-round-robin",
  mostWorkers: 1,
  params: both({ backends: 1000 }),
  absent(competitor, params) {
    const { backends } = params;
    if (competitor.order === "none") return "a floor has no members";
    if (!competitor.dependsOnBackends) return "its instance is the same for any number of backends";
    if (competitor.order === "random") return "it remembers no backends: nothing is rebuilt";
    if (competitor.words({ backends, seed: 0, firstTicket: 0, workers: 1 }) > MOST_WORDS_TO_REBUILD)
      return "its rebuild is the making of an artificial memory layout";
    return competitor.refuses?.(params) ?? competitor.refuses?.({ backends: backends - 1 });
  },

  prepare(competitor, { params, workers, seed }) {
    return [params.backends - 1, params.backends].map((members) =>
      makePicker(competitor, { backends: members, seed, firstTicket: 0, workers }),
    );
  },

  attach(competitor, _setup, instances, worker) {
    let rebuilds = 0;
    let last = { picked: 0, counters: {} as Readonly<Record<string, number>> };
    return {
      run(operations) {
        let sum = 0;
        for (let done = 0; done < operations; done++) {
          const { memory, setup } = instances[rebuilds++ & 1]!;
          competitor.format(memory, setup);
          const picker = competitor.attach(memory, setup, worker);
          const picked = picker.pick();
          sum = (sum + picked) | 0;
          if (done === operations - 1) last = { picked, counters: { ...picker.counters?.() } };
        }
        return sum;
      },
      counters: () => ({ ...last.counters, lastPick: last.picked }),
    };
  },

  // The instance that was made last has had one pick, and everything that a picker's words can show of one is there.
  law(competitor, _setup, instances, [work]) {
    const { operations, counters } = work!;
    const { memory, setup } = instances[(operations - 1) & 1]!;
    const perWorker = [{ picks: 1, checksum: counters.lastPick!, counters: { ...counters, inFlight: 1 } }];
    return totalsAreRight(competitor, { setup, state: competitor.inspect(memory, setup), perWorker });
  },
});
