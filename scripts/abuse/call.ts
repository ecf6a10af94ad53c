import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Call, Exit, Moment, Running } from "./abuse.ts";
import { wordsOf } from "./checkout.ts";
import { endAll, lingering, MARK, type MarkedProcess, send } from "./processes.ts";
import { recordsIn, type Scene } from "./scene.ts";
import { shellLine, WATCHED_CALL } from "./terminal.ts";

/** How a call ended. */
export interface Ended {
  readonly exit: Exit | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Moments that did not come while it ran. */
  readonly missed: number;
  /** Processes that were still there when all had had time to end. */
  readonly left: readonly MarkedProcess[];
}

/** No call may take longer: a candidate that hangs is given up while it is examined, after two minutes. */
export const LIMIT_MS = 150_000;

/** Calls a command of a checkout, and does to it what is to be done while it runs. */
export async function carryOut(call: Call, scene: Scene, checkout: string): Promise<Ended> {
  const [program, ...args] = wordsToCall(call, scene, checkout);
  const child = spawn(program!, args, {
    cwd: scene.folder,
    env: { ...environmentOf(scene), ...call.env },
    // A group of its own: what is meant for it must not reach the harness.
    detached: true,
    stdio: "pipe",
  });
  const ended = new Promise<Exit | undefined>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? signal ?? undefined));
  });
  // Not when it ends: what it leaves behind may hold its pipes.
  const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
  // It may end before it is typed to.
  child.stdin.on("error", () => {});
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      printed[name] += text;
    });
  }
  const done = new AbortController();
  const running = runningAs(child, scene);
  const interfered = interfere(running, call.moments ?? [], printed, done.signal);
  const exit = await Promise.race([ended, setTimeout(LIMIT_MS, undefined, { ref: false })]);
  done.abort();
  const missed = await interfered;
  child.stdin.destroy();
  const left = await lingering(scene.mark);
  endAll(scene.mark);
  await closed;
  return { exit, ...printed, missed, left };
}

/** The program and its arguments. */
function wordsToCall(call: Call, scene: Scene, checkout: string): string[] {
  const [script, ...args] = call.command;
  const from = call.checkout === undefined ? checkout : join(scene.folder, call.checkout);
  const command = [...wordsOf(from, script), ...args.map((arg) => filledIn(arg, scene))];
  const words = call.shell === undefined ? command : ["bash", "-c", call.shell, "bash", ...command];
  if (!call.inTerminal) return words;
  const line = shellLine(["bash", "-c", WATCHED_CALL, "bash", ...words]);
  return ["script", "--quiet", "--return", "--flush", "--command", line, "/dev/null"];
}

/** That of the harness, but for what would have the command write elsewhere, or think it is called by npm. */
function environmentOf({ mark, temporary, home, folder }: Scene): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^npm_|^(FORCE_COLOR|NO_COLOR|CI|INIT_CWD|NODE_OPTIONS|GITHUB_STEP_SUMMARY)$/.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    [MARK]: mark,
    TMPDIR: temporary,
    HOME: home,
    PWD: folder,
    TERM: "xterm-256color",
  };
}

function filledIn(arg: string, { folder, out }: Scene): string {
  return arg.replaceAll("$FOLDER", folder).replaceAll("$RECORD", () => recordsIn(out)[0] ?? "no-record.json");
}

function runningAs(child: ChildProcess, scene: Scene): Running {
  return {
    scene,
    signal: (name) => void child.kill(name),
    signalAll: (name) => send(-child.pid!, name),
    type: (text) => void child.stdin!.write(text),
  };
}

/** Moment after moment, until all have come or the command is done; returns how many have not come then. */
async function interfere(
  running: Running,
  moments: readonly Moment[],
  printed: Pick<Ended, "stdout" | "stderr">,
  done: AbortSignal,
): Promise<number> {
  for (const [index, { when, act }] of moments.entries()) {
    const hasCome = () =>
      when instanceof RegExp
        ? when.test(printed.stdout + printed.stderr)
        : takenAway(join(running.scene.folder, when.file));
    while (!hasCome() && !done.aborted) await setTimeout(POLL_MS);
    if (done.aborted) return moments.length - index;
    act(running);
  }
  return 0;
}

/** Whether a file was there. */
function takenAway(path: string): boolean {
  if (!existsSync(path)) return false;
  rmSync(path);
  return true;
}

const POLL_MS = 10;
