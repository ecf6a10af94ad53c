import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setImmediate, setTimeout } from "node:timers/promises";
import { Crew } from "../../../engine/measure/fork/crew.ts";
import { contextOf } from "../../../engine/measure/fork/crew-context.ts";
import { nowNs } from "../../../engine/measure/machine/clock.ts";
import type { Failure, Say, Window } from "../../../engine/measure/plan/protocol.ts";
import { progressReporter } from "../../../engine/measure/plan/protocol.ts";
import type { ProfiledWorker, ProfileJob, ProfileOutcome } from "./profile-job.ts";

/**
 * A profiling pass: one crew alone in its process, sampled while it runs slices as a race does, only longer. Nothing
 * is timed here, because a thread that is interrupted for samples is slower; and nothing that is timed is profiled.
 *
 * The sampler runs from before warm-up on, so that V8 knows the lines of all that it compiles and optimises on the way.
 * The clock decides which samples count: the ones taken while every worker was measuring.
 */
const SLICE_MS = 50;
/** A crew whose slices never have all workers measuring at once is given up after this many times the planned ones. */
const MOST_TIMES_MORE = 4;

/** Samples of perf a second: as many as the kernel's own clock gives. */
const PERF_HZ = 999;
/** perf begins within a second and writes down what is left within another; one that takes this long, in ms, hangs. */
const PERF_LIMIT_MS = 10_000;

/** Carries out a profiling pass. */
export default async function profile(job: ProfileJob, say: Say): Promise<ProfileOutcome> {
  // Alone in its process, it has no need of an arena.
  const context = await contextOf({ ...job, fork: 0, group: { ...job.group, placement: "own" } });
  const crew = new Crew(job.group.crews[0]!, context);
  return await profileCrew(crew, job, progressReporter(1, say).at);
}

export async function profileCrew(
  crew: Crew,
  { windowsMs, sampler, scratch }: Pick<ProfileJob, "windowsMs" | "sampler" | "scratch">,
  progress: (share: number) => void,
): Promise<ProfileOutcome> {
  await crew.start();
  await crew.attach();
  if (crew.failure !== undefined) return { failure: crew.failure };
  let sampling: Sampling | undefined;
  try {
    sampling = sampler === "v8" ? await sampleByV8(crew) : await sampleByPerf(crew, scratch);
    await crew.warmUp();
    const windows = await windowsOf(crew, windowsMs, progress);
    if (crew.failure !== undefined) return { failure: crew.failure };
    if (windows.length === 0) return { failure: fault("its workers were never all measuring at once") };
    return { windows, workers: await sampling.stop() };
  } catch (error) {
    return { failure: crew.failure ?? fault(error instanceof Error ? error.message : String(error)) };
  } finally {
    sampling?.giveUp();
  }
}

function fault(reason: string): Failure {
  return { kind: "fault", reason };
}

async function windowsOf(
  crew: Crew,
  windowsMs: number,
  progress: (share: number) => void,
): Promise<Window[]> {
  const windows: Window[] = [];
  let seenMs = 0;
  const most = Math.ceil((MOST_TIMES_MORE * windowsMs) / SLICE_MS);
  for (let slices = 0; slices < most && seenMs < windowsMs && !crew.failed; slices++) {
    const window = await crew.window(SLICE_MS);
    // A turn of the event loop, which hears of the parent's end.
    await setImmediate();
    if (window === undefined) continue;
    windows.push(window);
    seenMs += (window.toNs - window.fromNs) / 1e6;
    progress(Math.min(1, seenMs / windowsMs));
  }
  return windows;
}

interface Sampling {
  /** Ends it and says what was seen, by index. */
  stop(): Promise<ProfiledWorker[]>;
  /** Leaves nothing running, whether or not it was stopped. */
  giveUp(): void;
}

async function sampleByV8(crew: Crew): Promise<Sampling> {
  const handles = await Promise.all(
    crew.threads.map(async ({ worker, kernel }, index) => {
      const handle = await worker.startCpuProfile();
      return { handle, kernelThread: kernel, role: crew.roleOf(index) };
    }),
  );
  return {
    stop: () =>
      Promise.all(
        handles.map(async ({ handle, ...worker }) => {
          const fromNs = nowNs();
          const text = await handle.stop();
          return { ...worker, v8: { text, ended: { fromNs, toNs: nowNs() } } };
        }),
      ),
    // V8 samples from within: it ends with the threads.
    giveUp() {},
  };
}

/** Samples the crew's threads from outside, by the kernel's clock, into `perf.data`; ready when perf has confirmed it. */
async function sampleByPerf(crew: Crew, folder: string): Promise<Sampling> {
  const workers = crew.threads.map(({ kernel }, index) => ({
    kernelThread: kernel,
    role: crew.roleOf(index),
  }));
  const threads = workers.map(({ kernelThread }) => kernelThread);
  if (threads.includes(undefined)) throw new Error("the kernel does not report the numbers of threads");
  const what = ["--event", "cpu-clock", "--freq", String(PERF_HZ), "--clockid", "mono", "--call-graph", "fp"];
  // Without a delay of its own: an order on the first of two channels starts it, and it confirms on the other.
  const how = ["--delay", "-1", "--control", "fd:3,4", "--tid", threads.join(",")];
  const where = ["--output", join(folder, "perf.data")];
  // Into a file: if this process is killed perf ends with its threads, but on a broken pipe it would not clean up.
  const said = join(folder, "perf.log");
  const stderr = openSync(said, "w");
  const perf = spawn("perf", ["record", ...what, ...how, ...where], {
    stdio: ["ignore", "ignore", stderr, "pipe", "pipe"],
  });
  closeSync(stderr);
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  perf.once("error", ({ message }) => end(`perf did not start: ${message}`));
  const reportEnd = () => end(`perf ended: ${readFileSync(said, "utf8").trim().split("\n").at(-1)}`);
  perf.once("exit", reportEnd);
  const commands = perf.stdio[3] as Writable;
  const answers = perf.stdio[4] as Readable;
  // An order to a perf that is gone, whose end says more.
  commands.on("error", () => {});
  commands.write("enable\n");
  const giveUp = () => {
    // By then the folder may be gone.
    perf.off("exit", reportEnd);
    perf.kill("SIGKILL");
  };
  const failure = await Promise.race([
    ended,
    new Promise<undefined>((confirm) => answers.once("data", () => confirm(undefined))),
    afterPerfLimit("perf did not begin"),
  ]);
  if (failure !== undefined) {
    giveUp();
    throw new Error(failure);
  }
  return {
    async stop() {
      // The last slice left the event loop no turn, which may have to hear of perf's end: a whole turn lies between two of these.
      for (let turn = 0; turn < 2; turn++) await setImmediate();
      // False of one that has ended already: what it sampled is not the whole.
      if (!perf.kill("SIGINT")) throw new Error(await ended);
      const hung = await Promise.race([ended.then(() => undefined), afterPerfLimit("perf did not end")]);
      if (hung !== undefined) throw new Error(hung);
      return workers;
    },
    giveUp,
  };
}

/** Resolves with what went wrong when perf has taken too long; the fork ends without waiting for it. */
function afterPerfLimit(what: string): Promise<string> {
  return setTimeout(PERF_LIMIT_MS, `${what} within ${PERF_LIMIT_MS / 1000} s`);
}
