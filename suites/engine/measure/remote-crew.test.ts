import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { entryForFile } from "../../../structures/catalog.ts";
import { ROOT } from "../schema/npm.ts";
import { type CrewPlan, type GroupPlan, makePlan, type Plan, type Request } from "./plan.ts";
import { SMOKE, smokeRequest } from "./request.synthetic.ts";
import { type ForkResult, type GroupResult, run } from "./run.ts";
import { LAB_RUNTIMES, notInstalled, type Start, startOf } from "./runtimes.ts";

let request: Request;
before(async () => {
  request = await smokeRequest({ workers: [2], filters: ["pick/uniform-8/cas-ring"] });
});

/** Always there, and as much another process as any other runtime is. */
const OWN: Start = { file: process.execPath, args: [] };

/** A group of the lab, of which the crews that `hostOf` has a name for run in a process of that name. */
async function raced(
  asked: Request,
  hostOf: (crew: CrewPlan) => string | undefined,
  startOf: (host: string) => Start = () => OWN,
): Promise<{ plan: GroupPlan; forks: readonly ForkResult[] }> {
  const plan = makePlan(asked);
  const [group] = plan.groups;
  const crews = group!.crews.map((crew) => {
    const name = hostOf(crew);
    return name === undefined ? crew : { ...crew, host: { name, runtime: name, start: startOf(name) } };
  });
  return await carryOut({ ...plan, groups: [{ ...group!, crews }] });
}

async function carryOut(plan: Plan): Promise<GroupResult> {
  const groups: GroupResult[] = [];
  const observer = {
    progress() {},
    raced: (group: GroupResult) => groups.push(group),
    simulated() {},
    surveyed() {},
  };
  await run(plan, observer, new AbortController().signal);
  return groups[0]!;
}

function withCandidate(fault: string): Request {
  const entry = entryForFile(fileURLToPath(new URL(`./faulty/${fault}.ts`, import.meta.url)));
  return {
    ...request,
    filters: [...request.filters, `pick/uniform-8/${entry.name}`],
    candidates: new Map([["pick", [entry]]]),
  };
}

function checkWhole({ plan, forks }: GroupResult, names = plan.crews.map(({ name }) => name)): void {
  const [fork] = forks;
  assert.equal(fork!.failure, undefined);
  for (const name of names) {
    const crew = fork!.crews.find((one) => one.name === name)!;
    assert.equal(crew.failure, undefined, name);
    assert.ok(crew.turns.length >= SMOKE.exactly.rounds, name);
    for (const { operations, endNs, tagNs } of crew.workers) {
      assert.equal(operations.length, crew.turns.length, name);
      assert.ok(operations.every((count) => count > 0) && tagNs.every((ns) => ns > 0), name);
      assert.ok(
        endNs.every((ns) => ns > 0),
        name,
      );
    }
    assert.ok(crew.accounts !== undefined, name);
  }
}

describe("crews in processes of their own", () => {
  it("race beside those of the fork, slice by slice in the fork's order", async () => {
    const group = await raced(request, ({ kind }) => (kind === "rival" ? "other" : undefined));
    checkWhole(group);
    const turns = group.forks[0]!.crews.flatMap((crew) => crew.turns);
    assert.equal(new Set(turns).size, turns.length, "no two slices have one turn");
  });

  it("race where the fork has none itself", async () => {
    checkWhole(await raced(request, ({ kind }) => (kind === "aa-control" ? "again" : "other")));
  });

  it("are told apart in what fails: one that throws has no number, the others of its process have theirs", async () => {
    const group = await raced(withCandidate("throws"), () => "other");
    const crews = group.forks[0]!.crews;
    const failed = crews.find(({ name }) => name === "throws");
    assert.match(failed!.failure!.reason, /worker 1: out of picks/);
    checkWhole(
      group,
      crews.filter(({ name }) => name !== "throws").map(({ name }) => name),
    );
  });

  it("fail with their process, and leave those of other processes theirs", async () => {
    const group = await raced(withCandidate("dies"), ({ name }) => (name === "dies" ? "other" : undefined));
    const crews = group.forks[0]!.crews;
    const died = crews.find(({ name }) => name === "dies");
    assert.deepEqual(died!.failure, { kind: "fault", reason: "its process died of SIGKILL" });
    checkWhole(
      group,
      crews.filter(({ name }) => name !== "dies").map(({ name }) => name),
    );
  });

  it("are lost with the baseline's process, of which one is found to be the cause", async () => {
    const { forks } = await raced(withCandidate("dies"), () => "other");
    const [lost, whole] = forks;
    assert.match(lost!.failure!.reason, /^its process died of SIGKILL/);
    assert.match(lost!.crews[0]!.failure!.reason, /as it does raced alone/);
    assert.equal(whole!.failure, undefined);
    assert.ok(whole!.crews.every(({ name, failure }) => name !== "dies" && failure === undefined));
  });

  it("say so where their runtime is gone", async () => {
    const gone = { file: join(ROOT, "no-such-runtime"), args: [] };
    assert.equal(existsSync(gone.file), false);
    const group = await raced(
      request,
      ({ kind }) => (kind === "rival" ? "gone" : undefined),
      () => gone,
    );
    const rivals = group.plan.crews.filter(({ kind }) => kind === "rival");
    for (const { name } of rivals) {
      const crew = group.forks[0]!.crews.find((one) => one.name === name);
      assert.equal(crew!.failure!.reason, "its process did not start (ENOENT)");
    }
    checkWhole(
      group,
      group.plan.crews.filter(({ kind }) => kind !== "rival").map(({ name }) => name),
    );
  });

  for (const runtime of LAB_RUNTIMES) {
    const start = startOf(runtime);
    const skip = start === undefined ? notInstalled(runtime) : false;
    it(`race on ${runtime}`, { skip }, async () => {
      checkWhole(
        await raced(
          request,
          ({ kind }) => (kind === "rival" ? runtime : undefined),
          () => start!,
        ),
      );
    });
  }
});
