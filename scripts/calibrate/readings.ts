import { availableParallelism } from "node:os";
import { derivedSeed } from "../../structures/shared/worker-identity.ts";
import { isFullSpeed } from "../../suites/engine/measure/fork/tag.ts";
import { costOf, rateOf } from "../../suites/engine/measure/plan/cost.ts";
import { withCrews } from "../../suites/engine/measure/plan/groups.ts";
import { type CrewPlan, cellName, forkSeed, type GroupPlan } from "../../suites/engine/measure/plan/plan.ts";
import type { CrewResult, RaceJob } from "../../suites/engine/measure/plan/protocol.ts";
import { forkEstimateMs } from "../../suites/engine/measure/plan/timing.ts";
import { CoreChoice } from "../../suites/engine/measure/run/core-choice.ts";
import { askFork } from "../../suites/engine/measure/run/process.ts";
import { type RunFacts, SCHEMA_VERSION } from "../../suites/engine/schema/envelope.ts";
import { progressOf, readableTime } from "../../suites/engine/table/progress.ts";
import { orUsageError } from "../../suites/lab/command/usage.ts";
import type { LabPlan } from "../../suites/lab/kinds/plan.ts";
import { loneRaces } from "../../suites/lab/library-bench.ts";
import { askOpinion, CPU_MS, opinionEstimateMs, versionOf } from "../../suites/lab/opinions/opinion.ts";
import { atFullSpeed, figuresOf } from "../../suites/lab/opinions/tagged-clock.ts";
import type { Request } from "../../suites/lab/plan/asked.ts";
import { makePlan } from "../../suites/lab/plan/make-plan.ts";
import { beginRun, type RunIdentity } from "../../suites/lab/recorded-run.ts";
import { checkResumable } from "../../suites/lab/resume.ts";
import type {
  CheckedCellRecord,
  CheckedGroupRecord,
  Reading,
  ReadingsRecord,
} from "../../suites/lab/schema/calibration.ts";
import { noOpinion, type Opinion } from "../../suites/lab/schema/opinion.ts";

/**
 * Measures one-worker cells as the lab does, alone and raced, and as the libraries do, in turns. A turn is one process
 * of each, and the next begins when all had theirs, so that disturbances of the machine fall on all.
 */

export interface ReadingsPlan {
  /** As the cells would be raced, one fork for each turn. */
  readonly plan: LabPlan;
  readonly turns: number;
  readonly cpuMs: number;
  readonly groups: readonly CheckedGroup[];
}

