import { setImmediate } from "node:timers/promises";
import type { Piscina } from "piscina";
import { threadsOf } from "../shared/examination.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import { Random } from "../shared/sfc32.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import type { KeyBuckets, KeyedLimitsSetup, LimitsByKey, LimitsCompetitor } from "./limits.contract.ts";
import { everyKeyIsExact, neverOverLimit, type Phase, type Take } from "./limits.laws.ts";

/** What one worker is asked to do while the clock stands still. */
export interface KeysTask {
  readonly url: string;
  readonly memory: Region;
  readonly setup: KeyedLimitsSetup;
  readonly index: number;
  readonly atNs: number;
  readonly takes: number;
  readonly seed: number;
  /** By key, counted by all workers. */
  readonly asked: Region;
  readonly granted: Region;
}

/** Takes of keys that are drawn, as one worker makes them. */
export function takeKeys(byKey: LimitsByKey, task: KeysTask): void {
  const { memory, setup, index, atNs, takes, seed, asked, granted } = task;
  const worker = workerIdentity(index, setup.workers, 1);
  const buckets = byKey.attach(memory, setup, worker, () => atNs) as KeyBuckets;
  const random = new Random(seed, index);
  for (let taken = 0; taken < takes; taken++) {
    const key = random.below(setup.keys);
    Atomics.add(asked, key, 1);
    if (buckets.tryTake(key % 2 === 0 ? key : `user/${key}`)) Atomics.add(granted, key, 1);
  }
}

interface Pool {
  readonly url: string;
  readonly threads: Piscina;
  readonly workers: number;
  /** The phase in which one worker is terminated amid its takes. */
  readonly fatalPhase?: number;
}

/** What each key is granted, in phases in which time stands still, is exact: by the workers of a pool, or by this thread. */
export async function lawByPhases(
  byKey: LimitsByKey,
  sizes: { readonly keys: number; readonly takes: number; readonly phases: number },
  pool?: Pool,
): Promise<string | undefined> {
  const { url = "", workers = 2, fatalPhase = Number.NaN } = pool ?? {};
  const setup = { capacity: CAPACITY, perSecond: PER_SECOND, keys: sizes.keys, workers };
  const memory = allocateRegion(byKey.words(setup));
  byKey.format(memory, setup);
  const phases: Phase[] = [];
  for (let phase = 0; phase < sizes.phases; phase++) {
    // By the phase after it all buckets are full, whatever the terminated worker has taken.
    if (phase === fatalPhase + 1) continue;
    const counts = { asked: allocateRegion(sizes.keys), granted: allocateRegion(sizes.keys) };
    const atNs = STARTS_NS + phase * STEP_NS;
    const takes = Math.ceil(sizes.takes / sizes.phases / workers);
    const tasks = Array.from({ length: workers }, (_, index) => {
      return { url, memory, setup, index, atNs, takes, seed: phase, ...counts } satisfies KeysTask;
    });
    if (pool === undefined) for (const task of tasks) takeKeys(byKey, task);
    else await takenBy(pool.threads, tasks, phase === fatalPhase);
    phases.push({ atNs, ...counts, terminated: phase === fatalPhase ? 1 : 0 });
  }
  return everyKeyIsExact(setup, phases);
}

async function takenBy(threads: Piscina, tasks: readonly KeysTask[], isFatal: boolean): Promise<void> {
  const others = isFatal ? tasks.slice(1) : tasks;
  const mortal = isFatal ? keysThreads(1) : undefined;
  const endless = mortal?.run({ ...tasks[0]!, takes: Number.POSITIVE_INFINITY });
  let hasEnded = false;
  const ended = endless?.catch(() => {}).then(() => (hasEnded = true));
  try {
    await Promise.all(others.map((task) => threads.run(task, { filename: KEYS_WORKER.href })));
    // Beside the others or after them, it is amid its takes.
    const countedOfOthers = others.reduce((sum, { takes }) => sum + takes, 0);
    while (isFatal && !hasEnded && tasks[0]!.asked.reduce((sum, asked) => sum + asked, 0) <= countedOfOthers)
      await setImmediate();
    // It has no end of its own: whatever ended it is what failed.
    if (hasEnded) await endless;
  } finally {
    await mortal?.destroy();
    await ended;
  }
}

const KEYS_WORKER = new URL("./limits.keys.examination.worker.ts", import.meta.url);

export function keysThreads(threads: number): Piscina {
  return threadsOf(KEYS_WORKER, threads);
}

/** A token each 2^20 ns, which no bucket rounds. */
const PER_SECOND = 1e9 / 2 ** 20;
const STEP_NS = 7_037_100;
const CAPACITY = 10;
const STARTS_NS = 1e12;

/** Where many more keys are limited than there is room for, none is granted too much. */
export function lawOfCrowd(
  competitor: LimitsCompetitor & { readonly byKey: LimitsByKey },
): string | undefined {
  const setup = { capacity: 3, perSecond: PER_SECOND, keys: 1, workers: 1 };
  const memory = allocateRegion(competitor.byKey.words(setup));
  competitor.byKey.format(memory, setup);
  let atNs = STARTS_NS;
  const worker = workerIdentity(0, 1, 1);
  const buckets = competitor.byKey.attach(memory, setup, worker, () => atNs) as KeyBuckets;
  const takes = Array.from({ length: CROWD }, (): Take[] => []);
  const random = new Random(1);
  for (let step = 0; step < CROWD * CROWD; step++) {
    const key = random.below(CROWD);
    takes[key]!.push({ atNs, n: 1, isGranted: buckets.tryTake(key), hasWaited: false });
    atNs += random.below(CROWD_STEP_NS);
  }
  return takes.map((of) => neverOverLimit(competitor, setup, of)).find((broken) => broken !== undefined);
}

const CROWD = 64;
const CROWD_STEP_NS = 100_000;
