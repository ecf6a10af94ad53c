import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { ROOT } from "../../suites/lab/command/npm.ts";
import { readRecord } from "../../suites/lab/schema/record-file.ts";
import { endAll, lingering, MARK } from "./processes.ts";
import { IN_TERMINAL, terminalFaults } from "./terminal.ts";

/** A command that is called in a folder of its own and mistreated, and what it promises. */
export interface Abuse extends Call {
  readonly name: string;
  /** Texts of the files in its folder, by their names. */
  readonly files?: Readonly<Record<string, string>>;
  /** Run by bash beforehand. If it makes a checkout `clone`, that one's commands are called. */
  readonly before?: string;
  /** Why this machine cannot show it. */
  readonly skip?: string | false;
}

/** What always holds is not said: no process, file or broken terminal is left, no stack and no escape sequence printed. */
export interface Call {
  /** Run by bash, where every npm script is a command: `bench pick 2>&- | head -n 1`. */
  readonly line: string;
  /** Whether it runs in a terminal, which may get escape sequences and is as before afterwards. */
  readonly inTerminal?: true;
  /** When all that was printed matches, or this is true, `act` is called. */
  readonly when?: RegExp | ((scene: Scene) => boolean);
  readonly act?: (child: ChildProcess, scene: Scene) => unknown;
  /** Any of these. With 2 it prints one line on stderr and nothing on stdout, and keeps nothing. */
  readonly exit: Exit | readonly Exit[];
  /** Matches what is printed. */
  readonly says?: RegExp;
  /** Does not. */
  readonly neverSays?: RegExp;
  /** What is in the folder `out`, any of these: "nothing", "groups: 2" or "groups: 1, interrupted". */
  readonly kept?: string | readonly string[];
  /** Called afterwards. */
  readonly next?: Call;
}

/** An exit code, or the signal that the process died of. */
export type Exit = number | NodeJS.Signals;

/** A candidate that hangs is given up after two minutes; no call takes longer. */
const LIMIT_MS = 150_000;
const POLL_MS = 10;
/** The most characters of what was printed that are shown where a promise is broken. */
const SHOWN = 4_000;
/** Trials at a time: most of the time they wait. */
const LANES = Math.max(2, availableParallelism());

/** Registers a test for each abuse, and that together they leave the checkout as it was. */
export function mistreat(kind: string, abuses: readonly Abuse[]): void {
  const skip = process.platform !== "linux" && "only Linux has /proc";
  describe(kind, { skip, concurrency: LANES }, () => {
    const committed = differences();
    after(() => assert.equal(differences(), committed, "the checkout is as before"));
    for (const abuse of abuses) {
      it(abuse.name, { skip: abuse.skip ?? false }, async () => {
        const { broken, end } = await tryAbuse(abuse);
        assert.equal(broken.length, 0, `${broken.join("\n")}\n\n${end}`);
      });
    }
  });
}

/** What differs from the last commit, as git prints it. Records and packages may come. */
function differences(): string {
  const args = ["status", "--porcelain", "--ignored", "--", ".", ":!results/local", ":!node_modules"];
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8" });
}

/** The promises that an abuse broke, and the last lines that it printed. */
export async function tryAbuse(abuse: Omit<Abuse, "name">): Promise<{ broken: string[]; end: string }> {
  const scene = setScene();
  const { root, folder, out } = scene;
  try {
    for (const [name, text] of Object.entries(abuse.files ?? {})) writeFileSync(join(folder, name), text);
    const env = environmentOf(scene);
    execFileSync("bash", ["-c", abuse.before ?? ""], { cwd: folder, env, stdio: "pipe" });
    const clone = join(folder, "clone");
    makeCommands(join(root, "bin"), existsSync(clone) ? clone : ROOT);
    const planted = listed(folder);
    const broken: string[] = [];
    let end = "";
    for (let call: Call | undefined = abuse; call !== undefined && broken.length === 0; call = call.next) {
      const ended = await carryOut(call, scene);
      broken.push(...brokenPromises(ended, call, out));
      end = stripVTControlCharacters((ended.stdout + ended.stderr).slice(-SHOWN));
    }
    const stray = listed(folder).filter((name) => name !== "out" && !planted.includes(name));
    stray.push(...listed(join(root, "home")), ...listed(join(root, "tmp")));
    return { broken: [...broken, ...stray.map((name) => `left: file ${name}`)], end };
  } finally {
    strike(scene);
  }
}

/** Scenes that still stand. They are struck when the tests are interrupted, too. */
const scenes = new Set<ReturnType<typeof setScene>>();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    scenes.forEach(strike);
    process.exit(1);
  });
}

/** Where one abuse takes place. */
export type Scene = ReturnType<typeof setScene>;

