import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inRoles } from "../judge/judge.synthetic.ts";
import { judgeScenario } from "../judge/judge.ts";
import type { GroupRecord } from "../schema/record.ts";
import type { Table } from "./benchmark-reporter-markdown/src/index.ts";
import { blocksTerminal } from "./blocks.ts";
import { broken, raceOf, STANDINGS } from "./races.synthetic.ts";
import { type RaceResult, raceBlocks, raceResults, raceTables } from "./races.ts";

const COSTS = { base: 20, dear: 40, nothing: 0.5, quick: 10, varied: 5, obvious: 200 };

/** Rounds without noise of their own, so that only what a test plants is seen. */
const CALM = { rounds: 10, sliceNoise: 0.001, forkNoise: 0 };

function raced(workers: number, changes: Partial<GroupRecord> = {}, costsNs: Record<string, number> = COSTS) {
  return { ...raceOf(costsNs, workers, { ...CALM, forks: 4 }), ...changes };
}

/** As if a competitor had been compiled differently for the life of its first process. */
function strayed(group: GroupRecord, competitor: string): GroupRecord {
  const cells = group.cells.map((cell) => {
    const { worker } = structuredClone(cell.roles);
    if (cell.competitor !== competitor || worker?.any.logRatio === undefined) return cell;
    worker.any.logRatio.p50[0]! += Math.log(1.5);
    return { ...cell, roles: { worker } };
  });
  return { ...group, cells };
}

function tablesOf(...groups: GroupRecord[]) {
  return raceTables(judgeScenario(groups), STANDINGS);
}

/** Those of a race at one worker count. */
function tablesAlone(group: GroupRecord) {
  const [tables, ...more] = tablesOf(group);
  assert.deepEqual(more, []);
  return tables!;
}

function namesIn(table: Table | undefined) {
  return table?.rows.map(({ cells }) => cells.competitor);
}

