import { createHook } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { collectionsIn } from "../measure/fork/allocation.ts";
import { nextBatch } from "../measure/fork/batches.ts";
import { assertBuiltins } from "../measure/load/builtins.ts";
import { importCompetitor } from "../measure/load/load.ts";
import { nowNs } from "../measure/machine/clock.ts";
import { threadsNow } from "../measure/machine/process-status.ts";
import { thrown } from "../measure/plan/failures.ts";
import type { AsyncRunner, Runner } from "../race.ts";
import { median, sum } from "../statistics.ts";
import { present } from "../words/present.ts";
import { urlOf } from "./address.ts";
import { timesItself } from "./harnesses/tinybench.ts";
import { type LoadedTask, READY } from "./lab.ts";
import type { Probe, ProbedWork, ProbeMessage, ProbeRequest } from "./probe.ts";
import { deniedBy, Refusal } from "./reason.ts";
import type { Operation } from "./task.ts";
import { asyncRunnerOf, isPromise, runnerOf, runOnce, UnexpectedPromise } from "./task-runner.ts";

/** The thread in which one task is looked at: imports it, gets it ready and runs it, as a worker of a race does. */

/** A task is run for at least this long, in ns, and this often. */
const { leastNs: LEAST_NS = 50e6 } = workerData as ProbeRequest;
const FEWEST_OPERATIONS = 3;
/** An operation that takes longer, in ns, after those that its thread began with, is warm. */
const LONG_NS = 100e6;
/** Before that, up to this number of operations run one by one, for up to this long together, in ns. */
const MOST_LOOKED_AT = 100;
const LOOKED_AT_NS = 10e6;

const LAB = new URL("./lab.ts", import.meta.url).href;

let startedThreads = 0;
process.on("worker", () => startedThreads++);

async function probe({ task, seed, longestNs }: ProbeRequest): Promise<Probe> {
  const begunNs = nowNs();
  let importMs: number | undefined;
  try {
    const operation = await operationOf((await importCompetitor(urlOf(task), LAB, seed)) as LoadedTask);
    importMs = (nowNs() - begunNs) / 1e6;
    const work = await lookAt(operation, longestNs);
    assertBuiltins();
    return { importMs, work };
  } catch (error) {
    if (error instanceof Refusal) return { failure: error.message };
    const denied = deniedBy(error);
    const failure = denied === undefined ? thrown(error) : `it ${denied}: --allow-write permits that`;
    return { ...present({ importMs }), failure };
  }
}

/** Ready to run; as the only worker, where workers share memory. */
async function operationOf({ operation, task, workers }: LoadedTask): Promise<Operation> {
  if (operation !== undefined) return operation;
  const shared = structuredClone(workers?.shared?.());
  const opened = await task!.open({ shared, worker: { index: 0, workers: 1, role: "worker", seed: 0 } });
  READY.publish(undefined);
  return opened;
}

async function lookAt(operation: Operation, longestNs = Number.POSITIVE_INFINITY): Promise<ProbedWork> {
  const threads = threadsNow();
  const first = await lookAtResults(operation, Math.max(longestNs, LONG_NS));
  const { isAsync, timed } =
    first.timed === undefined
      ? await timedAs(operation, first.isAsync)
      : { isAsync: first.isAsync, timed: first.timed };
  const startsThreads = startedThreads > 0 || (threadsNow() ?? 0) > (threads ?? 0);
  const helpers = first.usesPool ? "the thread pool" : startsThreads ? "threads" : undefined;
  const { waitingShare, ...work } = timed;
  return {
    ...work,
    isAsync,
    ...(isAsync && waitingShare !== undefined ? { waitingShare } : {}),
    ...present({ helpers }),
    hooks: (["beforeEach", "afterEach"] as const).filter((hook) => operation[hook] !== undefined),
    timesItself: first.timesItself,
  };
}

/**
 * Runs some operations one by one and looks at what they return. Also finds whether they have something done that ends outside
 * of this thread, such as a file read or a key derived. Each kind of request can also be carried out at once. It is the pool's
 * only where its end comes in a turn of the event loop. Where the first two take longer than `longestNs`, they are all, and timed: one may be
 * disturbed.
 */
async function lookAtResults(operation: Operation, longestNs: number) {
  const seen = { isAsync: false, timesItself: false, usesPool: false };
  const requests = new Set<number>();
  const hook = createHook({
    init(id, type) {
      if (OF_POOL.test(type)) requests.add(id);
    },
    before(id) {
      seen.usesPool ||= requests.has(id);
    },
  });
  hook.enable();
  const untilNs = nowNs() + LOOKED_AT_NS;
  const before = coreTime();
  const tookNs: number[] = [];
  const isLong = () => tookNs.length > 1 && Math.min(...tookNs) > longestNs;
  const isEnough = () =>
    isLong() ||
    (tookNs.length >= FEWEST_OPERATIONS && (tookNs.length >= MOST_LOOKED_AT || nowNs() >= untilNs));
  while (!isEnough()) {
    const begunNs = nowNs();
    await runOnce(operation, (result, settled) => {
      seen.isAsync ||= isPromise(result);
      seen.timesItself ||= timesItself(settled);
    });
    tookNs.push(nowNs() - begunNs);
  }
  const timed: Timed | undefined = isLong()
    ? { nsPerOperation: Math.min(...tookNs), ...waitingIn(before, sum(tookNs)) }
    : undefined;
  await setImmediate();
  hook.disable();
  return { ...seen, timed };
}
/** As Node names them: FSREQCALLBACK, PBKDF2REQUEST, GETADDRINFOREQWRAP, ZLIB. */
const OF_POOL = /^FSREQ|REQUEST$|^GET\w+INFOREQ|^ZLIB$|^BROTLI/;

