import { readFileSync } from "node:fs";
import { derivedSeed } from "../../../structures/shared/seat.ts";
import { mean, quantile } from "../judge/statistics.ts";
import {
  type Cell as CellOfLab,
  chosenCells,
  forkEstimateMs,
  forkSeed,
  type GroupPlan,
  makePlan,
  type Plan,
  type Request,
} from "../measure/plan.ts";
import type { CrewResult } from "../measure/protocol.ts";
import { type RunObserver, run as runPlan } from "../measure/run.ts";
import {
  type CheckedCellRecord,
  type CheckedGroupRecord,
  CROSSCHECK_VERSION,
  type CrosscheckRecord,
  type Reading,
} from "../record/crosscheck.ts";
import { checkResumable } from "../record/resume.ts";
import { beginRun, type RunIdentity, type RunUnderWay } from "../recorded-run.ts";
import { readableTime } from "../report/progress.ts";
import { orUsageError, UsageError } from "../usage.ts";
import { askOpinion, noOpinion, type Opinion, type OpinionEngine } from "./opinion.ts";

/**
 * Measures one-worker cells as the lab does, alone and raced, and as the libraries do, by turns: a turn is one process
 * of each, and the next begins when all had theirs, so that what the machine does meanwhile falls on all.
 */

/** Time that a library measures a cell for, in ms: as long as the lab does in a process of the standard profile. */
export const CPU_MS = 120;

/** A process of a library without what it measures; how long setting up takes is not known beforehand. */
const OPINION_START_MS = 500;
const MEMORY_MS = 500;
/** Warming up, before and within the library. */
const WARM_UP_MS = 150;

export interface CrosscheckPlan {
  /** As the cells would be raced, one fork for each turn. */
  readonly plan: Plan;
  readonly turns: number;
  readonly cpuMs: number;
  readonly groups: readonly CheckedGroup[];
}

/** A group that is raced, with those of its cells that are checked. */
export interface CheckedGroup {
  readonly group: GroupPlan;
  readonly cells: readonly CheckedCell[];
}

interface CheckedCell {
  readonly name: string;
  readonly competitor: string;
  readonly url: string;
  /** The competitor alone, with the crews that every group has. */
  readonly alone: GroupPlan;
}

/**
 * The one-worker races among the cells that a request chooses. Throws a UsageError if there are none, where what was
 * asked for is simulated, surveyed, or needs company.
 */
export function loneRaces(request: Request): CellOfLab[] {
  const cells = chosenCells(request).filter(
    ({ scenario, workers, absent }) => scenario.kind === "race" && workers === 1 && absent === undefined,
  );
  if (cells.length > 0) return cells;
  throw new UsageError(
    "no cell asked for is a race of one worker, which is all that a library can measure: ask for others (npm run bench -- --list --all shows every one)",
  );
}

export function planCrosscheck(request: Request, turns: number, cpuMs = CPU_MS): CrosscheckPlan {
  const lone = new Map(loneRaces(request).map((cell) => [cell.name, cell]));
  const plan = makePlan(request);
  const groups = plan.groups.flatMap((planned): CheckedGroup[] => {
    const group = { ...planned, forks: 1 };
    const cells = group.crews.flatMap((crew): CheckedCell[] => {
      const cell = [...lone.values()].find(
        ({ suite, scenario, entry }) =>
          suite.suite.primitive === group.primitive &&
          scenario.scenario === group.scenario &&
          entry.name === crew.name,
      );
      if (cell === undefined) return [];
      // A baseline is in every group of its scenario; one reading of it is enough.
      lone.delete(cell.name);
      const { name, entry } = cell;
      return [{ name, competitor: entry.name, url: entry.url, alone: aloneIn(group, crew.name, request) }];
    });
    return cells.length === 0 ? [] : [{ group, cells }];
  });
  return { plan, turns, cpuMs, groups };
}

function aloneIn(group: GroupPlan, competitor: string, { claims, size }: Request): GroupPlan {
  const { url } = group.crews.find(({ name }) => name === competitor)!;
  const { race } = group;
  return {
    ...group,
    crews: [
      { name: competitor, kind: "baseline", url, workers: 1 },
      { name: "~control", kind: "control", url: undefined, workers: 1 },
      { name: "~empty", kind: "empty", url: undefined, workers: 1 },
    ],
    bytes: race.bytesPerWorker?.(claims.get(url!), race.params[size]) ?? 0,
    absent: [],
  };
}

