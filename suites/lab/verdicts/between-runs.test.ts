import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JudgedMeasured, JudgedScenario } from "../../engine/schema/verdict.ts";
import { mean, studentQuantile } from "../../engine/statistics.ts";
import { Random } from "../../engine/words/random.ts";
import { anotherRun, shownVerdict, withAnotherRun } from "./another-run.ts";
import { type BetweenRuns, betweenRunsOf, type RepeatedRow, repeatedRows } from "./between-runs.ts";
import { joinedTables } from "./joined-runs.ts";
import { syntheticRuns } from "./repeats.synthetic.ts";
import { leftOutRuns } from "./run-pairs.ts";

const TABLES = [
  { scenario: "small", workers: 1, rows: 3 },
  { scenario: "large", workers: 1, rows: 9 },
  { scenario: "small", workers: 2, rows: 4 },
];
const CROWDED = { scenario: "large", workers: 4, rows: 6, oversubscribed: true };
const TRUTH = { runs: { one: 6 }, tables: TABLES, forks: 8, betweenProcesses: 0.02, betweenRuns: 0.02 };

function learnt(rows: readonly RepeatedRow[]): BetweenRuns {
  return { runs: [], ...betweenRunsOf(rows) };
}

describe("what repeated runs show", () => {
  it("is what a slow and obvious reckoning finds, whatever was repeated how often on which host by which method", () => {
    const random = new Random(3);
    for (let seed = 1; seed <= 30; seed++) {
      const runs = { one: 1 + random.below(5), two: random.below(4), three: random.below(2) };
      const repeats = syntheticRuns({ ...TRUTH, runs, seed }).map((run) => ({
        ...run,
        method: 4 + random.below(2),
      }));
      const rows = repeatedRows(repeats).map((row) => ({
        ...row,
        seen: row.seen.filter(() => random.below(5) > 0),
      }));
      const { tables, workers } = learnt(rows.filter(({ seen }) => seen.length > 0));
      const found = new Map(tables.flatMap((table) => Object.entries(table.rows)));
      const usual = new Map(workers.map((one) => [one.workers, one.times]));
      const expected = slowly(rows);
      assert.equal(found.size, expected.rows.size);
      for (const [cell, times] of expected.rows) near(found.get(cell)!, times, cell);
      for (const [count, times] of expected.workers) near(usual.get(count)!, times, `${count} workers`);
    }
  });

  it("is near the truth of many runs", () => {
    const rows = repeatedRows(syntheticRuns({ ...TRUTH, runs: { one: 150, two: 150 }, seed: 1 }));
    const { tables } = learnt(rows);
    for (const { times, deviation } of tables) {
      near(times, 1, "times", 0.1);
      near(deviation, 0.02, "deviation", 0.1);
    }
  });

  it("is nothing where no host has two runs, and of a row that depends", () => {
    assert.deepEqual(
      learnt(repeatedRows(syntheticRuns({ ...TRUTH, runs: { one: 1, two: 1 }, seed: 1 }))).tables,
      [],
    );
    const depending = syntheticRuns({ ...TRUTH, seed: 1 }).map(({ races, ...run }) => ({
      ...run,
      races: races.map((race) => ({
        ...race,
        rows: race.rows.map((row) => ({ ...row, verdict: "depends" })) as JudgedScenario["rows"],
      })),
    }));
    assert.deepEqual(repeatedRows(depending), []);
  });
});

/** By pairs of runs, row by row, with nothing shared. */
function slowly(all: readonly RepeatedRow[]) {
  const scatter = (row: RepeatedRow) => {
    let [squares, errors, freedom] = [0, 0, 0];
    for (const { run: first } of row.seen) {
      const own = row.seen.filter(({ run }) => run.host === first.host && run.method === first.method);
      if (own[0]!.run !== first) continue;
      for (const [index, a] of own.entries())
        for (const b of own.slice(index + 1)) squares += (a.middle - b.middle) ** 2 / own.length;
      for (const { squaredError } of own) errors += squaredError * (1 - 1 / own.length);
      freedom += own.length - 1;
    }
    const processes = mean(row.seen.map(({ squaredError, forks }) => squaredError * forks));
    return { row, between: (squares - errors) / freedom, processes, freedom };
  };
  const rows = all
    .filter(({ seen }) => seen.length > 0)
    .map(scatter)
    .filter(({ freedom }) => freedom > 0);
  const tableOf = ({ scenario, workers }: RepeatedRow) => {
    const own = rows.filter(({ row }) => row.scenario === scenario && row.workers === workers);
    const freedom = own.map((one) => one.freedom).reduce((a, b) => a + b);
    const between = own.map((one) => one.between * one.freedom).reduce((a, b) => a + b) / freedom;
    return { times: between / mean(own.map((one) => one.processes)), freedom: freedom / 4 };
  };
  const usualAt = (workers: number) => {
    const own = rows.filter(({ row }) => row.workers === workers);
    const scenarios = [...new Set(own.map(({ row }) => row.scenario))];
    const tables = scenarios.map((scenario) =>
      tableOf(own.find(({ row }) => row.scenario === scenario)!.row),
    );
    return mean(tables.map(({ times }) => Math.max(times, 0)));
  };
  const timesOf = ({ row, between, processes, freedom }: ReturnType<typeof scatter>) => {
    const table = tableOf(row);
    const ofTable = (table.freedom * table.times + 4 * usualAt(row.workers)) / (table.freedom + 4);
    return Math.max(0, (freedom * (between / processes) + 4 * Math.max(0, ofTable)) / (freedom + 4));
  };
  return {
    rows: new Map(rows.map((one) => [one.row.cell, timesOf(one)])),
    workers: new Map(rows.map(({ row }) => [row.workers, usualAt(row.workers)])),
  };
}

