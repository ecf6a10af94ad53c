import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { CPUProfileHandle } from "node:v8";
import { nowNs } from "./clock.ts";
import type { Crew } from "./crew.ts";
import type { Failure, ProfiledWorker, ProfileJob, ProfileOutcome, Window } from "./protocol.ts";

/**
 * A profiling pass: one crew alone in its process, sampled while it runs the same slices that a race measures. Nothing
 * is timed here, because a thread that is interrupted for samples is slower; and nothing that is timed is profiled.
 *
 * The sampler runs from before warm-up on, so that V8 knows the lines of all that it compiles and optimises on the way.
 * Which samples count is decided by the clock: those taken while every worker was measuring.
 */
const SLICE_MS = 50;
/** A crew whose slices never have all workers measuring at once is given up after this many times the planned ones. */
const MOST_TIMES_MORE = 4;

/** Samples of perf a second: as many as the kernel's own clock gives. */
const PERF_HZ = 999;

export async function profileCrew(
  crew: Crew,
  { windowsMs, sampler, scratch }: Pick<ProfileJob, "windowsMs" | "sampler" | "scratch">,
  progress: (share: number) => void,
): Promise<ProfileOutcome> {
  await crew.attach();
  if (crew.failure !== undefined) return { failure: crew.failure };
  let sampling: Sampling | undefined;
  try {
    sampling =
      sampler === "v8" ? await sampleByV8(crew) : await sampleByPerf(crew, join(scratch, "perf.data"));
    await crew.warmUp();
    const windows = await windowsOf(crew, windowsMs, progress);
    if (crew.failure !== undefined) return { failure: crew.failure };
    if (windows.length === 0) return { failure: fault("its workers were never all measuring at once") };
    return { windows, workers: await sampling.stop(), stoppedNs: nowNs() };
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
    if (window === undefined) continue;
    windows.push(window);
    seenMs += (window.toNs - window.fromNs) / 1e6;
    progress(Math.min(1, seenMs / windowsMs));
  }
  return windows;
}

interface Sampling {
  /** Ends it and says what was seen, by seat. */
  stop(): Promise<ProfiledWorker[]>;
  /** Leaves nothing running, whether or not it was stopped. */
  giveUp(): void;
}

async function sampleByV8(crew: Crew): Promise<Sampling> {
  const handles = await Promise.all(
    crew.threads.map(async ({ worker, kernel }, seat) => {
      // Absent before Node 24.8.
      const start: (() => Promise<CPUProfileHandle>) | undefined = worker.startCpuProfile?.bind(worker);
      if (start === undefined) {
        throw new Error("this runtime cannot profile a worker thread: use Node 24.8 or later");
      }
      return { handle: await start(), kernelThread: kernel, role: crew.roleOf(seat) };
    }),
  );
  return {
    stop: () =>
      Promise.all(
        handles.map(async ({ handle, ...worker }) => ({ ...worker, cpuProfile: await handle.stop() })),
      ),
    // V8 samples from within: it ends with the threads.
    giveUp() {},
  };
}

/** Samples the crew's threads from outside, by the kernel's clock; ready when perf has confirmed it. */
async function sampleByPerf(crew: Crew, file: string): Promise<Sampling> {
  const workers = crew.threads.map(({ kernel }, seat) => ({ kernelThread: kernel, role: crew.roleOf(seat) }));
  const threads = workers.map(({ kernelThread }) => kernelThread);
  if (threads.includes(undefined)) throw new Error("the kernel does not tell the numbers of threads");
  const what = ["--event", "cpu-clock", "--freq", String(PERF_HZ), "--clockid", "mono", "--call-graph", "fp"];
  // Without a delay of its own: it begins when it is told to, over the first of two channels, and confirms on the other.
  const how = ["--delay", "-1", "--control", "fd:3,4", "--tid", threads.join(","), "--output", file];
  const perf = spawn("perf", ["record", ...what, ...how], {
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
  });
  let said = "";
  perf.stderr!.on("data", (chunk) => {
    said += chunk;
  });
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  perf.once("error", ({ message }) => end(`perf did not start: ${message}`));
  perf.once("exit", () => end(`perf ended: ${said.trim().split("\n").at(-1)}`));
  const commands = perf.stdio[3] as Writable;
  const answers = perf.stdio[4] as Readable;
  // Told to a perf that is gone, which its end says better.
  commands.on("error", () => {});
  commands.write("enable\n");
  const failure = await Promise.race([
    ended,
    new Promise<undefined>((confirm) => answers.once("data", () => confirm(undefined))),
  ]);
  if (failure !== undefined) throw new Error(failure);
  return {
    async stop() {
      perf.kill("SIGINT");
      await ended;
      return workers;
    },
    giveUp: () => perf.kill("SIGKILL"),
  };
}
