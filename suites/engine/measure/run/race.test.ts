import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EMPTY_TASK } from "../../capture/address.ts";
import { groupsIn } from "../../cli/race-tasks.ts";
import { PATIENCE_MS, type Plan, PROFILES } from "../plan/plan.ts";
import type { Job } from "../plan/protocol.ts";
import { replicated } from "../plan/replication.ts";
import type { Lost } from "./process.ts";
import { run } from "./run.ts";
import type { GroupResult } from "./watched.ts";

const race = { title: "a", baseline: 0, workers: 1, contestants: [{ label: "a", url: EMPTY_TASK }] };
const plan: Plan = {
  lab: undefined,
  seed: 1,
  profile: PROFILES.standard,
  size: "full",
  patienceMs: PATIENCE_MS,
  budgetMs: 60_000,
  groups: groupsIn([race, race], PROFILES.standard),
};

const NOTHING_SEEN = { warmUp: { slices: 8, flat: true }, batches: [], rounds: [], workers: [] };

/** What is handed over of a run that is cut off in a process of this number. */
async function cutOffIn(process: number, { isInterrupted = false } = {}) {
  const end = new AbortController();
  const raced: GroupResult[] = [];
  let asked = 0;
  const ask = async () => {
    if (++asked < process)
      return { kind: "raced", crews: [], threads: 1, maxRssBytes: 1, pinned: true } as const;
    end.abort();
    return { kind: "lost", failure: { kind: "fault", reason: "it was killed" } } satisfies Lost;
  };
  const never = new AbortController().signal;
  const [signal, overdue] = isInterrupted ? [end.signal, never] : [never, end.signal];
  const observer = {
    progress() {},
    raced: (one: GroupResult) => raced.push(one),
    simulated() {},
    surveyed() {},
  };
  await run(plan, observer, signal, { ask, overdue });
  return { asked, forks: raced.map(({ forks }) => forks.map(({ failure }) => failure === undefined)) };
}

describe("a run that is overdue", () => {
  it("hands over what its group has shown, and begins nothing more", async () => {
    assert.deepEqual(await cutOffIn(3), { asked: 3, forks: [[true, true]] });
  });

  it("hands over no group of which nothing has raced", async () => {
    assert.deepEqual(await cutOffIn(1), { asked: 1, forks: [] });
  });

  it("hands over nothing of the group where it is interrupted", async () => {
    assert.deepEqual(await cutOffIn(3, { isInterrupted: true }), { asked: 3, forks: [] });
  });
});

describe("a group", () => {
  const contestants = ["a", "b", "c"].map((label) => ({ label, url: EMPTY_TASK }));
  const [group] = groupsIn([{ ...race, contestants }], PROFILES.standard);
  const [, ...rivals] = group!.crews.map(({ name }) => name);

  /** The crews of each process, where `open` names what needs more, by how many have raced. */
  async function companies(open: (forks: number) => readonly string[], failing?: string) {
    const asked: string[][] = [];
    const ask = async (job: Job) => {
      const names = job.kind === "race" ? job.group.crews.map(({ name }) => name) : [];
      asked.push(names);
      const failed = { ...NOTHING_SEEN, failure: { kind: "fault", reason: "it threw" } } as const;
      const crews = names.map((name) => ({ ...(name === failing ? failed : NOTHING_SEEN), name }));
      return { kind: "raced", crews, threads: 1, maxRssBytes: 1, pinned: true } as const;
    };
    const observer = { progress() {}, raced() {}, simulated() {}, surveyed() {} };
    await run({ ...plan, groups: [group!] }, observer, new AbortController().signal, {
      ask,
      needed: (_, forks) => new Set(open(forks.length)),
    });
    return asked;
  }
  const all = group!.crews.map(({ name }) => name);

  it("has the same company from its first process to its last, as long as one row is open", async () => {
    const asked = await companies((forks) => (forks < 6 ? rivals.slice(-1) : []));
    assert.deepEqual(asked, Array(6).fill(all));
  });

  it("has shorter processes after the fewest, where these differ by more than their rounds do", async () => {
    const asked: number[] = [];
    const ask = async (job: Job) => {
      if (job.kind !== "race") throw new Error("it races");
      const level = 100 + 20 * (asked.push(job.group.rounds) % 3);
      const rounds = [...new Array(job.group.rounds).keys()];
      const crews = job.group.crews.map(({ name }, place) => {
        const endNs = rounds.map((round) => (place === 0 ? 100 : level) + (round % 5));
        const worker = { operations: rounds.map(() => 1), startNs: rounds.map(() => 0), endNs, tagNs: [] };
        return { ...NOTHING_SEEN, name, rounds, workers: [worker] };
      });
      return { kind: "raced", crews, threads: 1, maxRssBytes: 1, pinned: true } as const;
    };
    const observer = { progress() {}, raced() {}, simulated() {}, surveyed() {} };
    await run({ ...plan, groups: [group!] }, observer, new AbortController().signal, {
      ask,
      needed: (_, forks) => new Set(forks.length < 6 ? rivals : []),
      replan: replicated,
    });
    assert.deepEqual(asked, [...Array(4).fill(group!.rounds), 24, 24]);
  });

  it("goes on without a crew that failed", async () => {
    const asked = await companies((forks) => (forks < 3 ? rivals : []), rivals[0]);
    const others = all.filter((name) => name !== rivals[0]);
    assert.deepEqual(asked, [all, others, others]);
  });
});
