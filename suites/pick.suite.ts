import type { PickCompetitor, Picker, PickSetup } from "../structures/pick/pick.contract.ts";
import { totalsAreRight } from "../structures/pick/pick.laws.ts";
import { allocateRegion, type Region } from "../structures/shared/layout.ts";
import { race, type Setup, type Suite } from "./engine/suite.ts";

/**
 * Question: which backend takes the next request, when many workers ask at once?
 * Workload: every worker picks as fast as it can, for N backends that do not change. A real balancer does other work
 *   between picks, so this is the worst case of contention; its one-worker rows are the best case.
 * Not measured: the work behind a pick; resistance to repeating request patterns; backends that come and go.
 * How to run: npm run bench -- pick
 */
interface Params {
  readonly backends: number;
}

interface Shared {
  readonly memory: Region;
  readonly setup: PickSetup;
}

export default { primitive: "pick", scenarios: [uniform(8), uniform(7)] } satisfies Suite;

/** 8 backends make the remainder a mask for an engine that looks; 7 do not. */
function uniform(backends: number) {
  return race<PickCompetitor, Params, Shared>({
    scenario: `uniform-${backends}`,
    title: `one of ${backends} equal backends`,
    operation: "pick",
    headline: true,
    // The source's own baseline: its table gives every method's ratio to the synchronised random generator.
    baseline: "locked-random",
    params: { full: { backends }, smoke: { backends } },
    columns: {
      casFailures: { title: "CAS failures", unit: "per pick", reduce: "per-op" },
      parks: { title: "Parks", unit: "per pick", reduce: "per-op" },
    },

    prepare(competitor, { params, workers, seed, fork }) {
      const firstTicket = startBelowWrap(competitor, params.backends, fork);
      const setup = { backends: params.backends, seed, firstTicket, workers };
      const memory = allocateRegion(competitor.words(setup));
      competitor.format(memory, setup);
      return { memory, setup };
    },

    attach(competitor, _setup: Setup<Params>, { memory, setup }, seat) {
      const picker: Picker = competitor.attach(memory, setup, seat);
      return {
        run(operations) {
          let sum = 0;
          for (let done = 0; done < operations; done++) sum = (sum + picker.pick()) | 0;
          return sum;
        },
        ...(picker.counters === undefined ? {} : { counters: picker.counters }),
      };
    },

    law(competitor, _setup, { memory, setup }, work) {
      return totalsAreRight(competitor, {
        ...setup,
        picks: work.reduce((sum, { operations }) => sum + operations, 0),
        checksum: work.reduce((sum, { checksum }) => (sum + checksum) | 0, 0),
        state: competitor.inspect(memory, setup),
      });
    },
  });
}

/** Picks before the wrap at which a fork starts: few enough that its warm-up crosses it. */
const BELOW_WRAP = 20_000;

/**
 * Forks take turns among the wrap points, so that warm-up always runs both sides of one: an engine may compile a
 * picker's arithmetic for small integers and meet a cliff when they end.
 */
function startBelowWrap(competitor: PickCompetitor, backends: number, fork: number): number {
  const wraps = [2 ** 31, 2 ** 32, ...competitor.wrapPoints(backends)];
  return wraps[fork % wraps.length]! - BELOW_WRAP;
}