/** Times it with the loop that fits what it returns. */
async function timedAs(operation: Operation, isAsync: boolean): Promise<{ isAsync: boolean; timed: Timed }> {
  if (isAsync) {
    const runner = asyncRunnerOf(operation);
    const first = await timed(runner);
    // A collector whose helpers find no core makes a thread wait as well.
    return {
      isAsync,
      timed: (first.waitingShare ?? 0) > OFTEN ? leastWaiting(first, await timed(runner)) : first,
    };
  }
  try {
    return { isAsync, timed: await timed(runnerOf(operation)) };
  } catch (error) {
    if (error instanceof UnexpectedPromise) return await timedAs(operation, true);
    throw error;
  }
}

/** A share of waiting that is looked at twice. */
const OFTEN = 0.3;

function leastWaiting(a: Timed, b: Timed): Timed {
  return (a.waitingShare ?? 0) < (b.waitingShare ?? 0) ? a : b;
}

type Timed = Pick<ProbedWork, "nsPerOperation" | "nsOfHooks" | "waitingShare" | "collectionEveryMs">;

async function timed(runner: Runner | AsyncRunner): Promise<Timed> {
  const collectedMs: number[] = [];
  const note = (entries: readonly PerformanceEntry[]) => {
    for (const { startTime } of collectionsIn(entries)) if (startTime >= begunMs) collectedMs.push(startTime);
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ entryTypes: ["gc"] });
  const nsPerOperation: number[] = [];
  let operations = 0;
  let batch = 1;
  const begunMs = performance.now();
  const before = coreTime();
  const begunNs = nowNs();
  do {
    const batchNs = await runBatch(runner, batch);
    nsPerOperation.push(batchNs / batch);
    operations += batch;
    batch = nextBatch(batch, batchNs, runner.mostOperations ?? Number.POSITIVE_INFINITY);
  } while (nowNs() - begunNs < LEAST_NS || operations < FEWEST_OPERATIONS);
  const tookNs = nowNs() - begunNs;
  const waiting = waitingIn(before, tookNs);
  // Collections are noted in a turn of the event loop.
  await setImmediate();
  note(observer.takeRecords());
  observer.disconnect();
  const middleNs = median(nsPerOperation);
  return {
    nsPerOperation: middleNs,
    ...(runner.prepare === undefined ? {} : { nsOfHooks: Math.max(0, tookNs / operations - middleNs) }),
    ...waiting,
    ...everyOf(collectedMs),
  };
}

/** The share of a time in which this thread asked for no core, since `before`. */
function waitingIn(before: ReturnType<typeof coreTime>, tookNs: number): Pick<ProbedWork, "waitingShare"> {
  const after = coreTime();
  return before && after ? { waitingShare: Math.max(0, 1 - (after.askedNs - before.askedNs) / tookNs) } : {};
}

/** The look leaves some garbage itself, and so has the import: one collection or two may be of these. */
const FEWEST_COLLECTIONS = 3;

function everyOf(collectedMs: readonly number[]): Pick<ProbedWork, "collectionEveryMs"> {
  if (collectedMs.length < FEWEST_COLLECTIONS) return {};
  return { collectionEveryMs: (collectedMs.at(-1)! - collectedMs[0]!) / (collectedMs.length - 1) };
}

/** Returns how long it took, in ns, without what prepared it. */
async function runBatch(runner: Runner | AsyncRunner, operations: number): Promise<number> {
  await runner.prepare?.(operations);
  const begunNs = nowNs();
  if ("runAsync" in runner) await runner.runAsync(operations);
  else runner.run(operations);
  return nowNs() - begunNs;
}

/**
 * For how long this thread has had a core or waited for one, in ns. A thread that sleeps does neither. Where the kernel does
 * not report it, how long it has had one, which a busy machine makes less. Undefined on runtimes that do not report that.
 */
function coreTime(): { readonly askedNs: number } | undefined {
  // The kernel adds up what a thread has had when it sleeps; until then it may be a tick late.
  Atomics.wait(SLEEPING, 0, 0, SHORT_MS);
  try {
    const [ranNs, waitedNs] = readFileSync("/proc/thread-self/schedstat", "latin1").split(" ");
    return { askedNs: Number(ranNs) + Number(waitedNs) };
  } catch {
    // From Node 23.9 on.
    const { threadCpuUsage } = process as {
      threadCpuUsage?(): { readonly user: number; readonly system: number };
    };
    const usage = threadCpuUsage?.();
    return usage && { askedNs: 1000 * (usage.user + usage.system) };
  }
}
const SLEEPING = new Int32Array(new SharedArrayBuffer(4));
const SHORT_MS = 0.01;

function say(message: ProbeMessage): void {
  parentPort!.postMessage(message);
}

READY.subscribe(() => say("ready"));
say(await probe(workerData as ProbeRequest));
