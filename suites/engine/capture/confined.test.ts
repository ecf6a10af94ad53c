import assert from "node:assert/strict";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type CaseFile, casesRun } from "../cases.synthetic.ts";
import { raceTasks } from "../cli/race-tasks.ts";
import { golden } from "../golden.trials.ts";
import { startOf, withScratch } from "../measure/machine/scratch.ts";
import { askFork } from "../measure/run/process.ts";
import { urlOf } from "./address.ts";
import type { Listed, Unlisted } from "./list.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "hotpath-confined-")));
after(() => rmSync(root, { recursive: true }));

const EXACTLY = { forks: 1, rounds: 2, warmUpSlices: 1 };

/** Writes a bench file and returns its address. */
function written(name: string, text: string): string {
  const path = join(root, name);
  writeFileSync(path, text);
  return pathToFileURL(path).href;
}

async function listed(file: string, isConfined: boolean): Promise<Listed | Unlisted> {
  return await withScratch("list", async (folder) => {
    const answer = await askFork(
      {
        kind: "call",
        module: new URL("./list.ts", import.meta.url).href,
        argument: { file },
        ...(isConfined ? { confinedTo: folder } : {}),
      },
      { estimateMs: 10_000 },
    );
    assert.equal(answer.kind, "called");
    return (answer as { readonly value: unknown }).value as Listed | Unlisted;
  });
}

describe("a process that is confined", () => {
  it("writes where it may, and nothing beside a bench file", async () => {
    const at = (name: string) => JSON.stringify(join(root, name));
    const early = written(
      "early.cjs",
      `require("fs").writeFileSync(${at("early")}, ""); exports.a = () => 1;`,
    );
    const late = written(
      "late.mjs",
      `import { Bench } from "tinybench"; import { writeFileSync } from "node:fs"; import { tmpdir } from "node:os";
        writeFileSync(tmpdir() + "/kept", "");
        await new Bench().add("a", () => 1).run();
        writeFileSync(${at("late")}, "");`,
    );
    const reason = /early\.cjs writes .*early while it is imported: --allow-write permits that$/;
    assert.match(((await listed(early, true)) as Unlisted).refused, reason);
    assert.equal(((await listed(late, true)) as Listed).tasks.length, 1);
    assert.equal(existsSync(join(root, "early")), false);
    assert.equal(((await listed(early, false)) as Listed).tasks.length, 1);
    assert.ok(existsSync(join(root, "early")));
    // Which way a run ends is found out without writing, whatever is permitted.
    assert.equal(((await listed(late, false)) as Listed).tasks.length, 1);
    assert.equal(existsSync(join(root, "late")), false);
  });

  it("looks at no task that writes or starts a process, or changes what all measure with", async () => {
    const at = join(root, "task");
    const file = written(
      "tasks.mjs",
      `import { execSync } from "node:child_process"; import { writeFileSync } from "node:fs";
      export const writes = () => writeFileSync(${JSON.stringify(at)}, "");
      export const starts = () => execSync("echo a > b");
      export const moves = () => process.chdir("..");
      export const sets = () => { performance.now = () => 1; };
      export const replaces = () => { globalThis.performance = { now: Date.now }; };
      export const throws = () => { throw Object.create(null); };`,
    );
    const failures = {
      writes: `it writes ${at}: --allow-write permits that`,
      starts: "it starts a process (echo a > b): --allow-write permits that",
      moves:
        "it threw: process.chdir() would move all threads: find files by __dirname or import.meta.dirname",
      sets: "it threw: it replaced performance.now, which all are measured with: leave builtins as they are",
      replaces: "it threw: it replaced performance, which all are measured with: leave builtins as they are",
      throws: "it threw: a value of type object",
    };
    const module = new URL("./probe.ts", import.meta.url).href;
    const tasks = Object.keys(failures).map((name) => ({
      ...{ file, ending: "pause", key: { groups: [], name, ordinal: 0 } },
    }));
    await withScratch("look", async (folder) => {
      const answer = await askFork(
        { kind: "call", module, argument: { tasks, seed: 1 }, confinedTo: folder },
        { estimateMs: 10_000 },
      );
      const value = Object.values(failures).map((failure) => ({ failure }));
      assert.partialDeepStrictEqual(answer, { kind: "called", value });
    });
    assert.equal(existsSync(at), false);
  });

  it("writes to what is no file, and starts no process", async (test) => {
    const outcome = async ({ name, text }: CaseFile) => {
      const found = await listed(written(name, text), true);
      return "refused" in found
        ? [relative(process.cwd(), root), root].reduce(
            (text, path) => text.replaceAll(`${path}/`, ""),
            found.refused,
          )
        : found.tasks.map((task) => task.name).join("\n");
    };
    const file = "testdata/confined.md";
    golden(test, file, await casesRun(test, file, ([first]) => outcome(first!)));
  });

  it("races tasks of WebAssembly and of types, from one fixture, with Node's own Math.random", async () => {
    const file = written(
      "race.mts",
      `import { writeFileSync } from "node:fs"; import { tmpdir } from "node:os";
        enum Kind { draw = "draw" }
        writeFileSync(tmpdir() + "/drawn-" + Math.random(), "");
        try { writeFileSync(new URL("beside", import.meta.url), ""); } catch {}
        const wasm = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
        export const tasks = {
          [Kind.draw]() { if (!/native code/.test(String(Math.random))) throw new Error("not Node's own"); },
          instance: () => new WebAssembly.Instance(wasm),
        };`,
    );
    const contestants = ["draw", "instance"].map((name) => ({
      label: name,
      url: urlOf({ file, ending: "pause", key: { groups: ["tasks"], name, ordinal: 0 } }),
    }));
    await withScratch("race", async (folder) => {
      const failures: unknown[] = [];
      await raceTasks([{ title: "tasks", contestants, baseline: 0, workers: 1 }], {
        profile: { name: "test", secondsPerCell: 1, precision: 0.1, surveys: 1, exactly: EXACTLY },
        seed: 7,
        confinedTo: folder,
        raced({ results }) {
          for (const { failure, crews } of results.flatMap(({ forks }) => forks))
            failures.push(failure, ...crews.map((crew) => crew.failure));
        },
      });
      assert.deepEqual(
        failures.filter((failure) => failure !== undefined),
        [],
      );
      assert.equal(existsSync(join(root, "beside")), false);
      assert.equal(readdirSync(folder).filter((name) => name.startsWith("drawn-")).length, 1);
    });
  });
});

