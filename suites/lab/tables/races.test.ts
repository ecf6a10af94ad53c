import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { golden, goldenCases } from "../../engine/golden.trials.ts";
import { inRoles, withCosts, withDearControl } from "../../engine/judge/judge.synthetic.ts";
import { judgeScenario } from "../../engine/judge/judge.ts";
import { ofForks } from "../../engine/judge/samples.ts";
import type { CellRecord, GroupRecord, RoleRecord } from "../../engine/schema/record.ts";
import { BETWEEN_RUNS, broken, LABELS, raceOf } from "../pictures/races.synthetic.ts";
import { withAnotherRun } from "../verdicts/another-run.ts";
import { rebased } from "../verdicts/rebase.ts";
import { blocksMarkdown, blocksTerminal } from "./blocks.ts";
import { type RaceTables, raceBlocks, raceResults, raceTables } from "./races.ts";

const COSTS = { base: 20, dear: 40, nothing: 0.5, quick: 10, varied: 5, obvious: 200 };

/** Rounds without noise of their own, so that only what a test plants is seen. */
const CALM = { rounds: 10, sliceNoise: 0.001, forkNoise: 0 };

function raced(workers: number, changes: Partial<GroupRecord> = {}, costsNs: Record<string, number> = COSTS) {
  return { ...raceOf(costsNs, workers, { ...CALM, forks: 4 }), ...changes };
}

/** As if a competitor had been compiled differently for the life of its first process. */
function strayed(group: GroupRecord, competitor: string): GroupRecord {
  return withCosts(group, (cell, fork) => (cell.competitor === competitor && fork === 0 ? 1.5 : 1));
}

/** As if cores had been far apart in the quiet slices of the first processes. */
function withFar(group: GroupRecord, forks: number): GroupRecord {
  const part = ({ costNs }: RoleRecord["any"], isOf: (fork: number) => boolean) => ({
    costNs: ofForks(costNs, isOf),
  });
  const cells = group.cells.map((cell) => ({
    ...cell,
    roles: Object.fromEntries(
      Object.entries(cell.roles).map(([role, own]) => [
        role,
        own.quiet === undefined
          ? own
          : {
              ...own,
              quiet: part(own.quiet, (fork) => fork >= forks),
              far: part(own.quiet, (fork) => fork < forks),
            },
      ]),
    ),
  }));
  return { ...group, cells, handovers: { nearNs: 55, farNs: 190 } };
}

function tablesOf(...groups: GroupRecord[]) {
  return raceTables(judgeScenario(groups), LABELS);
}

/** Each race whose tables differ from those of others in something that a reader sees. */
const RACES: Readonly<Record<string, () => readonly RaceTables[]>> = {
  "two worker counts": () => tablesOf(raced(2), raced(1)),
  "more workers than cores": () => tablesOf(raced(4, { oversubscribed: true })),
  "without labels": () => raceTables(judgeScenario([raced(1)]), undefined),
  "the oracle is the baseline": () => raceTables(judgeScenario([raced(1)]), { ...LABELS, oracle: "base" }),
  "a column that no row has a value for, and a row without a number": () =>
    tablesOf(
      broken(raced(1, { columns: { parks: { title: "Parks", unit: "", reduce: "per-op" } } }), "quick"),
    ),
  "no row with a number": () => tablesOf(broken(broken(raced(1, {}, { base: 2, a: 3 }), "base"), "a")),
  "a remark": () => tablesOf(strayed(raceOf(COSTS, 1, { ...CALM, forks: 6 }), "quick")),
  "a row that depends": () => tablesOf(DIVIDED),
  "a row that depends, to another baseline": () =>
    raceTables(rebased(judgeScenario([DIVIDED]), "dear"), LABELS),
  "two kinds of memory": () =>
    tablesOf(raced(1), raced(1, { placement: "own", pinned: false }, { base: 26, ball: 20 })),
  "ties in the leading group": () =>
    tablesOf(raced(1, {}, { base: 20, first: 10, second: 10, third: 15, nothing: 1, obvious: 200 })),
  "a floor over 10 %": () => {
    const costs = { base: 20, first: 21, second: 19 };
    return tablesOf(withDearControl(raceOf(costs, 1, { rounds: 10, sliceNoise: 0.01 }), 1.5));
  },
  "quiet slices": () => tablesOf(busy(100)),
  "too few quiet slices": () => tablesOf(busy(10)),
  "slices far apart": () => tablesOf(withFar(busy(100), 2)),
  "a baseline without a number": () => tablesOf(broken(busy(100), "base")),
  "an instrument that failed": () => tablesOf(broken(raced(1), "empty", "it hung")),
  "an instrument that measured nothing": () =>
    tablesOf(withCells(raced(1), (cell) => (cell.kind === "empty" ? { ...cell, roles: {} } : cell))),
  "the interval for another run, and verdicts that it does not bear out": () =>
    raceTables(withAnotherRun(judgeScenario([raceOf(CLOSE, 1, NOISY)]), BETWEEN_RUNS), LABELS),
  "the same of a row that depends": () =>
    raceTables(withAnotherRun(judgeScenario([DIVIDED]), BETWEEN_RUNS), LABELS),
  "the same of more workers than cores": () =>
    raceTables(withAnotherRun(judgeScenario([raceOf(CLOSE, 4, NOISY)]), BETWEEN_RUNS), LABELS),
  "slices that do not count": () => tablesOf(withCells(raced(2), offItsCore)),
  "slices that count although a worker was off its core": () =>
    tablesOf(withCells(raced(2, { oversubscribed: true }), offItsCore)),
};

