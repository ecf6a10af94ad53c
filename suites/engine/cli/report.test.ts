import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EMPTY_TASK, urlOf } from "../capture/address.ts";
import { syntheticGroup } from "../judge/judge.synthetic.ts";
import { judgeScenario } from "../judge/judge.ts";
import type { RacedTasks } from "./race-tasks.ts";
import { reportedRace, withoutFloor } from "./report.ts";

const NOISE = { forks: 8, rounds: 20, sliceNoise: 0.003, forkNoise: 0.002, roundNoise: 0 };

/** A race of tasks with these times in ns. The first is the baseline; an empty task may come last. */
function racedIn(costsNs: Readonly<Record<string, number>>): RacedTasks {
  const names = Object.keys(costsNs);
  const contestants = names.map((name, place) => {
    const key = { groups: ["parse"], name, ordinal: 0 };
    const isLast = place === names.length - 1;
    return {
      label: name,
      url: isLast ? EMPTY_TASK : urlOf({ file: "file:///bench.js", ending: "pause", key }),
    };
  });
  const byPlace = Object.fromEntries(Object.values(costsNs).map((ns, place) => [`t${place}`, ns]));
  return {
    race: {
      title: "parse",
      workers: 1,
      baseline: 0,
      contestants,
      floor: names.length - 1,
    } as RacedTasks["race"],
    judged: judgeScenario([syntheticGroup({ costsNs: byPlace, workers: 1, seed: 1, ...NOISE })]),
    results: [],
  };
}

function rowsOf(raced: RacedTasks) {
  const { rows } = reportedRace(withoutFloor(raced), false);
  return rows.map(({ task, ratio, verdict, remarks }) => [task, ratio !== null, verdict, remarks]);
}

describe("the report of a race", () => {
  const note = "at the floor of the loop: may have been optimised away";

  it("has verdicts and ratios, and leaves out the task that does nothing", () => {
    assert.deepEqual(rowsOf(racedIn({ a: 100, b: 50, nothing: 3 })), [
      ["b", true, "faster", []],
      ["a", false, "baseline", []],
    ]);
  });

  it("names the processes that were lost as tables count them", () => {
    const group = syntheticGroup({ costsNs: { t0: 100, t1: 50 }, workers: 1, seed: 1, ...NOISE });
    const judged = judgeScenario([{ ...group, lostForks: [{ fork: 2, reason: "it died" }] }]);
    const { lost } = reportedRace(withoutFloor({ ...racedIn({ a: 100, b: 50, nothing: 3 }), judged }), false);
    assert.deepEqual(lost, ["process 3: it died"]);
  });

  it("has no ratio of a task whose time is the loop's", () => {
    assert.deepEqual(rowsOf(racedIn({ a: 100, b: 5, nothing: 3 })), [
      ["b", false, "not judged", [note]],
      ["a", false, "baseline", []],
    ]);
  });

  it("has no ratio to a baseline whose time is the loop's", () => {
    assert.deepEqual(rowsOf(racedIn({ a: 5, b: 100, nothing: 3 })), [
      ["a", false, "baseline", [note]],
      ["b", false, "not judged", []],
    ]);
  });
});
