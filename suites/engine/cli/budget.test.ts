import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PROFILES, type Profile } from "../measure/plan/plan.ts";
import { Budget } from "./budget.ts";
import { Deadline } from "./deadline.ts";
import { planRaces } from "./plan-races.ts";
import { costOf } from "./race-tasks.ts";
import type { TaskGroup } from "./task-groups.ts";

function groupOf(title: string, tasks: number, importMs: number): TaskGroup {
  const file = "file:///bench.js";
  return {
    file,
    importMs,
    hasLaw: false,
    title,
    workers: 1,
    tasks: Array.from({ length: tasks }, (_, place) => {
      const key = { groups: [title], name: `${place}`, ordinal: 0 };
      return { label: `${place}`, address: { file, ending: "pause", key }, isBaseline: false };
    }),
  };
}

/** What is planned where a look found operations that take this long, and their hooks, in ms. */
function plannedOf(...times: readonly (number | readonly [operation: number, hooks: number])[]) {
  const tasks = groupOf("a", times.length, 0).tasks.map((task, place) => {
    const [nsPerOperation, nsOfHooks = 0] = [times[place]!].flat().map((ms) => 1e6 * ms) as [number, number?];
    const work = { nsPerOperation, nsOfHooks, isAsync: false, hooks: [], timesItself: false };
    return { ...task, probe: { importMs: 0, work } };
  });
  return planRaces(tasks, { title: "a", workers: 1 });
}

function budgetFor(groups: readonly TaskGroup[], profile: Profile, askedMs: number | undefined) {
  return new Budget(groups, profile, new Deadline(askedMs, new AbortController().signal));
}

describe("the time for a run", () => {
  const { standard } = PROFILES;

  it("is said first, with how to need less where it is long", () => {
    const short = budgetFor([groupOf("a", 2, 10)], standard, undefined).announcement;
    assert.match(short, /^2 tasks in 1 group: about \d\.\d s to \d+ s$/);
    const long = budgetFor([groupOf("a", 60, 10), groupOf("b", 60, 10)], standard, undefined).announcement;
    assert.match(
      long,
      /^120 tasks in 2 groups: about \d min \d+ s to \d+ min \d+ s; narrow it with --group TEXT or --task TEXT$/,
    );
  });

  it("is said again where a look finds that it is longer, as tasks race in several ranges", () => {
    const budget = budgetFor([groupOf("a", 4, 0), groupOf("b", 2, 0)], standard, undefined);
    assert.equal(budget.longer(0, plannedOf(0.01, 0.02, 0.03, 0.04)), undefined);
    const ranges = plannedOf(0.000_02, 0.01, 5, 900);
    assert.match(
      budget.longer(0, ranges)!,
      /^longer than announced, in 4 races: about \d min \d+ s in all; narrow it with /,
    );
    assert.equal(budget.longer(0, ranges), undefined);
    const asked = budgetFor([groupOf("a", 4, 0)], standard, 600_000);
    assert.equal(asked.longer(0, ranges), undefined);
  });

  it("is refused where it is not enough for the fewest processes", () => {
    assert.throws(() => budgetFor([groupOf("a", 2, 10)], standard, 1000), {
      name: "Error",
      message:
        /^2 tasks in 1 group cannot race in less than \d\.\d s, and --budget is 1\.0 s: narrow it with --group TEXT or --task TEXT, or give --budget \ds$/,
    });
  });

  it("is refused before anything races where looks at the tasks show that it is not enough", () => {
    const budget = budgetFor([groupOf("a", 4, 10)], PROFILES.quick, 15_000);
    assert.throws(() => budget.looked([plannedOf(60, 90, 130, 170)]), {
      message:
        /^4 tasks in 1 group cannot race in less than 1 min \d+ s, and --budget is 15 s: narrow it with .*, or give --budget 1\d\ds$/,
    });
    budget.looked([plannedOf(0.01, 0.02, 0.03, 0.04)]);
    assert.throws(() => budget.looked([plannedOf([0.01, 50], [0.02, 50], [0.03, 50], [0.04, 50])]), {
      message: /^4 tasks in 1 group cannot race in less than \d min \d+ s, and --budget is 15 s: /,
    });
  });

  it("is refused after the first look that leaves too little for the groups to come", () => {
    const budget = budgetFor([groupOf("a", 2, 10), groupOf("b", 2, 10)], PROFILES.quick, 20_000);
    budget.looked([plannedOf(0.01, 0.02)]);
    assert.throws(() => budget.looked([plannedOf(10, 10)]), {
      message: /^4 tasks in 2 groups cannot race in less than /,
    });
  });

  it("tells which operations are too long for the fewest processes that can be judged", () => {
    const { longestNs } = budgetFor([groupOf("a", 2, 10)], PROFILES.quick, 20_000);
    // 4 processes of 25 slices of the task and of its control.
    assert.ok(longestNs! > 0.9e8 && longestNs! <= 1e8, `${longestNs}`);
    assert.equal(budgetFor([groupOf("a", 2, 10)], PROFILES.quick, undefined).longestNs, undefined);
  });

  it("is kept for the fewest processes of groups to come", () => {
    const budget = budgetFor([groupOf("a", 4, 10), groupOf("b", 2, 10)], standard, 100_000);
    const [short, long] = [plannedOf(0.01, 0.01, 0.01, 0.01), plannedOf(120, 120)];
    budget.looked([short, long]);
    const leastMs = costOf(long.races, standard).leastMs;
    assert.ok(leastMs > 60_000, `${leastMs}`);
    assert.ok(budget.shareMs(0, short) < 100_000 - leastMs);
    assert.ok(budget.shareMs(1, long) >= leastMs);
  });

  it("has to be asked for where imports are dear", () => {
    assert.throws(() => budgetFor([groupOf("a", 100, 10_000)], standard, undefined), {
      message:
        /^100 tasks in 1 group take about \d+ min \d+ s: narrow it with .*, or give --budget \d+m or more$/,
    });
  });

  it("is shared by groups as they need it, and what one leaves is for the others", () => {
    const budget = budgetFor([groupOf("a", 2, 10), groupOf("b", 8, 10)], standard, 100_000);
    const planned = { races: [], refusals: [], failures: [], remarks: [], importMs: 0 };
    const [first, last] = [budget.shareMs(0, planned), budget.shareMs(1, planned)];
    // Each group has the control of its baseline besides: three crews, and nine.
    assert.ok(first <= 30_000 && first > 15_000, `${first}`);
    assert.ok(last <= 100_000 && last > 90_000, `${last}`);
  });
});