/** A group that is raced, with the cells of it that are checked. */
interface CheckedGroup {
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

export function planReadings(request: Request, turns: number, cpuMs = CPU_MS): ReadingsPlan {
  const wanted = new Set(loneRaces(request).map(({ name }) => name));
  const plan = makePlan(request);
  const groups = plan.groups.map((planned): CheckedGroup => {
    const group = { ...planned, forks: 1 };
    const cells = group.crews.flatMap((crew): CheckedCell[] => {
      const name = cellName(group.primitive, group.scenario, crew.name, group.workers);
      // A baseline is in every group of its scenario; one reading of it is enough.
      if (crew.url === undefined || !wanted.delete(name)) return [];
      return [{ name, competitor: crew.name, url: crew.url, alone: aloneIn(group, crew, request) }];
    });
    return { group, cells };
  });
  return { plan, turns, cpuMs, groups: groups.filter(({ cells }) => cells.length > 0) };
}

function aloneIn(group: GroupPlan, crew: CrewPlan, request: Request): GroupPlan {
  const engines = group.crews.filter(({ url }) => url === undefined);
  return { ...withCrews(group, [{ ...crew, kind: "baseline" }, ...engines], request), absent: [] };
}

/** What mitata takes for heap and collections, which is measured in the first turn alone. */
const MEMORY_MS = 500;

/** How long it takes, in ms, without what setting up large structures takes; `done` groups are left out. */
export function readingsEstimateMs({ groups, turns, cpuMs }: ReadingsPlan, done = 0): number {
  const sum = (times: readonly number[]) => times.reduce((all, ms) => all + ms, 0);
  return sum(
    groups.slice(done).map(({ group, cells }) => {
      const lone = cells.map(({ alone }) => forkEstimateMs(alone) + 2 * opinionEstimateMs(cpuMs));
      return turns * (forkEstimateMs(group) + sum(lone)) + cells.length * MEMORY_MS;
    }),
  );
}

/**
 * Carries a plan out with a progress line on stderr and returns its record. Ctrl-C ends it at once; the record then
 * holds the groups that were finished. Of one with these `finished` hears after each, the newest last. Throws a
 * UsageError if `previous` cannot be gone on with.
 */
export async function measureReadings(
  planned: ReadingsPlan,
  identity: Pick<RunIdentity, "command" | "argv" | "commit" | "waitQuietMs">,
  previous?: ReadingsRecord,
  finished: (record: ReadingsRecord) => void = () => {},
): Promise<ReadingsRecord> {
  const { plan, turns, cpuMs } = planned;
  const { circumstances, signal, progress, observe, facts, end } = beginRun(plan, identity, previous);
  const libraries = { mitata: versionOf("mitata"), tinybench: versionOf("tinybench") };
  if (previous !== undefined) {
    orUsageError(() => {
      checkResumable(previous, circumstances);
      checkSame(previous, planned, libraries);
    });
  }
  await observe();
  const groups = [...(previous?.groups ?? [])];
  const done = groups.length;
  const estimateMs = readingsEstimateMs(planned, done);
  const recordOf = (run: RunFacts): ReadingsRecord => ({
    kind: "calibration",
    part: "readings",
    schemaVersion: SCHEMA_VERSION,
    ...run,
    turns,
    cpuMs,
    libraries,
    groups,
  });
  process.stderr.write(
    `seed ${plan.seed}, about ${readableTime(estimateMs)}, and more for large structures\n`,
  );
  const under: UnderWay = {
    progress: progressOf(progress, estimateMs),
    cores: new CoreChoice(availableParallelism()),
    search: new QuietSearch(plan.size === "full" ? MOST_TRIES : 1),
    signal,
  };
  for (const [index, checked] of planned.groups.entries()) {
    // Skipped and not left out: a group's seeds come from its place in the plan.
    if (index < done) continue;
    const group = await checkGroup(planned, index, checked, under);
    if (group === undefined) break;
    groups.push(group);
    progress.clear();
    finished(recordOf(facts()));
  }
  return recordOf(end());
}

function checkSame(
  previous: ReadingsRecord,
  { groups, turns, cpuMs }: ReadingsPlan,
  libraries: ReadingsRecord["libraries"],
): void {
  const asked = (those: readonly { readonly cells: readonly { readonly name: string }[] }[]) =>
    those.slice(0, previous.groups.length).map(({ cells }) => cells.map(({ name }) => name));
  const before = [previous.turns, previous.cpuMs, previous.libraries, asked(previous.groups)];
  if (JSON.stringify(before) === JSON.stringify([turns, cpuMs, libraries, asked(groups)])) return;
  throw new Error("its cells, turns or libraries are no longer those of the lab: start anew");
}

/** Tries for a reading on a quiet machine, which may be busy for longer than a process measures. */
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
  readonly progress: ReturnType<typeof progressOf>;
  readonly cores: CoreChoice;
  readonly search: QuietSearch;
  readonly signal: AbortSignal;
}

