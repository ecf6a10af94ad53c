import { setImmediate as nextTurn } from "node:timers/promises";
import type {
  Deadline,
  Deadlines,
  DeadlinesCompetitor,
} from "../../structures/deadlines/deadlines.contract.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import { type AsyncRunner, CPU_TIME, race } from "../engine/race.ts";

interface RequestParams {
  /** Requests under way at any time. */
  readonly underWay: number;
  readonly delayMs: number;
}

/** Requests between two turns of the event loop. */
const REQUESTS_PER_TURN = 256;
/** A request that is done when it is awaited. */
const DONE = Promise.resolve();

class Requests implements AsyncRunner {
  readonly #deadlines: Deadlines;
  readonly #delayMs: number;
  readonly #random: Random;
  readonly #underWay: Deadline[];
  #made: number;
  #cancelled = 0;

  constructor(deadlines: Deadlines, { underWay, delayMs }: RequestParams, seed: number) {
    this.#deadlines = deadlines;
    this.#delayMs = delayMs;
    this.#random = new Random(seed);
    this.#underWay = Array.from({ length: underWay }, () => deadlines.make(delayMs));
    this.#made = underWay;
  }

  /** The checksum is the number of requests that ended before their deadlines. */
  async runAsync(operations: number): Promise<number> {
    let inTime = 0;
    for (let operation = 1; operation <= operations; operation++) {
      const which = this.#random.below(this.#underWay.length);
      const ended = this.#underWay[which]!;
      await DONE;
      if (!ended.signal.aborted) inTime++;
      ended.cancel();
      this.#cancelled++;
      this.#underWay[which] = this.#deadlines.make(this.#delayMs);
      this.#made++;
      if (operation % REQUESTS_PER_TURN === 0) await nextTurn();
    }
    return inTime;
  }

  counters() {
    return { made: this.#made, cancelled: this.#cancelled };
  }
}

/** What a deadline takes at most, of any competitor, and how many that were not cancelled are not collected yet. */
const BYTES_OF_DEADLINE = 2_000;
const UNCOLLECTED = 500_000;

export function requests(scenario: string, title: string, params: RequestParams, smokeUnderWay: number) {
  return race<DeadlinesCompetitor, RequestParams, null>({
    scenario,
    title,
    operation: "request",
    // One request at a time is what most programs have; the others take long to prepare.
    headline: params.underWay === 1,
    baseline: "abort-controller-set-timeout",
    mostWorkers: 1,
    params: { full: params, smoke: { ...params, underWay: smokeUnderWay } },
    columns: { cpu: CPU_TIME },
    placement: () => "objects",
    isLarge: ({ underWay }) => underWay > 1,
    bytesPerWorker: (competitor, { underWay }) =>
      BYTES_OF_DEADLINE * (underWay + (competitor?.cancels === false ? UNCOLLECTED : 0)),
    prepare: () => null,
    attach() {
      throw new Error("a request is awaited: this race has attachAsync alone");
    },
    attachAsync: (competitor, { params, seed }) => new Requests(competitor.create(), params, seed),

    law(_competitor, { params: { underWay } }, _shared, work) {
      const [{ operations, checksum, counters }] = work as [(typeof work)[number]];
      if (checksum !== (operations | 0))
        return `${operations - checksum} deadlines passed before their requests ended`;
      return counters.made! - counters.cancelled! === underWay
        ? undefined
        : `${counters.made} deadlines were made and ${counters.cancelled} cancelled, with ${underWay} under way`;
    },
  });
}
