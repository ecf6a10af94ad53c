import { availableParallelism } from "node:os";
import { derivedSeed } from "../../structures/shared/seat.ts";
import { CoreChoice } from "../../suites/engine/measure/core-choice.ts";
import {
  askOpinion,
  CPU_MS,
  type OpinionEngine,
  opinionEstimateMs,
  versionOf,
} from "../../suites/engine/measure/opinions/opinion.ts";
import { atFullSpeed, figuresOf } from "../../suites/engine/measure/opinions/tagged-clock.ts";
import {
  forkEstimateMs,
  forkSeed,
  type GroupPlan,
  loneRaces,
  makePlan,
  type Plan,
  type Request,
  withCrews,
} from "../../suites/engine/measure/plan.ts";
import { askFork } from "../../suites/engine/measure/process.ts";
import type { CrewResult, RaceJob } from "../../suites/engine/measure/protocol.ts";
import { checkResumable } from "../../suites/engine/measure/resume.ts";
import { isFullSpeed } from "../../suites/engine/measure/tag.ts";
import { beginRun, type RunIdentity } from "../../suites/engine/recorded-run.ts";
import { progressOf, readableTime } from "../../suites/engine/render/progress.ts";
import {
  type CheckedCellRecord,
  type CheckedGroupRecord,
  CROSSCHECK_VERSION,
  type CrosscheckRecord,
  type Reading,
} from "../../suites/engine/schema/crosscheck.ts";
import { noOpinion, type Opinion } from "../../suites/engine/schema/opinion.ts";
import { orUsageError } from "../../suites/engine/schema/usage.ts";

/**
 * Measures one-worker cells as the lab does, alone and raced, and as the libraries do, by turns: a turn is one process
 * of each, and the next begins when all had theirs, so that what the machine does meanwhile falls on all.
 */

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

function aloneIn(group: GroupPlan, competitor: string, request: Request): GroupPlan {
  const own = group.crews.find(({ name }) => name === competitor)!;
  const engines = group.crews.filter(({ url }) => url === undefined);
  return { ...withCrews(group, [{ ...own, kind: "baseline" }, ...engines], request), absent: [] };
}

/** How long it takes, in ms, without what setting up large structures takes; `done` groups are left out. */
export function crosscheckEstimateMs({ groups, turns, cpuMs }: CrosscheckPlan, done = 0): number {
  return groups.slice(done).reduce((sum, planned) => sum + groupEstimateMs(planned, turns, cpuMs), 0);
}

/** What mitata takes for heap and collections, which is measured in the first turn alone. */
const MEMORY_MS = 500;

function groupEstimateMs({ group, cells }: CheckedGroup, turns: number, cpuMs: number): number {
  const lone = cells.reduce(
    (sum, { alone }) => sum + forkEstimateMs(alone) + 2 * opinionEstimateMs(cpuMs),
    0,
  );
  return turns * (forkEstimateMs(group) + lone) + cells.length * MEMORY_MS;
}

export interface CrosscheckIdentity extends Pick<RunIdentity, "command" | "commit"> {
  /** An interrupted record, which is gone on with. */
  readonly previous?: CrosscheckRecord | undefined;
}

/**
 * Carries a plan out with a progress line on stderr and returns its record. Ctrl-C ends it at once; the record then
 * holds the groups that were finished. Of those `finished` hears, the newest last. Throws a UsageError if `previous` cannot be gone on with.
 */
