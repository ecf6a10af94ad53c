import assert from "node:assert/strict";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { entryForFile } from "../../../structures/catalog.ts";
import { remoteCrews } from "../../engine/measure/fork/remote-crew.ts";
import { startOf as whenStarted } from "../../engine/measure/machine/scratch.ts";
import type { CrewPlan, Plan, Request } from "../../engine/measure/plan/plan.ts";
import { run } from "../../engine/measure/run/run.ts";
import type { GroupResult } from "../../engine/measure/run/watched.ts";
import type { Start } from "../../engine/suite.ts";
import { makePlan } from "../plan/make-plan.ts";
import { SMOKE, smokeRequest } from "../request.synthetic.ts";
import { LAB_RUNTIMES, notInstalled, startOf } from "../runtimes/runtimes.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-hosts-"));
after(() => rmSync(folder, { recursive: true }));

let request: Request;
before(async () => {
  request = await smokeRequest({ workers: [2], filters: ["pick/uniform-8/cas-ring"] });
});

/** Always there, and as much another process as any other runtime is. */
const OWN: Start = { file: process.execPath, args: [] };

type HostOf = (crew: CrewPlan) => string | undefined;
type StartOf = (host: string) => Start;

/** A group of the lab; the crews that `hostOf` has a name for run in a process of that name. */
function planned(asked: Request, hostOf: HostOf, startOf: StartOf = () => OWN): Plan {
  const plan = makePlan(asked);
  const [group] = plan.groups;
  const crews = group!.crews.map((crew) => {
    const name = hostOf(crew);
    return name === undefined ? crew : { ...crew, host: { name, runtime: name, start: startOf(name) } };
  });
  return { ...plan, groups: [{ ...group!, crews }] };
}

async function raced(...asked: Parameters<typeof planned>): Promise<GroupResult> {
  return (await carryOut(planned(...asked)))!;
}

/** The plan's one group; undefined where the run was stopped before its end. */
async function carryOut(
  plan: Plan,
  { signal = new AbortController().signal, raced = () => {} } = {},
): Promise<GroupResult | undefined> {
  const groups: GroupResult[] = [];
  const observer = {
    progress() {},
    raced: (group: GroupResult) => groups.push(group),
    simulated() {},
    surveyed() {},
  };
  await run(plan, observer, signal, {
    needed({ crews }) {
      raced();
      return new Set(crews.map(({ name }) => name));
    },
  });
  return groups[0];
}

function withCandidate(fault: string): Request {
  return withCandidates(fileURLToPath(new URL(`../faulty/${fault}.ts`, import.meta.url)));
}

function withCandidates(...paths: readonly string[]): Request {
  const entries = paths.map(entryForFile);
  return {
    ...request,
    filters: [...request.filters, ...entries.map(({ name }) => `pick/uniform-8/${name}`)],
    candidates: new Map([["pick", entries]]),
  };
}

/** A candidate that does this on the main thread of its process before it is formatted. */
function candidate(name: string, before: string): string {
  const path = join(folder, `${name}.ts`);
  const honest = new URL("../../../structures/pick/competitors/per-worker-random.ts", import.meta.url);
  writeFileSync(
    path,
    `import { writeFileSync } from "node:fs";
    import honest from ${JSON.stringify(honest)};
    export default { ...honest, summary: "${name}", format(...asked) { ${before} return honest.format(...asked); } };
    `,
  );
  return path;
}

function failureOf({ forks }: GroupResult, name: string): string | undefined {
  return forks.flatMap(({ crews }) => crews).find((crew) => crew.name === name && crew.failure)?.failure
    ?.reason;
}