/** Undefined if it was interrupted. */
async function checkGroup(
  { plan, turns, cpuMs }: ReadingsPlan,
  index: number,
  { group, cells }: CheckedGroup,
  under: UnderWay,
): Promise<CheckedGroupRecord | undefined> {
  const { progress, cores, search, signal } = under;
  const { size, patienceMs } = plan;
  const seen = new Map(cells.map(({ name }) => [name, [] as CheckedCellRecord["turns"]]));
  /** The readings that were not quiet in any turn yet. */
  const stillSought = (name: string, reading: Reading, opinion: Opinion): Opinion[] =>
    signal.aborted || seen.get(name)!.some((turn) => search.isQuiet(turn[reading])) ? [] : [opinion];
  for (let turn = 0; turn < turns; turn++) {
    const where = `${group.primitive}/${group.scenario}, turn ${turn + 1} of ${turns}`;
    // All readings of a turn have the same workload.
    const seed = forkSeed(derivedSeed(plan.seed, index), turn, 0);
    const raced = await progress.during(forkEstimateMs(group), `${where}, raced`, () =>
      search.find(
        () => raceOnce({ group, seed, plan }, cores.next(), under),
        (answer) =>
          cells.flatMap(({ name, competitor }) => stillSought(name, "raced", opinionOf(answer, competitor))),
      ),
    );
    for (const { name, competitor, url, alone } of cells) {
      const before = seen.get(name)!;
      // The same for all, or the one would see the quiet state where another does not.
      const core = cores.next();
      const { moduleUrl, scenario } = group;
      const cell = { moduleUrl, scenario, competitorUrl: url, size, seed, fork: 0, extraWork: 0 };
      const take = async (reading: LoneReading): Promise<Opinion> => {
        // What has failed once would fail again, or hang as long.
        const failed = before.find((earlier) => earlier[reading].failure !== undefined)?.[reading];
        if (failed !== undefined) return failed;
        return await search.find(
          async () =>
            reading === "alone"
              ? opinionOf(await raceOnce({ group: alone, seed, plan }, core, under), competitor)
              : await askOpinion(
                  { engine: reading, cell, cpuMs, memory: turn === 0, core: core.firstCore },
                  { signal, patienceMs },
                ),
          (answer) => stillSought(name, reading, answer),
        );
      };
      const opinions = new Map<Reading, Opinion>([["raced", opinionOf(raced, competitor)]]);
      for (const place of LONE_READINGS.keys()) {
        if (signal.aborted) return undefined;
        // The first of a turn is the last of the next.
        const reading = LONE_READINGS[(place + turn) % LONE_READINGS.length]!;
        const estimateMs = reading === "alone" ? forkEstimateMs(alone) : opinionEstimateMs(cpuMs);
        const label = `${where}, ${competitor} by ${reading === "alone" ? "the lab" : reading}`;
        opinions.set(reading, await progress.during(estimateMs, label, () => take(reading)));
      }
      before.push(Object.fromEntries(opinions) as Record<Reading, Opinion>);
    }
    if (signal.aborted) return undefined;
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

/** One process of the lab. */
async function raceOnce(
  { group, seed, plan }: { readonly group: GroupPlan; readonly seed: number; readonly plan: LabPlan },
  core: ReturnType<CoreChoice["next"]>,
  { cores, signal }: UnderWay,
): Promise<Raced> {
  const { race: _, ...raced } = group;
  const { lab, size, patienceMs } = plan;
  const job: RaceJob = { kind: "race", lab, group: raced, patienceMs, fork: 0, seed, size, ...core };
  const answer = await askFork(job, { estimateMs: forkEstimateMs(group), signal });
  if (answer.kind === "lost") return answer.failure.reason;
  if (answer.kind !== "raced") return "its process answered another question";
  cores.hear(core.firstCore, answer.crews);
  return answer.crews;
}

/** The readings that are of one cell alone. */
const LONE_READINGS = ["alone", "mitata", "tinybench"] as const satisfies readonly Reading[];
type LoneReading = (typeof LONE_READINGS)[number];

/** What one process of the lab saw: its crews, or why it has none. */
type Raced = readonly CrewResult[] | string;

/** What the lab says of one worker, put as a library would: each slice is a sample. */
function opinionOf(raced: Raced, competitor: string): Opinion {
  if (typeof raced === "string") return noOpinion("fault", raced);
  const crew = raced.find(({ name }) => name === competitor);
  if (crew === undefined) return noOpinion("fault", "it was not raced");
  if (crew.failure !== undefined) return noOpinion(crew.failure.kind, crew.failure.reason);
  const { operations, startNs, endNs, preparingNs, tagNs } = crew.workers[0]!;
  const samplesNs = operations.map((count, slice) =>
    costOf([rateOf(count, startNs[slice]!, endNs[slice]!, preparingNs?.[slice])]),
  );
  return {
    nsPerOperation: figuresOf(samplesNs),
    ...atFullSpeed(samplesNs, tagNs),
    samples: samplesNs.length,
    batch: crew.batches[0]!,
    flags: crew.warmUp.flat ? [] : ["warm-up never flat"],
  };
}
