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
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { startOf as whenStarted } from "../../../engine/measure/machine/scratch.ts";
import type { CrewPlan } from "../../../engine/measure/plan/plan.ts";
import { REMOTE_CREWS } from "../../../engine/measure/remote/orders.ts";
import startRemote from "../../../engine/measure/remote/remote-crew.ts";
import type { GroupResult, Needed } from "../../../engine/measure/run/watched.ts";
import type { Start } from "../../../engine/race.ts";
import { present } from "../../../engine/words/present.ts";
import { candidateFile, carryOut, withCandidates } from "../../carried-out.synthetic.ts";
import type { Request } from "../../plan/asked.ts";
import { makePlan } from "../../plan/make-plan.ts";
import { SMOKE, smokeRequest } from "../../request.synthetic.ts";
import { LAB_RUNTIMES, notInstalled, startOf } from "../../runtimes/runtimes.ts";
import type { LabPlan } from "../plan.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-remote-"));
after(() => rmSync(folder, { recursive: true }));

let request: Request;
before(async () => {
  request = await smokeRequest({ workers: [2], filters: ["pick/uniform-8/cas-ring"] });
});

/** Always there, and as much another process as any other runtime is. */
const OWN: Start = { file: process.execPath, args: [] };

type ProcessOf = (crew: Pick<CrewPlan, "name" | "kind">) => string | undefined;
const all: ProcessOf = () => "other";
const rivals: ProcessOf = ({ kind }) => (kind === "rival" ? "other" : undefined);
const only =
  (own: string): ProcessOf =>
  ({ name }) =>
    name === own ? "other" : undefined;

/** A group of the lab; the crews that `processOf` has a name for run in a process of that name. */
function planned(asked: Request, processOf: ProcessOf, start = OWN, forks?: number): LabPlan {
  const plan = makePlan(asked);
  const [group] = plan.groups;
  const crews = group!.crews.map((crew) => {
    const name = processOf(crew);
    return name === undefined
      ? crew
      : { ...crew, remote: { name, runtime: name, start, module: REMOTE_CREWS } };
  });
  return { ...plan, groups: [{ ...group!, crews, ...present({ forks }) }] };
}

/** The plan's one group, all of whose crews are raced in every fork; undefined where the run was stopped. */
async function racedAs(
  plan: LabPlan,
  signal?: AbortSignal,
  asked = () => {},
): Promise<GroupResult | undefined> {
  const needed: Needed = ({ crews }) => {
    asked();
    return new Set(crews.map(({ name }) => name));
  };
  return (await carryOut(plan, { needed, ...present({ signal }) })).groups[0];
}

const raced = async (...asked: Parameters<typeof planned>) => (await racedAs(planned(...asked)))!;
const faulty = (name: string) => withCandidates(request, [candidateFile(name)]);

