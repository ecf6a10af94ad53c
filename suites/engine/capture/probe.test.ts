import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { TaskAddress } from "./address.ts";
import probe, { type Probe } from "./probe.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-probe-"));
after(() => rmSync(folder, { recursive: true }));

const FILE = `
import { readFile } from "node:fs/promises";
import { pbkdf2Sync } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
let calls = 0;
export const sync = () => 1;
export const asynchronous = async () => 1;
export const waits = () => sleep(2);
let isRunning = false;
export const alone = async () => {
  if (isRunning) throw new Error("two at once");
  isRunning = true;
  await sleep(1);
  isRunning = false;
};
export const nowAndThen = () => (++calls > 100 ? Promise.resolve() : undefined);
setFlagsFromString("--expose-gc");
export const collects = runInNewContext("gc");
export const reads = () => readFile(${JSON.stringify(import.meta.filename)});
export const derives = async () => pbkdf2Sync("a", "b", 1, 8, "sha1");
export const threads = () => { if (calls++ === 0) new Worker("", { eval: true }); };
export const throws = () => { throw new Error("not today"); };
export const times = () => ({ overriddenDuration: 1 });
export const slow = () => { for (;;); };
let begun = 0;
export const long = () => { if (++begun > 3) throw new Error("one to get ready, and two to look at"); for (const ms = performance.now(); performance.now() - ms < 600; ); };
export const never = () => new Promise(() => {});
`;
const WORKERS = `
export const workers = { counts: [1, 2], shared: () => new Int32Array(new SharedArrayBuffer(4)) };
export const adds = (words, worker) => () => Atomics.add(words, worker.index, 1);
`;
let files = 0;
function written(text: string): string {
  const path = join(folder, `${files++}.mjs`);
  writeFileSync(path, text);
  return pathToFileURL(path).href;
}
const tasks = written(FILE);

async function probed(name: string, more: Partial<TaskAddress> = {}, limitMs?: number): Promise<Probe> {
  const task = { file: tasks, ending: "pause", key: { groups: [], name, ordinal: 0 }, ...more } as const;
  const [found] = await probe({ tasks: [task], seed: 1, ...(limitMs === undefined ? {} : { limitMs }) });
  return found!;
}

const workOf = async (name: string, more?: Partial<TaskAddress>) => {
  const { failure, work, importMs } = await probed(name, more);
  assert.equal(failure, undefined);
  assert.ok(importMs! > 0);
  assert.ok(work!.nsPerOperation > 0);
  return work!;
};

