import { setImmediate } from "node:timers/promises";
import type { Entry } from "../../../../structures/catalog.ts";
import { allocateWith } from "../../../../structures/shared/layout.ts";
import { Random } from "../../../../structures/shared/sfc32.ts";
import { derivedSeed } from "../../../../structures/shared/worker-identity.ts";
import type { Outcome, SeriesChart, Simulation } from "../../suite.ts";
import { describeCandidate, examineCandidate } from "../load/candidate.ts";
import { importCompetitor, importSimulation, importSurvey } from "../load/load.ts";
import { nowNs } from "../machine/clock.ts";
import { heldBytes, NODE_COUNTERS } from "../machine/held-bytes.ts";
import { EVENT_LOOP_EVERY_MS } from "../machine/patience.ts";
import { type Pinning, pinThreads, usableCoreNumbers } from "../machine/pin.ts";
import { statusOf } from "../machine/process-status.ts";
import { noteTurn } from "../machine/turn-file.ts";
import { endWithParent } from "../machine/watchdog.ts";
import { InstrumentBroken, thrown } from "../plan/failures.ts";
import { runtimeOf, scenarioOf } from "../plan/plan.ts";
import type {
  CrewResult,
  Failure,
  ForkMessage,
  Job,
  ProfileJob,
  ProfileOutcome,
  RaceJob,
  SimulationJob,
  SurveyJob,
  SurveyOutcome,
} from "../plan/protocol.ts";
import { requestsIn, roundOrders } from "../plan/rounds.ts";
import { LAB_RUNTIME, startOf } from "../runtimes/runtimes.ts";
import { surveyTail } from "../tails/tail.ts";
import { Crew, type RacedCrew } from "./crew.ts";
import { contextOf } from "./crew-context.ts";
import { linearBytes, linearsWatched } from "./linear-bytes.ts";
import { profileCrew } from "./profile.ts";
import { BaselineLost, remoteCrews } from "./remote-crew.ts";
import { fastestTagNs, quietShareOf } from "./tag.ts";

/**
 * A fork: one fresh process that races one group once, makes one survey or looks at one candidate, and then ends; or runs
 * one simulation after another. Started by process.ts with a channel; takes a job from it, answers with progress and one
 * result.
 */
const PROGRESS_EVERY_MS = 1_000;

process.on("message", async (job: Job) => {
  const answer = await answerTo(job);
  // The parked workers would keep the process alive; everything they had to say has been said.
  process.send!(answer, () => job.kind !== "simulation" && process.exit(0));
});
// Ctrl-C reaches the whole process group; the parent decides what becomes of it and kills this process.
process.on("SIGINT", () => {});
// An error in a timer or a rejected promise of a competitor is reported in one line, without a stack.
process.on("uncaughtException", (error) => {
  const fault: ForkMessage = { kind: "fault", reason: `${thrown(error)}, outside of any call` };
  process.send!(fault, () => process.exit(1));
});
// What a competitor prints where nobody reads any more is no reason to lose a fork.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
// Without its parent a fork has nobody to answer.
process.once("disconnect", () => process.exit(1));

async function answerTo(job: Job): Promise<ForkMessage> {
  if (READS_NO_CLOCK.has(job.kind)) endWithParent();
  switch (job.kind) {
    case "race":
      return await raceOnce(job).catch((error: unknown) => {
        if (error instanceof BaselineLost) return { kind: "fault", reason: error.message };
        if (error instanceof InstrumentBroken) return { kind: "broken", reason: error.message };
        throw error;
      });
    case "simulation":
      return await simulate(job);
    case "survey":
      return { kind: "surveyed", outcome: await survey(job) };
    case "profile":
      return { kind: "profiled", outcome: await profile(job) };
    case "describe":
      return await describeCandidate(job);
    case "examine":
      return await examineCandidate(job);
  }
}

/** Jobs that run a competitor's code on the main thread and measure nothing. */
const READS_NO_CLOCK: ReadonlySet<Job["kind"]> = new Set(["simulation", "describe", "examine"]);

