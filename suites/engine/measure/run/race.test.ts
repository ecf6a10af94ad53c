import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EMPTY_TASK } from "../../capture/address.ts";
import { groupsIn } from "../../cli/race-tasks.ts";
import { PATIENCE_MS, type Plan, PROFILES } from "../plan/plan.ts";
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
