import { Piscina } from "piscina";
import { loadCompetitor } from "../catalog.ts";
import { foldAt } from "../pick/pick.lap.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import { Clients } from "./slots.clients.ts";
import { contract, type SlotsCompetitor } from "./slots.contract.ts";
import {
  conserved,
  emptyAtFirst,
  evenFilling,
  evenUnderChurn,
  loadsHaveASay,
  loadsOf,
  noWorseThanChance,
  slotsAreInRange,
  type WorkerSlots,
} from "./slots.laws.ts";

/**
 * Every law of slots applied to one competitor, alone and under workers. Whoever passes is as good as the laws can tell;
 * each liar must fail. Written once, so that a newcomer is examined like everybody else.
 *
 * An examination has four parts, with a rest after each: the workers fill; replace clients at once; let clients come and
 * go as they like; and let half of those go that are left.
 */

/** How often a worker does what in each part. */
export interface SlotsPlan {
  readonly arrivals: number;
  readonly replacements: number;
  readonly comingsAndGoings: number;
}

/** What one worker of an examination is asked to do. */
export interface SlotsTask {
  readonly url: string;
  readonly memory: Region;
  readonly slots: number;
  readonly workers: number;
  readonly index: number;
  readonly seed: number;
  readonly plan: SlotsPlan;
  /** One word in which the workers count themselves in at the beginning of each part, so that they begin together. */
  readonly gate: Region;
}

/** What it noted, at three rests: the first two as far as it got. */
export interface SlotsReport extends WorkerSlots {
  readonly filled: Int32Array;
  readonly churned: Int32Array;
}

/** Plays one worker's four parts; `together` is called before each. */
export function playClients(
  competitor: SlotsCompetitor,
  { memory, slots, workers, index, seed, plan }: Omit<SlotsTask, "url" | "gate">,
  together: () => void,
): SlotsReport {
  const seat = { index, workers, role: "worker", seed: (seed ^ (index + 1)) >>> 0 };
  const allocator = competitor.attach(memory, slots, seat);
  const clients = new Clients(allocator, new Int32Array(slots), 2 * plan.arrivals + 1, seat.seed);
  together();
  for (let count = 0; count < plan.arrivals; count++) clients.arrive();
  const filled = clients.loads.slice();
  together();
  for (let count = 0; count < plan.replacements && clients.held > 0; count++) clients.replace();
  const churned = clients.loads.slice();
  together();
  for (let count = 0; count < plan.comingsAndGoings; count++) clients.arriveOrLeave(plan.arrivals);
  together();
  for (let count = clients.held >> 1; count > 0; count--) clients.leave();
  const { takes, gives, strays, loads, counters } = clients;
  return { filled, churned, takes, gives, strays, loads, counters };
}

const SEED = 20_261_121;
/** In every word before format, which must count on nothing that stood there. */
const LEFTOVER = -7;

/** The largest crew of an examination. */
const MOST_WORKERS = 4;

/** Threads for any number of examinations, one at a time: to start them takes longer than to examine. Destroy it. */
export function examinationThreads(): Piscina {
  return new Piscina({
    filename: new URL("./slots.examination.worker.ts", import.meta.url).href,
    minThreads: MOST_WORKERS,
    maxThreads: MOST_WORKERS,
    execArgv: [],
  });
}

/** Returns the sentence of each broken law; nothing for an honest competitor. */
export async function examine(url: string, threads: Piscina): Promise<string[]> {
  const competitor = (await loadCompetitor(url, contract)) as SlotsCompetitor;
  const broken = [1, 2, 7, 600].flatMap((slots) =>
    seedsFor(slots).flatMap((seed) => aloneLaws(competitor, slots, seed)),
  );
  for (const workers of [2, MOST_WORKERS])
    broken.push(...(await crewLaws(competitor, url, workers, threads)));
  return broken;
}

/** A seed like any other, and one that puts a ticket counter's fold into the middle of what one worker draws. */
function seedsFor(slots: number): number[] {
  return [SEED, foldAt(slots) - 10_001];
}

/** Not a multiple of any number of slots, and more than 16 clients for each of 600. */
const ALONE: SlotsPlan = { arrivals: 10_007, replacements: 10_007, comingsAndGoings: 10_007 };

function aloneLaws(competitor: SlotsCompetitor, slots: number, seed: number): string[] {
  const memory = formatted(competitor, slots, 1, seed);
  const first = emptyAtFirst(competitor.inspect(memory, slots, 1, seed));
  const report = playClients(
    competitor,
    { memory, slots, workers: 1, index: 0, seed, plan: ALONE },
    () => {},
  );
  return [first, ...lawsOf(competitor, memory, seed, [report])].filter((sentence) => sentence !== undefined);
}

/** Races of one examination; each second one draws its tickets across the fold. */
const RACES = 4;
/** Calls of a crew and not of a worker, so that more workers do not take longer. */
const CREW: SlotsPlan = { arrivals: 20_004, replacements: 20_004, comingsAndGoings: 20_004 };

async function crewLaws(
  competitor: SlotsCompetitor,
  url: string,
  workers: number,
  threads: Piscina,
): Promise<string[]> {
  const plan = {
    arrivals: Math.floor(CREW.arrivals / workers),
    replacements: Math.floor(CREW.replacements / workers),
    comingsAndGoings: Math.floor(CREW.comingsAndGoings / workers),
  };
  for (let race = 0; race < RACES; race++) {
    // The fewer slots, the more often workers mean the same one.
    const slots = race < RACES / 2 ? 600 : 7;
    const seed = seedsFor(slots)[race % 2]!;
    const memory = formatted(competitor, slots, workers, seed);
    const gate = allocateRegion(1);
    const reports: SlotsReport[] = await Promise.all(
      Array.from({ length: workers }, (_, index) =>
        threads.run({ url, memory, slots, workers, index, seed, plan, gate } satisfies SlotsTask),
      ),
    );
    const broken = [...lawsOf(competitor, memory, seed, reports)].filter(
      (sentence) => sentence !== undefined,
    );
    if (broken.length > 0) return broken;
  }
  return [];
}

function formatted(competitor: SlotsCompetitor, slots: number, workers: number, seed: number): Region {
  const memory = allocateRegion(competitor.words(slots, workers));
  memory.fill(LEFTOVER);
  competitor.format(memory, slots, workers, seed);
  return memory;
}

function* lawsOf(competitor: SlotsCompetitor, memory: Region, seed: number, reports: readonly SlotsReport[]) {
  const workers = reports.length;
  const slots = reports[0]!.loads.length;
  const work = { state: competitor.inspect(memory, slots, workers, seed), perWorker: reports };
  const filled = loadsOf(reports.map((report) => ({ loads: report.filled })));
  const churned = loadsOf(reports.map((report) => ({ loads: report.churned })));
  yield slotsAreInRange(work);
  yield conserved(work);
  yield evenFilling(competitor, workers, filled);
  yield evenUnderChurn(competitor, workers, churned);
  for (const loads of [filled, churned]) {
    yield noWorseThanChance(loads);
    yield loadsHaveASay(competitor, loads);
  }
}