/** A candidate that does this on the main thread of its process before it is formatted. */
function candidate(name: string, before: string): string {
  const path = join(folder, `${name}.ts`);
  const honest = new URL("../../../../structures/pick/competitors/per-worker-random.ts", import.meta.url);
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

/** The first fork has the numbers of all crews, but of one that may lack them. */
function checkWhole({ plan, forks }: GroupResult, but?: string): void {
  const [fork] = forks;
  assert.equal(fork!.failure, undefined);
  for (const { name } of plan.crews.filter((crew) => crew.name !== but)) {
    const crew = fork!.crews.find((one) => one.name === name)!;
    assert.equal(crew.failure, undefined, name);
    assert.ok(crew.rounds.length >= SMOKE.exactly.rounds, name);
    assert.equal(new Set(crew.rounds).size, crew.rounds.length, `${name} runs once a round`);
    for (const { operations, endNs, tagNs } of crew.workers) {
      assert.equal(operations.length, crew.rounds.length, name);
      for (const column of [operations, endNs, tagNs])
        assert.ok(
          column.every((value) => value > 0),
          name,
        );
    }
    assert.ok(crew.accounts !== undefined, name);
  }
}

describe("crews in processes of their own", () => {
  it("race beside those of the fork, slice by slice in the fork's order", async () =>
    checkWhole(await raced(request, rivals)));

  it("race where the fork has none itself", async () =>
    checkWhole(await raced(request, ({ kind }) => (kind === "aa-control" ? "again" : "other"))));

  const broken = { file: join(folder, "half-a-runtime"), args: [] };
  const cases: readonly {
    readonly what: string;
    readonly asked: () => Request;
    readonly processOf: ProcessOf;
    readonly start?: Start;
    readonly skip?: string | false;
    readonly loser: string;
    readonly reason: RegExp;
  }[] = [
    {
      what: "that throws has no number, the others of its process have theirs",
      asked: () => faulty("throws"),
      processOf: all,
      loser: "throws",
      reason: /worker 1: out of picks/,
    },
    {
      what: "fails with its process, and those of other processes have theirs",
      asked: () => faulty("dies"),
      processOf: only("dies"),
      loser: "dies",
      reason: /^its process died of SIGKILL$/,
    },
    {
      what: "says so where its runtime is gone",
      asked: () => request,
      processOf: rivals,
      start: { file: join(folder, "no-such-runtime"), args: [] },
      loser: "cas-ring",
      reason: /^its runtime other did not start \(ENOENT\)$/,
    },
    {
      what: "says so where its runtime is being installed",
      asked: () => request,
      processOf: rivals,
      start: broken,
      skip: process.platform !== "linux" && "other systems run what is being written",
      loser: "cas-ring",
      reason: /^its runtime other did not start \(ETXTBSY\)$/,
    },
    {
      what: "says so where its process ends before it has heard anything",
      asked: () => request,
      processOf: rivals,
      start: { file: "sh", args: ["-c", "exit 7"] },
      skip: process.platform === "win32" && "no sh",
      loser: "cas-ring",
      reason: /^its process exited with code 7$/,
    },
    {
      what: "reports what was thrown outside of any call",
      asked: () =>
        withCandidates(request, [
          candidate("throws-later", `setImmediate(() => { throw new Error("nobody listens"); });`),
        ]),
      processOf: only("throws-later"),
      loser: "throws-later",
      reason: /^it threw: nobody listens, outside of any call$/,
    },
  ];
  for (const { what, asked, processOf, start, skip, loser, reason } of cases) {
    it(`one ${what}`, { skip: skip ?? false }, async (test) => {
      if (start === broken) {
        copyFileSync(process.execPath, broken.file);
        const writing = openSync(broken.file, "r+");
        test.after(() => closeSync(writing));
      }
      const group = await raced(asked(), processOf, start);
      assert.match(failureOf(group, loser) ?? "it has a number", reason);
      checkWhole(group, loser);
    });
  }

  it("are lost with the baseline's process, and one of them is found to be the cause", async () => {
    const { forks } = await raced(faulty("dies"), all);
    const [lost, whole] = forks;
    assert.match(lost!.failure!.reason, /^its process died of SIGKILL/);
    assert.match(lost!.crews[0]!.failure!.reason, /as it does raced alone/);
    assert.equal(whole!.failure, undefined);
    assert.ok(whole!.crews.every(({ name, failure }) => name !== "dies" && failure === undefined));
  });

  it("find the instrument broken in a process of their own, and no crew is blamed", async () => {
    const [lost, whole] = (await raced(faulty("writes-between"), rivals, OWN, 2)).forks;
    const stranger = /^a stranger in the memory of all crews: .* after writes-between had left$/;
    assert.match(lost!.failure!.reason, stranger);
    assert.deepEqual(lost!.crews, []);
    assert.equal(whole!.failure, undefined);
    assert.ok(whole!.crews.every(({ failure }) => failure === undefined));
  });

  it("are ended by their fork and waited for, or their CPU time would count as that of others", async () => {
    const { lab, groups, patienceMs, seed, size } = planned(request, all);
    const { race: _, ...group } = groups[0]!;
    const job = { kind: "race", lab, group, fork: 0, firstCore: 0, patienceMs, seed, size } as const;
    const [remote] = (await startRemote(job)).processes;
    assert.equal(await remote!.end(), "its process died of SIGKILL");
    // The kernel knows one that ended until it is waited for.
    assert.throws(() => process.kill(remote!.pid!, 0), { code: "ESRCH" });
  });

  describe("whose runtime is removed after the first fork", () => {
    const removedAfterwards = async (name: string, processOf: ProcessOf) => {
      const file = join(folder, name);
      symlinkSync(process.execPath, file);
      const plan = planned(request, processOf, { file, args: [] }, 3);
      return (await racedAs(plan, undefined, () => rmSync(file, { force: true })))!;
    };

    it("say so, and the others are raced to their end", async () => {
      const group = await removedAfterwards("removed", rivals);
      const baseline = group.plan.crews[0]!.name;
      assert.equal(failureOf(group, "cas-ring"), "its runtime other did not start (ENOENT)");
      assert.equal(failureOf(group, baseline), undefined);
      const forksOf = (name: string) =>
        group.forks.filter(({ crews }) => crews.some((crew) => crew.name === name && !crew.failure)).length;
      assert.deepEqual([forksOf(baseline), forksOf("cas-ring")], [2, 1]);
    });

    it("say so where all crews are there", async () => {
      const group = await removedAfterwards("removed-with-all", all);
      for (const { name, kind } of group.plan.crews.filter(({ url }) => url !== undefined)) {
        if (kind !== "aa-control")
          assert.match(failureOf(group, name) ?? "", /^its runtime other did not start \(ENOENT\)/, name);
      }
    });
  });

  for (const runtime of LAB_RUNTIMES) {
    const start = startOf(runtime);
    const skip = start === undefined ? notInstalled(runtime) : false;

    it(`race on ${runtime}`, { skip }, async () => checkWhole(await raced(request, rivals, start)));

    it(`end with their fork, on ${runtime}`, { skip }, async () => {
      const noted = (name: string, then = "") => {
        const own = `${name}-${runtime}`;
        const note = join(folder, own);
        return {
          note,
          path: candidate(own, `writeFileSync(${JSON.stringify(note)}, process.pid + ";"); ${then}`),
        };
      };
      // One sleeps in a read, and the main thread of the other never comes to that.
      const both = [noted("a-waits"), noted("b-loops", "for (;;);")];
      const asked = withCandidates(
        request,
        both.map(({ path }) => path),
      );
      const eachApart: ProcessOf = ({ name, kind }) =>
        kind === "rival" && name !== "cas-ring" ? name : undefined;
      const stop = new AbortController();
      const ended = racedAs(planned(asked, eachApart, start), stop.signal);
      const pids: number[] = [];
      for (const { note } of both) {
        while (!existsSync(note) || !readFileSync(note, "utf8").endsWith(";")) await setTimeout(20);
        pids.push(Number.parseInt(readFileSync(note, "utf8"), 10));
      }
      stop.abort();
      assert.equal(await ended, undefined);
      while (pids.some((pid) => whenStarted(pid) !== undefined)) await setTimeout(20);
    });
  }
});
