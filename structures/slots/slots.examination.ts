import assert from "node:assert/strict";
import type { Piscina } from "piscina";
import { foldAt } from "../pick/parts/rotation.ts";
import type { Examination } from "../shared/contract.ts";
import { asserted, examined, threadsOf } from "../shared/examination.ts";
import { freeSeat } from "../shared/instance.ts";
import { allocateFor, allocateRegion, type LinearMemory, type Region } from "../shared/layout.ts";
import { Random } from "../shared/sfc32.ts";
import { Clients } from "./parts/clients.ts";
import { contract, MOST_SLOTS, type SlotsCompetitor } from "./slots.contract.ts";
import { attachSlots, makeSlots } from "./slots.instance.ts";
import {
  conserved,
  emptyAtFirst,
  evenFilling,
  evenUnderChurn,
  everyWorkerFinishes,
  foldedBack,
  loadsHaveASay,
  loadsOf,
  noWorseThanChance,
  restartsGoOn,
  sharedWordsTell,
  slotsAreInRange,
  turnsMayResonate,
  type WorkerSlots,
} from "./slots.laws.ts";

/**
 * Every law of slots applied to one competitor, alone and under workers. A competitor that passes is as good as the laws can show;
 * each mutant must fail. Written once, so that a newcomer is examined like every other competitor.
 *
 * An examination has five parts. The workers fill, replace clients at once, and let clients come and go as they like.
 * Then they let all of them go slot by slot, and admit half as many as at first. They rest after each part, and often
 * while they fill. A slot taken too far is soon as full as the others become, so it shows only while they are not.
 */

/** How often a worker does what in each part. */
export interface SlotsPlan {
  readonly arrivals: number;
  /** While filling, before the last. */
  readonly rests: number;
  readonly replacements: number;
  readonly comingsAndGoings: number;
}

/** What one worker of an examination is asked to do. */
export interface SlotsTask {
  readonly url: string;
  readonly memory: Region;
  readonly linear?: LinearMemory;
  readonly slots: number;
  readonly workers: number;
  readonly index: number;
  readonly seed: number;
  readonly plan: SlotsPlan;
  /** One word in which the workers count themselves in after each rest, so that they go on together. */
  readonly gate: Region;
}

/** What it noted: at the end, and how its clients were spread over the slots at the rests before. */
export interface SlotsReport extends WorkerSlots {
  /** At each rest while filling. */
  readonly filled: readonly Int32Array[];
  readonly churned: Int32Array;
  /** After clients came and went. */
  readonly unsteady: Int32Array;
}

/** Plays one worker's five parts; `together` is called at the beginning and after each rest. */
export function playClients(
  competitor: SlotsCompetitor,
  { memory, linear, slots, workers, index, seed, plan }: Omit<SlotsTask, "url" | "gate">,
  together: () => void,
): SlotsReport {
  const identity = { index, workers, role: "worker", seed: (seed ^ (index + 1)) >>> 0 };
  const allocator = competitor.attach(memory, slots, identity, linear);
  const clients = new Clients(allocator, new Int32Array(slots), 2 * plan.arrivals + 1, identity.seed);
  const filled: Int32Array[] = [];
  const fill = (upTo: number) => {
    together();
    while (clients.takes < upTo) clients.arrive();
    filled.push(clients.loads.slice());
  };
  // Between two rests the crew fills every slot about once, and each worker does a different amount. If all did the
  // same, each would keep to the slots after its own start, and they would not meet.
  const random = new Random(identity.seed);
  const share = Math.max(1, Math.floor(slots / workers));
  for (let rest = 0; rest < plan.rests; rest++)
    fill(Math.min(plan.arrivals, clients.takes + random.below(2 * share + 1)));
  fill(plan.arrivals);
  together();
  for (let count = 0; count < plan.replacements && clients.held > 0; count++) clients.replace();
  const churned = clients.loads.slice();
  together();
  for (let count = 0; count < plan.comingsAndGoings; count++) clients.arriveOrLeave(plan.arrivals);
  const unsteady = clients.loads.slice();
  together();
  clients.leaveAll();
  together();
  for (let count = plan.arrivals >> 1; count > 0; count--) clients.arrive();
  const { takes, gives, strays, loads, counters } = clients;
  return { filled, churned, unsteady, takes, gives, strays, loads, counters };
}