function near(value: number, expected: number, what: string, within = 1e-3): void {
  assert.ok(
    Math.abs(value - expected) <= within * Math.abs(expected) + 1e-9,
    `${what}: ${value}, not ${expected}`,
  );
}

describe("the interval for another run", () => {
  for (const [of, betweenRuns] of [
    ["runs that differ as much as processes", 0.02],
    ["runs that differ much more", 0.06],
    ["runs that differ in nothing", 0],
  ] as const) {
    it(`has the ratio of another in 93 to 99 of 100 ${of}, as long as the errors of both are alike`, () => {
      let [inside, asked] = [0, 0];
      for (let seed = 1; seed <= 40; seed++) {
        const truth = { ...TRUTH, runs: { one: 9 }, betweenRuns, seed };
        const [left, here, ...repeats] = syntheticRuns(truth);
        const known = learnt(repeatedRows(repeats));
        for (const [index, race] of here!.races.entries()) {
          const others = left!.races[index]!.rows as readonly JudgedMeasured[];
          for (const [place, row] of measured(withAnotherRun(race, known)).entries()) {
            const { value } = others[place]!.ratio!;
            asked++;
            if (row.another!.low <= value && value <= row.another!.high) inside++;
          }
        }
      }
      assert.ok(inside / asked > 0.93 && inside / asked < 0.99, `${inside} of ${asked}`);
    });
  }

  it("widens with each part of the variance, is symmetric on a logarithmic scale, and is none of too few processes", () => {
    const seen = { middle: 0.1, squaredError: 1e-4, freedom: 7, forks: 8 };
    const reach = (times: number, squaredError = 1e-4) => {
      const { low, high } = anotherRun({ ...seen, squaredError }, { times, processes: 8e-4, freedom: 6 })!;
      near(Math.log(high) + Math.log(low), 0.2, "middle", 1e-9);
      return Math.log(high / low) / 2;
    };
    // Student's t with 7 degrees of freedom, and twice the error alone.
    near(reach(0), 2.364624 * Math.sqrt(2e-4), "without a deviation", 1e-6);
    assert.ok(reach(1) > reach(0.5) && reach(0.5) > reach(0));
    assert.ok(reach(1, 2e-4) > reach(1));
    assert.equal(anotherRun({ ...seen, freedom: 0 }, { times: 1, processes: 1, freedom: 6 }), undefined);
  });

  it("is lent to a row that was not repeated by its table, and to a table by those with as many workers", () => {
    const runs = syntheticRuns({ ...TRUTH, seed: 4 });
    const known = learnt(repeatedRows(runs));
    const [race] = runs[0]!.races;
    const as = (changes: Partial<JudgedScenario>) => withAnotherRun({ ...race!, ...changes }, known);
    const renamed = measured(race!).map((row) => ({ ...row, cell: "synthetic/small/new/1w" }));
    const timesAt = (judged: JudgedScenario) => judged.conditions[0]!.betweenRuns;
    const [own, table] = [known.tables[0]!, timesAt(as({ rows: renamed }))!];
    assert.deepEqual([table.times, table.isOwn, table.runs, table.freedom], [own.times, true, 6, 5]);
    const other = timesAt(as({ scenario: "unknown" }))!;
    assert.deepEqual([other.times, other.isOwn], [known.workers[0]!.times, false]);
    const crowded = race!.conditions.map((at) => ({ ...at, oversubscribed: true }));
    const partial = syntheticRuns({ ...TRUTH, runs: { one: 2 }, tables: [CROWDED], seed: 5 });
    const both = learnt(repeatedRows([...runs, ...partial]));
    assert.deepEqual(both.tables.slice(0, 3), known.tables);
    const runsOf = (conditions: JudgedScenario["conditions"]) =>
      withAnotherRun({ ...race!, conditions }, both).conditions[0]!.betweenRuns!.runs;
    assert.deepEqual(
      [runsOf(race!.conditions), runsOf(crowded.map((at) => ({ ...at, workers: 4 })))],
      [6, 2],
    );
    for (const judged of [
      as({ conditions: crowded }),
      as({ runtimes: [] }),
      withAnotherRun(race!, undefined),
    ]) {
      assert.equal(timesAt(judged), undefined);
      assert.ok(measured(judged).every(({ another }) => another === undefined));
    }
  });
});