/** Differences near the noise of a process. */
const CLOSE = { base: 20, alike: 20.02, faster: 19.7, half: 10 };
const NOISY = { forks: 8, rounds: 10, sliceNoise: 0.001, forkNoise: 0.008 };

const DIVIDED = withCosts(raceOf(COSTS, 1, { ...CALM, forks: 9 }), ({ competitor }, fork) =>
  competitor === "quick" && fork < 3 ? 4 : 1,
);

function busy(rounds: number): GroupRecord {
  return raceOf(COSTS, 1, { ...CALM, rounds, busyFactors: { base: 2 } });
}

function withCells(group: GroupRecord, of: (cell: CellRecord) => CellRecord): GroupRecord {
  return { ...group, cells: group.cells.map(of) };
}

function offItsCore(cell: CellRecord): CellRecord {
  return cell.kind === "baseline" ? { ...cell, apart: 7 } : cell;
}

describe("a race's tables", () => {
  it("are for each worker count the competing rows by ratio, apart from them the rest, and all other figures", (t) => {
    const texts = Object.entries(RACES).map(([name, tables]) => {
      const parts = tables().flatMap(({ rivals, apart, rest }) => [rivals, apart, rest]);
      return [name, blocksMarkdown(parts.filter((table) => table !== undefined))];
    });
    goldenCases(t, "testdata/races.md", Object.fromEntries(texts));
  });

  it("fit a terminal of 80 columns with verdict and ratio in one line, whatever the names", (t) => {
    const costs = { base: 20, "locked-random-test-and-test-and-set": 20.3, "leased-tickets-64": 19 };
    const group = raceOf(costs, 2, { rounds: 10, sliceNoise: 0.01 });
    const races = [
      judgeScenario([group]),
      withAnotherRun(judgeScenario([raceOf({ ...costs, ...CLOSE }, 2, NOISY)]), BETWEEN_RUNS),
    ];
    const blocks = races.flatMap((race) => raceBlocks(race, undefined));
    const text = blocksTerminal(blocks, { width: 80, colour: false });
    golden(t, "testdata/terminal.txt", text);
    assert.ok(text.split("\n").every((line) => line.length <= 80));
  });
});

it("what a race comes to: the leaders at the most workers with a core each, of each role the lowest ratio first", (t) => {
  const crowded = raced(4, { oversubscribed: true });
  const races: Readonly<Record<string, readonly GroupRecord[]>> = {
    "at the most workers with a core each": [raced(1), crowded, raced(2)],
    "at the fewest where all share cores": [raced(8, { oversubscribed: true }), crowded],
    "the baseline where none is faster": [broken(raced(1), "quick")],
    "none where none has a number": [broken(raced(1, {}, { base: 2 }), "base")],
    "all that cannot be distinguished from the lowest ratio": [raced(1, {}, { ...COSTS, quick: 20 })],
    "one for each role": [inRoles(raced(2), "reader", "writer")],
  };
  const lines = Object.entries(races).map(([name, groups]) => {
    const results = raceResults(judgeScenario(groups), LABELS).map(
      ({ conditions, role, baseline, leading }) => {
        const leaders = leading.map(
          ({ competitor, ratio }) => `${competitor} ${(ratio?.value ?? 1).toFixed(3)}`,
        );
        return `  ${conditions.workers}w ${role ?? ""} to ${baseline}: ${leaders.join(", ")}\n`;
      },
    );
    return `${name}\n${results.join("")}`;
  });
  golden(t, "testdata/results.txt", lines.join(""));
});
