import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Start } from "../../race.ts";
import { present } from "../../words/present.ts";
import { codeFileFlags, removeCodeFile } from "../machine/code-file.ts";
import { confinedTo } from "../machine/confinement.ts";
import { COMPILED_ALIKE, LANGUAGE_FLAGS } from "../machine/flags.ts";
import { losePatience } from "../machine/patience.ts";
import { howItEnded, killDescendants } from "../machine/process-status.ts";
import { openTurnFile, type TurnFile } from "../machine/turn-file.ts";
import type { Failure, ForkMessage, Job, SignedJob, SignedMessage, Surroundings } from "../plan/protocol.ts";

/** A fork that says nothing for this long beyond what it was planned to take is lost. */
const SILENCE_LIMIT_MS = 120_000;

/** How a fork is waited for. */
export interface Waiting {
  /** How long it is planned to take, in ms. */
  readonly estimateMs: number;
  /** It is lost when it has said nothing for this long beyond that, in ms; by default SILENCE_LIMIT_MS. */
  readonly silenceMs?: number;
  /** Hears now and then how far it is, as a share. */
  readonly progress?: (share: number) => void;
  /** Kills it when aborted. */
  readonly signal?: AbortSignal;
}

/** This process's own runtime. */
const OWN: Start = { file: process.execPath, args: LANGUAGE_FLAGS };

/**
 * Starts a fresh process that measures: a module that takes one message from its channel and answers on it. A caller that waits
 * for the answer hears of an end by "close": "exit" can come before what the process said last.
 */
export function startProcess(
  module: URL,
  flags: readonly string[] = [],
  turns?: TurnFile,
  start: Start = OWN,
  { cwd, confinedTo: own }: Surroundings = {},
): ChildProcess {
  const printed = own === undefined ? 2 : "ignore";
  return fork(fileURLToPath(module), {
    ...present({ cwd }),
    execPath: start.file,
    execArgv: [...start.args, ...flags],
    // Whatever a competitor prints goes to our stderr: stdout belongs to records and tables.
    stdio: ["ignore", printed, printed, "ipc", turns?.fd ?? "ignore"],
    env: {
      ...process.env,
      // Stripping types and compiling the same dozen modules in each of up to 60 workers costs more than measuring.
      NODE_COMPILE_CACHE: compileCache(),
      ...(own === undefined ? {} : { TMPDIR: own, TMP: own, TEMP: own }),
    },
  });
}

