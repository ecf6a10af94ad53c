import assert from "node:assert/strict";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { entryForFile } from "../../structures/catalog.ts";
import { PlannedTime } from "../../suites/engine/measure/plan/estimate.ts";
import { PROFILES } from "../../suites/engine/measure/plan/plan.ts";
import type { SignedJob } from "../../suites/engine/measure/plan/protocol.ts";
import { startProcess } from "../../suites/engine/measure/run/process.ts";
import { profileJob, type Sampler } from "../../suites/lab/kinds/profile/profile-job.ts";
import type { Request } from "../../suites/lab/plan/asked.ts";
import { smokeRequest } from "../../suites/lab/request.synthetic.ts";
import type { FlameNode } from "../../suites/lab/schema/flame.ts";
import { flameOf } from "./flame-tree.ts";
import { type Pass, profileCell, profilePlan } from "./pass.ts";
import { perfScript, perfUnavailable } from "./perf.ts";

/** Real processes, threads and samples; shares are held to what is known of the code, never to a clock. */
let request: Request;
before(async () => {
  const files = [
    "./split/seventy-thirty.ts",
    "../../suites/lab/faulty/dies.ts",
    "../../suites/lab/faulty/exits.ts",
  ];
  const entries = files.map((file) => entryForFile(fileURLToPath(new URL(file, import.meta.url))));
  const candidates = new Map([["pick", entries]]);
  request = await smokeRequest({ all: false, workers: [2], profile: PROFILES.quick, candidates });
});

/** About 1,500 samples and more of each worker, also where others run beside it: five points are four standard errors. */
const ENOUGH_MS = 2_000;

async function profiled(filter: string, windowsMs = 200, sampler: Sampler = "v8"): Promise<Pass[]> {
  const clock = new PlannedTime({ progress() {} }, () => undefined);
  const { signal } = new AbortController();
  const { lab, seed, size, patienceMs } = request;
  const options = { lab, sampler, windowsMs, seed, size, patienceMs } as const;
  const passes: Pass[] = [];
  for (const plan of profilePlan({ ...request, filters: [filter] })) {
    passes.push(await profileCell(plan, options, clock, signal));
  }
  return passes;
}

async function flame(filter: string, windowsMs: number, sampler?: Sampler): Promise<FlameNode> {
  const [pass] = await profiled(filter, windowsMs, sampler);
  assert.ok(pass !== undefined && pass.failure === undefined, pass?.failure);
  return flameOf(pass.cell, pass.workers);
}

/** Every frame of the tree. */
function frames(node: FlameNode): FlameNode[] {
  return [node, ...node.children.flatMap(frames)];
}

function own({ samples, children }: FlameNode): number {
  return samples - children.reduce((sum, child) => sum + child.samples, 0);
}

/**
 * What V8 calls "(program)" or "(idle)" has no place in a file: the thread was in the kernel or not running.
 * Its share is the machine's, and grows with what else runs there.
 */
function samplesInCode(worker: FlameNode): number {
  return frames(worker)
    .filter(({ place }) => place !== undefined)
    .reduce((sum, frame) => sum + own(frame), 0);
}

/** The parts of all frames between the root and the first of `part` on each way down to one. */
function partsAbove(
  { children, ...node }: FlameNode,
  part: FlameNode["part"],
  above: readonly string[] = [],
): Set<string> {
  if (node.part === part) return new Set(above);
  return new Set(children.flatMap((child) => [...partsAbove(child, part, [...above, node.part])]));
}

describe("a profiling pass of two workers", () => {
  it("finds a split of 70 to 30 in every worker, nine samples of ten in the batch, at the lines of the source", async () => {
    const { children: workers } = await flame("pick/uniform-8/seventy-thirty/2w", ENOUGH_MS);
    assert.deepEqual(workers.map(({ name }) => name).sort(), ["worker 0", "worker 1"]);
    for (const worker of workers) {
      const all = frames(worker);
      const samplesOf = (name: string) =>
        all.filter((frame) => frame.name === name).reduce((sum, frame) => sum + own(frame), 0);
      const [seventy, thirty] = [samplesOf("seventy"), samplesOf("thirty")];
      assert.ok(seventy + thirty > 100, `${seventy} + ${thirty} samples`);
      const share = seventy / (seventy + thirty);
      assert.ok(Math.abs(share - 0.7) < 0.05, `${worker.name}: ${share}`);
      const inCode = samplesInCode(worker);
      const loop = all.find(({ name }) => name === "#runUntil");
      assert.ok(loop!.samples >= 0.9 * inCode, `${loop!.samples} of ${inCode}`);
      assert.ok(seventy + thirty >= 0.9 * inCode, `${seventy} + ${thirty} of ${inCode}`);
      const { place } = all.find(({ name }) => name === "seventy")!;
      assert.equal(place, "scripts/flame/split/seventy-thirty.ts:10");
    }
  });

  it("shows a real structure as such, with nothing between it and the worker but the engine", async () => {
    const { children: workers } = await flame("pick/uniform-8/cas-ring/2w", 200);
    assert.equal(workers.length, 2);
    for (const worker of workers) {
      const above = partsAbove(worker, "structure");
      assert.deepEqual([...above].sort(), ["engine", "thread"]);
      assert.ok(
        frames(worker).some(({ place }) => /^structures\/pick\/parts\/ring\.ts:\d+$/.test(place ?? "")),
      );
    }
  });
});

