import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inRoles, withCosts, withDearControl } from "../../judge/judge.synthetic.ts";
import { judgeScenario } from "../../judge/judge.ts";
import { rebased } from "../../judge/rebase.ts";
import { ofForks } from "../../judge/samples.ts";
import type { GroupRecord, RoleRecord } from "../../schema/record.ts";
import type { Table } from "../benchmark-reporter-markdown/src/index.ts";
import { broken, raceOf, STANDINGS } from "../pictures/races.synthetic.ts";
import { blocksTerminal } from "./blocks.ts";
import { type RaceResult, raceBlocks, raceResults, raceTables } from "./races.ts";

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
  return raceTables(judgeScenario(groups), STANDINGS);
}

/** The rows of a race at one worker count. */
function tablesAlone(group: GroupRecord) {
  const [tables, ...more] = tablesOf(group);
  assert.deepEqual(more, []);
  return tables!;
}

function namesIn(table: Table | undefined) {
  return table?.rows.map(({ cells }) => cells.competitor);
}

describe("a race's tables", () => {
  it("are for each worker count the competing rows by ratio, and apart from them the rest", () => {
    const [one, two, ...more] = tablesOf(raced(2), raced(1));
    assert.deepEqual(more, []);
    assert.equal(one!.rivals.title, "1 worker");
    assert.equal(two!.rivals.title, "2 workers");
    assert.deepEqual(namesIn(one!.rivals), ["varied", "quick", "**base**", "dear"]);
    const apart = ["nothing (lower bound)", "base~aa1 (A/A control)", "obvious (oracle)", "private add"];
    assert.deepEqual(namesIn(one!.apart), [...apart, "empty operation"]);
    assert.deepEqual(namesIn(two!.apart), [...apart, "private add, alone", "empty operation"]);
    assert.equal(one!.apart!.rows.at(-1)!.cells.median, 0.25);
  });

  it("have every row with a number once, and its other figures once", () => {
    const groups = [raced(1), broken(raced(2), "dear"), raced(4, { oversubscribed: true })];
    const judged = judgeScenario(groups);
    const all = raceTables(judged, STANDINGS);
    const placesIn = (table: Table | undefined) =>
      (table?.rows ?? [])
        .filter(({ cells }) => cells.verdict !== "not judged")
        .map(({ cells: { competitor } }) => String(competitor).replaceAll("**", "").split(" ")[0]);
    for (const [index, { rivals, apart, rest }] of all.entries()) {
      const expected = judged.rows
        .filter(({ workers, noNumber }) => workers === groups[index]!.workers && noNumber === undefined)
        .map(({ competitor }) => competitor)
        .sort();
      assert.equal(expected.length, index === 1 ? 6 : 7);
      assert.deepEqual([...placesIn(rivals), ...placesIn(apart)].sort(), expected);
      assert.deepEqual(placesIn(rest).sort(), expected);
    }
  });

  it("have no figure twice but what names a row", () => {
    const { rivals, apart, rest } = tablesAlone(raced(2));
    const keys = ({ columns }: Table) => columns.map(({ key }) => key);
    assert.deepEqual(keys(rivals), [
      "competitor",
      "ratio",
      "verdict",
      "rank",
      "median",
      "throughput",
      "forks",
    ]);
    assert.deepEqual(
      keys(apart!),
      keys(rivals).filter((key) => key !== "rank"),
    );
    assert.deepEqual(keys(rest!), ["competitor", "error", "stdDev", "fairness"]);
    assert.equal(rest!.rows.length, rivals.rows.length + 3);
  });

  it("leave out columns without a value, and are none of what has no number", () => {
    const columns = { parks: { title: "Parks", unit: "", reduce: "per-op" as const } };
    const { rivals, rest } = tablesAlone(broken(raced(1, { columns }), "quick"));
    assert.ok(!rest!.columns.some(({ title }) => title === "Parks"));
    assert.ok(!namesIn(rivals)!.includes("quick") && !namesIn(rest)!.includes("quick"));
    assert.ok(rivals.legend.includes("No number, it lost 3: quick."), rivals.legend.join("\n"));
    const [none] = tablesOf(broken(broken(raced(1, {}, { base: 2, a: 3 }), "base"), "a"));
    assert.equal(none!.rivals.rows.length, 0);
    assert.ok(none!.rivals.legend.includes("No number, it lost 3: base, a."), none!.rivals.legend.join("\n"));
  });

  it("have a sign behind a verdict that has a remark, and the remark among the errors", () => {
    const { rivals, rest } = tablesAlone(strayed(raceOf(COSTS, 1, { ...CALM, forks: 6 }), "quick"));
    const verdicts = rivals.rows.map(({ cells }) => cells.verdict);
    assert.deepEqual(verdicts, ["**faster**", "**faster** †", "baseline", "**slower**"]);
    assert.ok(rivals.legend.some((line) => line.startsWith("† ")));
    const [remark, ...more] = rest!.rows.flatMap(({ cells }) => cells.remarks ?? []);
    assert.deepEqual(more, []);
    assert.match(String(remark), /^1 of 6 processes not averaged: at x0\.750?$/);
    assert.ok(!tablesOf(raced(1))[0]!.rivals.legend.some((line) => line.startsWith("† ")));
  });

  it("have both ratios of a row that depends, and a remark on which processes they are of", () => {
    const group = withCosts(raceOf(COSTS, 1, { ...CALM, forks: 9 }), ({ competitor }, fork) =>
      competitor === "quick" && fork < 3 ? 4 : 1,
    );
    const { rest, rivals } = tablesAlone(group);
    const ofQuick = ({ rows }: Table) => rows.find(({ cells }) => cells.competitor === "quick")!.cells;
    assert.match(String(ofQuick(rivals).ratio), /^0\.50 \([^)]+\) or 2\.0\d? \([^)]+\)$/);
    assert.equal(ofQuick(rivals).verdict, "depends †");
    assert.match(
      String(ofQuick(rest!).remarks),
      /^6 processes at x0\.50 .*, 3 processes at x2\.0 .*; nothing .* tells these apart$/,
    );
    const [toDear] = raceTables(rebased(judgeScenario([group]), "dear"), STANDINGS);
    assert.match(String(ofQuick(toDear!.rivals).ratio), /^0\.25 \([^)]+\) or 1\.00? \([^)]+\)$/);
    assert.equal(ofQuick(toDear!.rivals).verdict, "depends");
    assert.equal(typeof ofQuick(toDear!.rivals).median, "number");
  });

  it("have a column for what the baseline cost beside a row where rows lie in two kinds of memory", () => {
    const own = raced(1, { placement: "own" }, { base: 26, ball: 20 });
    const ofBoth = tablesOf(raced(1), own)[0]!;
    const column = ofBoth.rivals.columns.find(({ key }) => key === "extra.baseline");
    assert.deepEqual([column?.title, column?.unit], ["Its baseline", "ns/op"]);
    const beside = new Map(
      ofBoth.rivals.rows.map(({ cells }) => [cells.competitor, Math.round(Number(cells["extra.baseline"]))]),
    );
    assert.deepEqual([beside.get("quick"), beside.get("ball")], [20, 26]);
    assert.ok(!tablesAlone(raced(1)).rivals.columns.some(({ key }) => key === "extra.baseline"));
  });

  it("have ranks of the competing rows, with ties, and the leading group marked", () => {
    const costs = { base: 20, first: 10, second: 10, third: 15, nothing: 1, obvious: 200 };
    const { rivals, apart } = tablesAlone(raced(1, {}, costs));
    const ranks = new Map(rivals.rows.map(({ cells: { competitor, rank } }) => [competitor, rank]));
    assert.deepEqual(
      ["first", "second", "third", "**base**"].map((name) => ranks.get(name)),
      ["1 +", "1 +", "3", "4"],
    );
    assert.ok(rivals.legend.includes("Leading group (+): cannot be distinguished from the lowest ratio."));
    assert.ok(apart!.rows.every(({ cells }) => (cells.rank ?? null) === null));
  });

  it("have no ranks where all are open beside a floor over 10 %", () => {
    const costs = { base: 20, first: 21, second: 19 };
    const group = withDearControl(raceOf(costs, 1, { rounds: 10, sliceNoise: 0.01 }), 1.5);
    const { rivals } = tablesAlone(group);
    const verdicts = new Set(rivals.rows.map(({ cells }) => String(cells.verdict).replace(" †", "")));
    assert.deepEqual([...verdicts].toSorted(), ["baseline", "no power"]);
    assert.ok(!rivals.columns.some(({ key }) => key === "rank"));
    assert.match(rivals.legend.join("\n"), /^Noise floor \d+\.\d %\.$/m);
  });

  it("say by which slices processes are judged, whether workers were pinned, and how memory lay", () => {
    const said = (...groups: GroupRecord[]) => tablesOf(...groups)[0]!.rivals.legend.at(-1)!;
    assert.equal(
      said(raced(1)),
      "The machine's state was not measured; workers pinned to cores; one memory for all crews in turn.",
    );
    const busy = (rounds: number) => raceOf(COSTS, 1, { ...CALM, rounds, busyFactors: { base: 2 } });
    assert.match(said(busy(100)), /^Processes judged by quiet slices \(\d\d % of all\): 3; workers /);
    assert.match(said(busy(10)), /^Processes judged by all of their slices: 3; workers /);
    assert.match(
      said(withFar(busy(100), 2)),
      /^Processes judged by quiet slices \(\d\d % of all\): 1, by slices with the cores far apart: 2; a cache line took 55 ns from core to core, 190 ns while they were far apart; workers /,
    );
    assert.match(said(broken(busy(100), "base")), /^Workers pinned/);
    const exact = raceOf({ base: 26, ball: 20 }, 1, { ...CALM, sliceNoise: 0 });
    assert.match(
      said(raced(1), { ...exact, placement: "own", pinned: false }),
      /workers not pinned; one memory for all crews in turn \(there the baseline costs 20 ns\) or, what cannot be moved, each crew in memory of its own \(there the baseline costs 26 ns\)\.$/,
    );
  });

  it("say which of the engine's own crews failed, and why", () => {
    const legend = tablesAlone(broken(raced(1), "empty", "it hung")).rivals.legend.join("\n");
    assert.match(legend, /^The empty operation failed: it hung\.$/m);
  });

  it("count the slices in which a worker was off its core, and say that crowded ones count", () => {
    const group = raced(2);
    const cells = group.cells.map((cell, index) => (index === 0 ? { ...cell, apart: 7 } : cell));
    const [at] = tablesOf({ ...group, cells });
    assert.match(
      at!.rivals.legend.join("\n"),
      /; 7 of \d+ slices do not count, as a worker was off its core\.$/m,
    );
    const [crowded] = tablesOf({ ...group, cells, oversubscribed: true });
    assert.match(
      crowded!.rivals.legend.join("\n"),
      /; every slice counts, as there are more workers than cores\.$/m,
    );
  });

  it("fit a terminal of 80 columns with verdict and ratio in one line, whatever the names", () => {
    const costs = { base: 20, "locked-random-test-and-test-and-set": 20.3, "leased-tickets-64": 19 };
    const group = raceOf(costs, 2, { rounds: 10, sliceNoise: 0.01 });
    const text = blocksTerminal(raceBlocks(judgeScenario([group]), undefined), { width: 80, colour: false });
    assert.match(
      text,
      /^locked-random-test-and-test-and-set .* \d\.\d\d \(.*\) +cannot tell +[\d.]+\n +\(sees [\d.]+ %\)$/m,
    );
    assert.match(text, /^Competitor +Rank +Throughput/m);
    assert.match(text, /^- Leading group \(\+\)/m);
    assert.deepEqual(
      text.split("\n").filter((line) => line.length > 80),
      [],
    );
  });

  it("have no row of an instrument that measured nothing", () => {
    const group = raced(1);
    const cells = group.cells.map((cell) => (cell.kind === "empty" ? { ...cell, roles: {} } : cell));
    const { apart } = tablesAlone({ ...group, cells });
    assert.ok(namesIn(apart)!.includes("private add") && !namesIn(apart)!.includes("empty operation"));
  });

  it("say in their heading that there were more workers than cores, and not in each row", () => {
    const { rivals, rest } = tablesAlone(raced(4, { oversubscribed: true }));
    assert.equal(rivals.title, "4 workers, oversubscribed");
    assert.doesNotMatch(JSON.stringify([rivals.rows, rest!.rows]), /oversubscribed|†/);
  });

  it("without standings have all but A/A controls and instruments among the competing rows", () => {
    const [at] = raceTables(judgeScenario([raced(1)]), undefined);
    assert.deepEqual(namesIn(at!.rivals), ["nothing", "varied", "quick", "**base**", "dear", "obvious"]);
  });

  it("leave the baseline where it is if it is the oracle", () => {
    const [at] = raceTables(judgeScenario([raced(1)]), { ...STANDINGS, oracle: "base" });
    assert.ok(namesIn(at!.rivals)!.includes("**base**"));
  });
});

