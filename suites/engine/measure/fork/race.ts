import { setImmediate } from "node:timers/promises";
import { derivedSeed, Random } from "../../words/random.ts";
import { assertUnspoilt } from "../load/builtins.ts";
import { beginNotes, versionsNoted } from "../machine/compiled-code.ts";
import { type Pinning, pinThreads, usableCoreNumbers } from "../machine/cores.ts";
import { tagOfFlags } from "../machine/flags.ts";
import { EVENT_LOOP_EVERY_MS } from "../machine/patience.ts";
import { statusOf } from "../machine/process-status.ts";
import { noteTurn } from "../machine/turn-file.ts";
import { changedFlags } from "../plan/failures.ts";
import { runtimeOf } from "../plan/plan.ts";
import type { CrewResult, ForkMessage, RaceJob, Say } from "../plan/protocol.ts";
import { progressReporter } from "../plan/protocol.ts";
import { requestsIn, roundOrders } from "../plan/rounds.ts";
import { Crew, type RacedCrew, type RemoteCrews, type StartRemote } from "./crew.ts";
import { contextOf } from "./crew-context.ts";
import { fastestTagNs, quietShareOf } from "./tag.ts";

/** Slices vary in length by up to this share, so that they never keep step with a timer or a scheduler. */
const JITTER = 0.2;
/**
 * A fork goes on while it has seen the quiet state, but too little of it: fewer quiet rounds than this. Below the least
 * share more rounds would not help.
 */
const ENOUGH_QUIET_ROUNDS = 30;
const LEAST_QUIET_SHARE = 0.05;
/** Rounds between two decisions whether to go on; each sorts all tags and takes a millisecond. */
const EXTRA_ROUNDS = 10;

export async function raceOnce(job: RaceJob, say: Say): Promise<ForkMessage> {
  const { group, seed } = job;
  beginNotes();
  const context = await contextOf(job);
  const remote = await remoteCrews(job);
  const crews = group.crews.map((plan) => remote.crews.get(plan) ?? new Crew(plan, context));
  const progress = progressReporter(crews.length * 2 + group.rounds, say);
  const statuses = () => ["self" as const, ...remote.processes.flatMap(({ pid }) => pid ?? [])].map(statusOf);

  // All at once, because most of it is waiting for threads to start; nothing is measured yet.
  const flags = tagOfFlags();
  await Promise.all(crews.map((crew) => crew.start()));
  if (context.keepsFlags && tagOfFlags() !== flags) throw changedFlags("while it was imported");
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
  if (group.countsBytes) {
    for (const crew of crews) if (crew instanceof Crew && crew.plan.url !== undefined) await crew.allocate();
  }
  const maxRssBytes = Math.max(
    process.resourceUsage().maxRSS * 1024,
    ...statuses().map((status) => status.maxRssBytes),
  );
  const versions = versionsNoted();
  const results: CrewResult[] = [];
  for (const crew of crews) results.push(await crew.result(versions));
  await Promise.all(remote.processes.map((one) => one.end()));
  assertUnspoilt();
  return { kind: "raced", crews: results, threads, maxRssBytes, pinned };
}

/** The crews of a job that run in processes of their own. A group without any does without the module, too. */
async function remoteCrews(job: RaceJob): Promise<RemoteCrews> {
  const planned = job.group.crews.find(({ remote }) => remote !== undefined);
  if (planned === undefined) return { processes: [], crews: new Map() };
  const { default: start } = (await import(planned.remote!.module)) as { readonly default: StartRemote };
  return await start(job);
}

/** Whether more rounds than planned would bring quiet ones that are wanted, by the tags of the baseline's runtime. */
function isWorthMore(crews: readonly RacedCrew[], rounds: number, { group, referenceNs }: RaceJob): boolean {
  const runtime = runtimeOf(group.crews[0]);
  const alike = crews.filter((_, index) => runtimeOf(group.crews[index]) === runtime);
  const fastNs = Math.min(...[referenceNs, fastestTagNs(alike)].filter((tagNs) => tagNs !== undefined));
  const [baseline] = crews;
  const share = quietShareOf(baseline!.workers, fastNs);
  return share >= LEAST_QUIET_SHARE && share * rounds < ENOUGH_QUIET_ROUNDS;
}

/**
 * Gives the workers of every crew the same cores, each its own while there are enough. The run decides which core is
 * the first one. Returns whether that was possible, except for crews that have failed meanwhile.
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