/** How long it takes, in ms, without what setting up large structures takes; `done` groups are left out. */
export function crosscheckEstimateMs({ groups, turns, cpuMs }: CrosscheckPlan, done = 0): number {
  return groups.slice(done).reduce((sum, planned) => sum + groupEstimateMs(planned, turns, cpuMs), 0);
}

function groupEstimateMs({ group, cells }: CheckedGroup, turns: number, cpuMs: number): number {
  const lone = cells.reduce(
    (sum, { alone }) => sum + forkEstimateMs(alone) + 2 * opinionEstimateMs(cpuMs),
    0,
  );
  return turns * (forkEstimateMs(group) + lone) + cells.length * MEMORY_MS;
}

/** Of one process of a library. */
export function opinionEstimateMs(cpuMs: number): number {
  return OPINION_START_MS + WARM_UP_MS + cpuMs;
}

export interface CrosscheckIdentity extends Pick<RunIdentity, "command" | "commit"> {
  /** An interrupted record, which is gone on with. */
  readonly previous?: CrosscheckRecord | undefined;
}

/**
 * Carries a plan out with a progress line on stderr and returns its record. Ctrl-C ends it at once; the record then
 * holds the groups that were finished. Throws a UsageError if `previous` cannot be gone on with.
 */
export async function recordedCrosscheck(
  checked: CrosscheckPlan,
  { command, commit, previous }: CrosscheckIdentity,
  finished: (group: CheckedGroupRecord) => void = () => {},
): Promise<CrosscheckRecord> {
  const run = beginRun(checked.plan, { command, commit }, previous);
  const libraries = { mitata: versionOf("mitata"), tinybench: versionOf("tinybench") };
  if (previous !== undefined) {
    orUsageError(() => {
      checkResumable(previous, run.circumstances);
      checkSame(previous, checked, libraries);
    });
  }
  const { plan, turns, cpuMs } = checked;
  const groups = [...(previous?.groups ?? [])];
  const estimateMs = crosscheckEstimateMs(checked, groups.length);
  process.stderr.write(
    `seed ${plan.seed}, about ${readableTime(estimateMs)}, and more for large structures\n`,
  );
  const progress = progressOf(run.progress, estimateMs);
  for (const [index, planned] of checked.groups.entries()) {
    if (index < (previous?.groups.length ?? 0)) continue;
    const group = await checkGroup(checked, index, planned, progress, run.signal);
    if (run.signal.aborted) break;
    groups.push(group);
    run.progress.clear();
    finished(group);
  }
  return {
    kind: "crosscheck",
    schemaVersion: CROSSCHECK_VERSION,
    ...run.end(),
    turns,
    cpuMs,
    libraries,
    groups,
  };
}

/** Whether all that was asked has a number. */
export function everyReadingHasNumber({ groups }: CrosscheckRecord): boolean {
  return groups.every(({ cells }) =>
    cells.every(({ turns }) =>
      turns.every((turn) => Object.values(turn).every(({ failure }) => failure === undefined)),
    ),
  );
}

function checkSame(
  previous: CrosscheckRecord,
  { groups, turns, cpuMs }: CrosscheckPlan,
  libraries: CrosscheckRecord["libraries"],
): void {
  const isSame =
    previous.turns === turns &&
    previous.cpuMs === cpuMs &&
    JSON.stringify(previous.libraries) === JSON.stringify(libraries) &&
    previous.groups.every(
      (group, index) =>
        group.cells.map(({ name }) => name).join() === groups[index]?.cells.map(({ name }) => name).join(),
    );
  if (!isSame) throw new Error("its cells, turns or libraries are no longer those of the lab: start anew");
}