describe("more workers than cores", () => {
  const shareInside = (betweenRuns: number, count: number) => {
    let [inside, asked] = [0, 0];
    for (let seed = 1; seed <= 60; seed++) {
      const truth = { ...TRUTH, tables: [CROWDED], runs: { one: count + 1 }, betweenRuns, seed };
      const [other, ...repeats] = syntheticRuns(truth);
      const rows = repeatedRows(repeats);
      const [table] = joinedTables(rows, learnt(rows));
      const values = measured(other!.races[0]!).map(
        ({ competitor, ratio }) => [competitor, ratio!.value] as const,
      );
      for (const { name, ratio } of table!.rows) {
        const value = new Map(values).get(name)!;
        asked++;
        if (ratio.low <= value && value <= ratio.high) inside++;
      }
    }
    return inside / asked;
  };

  it("joins runs to an interval that has the ratio of another in at least 90 of 100, also where runs differ by four times what regimes do", () => {
    for (const betweenRuns of [0.02, 0.1, 0.2, 0.4])
      for (const runs of [2, 6]) {
        const share = shareInside(betweenRuns, runs);
        assert.ok(share > 0.9, `${betweenRuns}, ${runs} runs: ${share}`);
      }
    assert.ok(shareInside(0.1, 6) < 0.99);
  });

  it("joins the runs of each host by each method, as their mean, and no row that has one", () => {
    const [first, second, third] = syntheticRuns({
      ...TRUTH,
      tables: [CROWDED],
      runs: { one: 2, two: 1 },
      seed: 7,
    });
    const rows = repeatedRows([first!, second!, third!, { ...first!, method: 1 }]);
    const [table, ...others] = joinedTables(rows, learnt(rows));
    assert.deepEqual([others, table!.host, table!.runs, table!.baseline], [[], "one", 2, "base"]);
    assert.deepEqual(joinedTables(repeatedRows(syntheticRuns({ ...TRUTH, seed: 7 })), learnt([])), []);
    for (const { name, ratio, said } of table!.rows) {
      const own = rows.find(({ cell }) => cell.includes(`/${name}/`))!.seen.slice(0, 2);
      near(Math.log(ratio.value), mean(own.map(({ middle }) => middle)), name, 1e-9);
      near(Math.log(ratio.high * ratio.low), 2 * Math.log(ratio.value), name, 1e-9);
      assert.deepEqual(
        said,
        own.map(({ row }) => row.verdict),
      );
    }
  });

  it("a run sees its own processes and one regime, so its interval is not narrower than regimes are wide", () => {
    const seen = {
      middle: 0,
      squaredError: 0.02,
      freedom: 50,
      forks: 4,
      ofProcesses: { squaredError: 1e-4, freedom: 9 },
    };
    const lent = { times: 0, processes: 4e-4, freedom: 1 };
    // 10 %, as two of three degrees of freedom.
    const expected = studentQuantile(0.975, 3) * Math.sqrt(2 * (1e-4 + (2 / 3) * Math.log(1.1) ** 2));
    near(Math.log(anotherRun(seen, lent)!.high), expected, "reach", 1e-6);
  });
});

function measured({ rows }: JudgedScenario): JudgedMeasured[] {
  return rows.flatMap((row) => (row.noNumber === undefined ? [row] : []));
}

it("a verdict that the interval for another run does not bear out says that it is of its run", () => {
  const cases: readonly (readonly [verdict: string, low: number, high: number, shown: string])[] = [
    ["faster", 0.8, 0.98, "faster"],
    ["faster", 0.8, 0.9975, "faster in this run"],
    ["faster", 0.8, 1.2, "faster in this run"],
    ["slower", 1.01, 1.2, "slower"],
    ["slower", 1.001, 1.2, "slower in this run"],
    ["same", 0.98, 1.02, "same"],
    ["same", 0.96, 1.01, "same in this run"],
    ["cannot tell", 0.5, 2, "cannot tell"],
    ["depends", 0.5, 2, "depends"],
  ];
  for (const [verdict, low, high, shown] of cases)
    assert.equal(shownVerdict({ verdict, another: { low, high }, toBaseline: { floor: 0.003 } }), shown);
  assert.equal(shownVerdict({ verdict: "faster", toBaseline: { floor: 0.003 } }), "faster");
});

it("runs left out are off as often as they should be by what the others show, and much more often without", () => {
  const pairs = leftOutRuns(
    syntheticRuns({ ...TRUTH, runs: { one: 8, two: 3 }, betweenRuns: 0.04, seed: 2 }),
  );
  const shareOf = (of: "plain" | "levelled") => mean(pairs.map((pair) => Number(pair[of].p < 0.05)));
  assert.equal(pairs.length, (8 * 7 + 3 * 2) * 16);
  assert.ok(shareOf("plain") > 0.5, String(shareOf("plain")));
  assert.ok(shareOf("levelled") > 0.02 && shareOf("levelled") < 0.08, String(shareOf("levelled")));
});