const SEED = 20_261_121;
/** In every word before format, which must count on nothing that stood there. */
const LEFTOVER = -7;

/** The largest crew of an examination. */
const MOST_WORKERS = 4;

/**
 * In ms. The time that a crew may take for its share. It needs only a small part of it, even on a busy machine: a crew
 * that takes longer is stuck.
 */
const STUCK_MS = 20_000;

export const examination = {
  tries: "clients that come, go and are replaced at 1 to 600 slots, alone and under 2 and 4 workers",
  /** `limitMs`: after how long a crew is stuck. `threads`: of `examinationThreads`; its own where there are none. */
  examine: (url: string, limitMs = STUCK_MS, threads?: Piscina) =>
    examined(url, contract, async (competitor: SlotsCompetitor) => {
      // First on threads, which can be ended: an allocator that hangs there would hang this one too.
      const broken = await crewLaws(competitor, url, limitMs, threads);
      if (broken.length > 0) return broken;
      return [
        await asserted("seedDecides", () => assertSeedDecides(competitor)),
        await asserted("badInputIsRefused", () => assertBadInputIsRefused(competitor)),
        restartsGoOn(firstTakes(competitor)),
      ];
    }),
} satisfies Examination;

/** One worker gets the same slots for the same seed. */
function assertSeedDecides(competitor: SlotsCompetitor): void {
  const slots = 60;
  const seed = 7;
  const taken = () => {
    const { memory, linear } = allocateFor(competitor, competitor.words(slots, 1));
    competitor.format(memory, slots, 1, seed);
    const worker = { index: 0, workers: 1, role: "worker", seed };
    const allocator = competitor.attach(memory, slots, worker, linear);
    const clients = new Clients(allocator, new Int32Array(slots), 500, seed);
    return Array.from({ length: 1_000 }, () => clients.arriveOrLeave(250));
  };
  assert.deepEqual(taken(), taken());
}

/** A multiple of what a lease of tickets takes, so that leases begin at few of them. */
const SLOTS_OF_RESTARTS = 64;
const RESTARTS = 3_200;

/** What each of many workers takes that take over one seat, take once and end: how often each slot. */
function firstTakes(competitor: SlotsCompetitor): number[] {
  const instance = makeSlots(competitor, { slots: SLOTS_OF_RESTARTS, workers: 1, seed: SEED });
  const loads = new Array<number>(SLOTS_OF_RESTARTS).fill(0);
  for (let restart = 0; restart < RESTARTS; restart++) {
    loads[attachSlots(competitor, instance, 0).take()]!++;
    freeSeat(instance, 0);
  }
  return loads;
}

function assertBadInputIsRefused(competitor: SlotsCompetitor): void {
  const memory = allocateRegion(competitor.words(600, 2));
  const refuses = (slots: number, workers: number) => {
    const setup = `${slots} slots, ${workers} workers`;
    assert.throws(() => competitor.words(slots, workers), RangeError, `words: ${setup}`);
    assert.throws(() => competitor.format(memory, slots, workers, 0), RangeError, `format: ${setup}`);
  };
  for (const slots of [0, -1, 1.5, Number.NaN, MOST_SLOTS + 1]) refuses(slots, 1);
  for (const workers of [0, 0.5, Number.NaN]) refuses(600, workers);
  for (const seed of [-1, 2 ** 32, 0.5])
    assert.throws(() => competitor.format(memory, 600, 2, seed), RangeError, `seed ${seed}`);
}

async function crewLaws(
  competitor: SlotsCompetitor,
  url: string,
  limitMs: number,
  shared: Piscina | undefined,
): Promise<string[]> {
  const threads = shared ?? examinationThreads();
  try {
    for (const crew of crews()) {
      const broken = await lawsBrokenBy(competitor, { url, ...crew }, threads, limitMs);
      if (broken.length > 0) return broken;
    }
    return [];
  } finally {
    if (shared === undefined) await threads.destroy();
  }
}

/** Threads for any number of examinations, one at a time: to start them takes longer than to examine. Destroy it. */
export function examinationThreads(): Piscina {
  return threadsOf(new URL("./slots.examination.worker.ts", import.meta.url), MOST_WORKERS);
}