function checkWhole({ plan, forks }: GroupResult, names = plan.crews.map(({ name }) => name)): void {
  const [fork] = forks;
  assert.equal(fork!.failure, undefined);
  for (const name of names) {
    const crew = fork!.crews.find((one) => one.name === name)!;
    assert.equal(crew.failure, undefined, name);
    assert.ok(crew.rounds.length >= SMOKE.exactly.rounds, name);
    for (const { operations, endNs, tagNs } of crew.workers) {
      assert.equal(operations.length, crew.rounds.length, name);
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
    for (const { name, rounds } of group.forks[0]!.crews)
      assert.equal(new Set(rounds).size, rounds.length, `${name} runs once a round`);
  });

  it("race where the fork has none itself", async () => {
    checkWhole(await raced(request, ({ kind }) => (kind === "aa-control" ? "again" : "other")));
  });

  it("fail separately: one that throws has no number, the others of its process have theirs", async () => {
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

  it("are lost with the baseline's process, and one of them is found to be the cause", async () => {
    const { forks } = await raced(withCandidate("dies"), () => "other");
    const [lost, whole] = forks;
    assert.match(lost!.failure!.reason, /^its process died of SIGKILL/);
    assert.match(lost!.crews[0]!.failure!.reason, /as it does raced alone/);
    assert.equal(whole!.failure, undefined);
    assert.ok(whole!.crews.every(({ name, failure }) => name !== "dies" && failure === undefined));
  });

  it("find the instrument broken in a process of their own, and no crew is blamed", async () => {
    const plan = planned(withCandidate("writes-between"), ({ kind }) =>
      kind === "rival" ? "other" : undefined,
    );
    const [group] = plan.groups;
    const raced = await carryOut({ ...plan, groups: [{ ...group!, forks: 2 }] });
    const [lost, whole] = raced!.forks;
    assert.match(
      lost!.failure!.reason,
      /^a stranger in the memory of all crews: .* after writes-between had left$/,
    );
    assert.deepEqual(lost!.crews, []);
    assert.equal(whole!.failure, undefined);
    assert.ok(whole!.crews.every(({ failure }) => failure === undefined));
  });

  const rivalsElsewhere: HostOf = ({ kind }) => (kind === "rival" ? "other" : undefined);
  const checkOthers = (group: GroupResult) =>
    checkWhole(
      group,
      group.plan.crews.filter((crew) => rivalsElsewhere(crew) === undefined).map(({ name }) => name),
    );

  it("are ended by their fork and waited for, or their CPU time would count as that of others", async () => {
    const { lab, groups, patienceMs, seed, size } = planned(request, () => "host");
    const { race: _, ...group } = groups[0]!;
    const { hosts } = await remoteCrews({
      kind: "race",
      lab,
      group,
      fork: 0,
      firstCore: 0,
      patienceMs,
      seed,
      size,
    });
    const [host] = hosts;
    assert.equal(await host!.end(), "its process died of SIGKILL");
    // The kernel knows one that ended until it is waited for.
    assert.throws(() => process.kill(host!.pid!, 0), { code: "ESRCH" });
  });

  it("say so where their runtime is gone", async () => {
    const gone = { file: join(folder, "no-such-runtime"), args: [] };
    assert.equal(existsSync(gone.file), false);
    const group = await raced(request, rivalsElsewhere, () => gone);
    assert.equal(failureOf(group, "cas-ring"), "its runtime other did not start (ENOENT)");
    checkOthers(group);
  });

  it("say so where their runtime is being installed", {
    skip: process.platform !== "linux" && "other systems run what is being written",
  }, async () => {
    const file = join(folder, "half-a-runtime");
    copyFileSync(process.execPath, file);
    const writing = openSync(file, "r+");
    const group = await raced(request, rivalsElsewhere, () => ({ file, args: [] }));
    closeSync(writing);
    assert.equal(failureOf(group, "cas-ring"), "its runtime other did not start (ETXTBSY)");
    checkOthers(group);
  });

  it("say so where their process ends before it has heard anything", {
    skip: process.platform === "win32" && "no sh",
  }, async () => {
    const group = await raced(request, rivalsElsewhere, () => ({ file: "sh", args: ["-c", "exit 7"] }));
    assert.equal(failureOf(group, "cas-ring"), "its process exited with code 7");
    checkOthers(group);
  });

  it("report what was thrown outside of any call", async () => {
    const path = candidate("throws-later", `setImmediate(() => { throw new Error("nobody listens"); });`);
    const group = await raced(withCandidates(path), ({ name }) =>
      name === "throws-later" ? "other" : undefined,
    );
    assert.equal(failureOf(group, "throws-later"), "it threw: nobody listens, outside of any call");
    checkWhole(group, ["cas-ring"]);
  });

  describe("whose runtime is removed after the first fork", () => {
    const removedAfterwards = async (name: string, hostOf: HostOf) => {
      const file = join(folder, name);
      symlinkSync(process.execPath, file);
      const plan = planned(request, hostOf, () => ({ file, args: [] }));
      const [group] = plan.groups;
      const removed = () => {
        if (existsSync(file)) unlinkSync(file);
      };
      const result = await carryOut({ ...plan, groups: [{ ...group!, forks: 3 }] }, { raced: removed });
      return result!;
    };

    it("say so, and the others are raced to their end", async () => {
      const group = await removedAfterwards("removed", rivalsElsewhere);
      assert.equal(failureOf(group, "cas-ring"), "its runtime other did not start (ENOENT)");
      const [baseline] = group.plan.crews;
      assert.equal(failureOf(group, baseline!.name), undefined);
      const forksOf = (name: string) =>
        group.forks.filter(({ crews }) => crews.some((crew) => crew.name === name && !crew.failure)).length;
      assert.deepEqual([forksOf(baseline!.name), forksOf("cas-ring")], [2, 1]);
    });

    it("say so where all crews are there", async () => {
      const group = await removedAfterwards("removed-with-all", () => "other");
      for (const { name, kind } of group.plan.crews.filter(({ url }) => url !== undefined)) {
        if (kind !== "aa-control")
          assert.match(failureOf(group, name) ?? "", /^its runtime other did not start \(ENOENT\)/, name);
      }
    });
  });

  for (const runtime of LAB_RUNTIMES) {
    const start = startOf(runtime);
    const skip = start === undefined ? notInstalled(runtime) : false;
    it(`end with their fork, on ${runtime}`, { skip }, async () => {
      const noted = (name: string, then = "") => {
        const note = join(folder, `${name}-${runtime}`);
        return {
          note,
          path: candidate(
            `${name}-${runtime}`,
            `writeFileSync(${JSON.stringify(note)}, process.pid + ";"); ${then}`,
          ),
        };
      };
      // One sleeps in a read, and the main thread of the other never comes to that.
      const [waits, loops] = [noted("a-waits"), noted("b-loops", "for (;;);")];
      const stop = new AbortController();
      const ended = carryOut(
        planned(
          withCandidates(waits.path, loops.path),
          ({ name, kind }) => (kind === "rival" && name !== "cas-ring" ? name : undefined),
          () => start!,
        ),
        { signal: stop.signal },
      );
      const pidOf = async ({ note }: typeof waits) => {
        while (!existsSync(note) || !readFileSync(note, "utf8").endsWith(";")) await setTimeout(20);
        return Number.parseInt(readFileSync(note, "utf8"), 10);
      };
      const pids = [await pidOf(waits), await pidOf(loops)];
      stop.abort();
      assert.equal(await ended, undefined);
      while (pids.some((pid) => whenStarted(pid) !== undefined)) await setTimeout(20);
    });
  }

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
