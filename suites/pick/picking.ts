import { Worker } from "node:worker_threads";
import { withBackends } from "../../structures/pick/parts/backends.ts";
import { UnderWay } from "../../structures/pick/parts/simulation.ts";
import type { PickCompetitor, Picker } from "../../structures/pick/pick.contract.ts";
import { makePicker, type PickInstance } from "../../structures/pick/pick.instance.ts";
import {
  type Excerpt,
  excerptsAreRight,
  totalsAreRight,
  type WorkerPicks,
} from "../../structures/pick/pick.laws.ts";
import type { Region } from "../../structures/shared/layout.ts";
import { CPU_TIME, type Runner, race, type Sizes, type WorkDone } from "../engine/race.ts";
import { present } from "../engine/words/present.ts";
import { COLD_BYTES, type LOCAL_WORKS, sweptOver, workedOn } from "../shared/local-work.ts";
import type { PausedTask } from "./background.worker.ts";
import { holdPass, makePass, releasePass } from "./background-pass.ts";

/**
 * What a race is compared with: the source's counter, whose cost differs least from process to process. The source compares
 * with the synchronised random generator, which strays by 5 to 8 % at two workers, and would double every interval.
 */
export const CALM_BASELINE = "shuffled-round-robin";
/** The source's own baseline, of simulations and tails. */
export const BASELINE = "locked-random";

/** Why a picker is raced at 8 backends only. */
export const NOTHING_PER_BACKEND =
  "a pick neither reads per backend nor divides by their number, see uniform-8";

const COLUMNS = {
  casFailures: { title: "CAS failures", unit: "per pick", reduce: "per-op" },
  parks: { title: "Parks", unit: "per pick", reduce: "per-op" },
  cpu: CPU_TIME,
} as const;

export interface Params {
  readonly backends: number;
  /** Whether the program has another balancer, for another number of backends. */
  readonly besideAnother?: true;
  /** Whether counters start so that they wrap while crews warm up; at 0, as a server does, if absent. */
  readonly hasWrapped?: true;
  /** Local work before each pick, in rounds; none if absent. */
  readonly rounds?: number;
  /** Whether each worker reads so much memory of its own before each pick that nothing else is in its nearest cache. */
  readonly isCold?: true;
  readonly weights?: readonly number[];
}

interface Picking {
  readonly scenario: string;
  readonly title: string;
  readonly headline: boolean;
  readonly baseline: string;
  readonly params: Sizes<Params>;
  readonly sliceMs?: number;
  absent(competitor: PickCompetitor, params: Params): string | undefined;
}

/** What the crew shares: an instance, and the pass of the thread beside the workers where the picker has one. */
export interface Picked extends PickInstance {
  readonly pass?: Region;
}

/** Workers that pick as fast as they can, each from its own place at one instance. */
export function picking(described: Picking) {
  return race<PickCompetitor, Params, Picked>({
    ...described,
    operation: "pick",
    columns: COLUMNS,
    excerpt: PICKS_IN_EXCERPT,
    threads: ({ background }) => (background === undefined ? 0 : 1),
    placement: ({ background }) => (background === undefined ? "arena" : "own"),

    prepare(competitor, { params, workers, seed }) {
      const { backends, weights, hasWrapped } = params;
      const firstTicket = hasWrapped ? belowWrap(competitor, backends) : 0;
      const options = { backends, seed, firstTicket, workers, ...present({ weights }) };
      const instance = makePicker(answered(competitor), options);
      return startPaused(competitor, instance);
    },

    attach(competitor, { params }, { memory, setup, pass }, worker) {
      const raced = answered(competitor);
      if (params.besideAnother) {
        const { linear: _, ...options } = setup;
        const other = makePicker(raced, { ...options, backends: 2 * params.backends });
        runnerOf(raced.attach(other.memory, other.setup, worker)).run(OTHER_PICKS);
      }
      const runner = runnerIn(params, raced.attach(memory, setup, worker), worker.seed);
      return pass === undefined ? runner : { ...runner, ...pausing(pass) };
    },

    law(competitor, _setup, { memory, setup }, work) {
      const state = answered(competitor).inspect(memory, setup);
      return (
        totalsAreRight(competitor, { setup, state, perWorker: work.map(asPicks) }) ??
        excerptsAreRight(competitor, setup, work.flatMap(asExcerpt))
      );
    },
  });
}

/** Starts the thread that some pickers leave work to. It will be there by the time all crews are warm. */
function startPaused({ background }: PickCompetitor, instance: PickInstance): Picked {
  if (background === undefined) return instance;
  const { memory, setup } = instance;
  const pass = makePass();
  const workerData: PausedTask = { url: background.url, memory, setup, pass };
  new Worker(new URL("./background.worker.ts", import.meta.url), { workerData }).unref();
  return { ...instance, pass };
}

/** Keeps that thread from running in the slices of other crews. */
function pausing(pass: Region): Pick<Runner, "resume" | "rest"> {
  return { resume: () => releasePass(pass), rest: () => holdPass(pass) };
}

function runnerIn({ isCold, rounds }: Params, picker: Picker, seed: number): Runner {
  if (isCold) return workingRunner(picker, reading(seed), seed);
  if (rounds === undefined) return runnerOf(picker);
  return workingRunner(picker, (worked) => workedOn(worked, rounds), seed);
}