/** Crews that are examined: slots, workers and the seed. */
function* crews(): Generator<Pick<SlotsTask, "slots" | "workers" | "seed">> {
  for (const slots of [1, 2, 7, 600]) for (const seed of seedsFor(slots)) yield { slots, workers: 1, seed };
  for (const workers of [2, MOST_WORKERS]) {
    // The fewer slots, the more often workers mean the same one.
    for (const slots of [2, 7, 600]) for (const seed of seedsFor(slots)) yield { slots, workers, seed };
  }
}

/** A seed like any other, and one that puts a ticket counter's fold into the middle of what is drawn while filling. */
function seedsFor(slots: number): number[] {
  return [SEED, foldAt(slots) - 5_003];
}

/** Not a multiple of any number of slots, and more than 16 clients for each of 600. */
const CALLS_ALONE = 10_007;
/** Of a crew and not of a worker, so that more workers do not take longer. More, because it takes time to meet. */
const CALLS = 30_011;
/** A rest costs as much as many calls. */
const MOST_RESTS = 100;

/** The crew rests about as often as it fills every slot once, for a third of its arrivals: quick takes race in the others. */
function planFor({ slots, workers }: Pick<SlotsTask, "slots" | "workers">): SlotsPlan {
  const ofAll = workers === 1 ? CALLS_ALONE : CALLS;
  const rests = Math.min(MOST_RESTS, Math.floor(ofAll / 3 / slots));
  const calls = Math.floor(ofAll / workers);
  return { arrivals: calls, rests, replacements: calls, comingsAndGoings: calls };
}

async function lawsBrokenBy(
  competitor: SlotsCompetitor,
  crew: Pick<SlotsTask, "url" | "slots" | "workers" | "seed">,
  threads: Piscina,
  limitMs: number,
): Promise<string[]> {
  const { slots, workers, seed } = crew;
  const { memory, ...linear } = allocateFor(competitor, competitor.words(slots, workers));
  competitor.format(memory.fill(LEFTOVER), slots, workers, seed);
  const first = competitor.inspect(memory, slots, workers, seed);
  const task = { ...crew, memory, ...linear, plan: planFor(crew), gate: allocateRegion(1) };
  const reports = await reportsOf(task, threads, limitMs);
  const broken = [
    emptyAtFirst(first),
    sharedWordsTell(competitor.words(slots, workers), first),
    everyWorkerFinishes(workers, reports.length, limitMs),
  ];
  if (reports.length === workers) {
    const work = { state: competitor.inspect(memory, slots, workers, seed), perWorker: reports };
    const together = (loads: (report: SlotsReport) => Int32Array) =>
      loadsOf(reports.map((report) => ({ loads: loads(report) })));
    const filled = reports[0]!.filled.map((_, rest) => together((report) => report.filled[rest]!));
    const churned = together((report) => report.churned);
    const unsteady = together((report) => report.unsteady);
    broken.push(
      slotsAreInRange(work),
      conserved(work),
      foldedBack(work.state),
      filled
        .map((loads) => evenFilling(competitor, workers, loads))
        .find((sentence) => sentence !== undefined),
      evenUnderChurn(competitor, workers, churned),
      noWorseThanChance(filled.at(-1)!),
      ...(turnsMayResonate(competitor, workers) ? [] : [churned, unsteady].map(noWorseThanChance)),
      noWorseThanChance(loadsOf(reports)),
      ...[filled.at(-1)!, churned].map((loads) => loadsHaveASay(competitor, loads)),
    );
  }
  return broken.filter((sentence) => sentence !== undefined);
}

/**
 * The reports of the workers that return. Where one does not, the workers that wait for it at the gate do not either.
 * The threads of stuck workers are ended, and the pool starts others in their place.
 */
async function reportsOf(
  task: Omit<SlotsTask, "index">,
  threads: Piscina,
  limitMs: number,
): Promise<SlotsReport[]> {
  const stuck = new AbortController();
  const limit = setTimeout(() => stuck.abort(), limitMs);
  const runs = Array.from({ length: task.workers }, async (_, index): Promise<SlotsReport> => {
    try {
      return await threads.run({ ...task, index } satisfies SlotsTask, { signal: stuck.signal });
    } catch (error) {
      // A worker that throws leaves the others at the gate.
      stuck.abort();
      throw error;
    }
  });
  const ends = await Promise.allSettled(runs);
  clearTimeout(limit);
  for (const end of ends) {
    if (end.status === "rejected" && end.reason.name !== "AbortError") throw end.reason;
  }
  return ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
}