/** Slices are longer or shorter by up to this share, so that they never keep step with a timer or a scheduler. */
const JITTER = 0.2;
/**
 * A fork goes on while it has seen the quiet state, but too little of it: fewer quiet rounds than this. Below the least
 * share it would go on in vain.
 */
const ENOUGH_QUIET_ROUNDS = 30;
const LEAST_QUIET_SHARE = 0.05;
/** Between two looks whether to go on, each of which sorts all tags and takes a millisecond. */
const EXTRA_ROUNDS = 10;

async function raceOnce(job: RaceJob): Promise<ForkMessage> {
  const { group, fork, seed } = job;
  const context = await contextOf(job, fork);
  const remote = await remoteCrews(job);
  const crews = group.crews.map((plan) => remote.crews.get(plan) ?? new Crew(plan, context));
  const progress = progressReporter(crews.length * 2 + group.rounds);
  const statuses = () => ["self" as const, ...remote.hosts.flatMap(({ pid }) => pid ?? [])].map(statusOf);

  // All at once, because most of it is waiting for threads to start; nothing is measured yet.
  await Promise.all(crews.map((crew) => crew.start()));
  const threads = Math.max(...statuses().map((status) => status.threads));
  // Nothing is timed before a crew warms up, and until then the threads are pinned.
  const pinning = pinCrews(crews, job.firstCore);
  // One after the other where each has the arena to itself for that; on memory of their own, all at once.
  const attach = (crew: RacedCrew, index: number) => {
    noteTurn(index);
    return crew.attach().then(progress.step);
  };
  if (context.arena === undefined) await Promise.all(crews.map(attach));
  else for (const [index, crew] of crews.entries()) await attach(crew, index);
  const pinned = await pinning;
  for (const [index, crew] of crews.entries()) {
    noteTurn(index);
    await crew.warmUp();
    progress.step();
  }
  const random = new Random(derivedSeed(seed, 1));
  let turnedMs = performance.now();
  const rounds = roundOrders(group.crews, group.mostRounds, seed);
  for (const [index, order] of rounds.entries()) {
    const raced = index + 1;
    const extra = raced - group.rounds;
    const isLast =
      raced === rounds.length ||
      (extra >= 0 && extra % EXTRA_ROUNDS === 0 && !isWorthMore(crews, raced, job));
    const sliceUs = group.sliceUs * (1 + JITTER * (2 * random.fraction() - 1));
    const work = { sliceUs, ...requestsIn(index, isLast, group, derivedSeed(seed, 2)) };
    for (const crew of order) {
      noteTurn(crew);
      await crews[crew]!.measure(index, work);
    }
    if (index < group.rounds) progress.step();
    if (isLast) break;
    if (performance.now() - turnedMs < EVENT_LOOP_EVERY_MS) continue;
    await setImmediate();
    turnedMs = performance.now();
  }
  const maxRssBytes = Math.max(
    process.resourceUsage().maxRSS * 1024,
    ...statuses().map((status) => status.maxRssBytes),
  );
  const results: CrewResult[] = [];
  for (const crew of crews) results.push(await crew.result());
  await Promise.all(remote.hosts.map((host) => host.end()));
  return { kind: "raced", crews: results, threads, maxRssBytes, pinned };
}

/** Whether more rounds than planned would bring quiet ones that are still wanted, as the baseline's runtime tells. */
function isWorthMore(crews: readonly RacedCrew[], rounds: number, { group, referenceNs }: RaceJob): boolean {
  const runtime = runtimeOf(group.crews[0]);
  const alike = crews.filter((_, index) => runtimeOf(group.crews[index]) === runtime);
  const fastNs = Math.min(...[referenceNs, fastestTagNs(alike)].filter((tagNs) => tagNs !== undefined));
  const [baseline] = crews;
  const share = quietShareOf(baseline!.workers, fastNs);
  return share >= LEAST_QUIET_SHARE && share * rounds < ENOUGH_QUIET_ROUNDS;
}