/** Its folders: for everything, which is the mark of its processes; where the command is called; for the results. */
function setScene() {
  const root = mkdtempSync(join(tmpdir(), "hotpath-abuse-"));
  for (const name of ["work", "home", "tmp", "bin"]) mkdirSync(join(root, name));
  const scene = { root, folder: join(root, "work"), out: join(root, "work", "out") };
  scenes.add(scene);
  return scene;
}

/** Ends every process of the scene and removes its folders. */
function strike(scene: Scene): void {
  endAll(scene.root);
  // A disk, if one was mounted.
  spawnSync("umount", ["--lazy", scene.out]);
  rmSync(scene.root, { recursive: true, force: true });
  scenes.delete(scene);
}

/** Makes a command of Node, and of every npm script that runs a file of the checkout. */
function makeCommands(folder: string, checkout: string): void {
  const { scripts } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
  for (const [name, script] of Object.entries<string>({ ...scripts, node: "node " })) {
    if (!script.startsWith("node ")) continue;
    const words = script.slice("node ".length).replaceAll(/(?:\.\/)?(scripts\/[^ "]+)/g, `"${checkout}/$1"`);
    const text = `#!/bin/sh\nexec "${process.execPath}" ${words} "$@"\n`;
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  }
}

/** Nothing of the user's own. */
function environmentOf({ root, folder }: Scene): NodeJS.ProcessEnv {
  const BIN = join(root, "bin");
  const places = { HOME: join(root, "home"), TMPDIR: join(root, "tmp"), PWD: folder, ROOT, BIN };
  return {
    [MARK]: root,
    PATH: `${BIN}:${process.env.PATH}`,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    ...places,
  };
}

/** Calls a command, and acts when it is time. `left` are the processes that were still there when all had time to end. */
async function carryOut({ line, inTerminal, when, act }: Call, scene: Scene) {
  const [program, ...args] = inTerminal ? IN_TERMINAL : ["bash", "-c", line];
  const child = spawn(program!, args, {
    cwd: scene.folder,
    env: { ...environmentOf(scene), LINE: line },
    timeout: LIMIT_MS,
    killSignal: "SIGALRM",
    // In a group of its own, so that a signal to the group does not reach the tests.
    detached: true,
  });
  let exit: Exit | undefined;
  child.on("exit", (code, signal) => {
    exit = code ?? signal!;
  });
  // Later than the exit: a process that is left may hold the pipes.
  const closed = once(child, "close");
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => (printed[name] += text));
  const isTime = () =>
    when instanceof RegExp ? when.test(printed.stdout + printed.stderr) : (when?.(scene) ?? true);
  while (exit === undefined && !isTime()) await setTimeout(POLL_MS);
  const isMissed = exit !== undefined;
  if (!isMissed) act?.(child, scene);
  while (exit === undefined) await setTimeout(POLL_MS);
  const left = await lingering(scene.root);
  endAll(scene.root);
  child.stdin.destroy();
  await closed;
  return { ...printed, exit: exit as Exit, isMissed, left };
}

/** The promises that a call broke. */
function brokenPromises(
  { exit, stdout, stderr, isMissed, left }: Awaited<ReturnType<typeof carryOut>>,
  { says, neverSays, inTerminal, ...promised }: Call,
  out: string,
): string[] {
  const isRefused = promised.exit === 2;
  const exits = [promised.exit].flat();
  const kept = [promised.kept ?? (isRefused ? "nothing" : [])].flat();
  const all = stdout + stderr;
  const lines = (inTerminal ? stdout : stderr).split("\n").filter((line) => line !== "").length;
  const broken = [
    !exits.includes(exit) && `exit ${exit}, not ${exits.join(" or ")}`,
    isMissed && "it ended before anything was done to it",
    says?.test(all) === false && `nothing printed is ${says}`,
    neverSays?.test(all) && `what is printed is ${neverSays}`,
    /^ +at .+:\d+:\d+\)?$/m.test(all) && "a stack is printed",
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what only terminals understand.
    !inTerminal && /[\x1b\x07]/.test(all) && "an escape sequence is printed",
    isRefused && lines !== 1 && `${lines} lines, not 1`,
    isRefused && !inTerminal && stdout !== "" && "something is on stdout",
    kept.length > 0 && !kept.includes(keptIn(out)) && `kept: ${keptIn(out)}, not ${kept.join(" or ")}`,
    ...left.map((process) => `left: process ${process}`),
    // A terminal that was closed shows nothing.
    ...(inTerminal && exit !== "SIGKILL" ? terminalFaults(stdout).map((fault) => `left: ${fault}`) : []),
  ];
  return broken.filter((each) => typeof each === "string");
}

/** What is in the folder of the results. */
function keptIn(out: string): string {
  const files = listed(out);
  const name = files.findLast((file) => file.endsWith(".json") && !file.startsWith("."));
  if (name === undefined) return files.join(", ") || "nothing";
  try {
    const { groups, interrupted } = readRecord(join(out, name));
    return `groups: ${groups.length}${interrupted ? ", interrupted" : ""}`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Names in a folder, in order; none where it is no folder. */
function listed(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