describe("what a race comes to", () => {
  const resultOf = (...groups: GroupRecord[]) => {
    const [result, ...more] = raceResults(judgeScenario(groups), STANDINGS);
    assert.deepEqual(more, []);
    const { conditions, baseline, leading } = result!;
    return { workers: conditions.workers, baseline, leading: leading.map(({ competitor }) => competitor) };
  };

  it("is the fastest that competes and varies no other, at the most workers with a core each", () => {
    const crowded = raced(4, { oversubscribed: true });
    assert.deepEqual(resultOf(raced(1), crowded, raced(2)), {
      workers: 2,
      baseline: "base",
      leading: ["quick"],
    });
    const moreCrowded = raced(8, { oversubscribed: true });
    assert.deepEqual(resultOf(moreCrowded, crowded), { workers: 4, baseline: "base", leading: ["quick"] });
  });

  it("is the baseline where none is faster, and none where none has a number", () => {
    assert.deepEqual(resultOf(broken(raced(1), "quick")).leading, ["base"]);
    assert.deepEqual(resultOf(broken(raced(1, {}, { base: 2 }), "base")).leading, []);
  });

  it("is all that cannot be distinguished from the lowest ratio, which comes first", () => {
    const judged = judgeScenario([raced(1, {}, { ...COSTS, quick: 20 })]);
    const [{ leading }] = raceResults(judged, STANDINGS) as [RaceResult];
    assert.deepEqual(leading.map(({ competitor }) => competitor).toSorted(), ["base", "quick"]);
    const ratios = leading.map(({ ratio }) => ratio?.value ?? 1);
    assert.deepEqual(ratios, ratios.toSorted());
  });

  it("is one for each role", () => {
    const judged = judgeScenario([inRoles(raced(2), "reader", "writer")]);
    assert.deepEqual(
      raceResults(judged, STANDINGS).map(({ role, leading }) => [role, leading[0]?.competitor]),
      [
        ["reader", "quick"],
        ["writer", "quick"],
      ],
    );
  });
});
