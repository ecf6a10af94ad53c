import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GroupRecord } from "../schema/record.ts";
import { Random } from "../words/random.ts";
import { baselineOf, type Comparing, judgeTasks, nearnessOf, undecidedTasks } from "./comparing.ts";
import { syntheticGroup, withDearControl } from "./judge.synthetic.ts";

const CALM = { sliceNoise: 0.001, forkNoise: 0.001 };
const NOISE = { workers: 1, forks: 12, rounds: 20, sliceNoise: 0.01, forkNoise: 0.03, roundNoise: 0.01 };

function groupOf(costsNs: Readonly<Record<string, number>>, seed = 1, noise = {}): GroupRecord {
  return syntheticGroup({ ...NOISE, ...noise, costsNs, seed });
}

/** All tasks may be the baseline, and `empty` does nothing. */
function comparingIn({ cells }: GroupRecord, isAwaited: boolean): Comparing {
  const tasks = cells.filter(({ kind }) => kind === "baseline" || kind === "rival");
  return {
    baselines: tasks.map(({ competitor }) => competitor).filter((one) => one !== "idle"),
    empty: { competitor: "idle", isAwaited },
  };
}

/** The rows that have a verdict by name, and the baseline that they have it to. */
function judged(group: GroupRecord, comparing: Comparing) {
  const { near } = nearnessOf([group], comparing);
  const baseline = baselineOf([group], comparing, (one) => !near.has(one));
  const { rows, conditions } = judgeTasks([group], comparing, baseline!, near);
  const rivals = rows.flatMap((row) =>
    row.kind === "rival" && row.noNumber === undefined && !near.has(row.competitor) ? [row] : [],
  );
  return { near, baseline, rows, rivals, floors: conditions[0]!.floors };
}

describe("tasks beside an empty one", () => {
  it("are judged by their own work, rightly, in sixty races of a known truth", () => {
    const EMPTY_NS = 60;
    const worksNs = { base: 90, equal: 90, tenth: 99, twice: 180, far: 900, half: 30, little: 6, none: 0 };
    const random = new Random(3);
    const counts: Record<string, number> = {};
    const count = (what: string) => {
      counts[what] = (counts[what] ?? 0) + 1;
    };
    for (let seed = 1; seed <= 60; seed++) {
      // What the loop takes of each time is not what an empty task shows.
      const loopNs = EMPTY_NS * (0.75 + 0.5 * random.fraction());
      const times = Object.entries(worksNs).map(([name, ns]) => [name, loopNs + ns]);
      const group = groupOf({ ...Object.fromEntries(times), idle: EMPTY_NS }, seed);
      const { near, rivals } = judged(group, comparingIn(group, true));
      for (const name of near) count(`${name}: too near`);
      for (const { competitor, verdict, ratio } of rivals) {
        const truth = worksNs[competitor as keyof typeof worksNs] / worksNs.base;
        count(`${competitor}: ${verdict}`);
        if (ratio!.low > truth || ratio!.high < truth) count(`${competitor}: missed`);
      }
    }
    // Nothing is called what it is not, and each interval has the true ratio in it.
    assert.deepEqual(counts, {
      "none: too near": 60,
      "little: too near": 60,
      "half: too near": 38,
      "half: faster": 22,
      "equal: cannot tell": 60,
      "tenth: cannot tell": 22,
      "tenth: slower": 38,
      "twice: slower": 60,
      "far: slower": 60,
    });
  });

  it("are compared with the first that can be, by the noise floor that was measured", () => {
    const group = withDearControl(
      groupOf({ first: 62, near: 65, other: 400, twice: 740, idle: 60 }, 1, CALM),
      1.05,
    );
    const { near, baseline, rows, rivals, floors } = judged(group, comparingIn(group, true));
    assert.deepEqual([[...near], baseline], [["first", "near"], "other"]);
    assert.deepEqual(
      rivals.map(({ competitor, verdict }) => [competitor, verdict]),
      [["twice", "slower"]],
    );
    // The control of 400 ns takes 420, and without the empty task 360 where 340 are usual.
    assert.ok(Math.abs(Math.max(...floors) - 0.062) < 0.005, String(floors));
    assert.deepEqual(
      rows.filter(({ kind }) => kind === "baseline").map(({ competitor }) => competitor),
      ["other"],
    );
  });

  it("keep their whole times where they are called, and have none below three empty ones", () => {
    const group = groupOf({ near: 8, first: 20, twice: 40, idle: 3 });
    const { near, baseline, rivals } = judged(group, comparingIn(group, false));
    assert.deepEqual([[...near], baseline], [["near"], "first"]);
    assert.deepEqual(
      rivals.map(({ competitor, ratio }) => [competitor, Math.round(10 * ratio!.value)]),
      [["twice", 20]],
    );
  });

  it("are as any other rows where the empty one failed", () => {
    const group = groupOf({ first: 62, twice: 124, idle: 60 }, 1, CALM);
    const failure = { kind: "fault", reason: "not today" } as const;
    const cells = group.cells.map((cell) =>
      cell.competitor === "idle" ? { ...cell, failure, roles: {} } : cell,
    );
    const { near, rivals } = judged({ ...group, cells }, comparingIn(group, true));
    assert.deepEqual([...near], []);
    assert.deepEqual(Math.round(10 * rivals[0]!.ratio!.value), 20);
  });

  it("are open without the baseline and the empty one", () => {
    const needed = (costsNs: Readonly<Record<string, number>>, noise = {}) => {
      const group = groupOf(costsNs, 1, noise);
      return [...undecidedTasks([group], 4, 0.1, comparingIn(group, true))].sort();
    };
    assert.deepEqual(needed({ near: 61, first: 400, clear: 900, idle: 60 }, CALM), []);
    assert.deepEqual(needed({ near: 61, first: 400, close: 410, clear: 900, idle: 60 }), ["close"]);
    const open = { first: 400, open: 92, idle: 60 };
    assert.deepEqual(needed(open), ["open"], "it may be near the empty task, or not");
  });
});