it("a profiling pass ends with its parent, also in the middle of sampling", { timeout: 60_000 }, async () => {
  const [plan] = profilePlan({ ...request, filters: ["pick/uniform-8/cas-ring/2w"] });
  const { race: _, ...group } = plan!.group;
  const { lab, seed, size, patienceMs } = request;
  const sampling = { sampler: "v8", windowsMs: 600_000, scratch: tmpdir() } as const;
  const child = startProcess(new URL("../../suites/engine/measure/fork/fork.ts", import.meta.url));
  const job = profileJob({ lab, group, seed, size, patienceMs, ...sampling });
  child.send({ job, token: "asked by a test" } satisfies SignedJob);
  // The first that it says is how much it has sampled.
  const [{ kind }] = await once(child, "message");
  assert.equal(kind, "progress");
  child.disconnect();
  assert.deepEqual(await once(child, "exit"), [1, null]);
});

describe("a pass with Linux perf", () => {
  it("sees both workers, their lines, and V8's own code below them", {
    skip: perfUnavailable() ?? false,
  }, async () => {
    const { children: workers } = await flame("pick/uniform-8/cas-ring/2w", 500, "perf");
    assert.equal(workers.length, 2);
    for (const worker of workers) {
      const all = frames(worker);
      assert.ok(all.some(({ place }) => /^structures\/pick\/parts\/ring\.ts:\d+$/.test(place ?? "")));
      assert.ok(
        all.some(({ name, part }) => name === "Builtins_AtomicsCompareExchange" && part === "runtime"),
      );
    }
  });
});

/** Has `perf` be a script for the rest of a describe block. */
function perfInItsPlace(): (script: string) => void {
  const folder = mkdtempSync(join(tmpdir(), "hotpath-perf-"));
  const path = process.env.PATH;
  before(() => {
    process.env.PATH = `${folder}:${path}`;
  });
  after(() => {
    process.env.PATH = path;
    rmSync(folder, { recursive: true });
  });
  return (script) => {
    writeFileSync(join(folder, "perf"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, "perf"), 0o755);
  };
}

describe("a pass with a perf that fails", { skip: process.platform !== "linux" }, () => {
  const perfIs = perfInItsPlace();
  const refusal = async () => (await profiled("pick/uniform-8/cas-ring/2w", 50, "perf"))[0]?.failure;

  it("says why perf may not sample here, at the trial or at the first thread", async () => {
    perfIs("echo 'Access is limited.' >&2; exit 255");
    assert.equal(perfUnavailable(), "perf cannot sample: Access is limited.; see kernel.perf_event_paranoid");
    assert.equal(await refusal(), "perf ended: Access is limited.");
  });

  it("is none where perf ended before it was asked to", async () => {
    perfIs("read -r enable <&3; echo 'No space left on device' >&2; echo ack >&4; exit 1");
    assert.equal(await refusal(), "perf ended: No space left on device");
  });
});

describe("V8's maps, which perf looks for in /tmp", { skip: process.platform !== "linux" }, () => {
  const perfIs = perfInItsPlace();
  /** No process has so large a number. */
  const map = `perf-${2 ** 23 + process.pid}.map`;
  const link = join("/tmp", map);
  const scratch = mkdtempSync(join(tmpdir(), "hotpath-maps-"));
  after(() => rmSync(scratch, { recursive: true }));
  afterEach(() => rmSync(link, { force: true }));

  it("are there while it reads them, whatever another process left, and not afterwards", () => {
    writeFileSync(join(scratch, map), "7efb 10 pick\n");
    writeFileSync(link, "of another\n");
    perfIs(`cat ${link}`);
    assert.equal(perfScript(scratch), "7efb 10 pick\n");
    assert.equal(existsSync(link), false);
  });

  it("are removed by the next where a killed process left them, and others are not", () => {
    rmSync(join(scratch, map));
    perfIs("exit 0");
    const isThere = () => lstatSync(link, { throwIfNoEntry: false }) !== undefined;
    for (const [target, stays] of [
      [join(tmpdir(), `hotpath-lab-flame-${2 ** 23}-1-x`, map), false],
      [join(tmpdir(), "of-somebody", map), true],
    ] as const) {
      rmSync(link, { force: true });
      symlinkSync(target, link);
      perfScript(scratch);
      assert.equal(isThere(), stays, target);
    }
  });
});

describe("a pass that fails", () => {
  it("says why, leaves nothing behind, and others go on", async () => {
    const leftovers = () =>
      readdirSync(tmpdir()).filter((file) => file.startsWith(`hotpath-lab-flame-${process.pid}-`));
    const [died] = await profiled("pick/uniform-8/dies/2w");
    assert.equal(died?.failure, "its process died of SIGKILL");
    const [ended] = await profiled("pick/uniform-8/exits/2w");
    assert.match(ended?.failure ?? "", /^worker 1: /);
    const [well] = await profiled("pick/uniform-8/cas-ring/2w", 50);
    assert.equal(well?.failure, undefined);
    assert.deepEqual(leftovers(), []);
  });
});
