import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
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
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { isAbandoned, withScratch } from "./scratch.ts";

const place = mkdtempSync(join(tmpdir(), "hotpath-scratch-"));
after(() => rmSync(place, { recursive: true }));
const leftovers = () => readdirSync(place);

const withSignals = { skip: process.platform === "win32" && "no signals" };
const whereStartsAreReported = {
  skip: process.platform !== "linux" && "only Linux reports when a process started",
};

describe("a scratch folder, with what was written there, is gone", () => {
  it("when the work has ended, well or not", async () => {
    const seen: string[] = [];
    const use = async (folder: string) => {
      seen.push(folder);
      writeFileSync(join(folder, "file"), "");
    };
    await withScratch("test", use);
    const failing = withScratch("test", async (folder) => {
      await use(folder);
      throw new Error("no");
    });
    await assert.rejects(failing, /^Error: no$/);
    assert.equal(seen.length, 2);
    assert.deepEqual(seen.map(existsSync), [false, false]);
  });

  it("after what has to be done before", async () => {
    const seen: string[] = [];
    const release = () => assert.deepEqual(seen.map(existsSync), [true]);
    await withScratch("test", async (folder) => seen.push(folder), { release });
    assert.deepEqual(seen.map(existsSync), [false]);
  });

  it("when the process exits in the middle of it", () => {
    const { status, stdout } = spawnSync(process.execPath, argsFor(EXITS), { encoding: "utf8" });
    assert.equal(status, 7);
    assert.match(stdout, /hotpath-lab-test-/);
    assert.deepEqual(leftovers(), []);
  });

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    it(`at once on ${signal}, of two both`, withSignals, async () => {
      const child = await started(HOLDS_TWO);
      assert.equal(leftovers().length, 2);
      child.kill(signal);
      assert.deepEqual(await once(child, "exit"), [130, null]);
      assert.deepEqual(leftovers(), []);
    });
  }

  it("when the work has ended on a signal that is heard there", withSignals, async () => {
    const child = await started(HEARS);
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "exit"), [7, null]);
    assert.deepEqual(leftovers(), []);
  });
});

describe("what a killed process left behind", { skip: withSignals.skip }, () => {
  it("is removed by the next, and a living process's is not", async () => {
    const [killed, living] = await Promise.all([started(HOLDS), started(HOLDS)]);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    assert.equal(leftovers().length, 2, "nobody has cleaned up yet");
    await withScratch("other", async () => {}, { place });
    assert.equal(leftovers().length, 1);
    assert.match(leftovers()[0]!, new RegExp(`^hotpath-lab-test-${living.pid}-`));
    living.kill("SIGTERM");
    await once(living, "exit");
    assert.deepEqual(leftovers(), []);
  });

  it("is distinguished by its name from what others made", async () => {
    const others = ["hotpath-lab-of-somebody", "hotpath-test-1-2-x"];
    for (const name of others) mkdirSync(join(place, name));
    await withScratch("test", async () => {}, { place });
    assert.deepEqual(leftovers(), others);
    for (const name of others) rmSync(join(place, name), { recursive: true });
  });

  it("is abandoned also where another process has its number by now", whereStartsAreReported, async () => {
    await withScratch("test", async (folder) => {
      const own = basename(folder);
      assert.equal(isAbandoned(own), false);
      const earlier = own.replace(/-(\d+)-(\w+)$/, (_, start, rest) => `-${BigInt(start) - 1n}-${rest}`);
      assert.equal(isAbandoned(earlier), true);
    });
  });

  it("is abandoned also where its parent never asks how it ended", whereStartsAreReported, async () => {
    // The shell becomes a program that knows of no child.
    const parent = spawn("sh", ["-c", '"$@" & exec cat', "sh", process.execPath, ...argsFor(DIES)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const [said] = await once(parent.stdout, "data");
    const name = basename(String(said));
    const pid = /^hotpath-lab-test-(\d+)-/.exec(name)![1];
    while (!readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ")) await setTimeout(5);
    assert.equal(isAbandoned(name), true);
    parent.stdin.end();
    await once(parent, "exit");
    await withScratch("test", async () => {}, { place });
    assert.deepEqual(leftovers(), []);
  });
});

/** What a process does with a scratch folder. */
const HOLDS = `setInterval(() => {}, 2 ** 30); say(folder); await new Promise(() => {});`;
const HOLDS_TWO = `await withScratch("test", async (folder) => { ${HOLDS} }, { place });`;
const EXITS = `say(folder); process.exit(7);`;
const DIES = `say(folder); process.kill(process.pid, "SIGKILL");`;
const HEARS = `
  const alive = setInterval(() => {}, 2 ** 30);
  const heard = new Promise((resolve) => process.on("SIGTERM", resolve));
  say(folder);
  await heard;
  clearInterval(alive);
  process.exitCode = existsSync(folder) ? 7 : 1;`;

/** What Node is started with for a process that does so. */
function argsFor(work: string): string[] {
  const program = `
    import { existsSync } from "node:fs";
    import { withScratch } from ${JSON.stringify(new URL("scratch.ts", import.meta.url).href)};
    const place = ${JSON.stringify(place)};
    const say = (folder) => process.stdout.write(folder);
    await withScratch("test", async (folder) => { ${work} }, { place });`;
  return ["--input-type=module", "--eval", program];
}

/** A process that does so, as soon as it has said which folder it has. */
async function started(work: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, argsFor(work), { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}