async function checkGroup(
  { plan, turns, cpuMs }: CrosscheckPlan,
  index: number,
  { group, cells }: CheckedGroup,
  progress: Progress,
  signal: AbortSignal,
): Promise<CheckedGroupRecord> {
  const seen = new Map(cells.map(({ name }) => [name, [] as CheckedCellRecord["turns"]]));
  for (let turn = 0; turn < turns && !signal.aborted; turn++) {
    const where = `${group.primitive}/${group.scenario}, turn ${turn + 1} of ${turns}`;
    // All readings of a turn have the same workload: a run gives its only fork of its only group this seed.
    const turnPlan = { ...plan, seed: derivedSeed(derivedSeed(plan.seed, index), turn) };
    const seed = forkSeed(turnPlan.seed, 0, 0);
    const raced = await progress.during(forkEstimateMs(group), `${where}, raced`, () =>
      raceOnce(turnPlan, group, signal),
    );
    for (const cell of cells) {
      const before = seen.get(cell.name)!;
      const ask = (engine: OpinionEngine) =>
        askOpinion(
          {
            engine,
            cell: {
              suiteUrl: group.suiteUrl,
              scenario: group.scenario,
              competitorUrl: cell.url,
              size: plan.size,
              seed,
              fork: 0,
              extraWork: 0,
            },
            cpuMs,
            memory: turn === 0,
          },
          { signal },
        );
      const opinions = new Map<Reading, Opinion>([["raced", opinionOf(raced, cell.competitor)]]);
      // Who is first in a turn is last in the next.
      const order = (["alone", "mitata", "tinybench"] as const).map(
        (_, place, all) => all[(place + turn) % 3]!,
      );
      for (const reading of order) {
        if (signal.aborted) break;
        // What has failed once would fail again, or hang as long.
        const failed = before.find((earlier) => earlier[reading].failure !== undefined)?.[reading];
        const label = `${where}, ${cell.competitor} by ${reading === "alone" ? "the lab" : reading}`;
        const estimateMs = reading === "alone" ? forkEstimateMs(cell.alone) : opinionEstimateMs(cpuMs);
        const opinion = await progress.during(estimateMs, label, async () => {
          if (failed !== undefined) return failed;
          return reading === "alone"
            ? opinionOf(await raceOnce(turnPlan, cell.alone, signal), cell.competitor)
            : await ask(reading);
        });
        opinions.set(reading, opinion);
      }
      const of = (reading: Reading) => opinions.get(reading) ?? noOpinion("fault", "interrupted");
      before.push({
        alone: of("alone"),
        raced: of("raced"),
        mitata: of("mitata"),
        tinybench: of("tinybench"),
      });
    }
  }
  const { primitive, scenario, race, sliceMs, crews } = group;
  return {
    primitive,
    scenario,
    title: race.title,
    operation: race.operation,
    sliceMs,
    crews: crews.length,
    cells: cells.map(({ name, competitor }) => ({ name, competitor, turns: seen.get(name)! })),
  };
}

/** What one process of the lab saw: its crews, or why it has none. */
type Raced = readonly CrewResult[] | string;

async function raceOnce(plan: Plan, group: GroupPlan, signal: AbortSignal): Promise<Raced> {
  let raced: Raced = "interrupted";
  const one = { ...plan, groups: [group], simulations: [], surveys: [], overviews: [] };
  const observer: RunObserver = {
    progress() {},
    raced({ forks: [fork] }) {
      raced = fork?.failure?.reason ?? fork?.crews ?? [];
    },
    simulated() {},
    surveyed() {},
  };
  await runPlan(one, observer, signal);
  return raced;
}

/** What the lab says of one worker, put as a library would: each slice is a sample. */
function opinionOf(raced: Raced, competitor: string): Opinion {
  if (typeof raced === "string") return noOpinion("fault", raced);
  const crew = raced.find(({ name }) => name === competitor);
  if (crew === undefined) return noOpinion("fault", "it was not raced");
  if (crew.failure !== undefined) return noOpinion(crew.failure.kind, crew.failure.reason);
  const figures = crew.slices
    .map(({ workers: [worker] }) => {
      const { operations, startNs, endNs, preparingNs } = worker!;
      return (endNs - startNs - preparingNs) / operations;
    })
    .sort((a, b) => a - b);
  return {
    nsPerOperation: {
      mean: mean(figures),
      median: quantile(figures, 0.5),
      min: quantile(figures, 0),
      p75: quantile(figures, 0.75),
      p99: quantile(figures, 0.99),
      max: quantile(figures, 1),
    },
    samples: figures.length,
    batch: crew.batches[0]!,
    flags: crew.warmUp.flat ? [] : ["warm-up never flat"],
  };
}

type Progress = ReturnType<typeof progressOf>;

/** How far a run is whose pieces come one after the other, shown on its progress line. */
export function progressOf(line: RunUnderWay["progress"], totalMs: number) {
  const startedMs = performance.now();
  let doneMs = 0;
  return {
    async during<T>(estimateMs: number, label: string, work: () => Promise<T>): Promise<T> {
      const pace = doneMs > 0 ? (performance.now() - startedMs) / doneMs : 1;
      line.show(doneMs / totalMs, Math.max(0, totalMs - doneMs) * pace, label);
      const result = await work();
      doneMs += estimateMs;
      return result;
    },
  };
}

/** Of an installed package; both keep their entry one folder below their package.json, which one does not export. */
export function versionOf(engine: OpinionEngine): string {
  const text = readFileSync(new URL("../package.json", import.meta.resolve(engine)), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
