import { importCompetitor } from "../../../engine/measure/load/load.ts";
import type { Runner } from "../../../engine/race.ts";
import { nextSfc32, SFC32_WORDS, seedSfc32 } from "../../../engine/words/random.ts";
import { importTail } from "../described.ts";
import { type Arrivals, CLOCK, rehearsed, type ServedTimes, serveArrivals } from "./arrivals.ts";
import { meet } from "./meeting.ts";
import type { TailAnswer, TailAssignment } from "./tail.ts";
import { newTimes } from "./tail-times.ts";

/**
 * The worker's side of a tail: a task of a thread. It joins the structure, and then serves four schedules that all
 * workers begin together. They are a rehearsal of the empty operation and of its own, then both in full.
 */
export default async function serve({
  meeting,
  identity,
  lab,
  moduleUrl,
  scenario,
  competitorUrl,
  setup,
  shared,
  arrivals,
}: TailAssignment): Promise<TailAnswer> {
  const { race } = await importTail(moduleUrl, scenario);
  const competitor = await importCompetitor(competitorUrl, lab);
  const runner = race.attach(competitor, setup, shared, identity);
  const worker = new TailWorker(runner, identity.seed);
  const pass = (operation: Operation, some: Arrivals, times: ServedTimes) => {
    meet(meeting, identity.workers);
    return worker.serve(operation, some, times);
  };
  pass("empty", rehearsed(arrivals), servedTimes());
  const before = pass("own", rehearsed(arrivals), servedTimes());
  const empty = servedTimes();
  pass("empty", arrivals, empty);
  const own = servedTimes();
  const operations = before + pass("own", arrivals, own);
  // All are at rest before any looks at what the structure has counted.
  meet(meeting, identity.workers);
  const counters = runner.counters?.() ?? {};
  const work = { role: identity.role, operations, checksum: worker.checksum, counters };
  return { work, ...own, empty: empty.response };
}

type Operation = "empty" | "own";

/** From the moment all have met to the first interval: longer than waking the last of them takes. */
const LEAD_MS = 2;

const servedTimes = () => ({ response: newTimes(), service: newTimes() });
const doNothing = () => {};

class TailWorker {
  checksum = 0;
  readonly #operate: () => void;
  readonly #settle: () => void;
  readonly #phase: () => number;

  constructor(runner: Runner, seed: number) {
    this.#operate = () => {
      this.checksum = (this.checksum + runner.run(1)) | 0;
    };
    this.#settle = runner.prepare === undefined ? doNothing : () => runner.prepare!(1);
    this.#settle();
    const phases = new Int32Array(SFC32_WORDS);
    seedSfc32(phases, 0, seed);
    this.#phase = () => (nextSfc32(phases, 0) >>> 0) / 2 ** 32;
  }

  /** Returns how many operations were run. */
  serve(operation: Operation, arrivals: Arrivals, times: ServedTimes): number {
    const isOwn = operation === "own";
    return serveArrivals(
      { ...arrivals, firstMs: CLOCK.nowMs() + LEAD_MS, phase: this.#phase },
      isOwn ? this.#operate : doNothing,
      isOwn ? this.#settle : doNothing,
      CLOCK,
      times,
    );
  }
}