describe("a look at a task", { concurrency: true }, () => {
  it("says that it returns no promises", async () => {
    const { isAsync, hooks, helpers, timesItself, collectionEveryMs } = await workOf("sync");
    assert.deepEqual(
      { isAsync, hooks, helpers, timesItself, collectionEveryMs },
      { isAsync: false, hooks: [], helpers: undefined, timesItself: false, collectionEveryMs: undefined },
    );
  });

  it("says that it returns promises, even if now and then alone", async () => {
    assert.equal((await workOf("asynchronous")).isAsync, true);
    assert.equal((await workOf("nowAndThen")).isAsync, true);
  });

  it("awaits each operation before the next", async () => {
    assert.equal((await workOf("alone")).isAsync, true);
  });

  it("says how often garbage is collected", async () => {
    const { collectionEveryMs } = await workOf("collects");
    assert.ok(collectionEveryMs! > 0 && collectionEveryMs! < 60_000);
  });

  it("says that it times itself", async () => {
    assert.equal((await workOf("times")).timesItself, true);
  });

  it("says what it threw, and when", async () => {
    assert.equal((await probed("throws")).failure, "it threw: not today");
    const file = written('throw new Error("no fixtures\\nthere")');
    const { failure, importMs } = await probed("sync", { file });
    assert.match(failure!, / throws while it is imported: Error: no fixtures \(.*:1\)$/);
    assert.equal(importMs, undefined);
    const replaces = "it replaced Math.max, which all are measured with: leave builtins as they are";
    const early = written("Math.max = () => 0; export const sync = () => {};");
    assert.equal((await probed("sync", { file: early })).failure, `it threw: ${replaces}`);
    const late = written("export const sync = () => { Math.max = () => 0; };");
    assert.equal((await probed("sync", { file: late })).failure, `it threw: ${replaces}`);
    const ends = written("process.exit(3)");
    assert.equal(
      (await probed("sync", { file: ends })).failure,
      "the list of tasks differs from import to import: 'sync' is missing in this one",
    );
    const later = written(
      'export const sync = () => {}; process.nextTick(() => { throw new Error("later"); })',
    );
    assert.match(
      (await probed("sync", { file: later })).failure!,
      / throws while it is imported: Error: later /,
    );
  });

  it("survives what the file has left to happen", async () => {
    const exits = written(`
      export const waits = () => new Promise((resolve) => setTimeout(resolve, 30));
      setTimeout(() => process.exit(1), 60).unref();`);
    await workOf("waits", { file: exits });
    const throws = written(`
      import { Bench } from "tinybench";
      new Bench().add("waits", () => new Promise((resolve) => setTimeout(resolve, 30))).run();
      setTimeout(() => { throw new Error("made up"); }, 60);`);
    await workOf("waits", { file: throws });
  });

  it("ends where something is thrown outside of any call", async () => {
    const file = written(`
      export const waits = () => new Promise((resolve) => setTimeout(resolve, 30));
      setTimeout(() => { throw new Error("stray"); }, 60);`);
    const { failure } = await probed("waits", { file });
    assert.equal(failure, "it threw outside of any call: stray");
  });

  it("has data drawn by its seed while it is made ready, and by Node afterwards", async () => {
    const file = written(`
      import { bench } from "mitata";
      const { random } = Math;
      const made = new Set();
      for (const name of ["a", "b"]) bench(name, function* () {
        const data = [Math.random(), random()];
        made.add(String(data));
        yield () => {
          if (made.size !== 1) throw new Error("rivals have other data");
          if (data[0] === data[1] || Math.random === random) throw new Error("drawn by the seed");
          if (random() === data[1]) throw new Error("not drawn by Node");
        };
      });`);
    await workOf("a", { file, isTogether: true });
  });

  it("has what workers share drawn by its seed", async () => {
    const file = written(`
      const { random } = Math;
      const first = random();
      export const workers = { counts: [1], shared: () => [Math.random(), random()] };
      export const task = ([a, b]) => {
        const own = random();
        return () => {
          if (a !== first || b === first) throw new Error("not drawn by the seed");
          if (own === first || random() === own) throw new Error("drawn by the seed of all");
        };
      };`);
    await workOf("task", { file, isShared: true });
  });

  it("ends where the task does not", async () => {
    assert.equal((await probed("slow", {}, 500)).failure, "three operations took over 0.5 s");
    assert.equal((await probed("never")).failure, "a promise that it waits for never settles");
  });

  it("limits what a task takes, and not its import", async () => {
    const file = written(`
      await new Promise((resolve) => setTimeout(resolve, 600));
      export const task = () => 1;`);
    const { failure } = await probed("task", { file }, 500);
    assert.equal(failure, undefined);
  });

  it("is a look at one worker where several share memory", async () => {
    const { isAsync } = await workOf("adds", { file: written(WORKERS), isShared: true });
    assert.equal(isAsync, false);
  });
});

// Threads are the process's, and a thread without a core waits: these come one after the other.
describe("a look at what works beside a task", () => {
  it("says for how much of its time it waits", async () => {
    const { waitingShare } = await workOf("waits");
    assert.ok(waitingShare! > 0.5, `${waitingShare}`);
    const { waitingShare: working } = await workOf("asynchronous");
    assert.ok(working! < 0.5, `${working}`);
  });

  it("says that it has the thread pool do its work", async () => {
    assert.equal((await workOf("reads")).helpers, "the thread pool");
  });

  it("does not take for that what its own thread does", async () => {
    assert.equal((await workOf("derives")).helpers, undefined);
  });

  it("says that it starts threads", async () => {
    assert.equal((await workOf("threads")).helpers, "threads");
  });
});

describe("a look that has little time", () => {
  it("ends after two operations that are too long to be raced, and looks at no other task", async () => {
    const own = ["long", "sync"].map((name) => {
      return { file: tasks, ending: "pause", key: { groups: [], name, ordinal: 0 } } as const;
    });
    const [found, ...others] = await probe({ tasks: own, seed: 1, longestNs: 1e6 });
    assert.deepEqual([found!.failure, others], [undefined, []]);
    assert.ok(found!.work!.nsPerOperation >= 600e6);
  });
});