describe("a race's tables", () => {
  it("are for each worker count those that compete by ratio, and apart from them those that do not", () => {
    const [one, two, ...more] = tablesOf(raced(2), raced(1));
    assert.deepEqual(more, []);
    assert.equal(one!.rivals.title, "1 worker");
    assert.equal(two!.rivals.title, "2 workers");
    assert.deepEqual(namesIn(one!.rivals), ["varied", "quick", "**base**", "dear"]);
    const apart = ["nothing (floor)", "base~aa1 (A/A control)", "obvious (oracle)", "control"];
    assert.deepEqual(namesIn(one!.apart), [...apart, "empty operation"]);
    assert.deepEqual(namesIn(two!.apart), [...apart, "control alone", "empty operation"]);
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
      "rank",
      "median",
      "ratio",
      "throughput",
      "verdict",
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
    const { rivals, rest } = tablesAlone(strayed(raced(1), "quick"));
    const verdicts = rivals.rows.map(({ cells }) => cells.verdict);
    assert.deepEqual(verdicts, ["**faster**", "**faster** †", "baseline", "**slower**"]);
    assert.ok(rivals.legend.some((line) => line.startsWith("† ")));
    const [remark, ...more] = rest!.rows.flatMap(({ cells }) => cells.remarks ?? []);
    assert.deepEqual(more, []);
    assert.match(String(remark), /^1 of 4 processes at x0\.75 left out$/);
    assert.ok(!tablesOf(raced(1))[0]!.rivals.legend.some((line) => line.startsWith("† ")));
  });

  it("remark a row that has too little of the state that the table is of", () => {
    const group = raceOf(COSTS, 1, { ...CALM, rounds: 100, busyFactors: { base: 2 } });
    delete group.cells.find(({ competitor }) => competitor === "quick")!.roles.worker!.quiet;
    const { rest, rivals } = tablesAlone(group);
    assert.match(rivals.legend.at(-1)!, /^Quiet state/);
    assert.deepEqual(
      rest!.rows
        .filter(({ cells }) => (cells.remarks ?? null) !== null)
        .map(({ cells: { competitor, remarks } }) => [competitor, remarks]),
      [["quick", "of all states: too few slices were quiet"]],
    );
  });

  it("have ranks of those that compete, with ties, and the leading group marked", () => {
    const costs = { base: 20, first: 10, second: 10, third: 15, nothing: 1, obvious: 200 };
    const { rivals, apart } = tablesAlone(raced(1, {}, costs));
    const ranks = new Map(rivals.rows.map(({ cells: { competitor, rank } }) => [competitor, rank]));
    assert.deepEqual(
      ["first", "second", "third", "**base**"].map((name) => ranks.get(name)),
      ["1 +", "1 +", "3", "4"],
    );
    assert.ok(rivals.legend.includes("Leading group (+): cannot be told from the lowest ratio."));
    assert.ok(apart!.rows.every(({ cells }) => (cells.rank ?? null) === null));
  });

  it("have no ranks where nothing was measured, and say so", () => {
    const group = raceOf(COSTS, 1, { rounds: 10, sliceNoise: 0.01, forkNoise: 0.4 });
    const { rivals } = tablesAlone(group);
    const verdicts = new Set(rivals.rows.map(({ cells }) => String(cells.verdict).replace(" †", "")));
    assert.deepEqual([...verdicts].toSorted(), ["baseline", "no power"]);
    assert.ok(!rivals.columns.some(({ key }) => key === "rank"));
    assert.match(
      rivals.legend.join("\n"),
      /^Noise floor \d+\.\d %, and where it is over 10 % nothing was measured/m,
    );
  });

  it("say in which state they are, whether workers were pinned, and how memory lay", () => {
    const said = (...groups: GroupRecord[]) => tablesOf(...groups)[0]!.rivals.legend.at(-1)!;
    assert.equal(
      said(raced(1)),
      "Slices of all states of the machine, which were not told apart; workers pinned to cores; one memory for all crews in turn.",
    );
    const busy = (rounds: number) => raceOf(COSTS, 1, { ...CALM, rounds, busyFactors: { base: 2 } });
    assert.match(said(busy(100)), /^Quiet state, which \d\d % of the slices were in; /);
    assert.match(said(busy(10)), /^Slices of all states of the machine, as only \d\d % were quiet; /);
    assert.match(
      said(raced(1), raced(1, { placement: "own", pinned: false }, { base: 26, ball: 20 })),
      /workers not pinned; one memory for all crews in turn \(there the baseline costs 20 ns\) or, what cannot be moved, each crew in memory of its own \(there the baseline costs 26 ns\)\.$/,
    );
  });

  it("say which of the engine's own crews failed, and why", () => {
    const legend = tablesAlone(broken(raced(1), "empty", "it hung")).rivals.legend.join("\n");
    assert.match(legend, /^The empty operation failed: it hung\.$/m);
  });

  it("count the slices whose workers were not together, and say that crowded ones were kept", () => {
    const group = raced(2);
    const cells = group.cells.map((cell, index) => (index === 0 ? { ...cell, apart: 7 } : cell));
    const [at] = tablesOf({ ...group, cells });
    assert.match(
      at!.rivals.legend.join("\n"),
      /; left out 7 of \d+ slices, whose workers were not together\.$/m,
    );
    const [crowded] = tablesOf({ ...group, cells, oversubscribed: true });
    assert.match(crowded!.rivals.legend.join("\n"), /; no slice is left out for overlap/);
  });

  it("fit a terminal of 80 columns with verdict and ratio in one line, whatever the names", () => {
    const costs = { base: 20, "locked-random-test-and-test-and-set": 20.3, "leased-tickets-64": 19 };
    const group = raceOf(costs, 2, { rounds: 10, sliceNoise: 0.01 });
    const text = blocksTerminal(raceBlocks(judgeScenario([group]), undefined), { width: 80, colour: false });
    assert.match(
      text,
      /^locked-random-test-and-test-and-set .* \d\.\d\d \(.*\) +cannot tell\n +\(sees \d+ %\)$/m,
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
    assert.ok(namesIn(apart)!.includes("control") && !namesIn(apart)!.includes("empty operation"));
  });

  it("say in their heading that there were more workers than cores, and not in each row", () => {
    const { rivals, rest } = tablesAlone(raced(4, { oversubscribed: true }));
    assert.equal(rivals.title, "4 workers, oversubscribed");
    assert.doesNotMatch(JSON.stringify([rivals.rows, rest!.rows]), /oversubscribed|†/);
  });

  it("without standings have all but A/A controls and instruments among those that compete", () => {
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

  it("is the baseline where nobody is faster, and nobody where none has a number", () => {
    assert.deepEqual(resultOf(broken(raced(1), "quick")).leading, ["base"]);
    assert.deepEqual(resultOf(broken(raced(1, {}, { base: 2 }), "base")).leading, []);
  });

  it("is all who cannot be told from the lowest ratio, which comes first", () => {
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
