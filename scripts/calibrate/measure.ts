import { derivedSeed } from "../../structures/shared/seat.ts";
import {
  askOpinion,
  OPINION_ENGINES,
  type OpinionEngine,
} from "../../suites/engine/measure/opinions/opinion.ts";
import type { GroupPlan, Plan } from "../../suites/engine/measure/plan.ts";
import { checkResumable } from "../../suites/engine/measure/resume.ts";
import { planEstimateMs, run } from "../../suites/engine/measure/run.ts";
import { Racing } from "../../suites/engine/racing.ts";
import { beginRun, type RunIdentity } from "../../suites/engine/recorded-run.ts";
import { readableTime } from "../../suites/engine/render/progress.ts";
import type { GroupRecord } from "../../suites/engine/schema/record.ts";
import {
  RULER_SCHEMA_VERSION,
  type RulerGroupRecord,
  type RulerReadingRecord,
  type RulerRecord,
} from "../../suites/engine/schema/ruler.ts";
import { orUsageError } from "../../suites/engine/schema/usage.ts";
import { type RulerCell, SLOWDOWNS } from "./plan.ts";

/** Time that a library measures for in one process, in ms: about what its own defaults come to for one benchmark. */
const READING_CPU_MS = 300;
/** A process to read in, with its warm-up. For the progress line only. */
const READING_ESTIMATE_MS = 900;

/** What is read in each turn, as shares of extra work: three equals, which make three pairs, and the slowed ones. */
const READ_EACH_TURN = [0, 0, 0, ...SLOWDOWNS];

/** What the readings of other libraries are to be of, and how often each. */
export interface Readings {
  readonly cells: readonly RulerCell[];
  readonly turns: number;
}

/**
 * Races the groups of the plan, then takes the readings, one process at a time. What `previous` holds already is left
 * out. Ctrl-C ends it; the record then has what was finished.
 */
export async function measureRuler(
  plan: Plan,
  readings: Readings,
  identity: Pick<RunIdentity, "command" | "commit">,
  previous?: RulerRecord,
): Promise<RulerRecord> {
  const { circumstances, signal, progress, end } = beginRun(plan, identity, previous);
  if (previous !== undefined) orUsageError(() => checkResumable(previous, circumstances));
  const groups: GroupRecord[] = [...(previous?.groups ?? [])];
  const racing = new Racing(groups, undefined, false);
  const before = previous?.readings ?? [];
  // A turn that was broken off is read anew: what is compared has to be read one after the other.
  const taken: RulerReadingRecord[] = before.slice(
    0,
    before.length - (before.length % READ_EACH_TURN.length),
  );
  const orders = readingOrders(readings);
  const done = { groups: groups.length, simulations: 0, surveys: 0 };
  const readingMs = (orders.length - taken.length) * READING_ESTIMATE_MS;
  const racingMs = planEstimateMs(plan, done);
  process.stderr.write(`seed ${plan.seed}, about ${readableTime(racingMs + readingMs)}\n`);
  await run(
    plan,
    {
      progress: (share, leftMs, what) =>
        progress.show((share * racingMs) / (racingMs + readingMs), leftMs + readingMs, what),
      raced: (result) => racing.finish(result),
      simulated() {},
      surveyed() {},
    },
    signal,
    done,
    (group, forks) => {
      racing.needed(group, forks);
      // Told or not, all race to the end: when racing would have been done with a row the judge finds out afterwards.
      return new Set(group.crews.map(({ name }) => name));
    },
  );
  for (const order of orders.slice(taken.length)) {
    if (signal.aborted) break;
    const left = orders.length - taken.length;
    const name = `${order.cell.name}, read by ${order.engine}`;
    progress.show(
      1 - (left * READING_ESTIMATE_MS) / (racingMs + readingMs),
      left * READING_ESTIMATE_MS,
      name,
    );
    const reading = await read(order, plan, signal);
    if (!signal.aborted) taken.push(reading);
  }
  return {
    rulerSchemaVersion: RULER_SCHEMA_VERSION,
    ...end(),
    groups: groups.map((group, index) => rulerGroup(group, plan.groups[index]!, plan.size)),
    readings: taken,
  };
}

interface ReadingOrder {
  readonly cell: RulerCell;
  readonly engine: OpinionEngine;
  readonly extraWork: number;
  readonly turn: number;
}

/**
 * The readings of a turn, which are compared with one another, side by side; cell after cell and library after library
 * before any has its next turn.
 */
function readingOrders({ cells, turns }: Readings): ReadingOrder[] {
  const eachTurn = cells.flatMap((cell) =>
    OPINION_ENGINES.flatMap((engine) => READ_EACH_TURN.map((extraWork) => ({ cell, engine, extraWork }))),
  );
  return Array.from({ length: turns }, (_, turn) => eachTurn.map((order) => ({ ...order, turn }))).flat();
}

async function read(
  { cell, engine, extraWork, turn }: ReadingOrder,
  { seed, size }: Plan,
  signal: AbortSignal,
): Promise<RulerReadingRecord> {
  const { suiteUrl, scenario } = cell.group;
  const opinion = await askOpinion(
    {
      engine,
      cpuMs: READING_CPU_MS,
      memory: false,
      // The same workload for all readings of a turn, as all crews of a fork have.
      cell: {
        suiteUrl,
        scenario,
        competitorUrl: cell.competitorUrl,
        size,
        seed: derivedSeed(seed, turn),
        fork: turn,
        extraWork,
      },
    },
    { signal },
  );
  const { failure, nsPerOperation: figures } = opinion;
  return {
    library: engine,
    cell: cell.name,
    extraWork,
    turn,
    ...(failure === undefined ? {} : { failure: failure.reason }),
    mean: figures?.mean ?? null,
    low: figures?.low ?? null,
    high: figures?.high ?? null,
  };
}

/** A group in which any crew failed has no numbers: its truth would not be known. */
export function rulerGroup(
  group: GroupRecord,
  { crews, precision, race }: GroupPlan,
  size: Plan["size"],
): RulerGroupRecord {
  const contestants = crews.filter(({ url }) => url !== undefined);
  const failure =
    group.lostForks[0]?.reason ??
    group.cells.find((cell, index) => crews[index]?.url !== undefined && cell.failure !== undefined)?.failure
      ?.reason;
  return {
    ...group,
    extraWork: Object.fromEntries(contestants.map(({ name, extraWork = 0 }) => [name, extraWork])),
    isLarge: race.isLarge?.(race.params[size]) ?? false,
    precision,
    ...(failure === undefined ? {} : { failure }),
  };
}
