import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EMPTY_ASYNC_TASK, EMPTY_TASK, urlOf } from "../capture/address.ts";
import { syntheticGroup } from "../judge/judge.synthetic.ts";
import { judgeScenario } from "../judge/judge.ts";
import type { GroupRecord } from "../schema/record.ts";
import type { RacedTasks, TaskRace } from "./race-tasks.ts";
import { reportedRace, withoutEmpty } from "./report.ts";
import { raceTextOf } from "./report-text.ts";

const NOISE = { workers: 1, forks: 8, rounds: 20, sliceNoise: 0.003, forkNoise: 0.002, roundNoise: 0 };

/** A race of tasks with these times in ns. The first is the baseline, and the empty task comes last. */
function racedIn(
  costsNs: Readonly<Record<string, number>>,
  more: Partial<TaskRace> & { readonly forks?: number; readonly isAwaited?: true } = {},
  changed: (group: GroupRecord) => GroupRecord = (group) => group,
): RacedTasks {
  const names = Object.keys(costsNs);
  const { forks = NOISE.forks, isAwaited, ...asked } = more;
  const contestants = names.map((name, place) => {
    const key = { groups: ["parse"], name, ordinal: 0 };
    const isLast = place === names.length - 1;
    const nothing = isAwaited ? EMPTY_ASYNC_TASK : EMPTY_TASK;
    return {
      label: name,
      url: isLast ? nothing : urlOf({ file: "file:///bench.js", ending: "pause", key }),
    };
  });
  const byPlace = Object.fromEntries(Object.values(costsNs).map((ns, place) => [`t${place}`, ns]));
  const groups = [changed(syntheticGroup({ costsNs: byPlace, seed: 1, ...NOISE, forks }))];
  return {
    race: { title: "parse", workers: 1, baseline: 0, contestants, empty: names.length - 1, ...asked },
    judged: judgeScenario(groups),
    results: [],
    groups,
  };
}

function rowsOf(raced: RacedTasks) {
  const { rows } = reportedRace(withoutEmpty(raced), false);
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
    const raced = racedIn({ a: 100, b: 50, nothing: 3 }, {}, (group) => ({
      ...group,
      lostForks: [{ fork: 2, reason: "it died" }],
    }));
    const { lost } = reportedRace(withoutEmpty(raced), false);
    assert.deepEqual(lost, ["process 3: it died"]);
  });

  it("says which code each process ran, where that was noted", () => {
    const versions = ["1036", "", "980", "1036", "1036", "1036", "1036", "1036"];
    const raced = racedIn({ a: 100, b: 50, nothing: 3 }, {}, (group) => ({
      ...group,
      cells: group.cells.map((cell) => {
        const noted = Object.entries(cell.roles).map(([role, own]) => [role, { ...own, compiled: versions }]);
        return cell.competitor === "t1" ? { ...cell, roles: Object.fromEntries(noted) } : cell;
      }),
    }));
    const { rows } = reportedRace(withoutEmpty(raced), false);
    assert.deepEqual(
      rows.map(({ compiled }) => compiled),
      [versions, undefined],
    );
  });

  it("has no ratio of a task whose time is the loop's", () => {
    assert.deepEqual(rowsOf(racedIn({ a: 100, b: 5, nothing: 3 })), [
      ["b", false, "not judged", [note]],
      ["a", false, "baseline", []],
    ]);
  });

  it("takes another baseline where nothing can be compared with the first", () => {
    const raced = racedIn({ a: 5, b: 100, c: 50, nothing: 3 });
    assert.deepEqual(rowsOf(raced), [
      ["a", false, "not judged", [note]],
      ["c", true, "faster", []],
      ["b", false, "baseline", []],
    ]);
    const { baseline, insteadOf } = reportedRace(withoutEmpty(raced), false);
    assert.deepEqual([baseline, insteadOf], ["b", "a"]);
  });

  it("has no intervals of fewer than four processes: null in JSON, and nothing in the table", () => {
    const raced = withoutEmpty(racedIn({ a: 100, b: 50, nothing: 3 }, { forks: 3 }));
    const race = reportedRace(raced, false);
    const [b] = race.rows;
    assert.deepEqual([b!.task, b!.ns!.low, b!.ns!.high], ["b", null, null]);
    assert.deepEqual([b!.ratio!.low, b!.ratio!.high, b!.verdict], [null, null, "cannot tell"]);
    const text = raceTextOf(race, { width: 80, histogram: false });
    assert.match(text, /\nb +[\d.]+ ns +[\d.]+ \(unknown\) +cannot tell\n/);
    assert.match(text, /\n3 processes, too few for intervals\. Ratios/);
  });

  it("titles a range by what was measured, and calls the only task of a race no baseline", () => {
    const range = { part: "async", span: "2 us to 9 us" };
    const two = reportedRace(withoutEmpty(racedIn({ a: 1234, b: 4321, nothing: 3 }, range)), false);
    assert.equal(two.part, "async, 1.2 us to 4.3 us");
    const one = reportedRace(withoutEmpty(racedIn({ a: 1234, nothing: 3 }, range)), false);
    assert.deepEqual([one.part, one.rows[0]!.verdict], ["async, 1.2 us", "alone"]);
  });

  it("says of each row why it has no verdict, where the baseline was asked for", () => {
    const apart = "it cannot be compared with a; --baseline NAME takes another";
    assert.deepEqual(rowsOf(racedIn({ a: 5, b: 100, nothing: 3 }, { isBaselineFixed: true })), [
      ["a", false, "baseline", [note]],
      ["b", false, "not judged", [apart]],
    ]);
  });

  it("has ratios of what is left of awaited tasks without an empty one, and bounds of what is too near that", () => {
    const raced = withoutEmpty(racedIn({ a: 62, b: 120, c: 180, nothing: 60 }, { isAwaited: true }));
    const { rows, emptyNs } = reportedRace(raced, false);
    assert.equal(Math.round(emptyNs!), 60);
    assert.deepEqual(
      rows.map(({ task, ratio, verdict, remarks }) => [task, ratio?.value.toFixed(1), verdict, remarks]),
      [
        [
          "a",
          undefined,
          "faster",
          ["too near the 60 ns of an empty async task for a ratio, which is at most 0.518"],
        ],
        ["b", undefined, "baseline", []],
        ["c", "2.0", "slower", []],
      ],
    );
  });
});