/**
 * Gives the workers of every crew the same cores, each its own while there are enough. Which core is
 * the first one, the run decides. Returns whether that was possible, but for crews that have failed meanwhile.
 */
async function pinCrews(crews: readonly RacedCrew[], firstCore: number): Promise<boolean> {
  const cores = usableCoreNumbers();
  if (cores.length === 0) return false;
  const pinnings = crews.flatMap((crew) =>
    crew.kernelThreads.map((thread, worker) => ({
      thread,
      core: cores[(worker + firstCore) % cores.length]!,
    })),
  );
  const known = pinnings.filter((pinning): pinning is Pinning => pinning.thread !== undefined);
  if (known.length < pinnings.length) return false;
  const unpinned = await pinThreads(known);
  return crews.every(
    ({ failed, kernelThreads }) => failed || !kernelThreads.some((one) => unpinned.has(one!)),
  );
}

async function profile(job: ProfileJob): Promise<ProfileOutcome> {
  // Alone in its process, it has no need of an arena.
  const context = await contextOf({ ...job, group: { ...job.group, placement: "own" } }, 0);
  const crew = new Crew(job.group.crews[0]!, context);
  return await profileCrew(crew, job, progressReporter(1).at);
}

async function simulate({ scenario, entry, size }: SimulationJob): Promise<ForkMessage> {
  const { suiteUrl, scenario: name, seeds } = scenario;
  const simulation = await importSimulation(suiteUrl, name);
  const competitor = entry.name;
  const progress = progressReporter(seeds.length);
  const samples: Outcome["metrics"][] = [];
  let firstSeries: Outcome["series"] = {};
  for (const [index, seed] of seeds.entries()) {
    const simulated = await simulateOnce(simulation, entry, size, seed);
    if (simulated.kind === "failed") {
      const { kind, reason } = simulated.failure;
      const failure = { kind, reason: seeds.length === 1 ? reason : `from seed ${seed}: ${reason}` };
      return { kind: "simulated", cell: { competitor, failure, samples: [], series: {} } };
    }
    // An outcome may be large, and of those of other seeds nothing else is kept.
    const { metrics, series } = simulated.outcome;
    samples.push(metrics);
    if (index === 0) firstSeries = series;
    progress.step();
  }
  return { kind: "simulated", cell: { competitor, samples, series: firstSeries } };
}

type Simulated =
  | { readonly kind: "done"; readonly outcome: Outcome }
  | { readonly kind: "failed"; readonly failure: Failure };

async function simulateOnce(
  simulation: Simulation<unknown, unknown>,
  { url }: Entry,
  size: "full" | "smoke",
  seed: number,
): Promise<Simulated> {
  const params = simulation.params[size];
  const failed = (kind: Failure["kind"], reason: string) =>
    ({ kind: "failed", failure: { kind, reason } }) as const;
  try {
    const candidate = await importCompetitor(url);
    const outcome = simulation.run(candidate, params, seed);
    const broken = simulation.law(candidate, params, outcome);
    if (broken !== undefined) return failed("law", broken);
    const unclear =
      unclearMetric(outcome.metrics, simulation) ??
      unclearSeries(outcome.series) ??
      unclearChart(simulation.chart, outcome.series);
    return unclear === undefined ? { kind: "done", outcome } : failed("fault", unclear);
  } catch (error) {
    return failed("fault", thrown(error));
  }
}