/** The folder for compiled modules; undefined where it cannot be made, as in a package that another user has installed. */
export function compileCache(): string | undefined {
  const { NODE_COMPILE_CACHE: given = join(nodeModulesOf(import.meta.dirname), ".cache", "hotpath-race") } =
    process.env;
  // Forks may have another working folder.
  const folder = resolve(given);
  try {
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch {
    return undefined;
  }
}

/** The `node_modules` that a folder is in, or has beside it or above. */
function nodeModulesOf(folder: string): string {
  const own = join(folder, "node_modules");
  if (basename(folder) === "node_modules") return folder;
  return existsSync(own) || dirname(folder) === folder ? own : nodeModulesOf(dirname(folder));
}

export interface Lost {
  readonly kind: "lost";
  readonly failure: Failure;
  /** Index of the crew whose turn it was, where the process had come so far. */
  readonly turn?: number | undefined;
  /** Set where the instrument found itself broken, and no crew is to blame. */
  readonly isInstruments?: true;
}

/** A process that carries out jobs. */
interface Fork {
  readonly child: ChildProcess;
  readonly turns: TurnFile;
}

/**
 * A process for jobs that read no clock, or whose figures nobody asks for, one after the other. Starting one takes longer
 * than a small simulation. One that was lost is replaced.
 */
export class ReusedFork {
  #fork: Fork | undefined;

  ask(job: Job, waiting: Waiting): ReturnType<typeof askFork> {
    if (!isAlive(this.#fork)) this.#fork = startFork(job);
    return ask(this.#fork, job, waiting);
  }

  end(): void {
    end(this.#fork);
  }
}

function isAlive(fork: Fork | undefined): fork is Fork {
  const child = fork?.child;
  return child?.connected === true && child.exitCode === null && child.signalCode === null;
}

function end(fork: Fork | undefined): void {
  if (isAlive(fork)) fork.child.disconnect();
}

/**
 * Starts a fork, `on` another runtime if there is one, and has it do one job. Resolves with its answer, or with why there
 * is none: it died, was silent for too long, or was killed. A signal that this process was sent before the answer is heard
 * before it. Never rejects.
 */
export async function askFork(job: Job, waiting: Waiting, on?: Start): Promise<ForkMessage | Lost> {
  const fork = startFork(job, on);
  try {
    return await ask(fork, job, waiting);
  } finally {
    end(fork);
  }
}

function startFork(job: Job, on?: Start): Fork {
  const turns = openTurnFile();
  const child = startProcess(new URL("../fork/fork.ts", import.meta.url), flagsOf(job, on), turns, on, job);
  // What goes wrong with a process that has answered has no effect.
  child
    .on("error", () => {})
    .once("close", () => {
      turns.close();
      removeCodeFile(compileCache(), child.pid);
    });
  return { child, turns };
}

async function ask(fork: Fork, job: Job, waiting: Waiting): Promise<ForkMessage | Lost> {
  const answer = await answerOf(fork, job, waiting);
  // Ctrl-C goes to the whole process group, and a process of the fork's that died of it is no failure of what it measured.
  // Of what is there at one look, libuv hears messages before signals: the signal may be seen only at the next look.
  await setImmediate();
  await setImmediate();
  return answer;
}

function answerOf(
  { child, turns }: Fork,
  job: Job,
  { estimateMs, silenceMs = SILENCE_LIMIT_MS, progress, signal }: Waiting,
): Promise<ForkMessage | Lost> {
  return new Promise((resolve) => {
    let silence = startSilence();
    let lost: string | undefined;
    let finished = false;
    signal?.addEventListener("abort", stop, { once: true });
    // Before `startFork` hears of it, which closes the turn file.
    child.on("message", hear).on("error", fail).prependListener("close", end);
    const token = randomUUID();
    child.send({ job, token } satisfies SignedJob, () => {});

    function hear({ token: said, ...message }: SignedMessage) {
      silence.end();
      if (said !== token) return lose("it answered in the place of its process");
      if (message.kind === "progress") {
        silence = startSilence();
        progress?.(message.share);
        return;
      }
      if (message.kind === "fault") lose(message.reason);
      else if (message.kind === "broken")
        finish({ kind: "lost", failure: { kind: "fault", reason: message.reason }, isInstruments: true });
      else finish(message);
    }
    function fail({ message }: Error) {
      lose(message);
    }
    function end(code: number | null, killedBy: NodeJS.Signals | null) {
      lose(lost ?? howItEnded(code, killedBy));
    }
    function lose(reason: string) {
      finish({ kind: "lost", failure: { kind: "fault", reason }, turn: turns.last() });
    }

    function startSilence() {
      return losePatience(silenceMs + estimateMs, () => {
        lost = `its process was silent for ${(silenceMs + estimateMs) / 1000} s and was killed`;
        stop();
      });
    }
    function stop() {
      // What a bench file starts would outlive its process; the lab's own heirs end by themselves.
      if (job.cwd !== undefined) killDescendants(child.pid!);
      child.kill("SIGKILL");
    }
    // A fork that has answered also exits; only the first of the two counts.
    function finish(answer: ForkMessage | Lost) {
      if (finished) return;
      finished = true;
      silence.end();
      signal?.removeEventListener("abort", stop);
      child.off("message", hear).off("error", fail).off("close", end);
      resolve(answer);
    }
  });
}

/** The flags that Node needs for a job. */
function flagsOf(job: Job, on: Start | undefined): string[] {
  const { confinedTo: own } = job;
  const cache = compileCache();
  // Node would hand its flags on, which other versions do not know. All foreign code runs in remote processes, which have their own.
  const isRemote = job.kind === "race" && job.group.crews.some(({ remote }) => remote !== undefined);
  return [
    ...(own === undefined || isRemote ? [] : confinedTo(cache === undefined ? [own] : [own, cache])),
    ...(job.kind === "race" && job.program !== undefined ? [`--import=${job.program}`] : []),
    ...(job.kind === "race" && job.group.isCompiledAlike === true ? [COMPILED_ALIKE] : []),
    ...(job.kind === "race" && own === undefined && on === undefined ? codeFileFlags(cache) : []),
    ...(job.kind === "call" ? (job.flags ?? []) : []),
  ];
}
