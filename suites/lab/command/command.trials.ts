import assert from "node:assert/strict";
import { type ChildProcess, fork, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, it } from "node:test";
import { golden } from "../../engine/golden.trials.ts";
import { NOTHING_FINISHED } from "./usage.ts";

/** How a command ended that a test called. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Tests that a command refuses what it cannot do, and that all is as it was then. The calls stand in the file, each with what is
 * said to it below. A new call is a new line there, whose answer `node --test --test-update-snapshots` writes. An argument may be a JSON string, and a call without any is "nothing".
 */
export function itRefusesAsWritten(
  file: string,
  call: (args: readonly string[]) => Ended | Promise<Ended>,
  folder: string,
  checkNothingDone = () => {},
): void {
  const calls = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => /^\S/.test(line));
  it(`${calls.length} calls, each with a line of its own`, async (test) => {
    const said: string[] = [];
    for (const line of calls) {
      const ended = await call(argumentsIn(line.replaceAll("FOLDER", folder)));
      checkRefused(ended, /./);
      checkNothingDone();
      said.push(`${line}\n    ${lasting(ended.stderr, folder)}`);
    }
    golden(test, file, said.join(""));
  });
}

function argumentsIn(line: string): string[] {
  if (line === "nothing") return [];
  const words = line.match(/"(?:\\.|[^"])*"|\S+/g)!;
  return words.map((word) => (word.startsWith('"') ? (JSON.parse(word) as string) : word));
}

/** Without what another machine or one more scenario changes: where files lie, the most workers, and all names but the nearest. */
function lasting(said: string, folder: string): string {
  return said
    .replaceAll(folder, "FOLDER")
    .replace(/(--workers .*from 1 to )\d+/, "$1MOST")
    .replace(/(nearest first: [^ ,]+), [^(\n]*(?= \(|\n)/, "$1, ...");
}

/** What each call begins with, and where it is made. */
export interface Calling extends Pick<SpawnOptions, "cwd" | "env"> {
  readonly args?: readonly string[];
}

/**
 * Calls a script: the first time in a process of its own, as a person does, and then as `promptedCalls` does.
 */
export function callsOf(
  script: string,
  { args: common = [], ...options }: Calling = {},
): (args: readonly string[]) => Promise<Ended> {
  const call = promptedCalls(options);
  let isFirst = true;
  return async (args) => {
    const all = [...common, ...args];
    if (!isFirst) return await call(script, all);
    isFirst = false;
    return spawnSync(process.execPath, [script, ...all], { ...options, encoding: "utf8" });
  };
}

/**
 * Calls scripts in one process, one call after the other, which loads what they import once. For calls that are refused, or
 * only list something: nothing is left of them that could touch the next one.
 */
export function promptedCalls(
  options: Omit<Calling, "args"> = {},
): (script: string, args: readonly string[]) => Promise<Ended> {
  let calls = 0;
  let prompt: ChildProcess | undefined;
  let answered: Promise<unknown> = Promise.resolve();
  after(() => {
    if (prompt?.connected) prompt.disconnect();
  });
  const ask = async (call: CallMessage): Promise<Ended> => {
    // Without the flags of the test's own process: a path among them may begin in another folder.
    prompt ??= fork(PROMPT, { ...options, execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const lost = new AbortController();
    const end = () => lost.abort(new Error(`the process that calls ${call.script} has ended`));
    prompt.once("exit", end);
    prompt.send(call);
    const [ended] = await once(prompt, "message", { signal: lost.signal });
    prompt.off("exit", end);
    return ended;
  };
  return async (script, args) => {
    const call: CallMessage = { script, args, count: calls++ };
    const ended = answered.then(() => ask(call));
    answered = ended.catch(() => {});
    return await ended;
  };
}

const PROMPT = join(import.meta.dirname, "command.prompt.ts");

/** What a prompt is asked. */
export interface CallMessage {
  readonly script: string;
  readonly args: readonly string[];
  /** Another for each call. */
  readonly count: number;
}

export function checkRefused({ status, stdout, stderr }: Ended, message: RegExp): void {
  assert.equal(status, 2, stderr);
  assert.equal(stdout, "");
  assert.match(stderr, message);
  assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
  assert.ok(!stderr.includes("\x1b"), "nothing for a terminal in what is none");
}

/** A call that is interrupted when these words stand on its stderr: before there is anything to keep in its folder. */
export interface Interrupted {
  readonly args: readonly string[];
  readonly words: string;
  readonly out: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Tests that an interrupted command leaves no process and no file. */
export function itCanBeInterrupted(called: Interrupted, checkNothingLeft = () => {}): void {
  const skip = process.platform === "win32" && "no process groups";
  // Of all that end a command, one to the group and one to it alone; interruption.test.ts has the others.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`by ${signal}, and no process is left and no half-written file`, {
      skip,
      timeout: 60_000,
    }, async () => {
      const { args, words, out, env } = called;
      mkdirSync(out, { recursive: true });
      const stdio = ["ignore", "ignore", "pipe"] as const;
      const child = spawn(process.execPath, args, { cwd: out, env, detached: true, stdio: [...stdio] });
      const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
      let heard = "";
      let isAsked = false;
      for await (const text of child.stderr.setEncoding("utf8")) {
        heard += text;
        if (isAsked || !heard.includes(words)) continue;
        isAsked = true;
        // Ctrl-C reaches the whole process group, a manager's request to end the command alone.
        process.kill(signal === "SIGINT" ? -child.pid! : child.pid!, signal);
      }
      assert.equal(await ended, 130, heard);
      assert.throws(() => process.kill(-child.pid!, 0), { code: "ESRCH" }, "the process group is empty");
      assert.deepEqual(readdirSync(out), [], "nothing was finished, so there is nothing to keep");
      assert.ok(heard.endsWith(NOTHING_FINISHED), heard);
      assert.doesNotMatch(heard, /RECORD/);
      checkNothingLeft();
    });
  }
}