/** Among backends that all weigh the same. */
export function uniform(backends: number, { headline }: { headline: boolean }) {
  return picking({
    scenario: `uniform-${backends}`,
    title: `one of ${backends} equal backends`,
    headline,
    baseline: CALM_BASELINE,
    params: both({ backends }),
    absent(competitor, params) {
      if (backends !== 8 && !competitor.dependsOnBackends) return NOTHING_PER_BACKEND;
      return competitor.refuses?.(params);
    },
  });
}

/** The same where each worker has other work to do between two picks. */
export function afterWork(
  backends: number,
  { label, title, rounds, ...slices }: (typeof LOCAL_WORKS)[number],
) {
  return picking({
    scenario: `uniform-${backends}-after-${label}`,
    title: `one of ${backends} equal backends, after ${title} of the worker's own work`,
    headline: false,
    baseline: CALM_BASELINE,
    params: both({ backends, rounds }),
    ...slices,
    absent(competitor, params) {
      if (competitor.variantOf !== undefined) return `a variant: see uniform-${backends}`;
      return competitor.refuses?.(params);
    },
  });
}

/** The same where the nearest cache of each worker's core contains nothing of the picker when it picks. */
export function cold(backends: number) {
  return picking({
    scenario: `uniform-${backends}-cold`,
    title: `one of ${backends} equal backends, after each worker has read ${COLD_BYTES / 1024} kB of its own`,
    headline: false,
    baseline: CALM_BASELINE,
    params: both({ backends, isCold: true }),
    absent(competitor, params) {
      if (competitor.variantOf !== undefined) return `a variant: see uniform-${backends}`;
      return competitor.refuses?.(params);
    },
  });
}

/** A picker that probes races with backends that answer at once: what its probes would cost on a network is left out. */
function answered(competitor: PickCompetitor): PickCompetitor {
  return withBackends(competitor, () => performance.now());
}

function runnerOf(picker: Picker): Runner {
  const counters = picker.counters === undefined ? {} : { counters: picker.counters };
  if (picker.pickMany !== undefined) return { run: picker.pickMany, ...counters };
  if (picker.release !== undefined) return releasingRunner(picker as Required<Picker>);
  return {
    run(operations) {
      let sum = 0;
      for (let done = 0; done < operations; done++) sum = (sum + picker.pick()) | 0;
      return sum;
    },
    ...counters,
  };
}

/** A picker by load hears when requests are done: each worker always has a few in flight. */
function releasingRunner(picker: Picker): Runner {
  const underWay = new UnderWay();
  return {
    run(operations) {
      let sum = 0;
      for (let count = 0; count < operations; count++) {
        const backend = picker.pick();
        const done = underWay.exchange(backend);
        if (done !== undefined) picker.release!(done);
        sum = (sum + backend) | 0;
      }
      return sum;
    },
    counters: () => ({ ...picker.counters?.(), inFlight: underWay.count }),
  };
}

/** Local work that reads so much memory of the worker's own that nothing else stays in the nearest cache. */
function reading(seed: number): (worked: number) => number {
  const lines = new Int32Array(COLD_BYTES / Int32Array.BYTES_PER_ELEMENT).fill(seed);
  return (worked) => sweptOver(lines, worked);
}

/** One operation is the work and the pick. What was picked goes into the next work, which so waits for it. */
function workingRunner(picker: Picker, work: (worked: number) => number, seed: number): Runner {
  const releases = picker.release !== undefined;
  const underWay = new UnderWay();
  // In an array, because an engine boxes what a closure keeps beyond the range of its small integers.
  const kept = Int32Array.of(seed | 1);
  return {
    run(operations) {
      let worked = kept[0]!;
      let sum = 0;
      for (let count = 0; count < operations; count++) {
        worked = work(worked);
        const backend = picker.pick();
        if (releases) {
          const done = underWay.exchange(backend);
          if (done !== undefined) picker.release!(done);
        }
        worked ^= backend;
        sum = (sum + backend) | 0;
      }
      kept[0] = worked;
      return sum;
    },
    counters: () => ({ ...picker.counters?.(), ...(releases ? { inFlight: underWay.count } : {}) }),
  };
}

/** Picks from the other balancer: one would do to end the folding, the rest makes it sure. */
const OTHER_PICKS = 1000;

/** Enough of eight backends to distinguish them from ones that come too evenly; under a millisecond of most pickers. */
const PICKS_IN_EXCERPT = 2 ** 14;

function asExcerpt({ excerpt }: WorkDone): Excerpt[] {
  return excerpt === undefined ? [] : [{ before: excerpt.before, picked: excerpt.results }];
}

function asPicks({ operations, checksum, counters, earlier = [] }: WorkDone): WorkerPicks {
  return {
    picks: operations,
    checksum,
    counters,
    earlier: earlier.map((look) => ({ picks: look.operations, checksum: look.checksum })),
  };
}

/**
 * Of the first wrap, so few picks before it that the warm-up crosses it. What V8 makes of a picker differs on either side,
 * so all forks of a scenario start alike: see results/reviews/0019-the-first-ticket.md.
 */
function belowWrap(competitor: PickCompetitor, backends: number): number {
  return Math.min(2 ** 31, ...competitor.wrapPoints(backends)) - 20_000;
}

/** Parameters that are as small as they can be in both sizes. */
export function both(params: Params): Sizes<Params> {
  return { full: params, smoke: params };
}