describe("what a bench file starts", {
  skip: process.platform !== "linux" && "only Linux says which they are",
}, () => {
  const started = join(root, "started");
  const file = written(
    "starts.mjs",
    `import { spawn } from "node:child_process"; import { appendFileSync } from "node:fs";
    const options = { detached: true, stdio: "ignore" };
    for (const words of [["sleep", "1000"], ["sh", "-c", "sleep 1000; :"]]) {
      const { pid } = spawn(words[0], words.slice(1), options);
      appendFileSync(${JSON.stringify(started)}, pid + "\\n");
    }
    export const task = () => 1;
    export const endless = () => { for (;;); };`,
  );
  const address = (name: string) =>
    ({ file, ending: "pause", key: { groups: [], name, ordinal: 0 } }) as const;
  const call = (name: string, argument: object) =>
    ({ kind: "call", module: new URL(name, import.meta.url).href, argument, cwd: root }) as const;

  /** Returns when all that was started since has ended; hangs where it has not. */
  async function assertEnded(): Promise<void> {
    const all = readFileSync(started, "utf8").trim().split("\n").map(Number);
    assert.ok(all.length >= 2);
    while (all.some((pid) => startOf(pid) !== undefined)) await setImmediate();
    rmSync(started);
  }

  it("ends with the process that lists it", async () => {
    await askFork(call("./list.ts", { file }), { estimateMs: 10_000 });
    await assertEnded();
  });

  it("ends with the process that looks at it, also where that is killed", async () => {
    const look = (name: string) => call("./probe.ts", { tasks: [address(name)], seed: 1 });
    await askFork(look("task"), { estimateMs: 10_000 });
    await assertEnded();
    const stop = new AbortController();
    const answer = askFork(look("endless"), { estimateMs: 60_000, signal: stop.signal });
    while (!existsSync(started) || readFileSync(started, "utf8").split("\n").length < 3) await setImmediate();
    stop.abort();
    await answer;
    await assertEnded();
  });

  it("ends with the process that races it", async () => {
    await raceTasks(
      [
        {
          title: "tasks",
          contestants: [{ label: "task", url: urlOf(address("task")) }],
          baseline: 0,
          workers: 1,
        },
      ],
      {
        profile: { name: "test", secondsPerCell: 1, precision: 0.1, surveys: 1, exactly: EXACTLY },
        seed: 7,
        raced() {},
      },
    );
    await assertEnded();
  });
});