export async function recordedCrosscheck(
  checked: CrosscheckPlan,
  { command, commit, previous }: CrosscheckIdentity,
  finished: (groups: readonly CheckedGroupRecord[]) => void = () => {},
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
  const under: UnderWay = {
    progress: progressOf(run.progress, estimateMs),
    cores: new CoreChoice(availableParallelism()),
    search: new QuietSearch(plan.size === "full" ? MOST_TRIES : 1),
    signal: run.signal,
  };
  for (const [index, planned] of checked.groups.entries()) {
    if (index < (previous?.groups.length ?? 0)) continue;
    const group = await checkGroup(checked, index, planned, under);
    if (run.signal.aborted) break;
    groups.push(group);
    run.progress.clear();
    finished(groups);
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

/** A machine may be busy for longer than a process measures: so often a reading is tried for one that met it quiet. */
const MOST_TRIES = 3;

/** Has readings taken again until they have met the quiet state, as far as the run knows it. */
class QuietSearch {
  readonly #mostTries: number;
  #fullSpeedNs = Number.POSITIVE_INFINITY;

  constructor(mostTries: number) {
    this.#mostTries = mostTries;
  }

  /** The first answer with opinions that are all quiet, or have no hope of it; the last one tried if there is none. */
  async find<T>(ask: () => Promise<T>, opinionsOf: (answer: T) => readonly Opinion[]): Promise<T> {
    for (let tries = 1; ; tries++) {
      const answer = await ask();
      const opinions = opinionsOf(answer);
      for (const { fullSpeedNs = this.#fullSpeedNs } of opinions)
        this.#fullSpeedNs = Math.min(this.#fullSpeedNs, fullSpeedNs);
      if (tries >= this.#mostTries || opinions.every((opinion) => this.#isSettled(opinion))) return answer;
    }
  }

  #isSettled(opinion: Opinion): boolean {
    return opinion.fullSpeedNs === undefined || this.isQuiet(opinion);
  }

  isQuiet({ quiet, fullSpeedNs }: Opinion): boolean {
    return quiet !== undefined && fullSpeedNs !== undefined && isFullSpeed(fullSpeedNs, this.#fullSpeedNs);
  }
}

interface UnderWay {
  readonly progress: Progress;
  readonly cores: CoreChoice;
  readonly search: QuietSearch;
  readonly signal: AbortSignal;
}

async function checkGroup(
  { plan, turns, cpuMs }: CrosscheckPlan,
  index: number,
  { group, cells }: CheckedGroup,
  { progress, cores, search, signal }: UnderWay,
): Promise<CheckedGroupRecord> {
  const seen = new Map(cells.map(({ name }) => [name, [] as CheckedCellRecord["turns"]]));
  /** Of those that were not quiet in any turn yet. */
  const stillSought = (name: string, reading: Reading, opinion: Opinion): Opinion[] =>
    signal.aborted || seen.get(name)!.some((turn) => search.isQuiet(turn[reading])) ? [] : [opinion];
  for (let turn = 0; turn < turns && !signal.aborted; turn++) {
    const where = `${group.primitive}/${group.scenario}, turn ${turn + 1} of ${turns}`;
    // All readings of a turn have the same workload.
    const seed = forkSeed(derivedSeed(plan.seed, index), turn, 0);
    const raceOnce = async (raced: GroupPlan, core: ReturnType<CoreChoice["next"]>): Promise<Raced> => {
      const { race: _, ...rest } = raced;
      const { size, patienceMs } = plan;
      const job: RaceJob = { kind: "race", group: rest, patienceMs, fork: 0, seed, size, ...core };
      const answer = await askFork(job, forkEstimateMs(raced), () => {}, signal);
      if (answer.kind === "lost") return answer.failure.reason;
      if (answer.kind !== "raced") return "its process answered another question";
      cores.hear(core.firstCore, answer.crews);
      return answer.crews;
    };
    const raced = await progress.during(forkEstimateMs(group), `${where}, raced`, () =>
      search.find(
        () => raceOnce(group, cores.next()),
        (answer) =>
          cells.flatMap(({ name, competitor }) => stillSought(name, "raced", opinionOf(answer, competitor))),
      ),
    );
    for (const cell of cells) {
      const before = seen.get(cell.name)!;
      // The same for all, or the one would see the quiet state where another does not.
      const core = cores.next();
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
            core: core.firstCore,
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
          return await search.find(
            async () =>
              reading === "alone"
                ? opinionOf(await raceOnce(cell.alone, core), cell.competitor)
                : await ask(reading),
            (answer) => stillSought(cell.name, reading, answer),
          );
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
  const { primitive, scenario, race, sliceUs, crews } = group;
  return {
    primitive,
    scenario,
    title: race.title,
    operation: race.operation,
    sliceMs: sliceUs / 1000,
    crews: crews.length,
    cells: cells.map(({ name, competitor }) => ({ name, competitor, turns: seen.get(name)! })),
  };
}

/** What one process of the lab saw: its crews, or why it has none. */
type Raced = readonly CrewResult[] | string;

/** What the lab says of one worker, put as a library would: each slice is a sample. */
function opinionOf(raced: Raced, competitor: string): Opinion {
  if (typeof raced === "string") return noOpinion("fault", raced);
  const crew = raced.find(({ name }) => name === competitor);
  if (crew === undefined) return noOpinion("fault", "it was not raced");
  if (crew.failure !== undefined) return noOpinion(crew.failure.kind, crew.failure.reason);
  const { operations, startNs, endNs, preparingNs, tagNs } = crew.workers[0]!;
  const samplesNs = operations.map(
    (count, slice) => (endNs[slice]! - startNs[slice]! - (preparingNs?.[slice] ?? 0)) / count,
  );
  return {
    nsPerOperation: figuresOf(samplesNs),
    ...atFullSpeed(samplesNs, tagNs),
    samples: samplesNs.length,
    batch: crew.batches[0]!,
    flags: crew.warmUp.flat ? [] : ["warm-up never flat"],
  };
}

type Progress = ReturnType<typeof progressOf>;