async function survey(job: SurveyJob): Promise<SurveyOutcome> {
  const { scenario, entry, seed, size } = job;
  const described = await importSurvey(scenario.suiteUrl, scenarioOf(scenario.scenario));
  const without = (kind: Failure["kind"], reason: string) => ({ failure: { kind, reason }, metrics: {} });
  try {
    if (described.kind === "tail") return await surveyTail(described, job);
    const params = described.params[size];
    const candidate = await importCompetitor(entry.url);
    const collections = size === "smoke" ? 1 : COLLECTIONS;
    let series: Outcome["series"] = {};
    allocateWith(linearsWatched);
    const metrics = await described.run(candidate, params, seed, {
      nowNs,
      heldBytes: () => heldBytes(scenario.counters ?? NODE_COUNTERS, collections) + linearBytes(),
      competitorUrl: entry.url,
      start: startOf(described.runtime ?? LAB_RUNTIME)!,
      draw(drawn) {
        series = drawn;
      },
    });
    const broken = described.law(candidate, params, metrics);
    if (broken !== undefined) return without("law", broken);
    const unclear =
      unclearMetric(metrics, described) ?? unclearSeries(series) ?? unclearChart(described.chart, series);
    if (unclear !== undefined) return without("fault", unclear);
    return described.chart === undefined ? { metrics } : { metrics, series };
  } catch (error) {
    return without("fault", thrown(error));
  }
}

/**
 * More than V8 lets pass before it drops the bytecode of a function that is not called any more. At smoke size nobody
 * asks what a figure is worth.
 */
const COLLECTIONS = 10;

/** Why a table could not show these metrics. */
function unclearMetric(
  metrics: Readonly<Record<string, number>>,
  described: Pick<Simulation<unknown, unknown>, "metrics">,
): string | undefined {
  for (const [key, value] of Object.entries(metrics)) {
    if (!Object.hasOwn(described.metrics, key))
      return `its metric ${key} is none that the scenario describes`;
    if (!Number.isFinite(value)) return `its metric ${key} is ${value}`;
  }
  return undefined;
}

/** Why a record could not hold these series. */
function unclearSeries(series: Outcome["series"]): string | undefined {
  for (const [key, values] of Object.entries(series)) {
    const index = values.findIndex((value) => !Number.isFinite(value));
    if (index !== -1) return `its series ${key} has ${values[index]} at index ${index}`;
  }
  return undefined;
}

/** Why a chart could not be drawn from these series. */
function unclearChart(chart: SeriesChart | undefined, series: Outcome["series"]): string | undefined {
  if (chart === undefined) return undefined;
  if (chart.lines === undefined) return unevenSeries([chart.low, chart.high], series);
  const keys = chart.lines.map(({ key }) => key);
  const uneven = unevenSeries(keys, series);
  const { along } = chart;
  if (uneven !== undefined || along === undefined) return uneven;
  const [first] = keys;
  const values = series[first!]!.length;
  if (values !== along.at.length)
    return `it has ${values} values of ${first} to draw at ${along.at.length} places`;
  const isClear = along.at.every((at, index) => at > (along.at[index - 1] ?? lowestOf(along.scale)));
  return isClear ? undefined : `its ${along.title} does not rise from place to place as its axis does`;
}

/** Why series could not be drawn in one frame. */
function unevenSeries(keys: readonly string[], series: Outcome["series"]): string | undefined {
  const [first, last] = [keys[0]!, keys.at(-1)!];
  if (keys.some((key) => series[key] === undefined) || series[first]!.length === 0)
    return `it has no values to draw from ${first} to ${last}`;
  const { length } = series[first]!;
  const other = keys.find((key) => series[key]!.length !== length);
  return other === undefined
    ? undefined
    : `it has ${length} values of ${first} and ${series[other]!.length} of ${other} to draw`;
}

/** What every place along an axis is above. */
function lowestOf(scale: "linear" | "log"): number {
  return scale === "log" ? 0 : Number.NEGATIVE_INFINITY;
}

/** Tells the parent how far the fork is, seldom enough that hearing it does not disturb a measurement. */
function progressReporter(steps: number) {
  let done = 0;
  let saidMs = performance.now();
  const at = (share: number) => {
    if (performance.now() - saidMs < PROGRESS_EVERY_MS) return;
    saidMs = performance.now();
    process.send!({ kind: "progress", share } satisfies ForkMessage);
  };
  return { at, step: () => at(++done / steps) };
}
