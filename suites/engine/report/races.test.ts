import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { syntheticGroup } from "../judge/judge.synthetic.ts";
import { judgeScenario } from "../judge/judge.ts";
import type { GroupRecord } from "../record/record.ts";
import type { Table } from "./benchmark-reporter-markdown/src/index.ts";
import { raceResults, raceTables } from "./races.ts";

const STANDINGS = {
  floors: new Set(["nothing"]),
  oracle: "obvious",
  variants: new Set(["varied"]),
} as const;

const COSTS = { base: 20, dear: 40, nothing: 0.5, quick: 10, varied: 5, obvious: 200 };

function raced(workers: number, changes: Partial<GroupRecord> = {}, costsNs: Record<string, number> = COSTS) {
  const truth = { workers, forks: 3, rounds: 10, sliceNoise: 0.001, forkNoise: 0, roundNoise: 0, seed: 5 };
  return { ...syntheticGroup({ ...truth, costsNs }), ...changes };
}

/** As if a competitor had not come to rest in its first process. */
function unsettled(group: GroupRecord, competitor: string): GroupRecord {
  const cells = group.cells.map((cell) => {
    const forks = cell.forks.map((fork, index) =>
      index === 0 ? { ...fork, warmUp: { ...fork.warmUp, flat: false } } : fork,
    );
    return cell.competitor === competitor ? { ...cell, forks } : cell;
  });
  return { ...group, cells };
}

function broken(group: GroupRecord, competitor: string): GroupRecord {
  const failure = { kind: "law" as const, reason: "it lost 3" };
  const cells = group.cells.map((cell) => (cell.competitor === competitor ? { ...cell, failure } : cell));
  return { ...group, cells };
}

function tablesOf(...groups: GroupRecord[]) {
  return raceTables(judgeScenario(groups, 1), STANDINGS);
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
    const apart = ["nothing (floor)", "base~twin1 (twin)", "obvious (oracle)", "control"];
    assert.deepEqual(namesIn(one!.apart), [...apart, "empty operation"]);
    assert.deepEqual(namesIn(two!.apart), [...apart, "control alone", "empty operation"]);
    assert.equal(one!.apart!.rows.at(-1)!.cells.median, 0.25);
  });

  it("have every row with a number once, and its other figures once", () => {
    const groups = [raced(1), broken(raced(2), "dear"), raced(4, { oversubscribed: true })];
    const judged = judgeScenario(groups, 1);
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
    assert.deepEqual(keys(rivals), ["competitor", "median", "ratio", "throughput", "verdict"]);
    assert.deepEqual(keys(apart!), keys(rivals));
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

  it("have a sign behind a verdict that is weakened, and the remark among the errors", () => {
    const { rivals, rest } = tablesAlone(unsettled(raced(1), "quick"));
    const verdicts = rivals.rows.map(({ cells }) => cells.verdict);
    assert.deepEqual(verdicts, ["**faster**", "**faster** †", "baseline", "**slower**"]);
    assert.ok(rivals.legend.some((line) => line.startsWith("† ")));
    const remarks = rest!.rows.flatMap(({ cells }) => cells.remarks ?? []);
    assert.deepEqual(remarks, ["warm-up not flat in 1 of 3 forks"]);
    assert.ok(!tablesOf(raced(1))[0]!.rivals.legend.some((line) => line.startsWith("† ")));
  });

  it("have no row of an instrument that measured nothing", () => {
    const group = raced(1);
    const cells = group.cells.map((cell) => (cell.kind === "empty" ? { ...cell, forks: [] } : cell));
    const { apart } = tablesAlone({ ...group, cells });
    assert.ok(namesIn(apart)!.includes("control") && !namesIn(apart)!.includes("empty operation"));
  });

  it("say in their heading that there were more workers than cores, and not in each row", () => {
    const { rivals, rest } = tablesAlone(raced(4, { oversubscribed: true }));
    assert.equal(rivals.title, "4 workers, oversubscribed");
    assert.doesNotMatch(JSON.stringify([rivals.rows, rest!.rows]), /oversubscribed|†/);
  });

  it("without standings have all but twins and instruments among those that compete", () => {
    const [at] = raceTables(judgeScenario([raced(1)], 1), undefined);
    assert.deepEqual(namesIn(at!.rivals), ["nothing", "varied", "quick", "**base**", "dear", "obvious"]);
  });

  it("leave the baseline where it is if it is the oracle", () => {
    const [at] = raceTables(judgeScenario([raced(1)], 1), { ...STANDINGS, oracle: "base" });
    assert.ok(namesIn(at!.rivals)!.includes("**base**"));
  });
});

describe("what a race comes to", () => {
  const resultOf = (...groups: GroupRecord[]) => {
    const [result, ...more] = raceResults(judgeScenario(groups, 1), STANDINGS);
    assert.deepEqual(more, []);
    const { conditions, baseline, fastest } = result!;
    return { workers: conditions.workers, baseline, fastest: fastest?.competitor };
  };

  it("is the fastest that competes and varies no other, at the most workers with a core each", () => {
    const crowded = raced(4, { oversubscribed: true });
    assert.deepEqual(resultOf(raced(1), crowded, raced(2)), {
      workers: 2,
      baseline: "base",
      fastest: "quick",
    });
    const moreCrowded = raced(8, { oversubscribed: true });
    assert.deepEqual(resultOf(moreCrowded, crowded), { workers: 4, baseline: "base", fastest: "quick" });
  });

  it("is the baseline where nobody is faster, and nobody where none has a number", () => {
    assert.equal(resultOf(broken(raced(1), "quick")).fastest, "base");
    assert.equal(resultOf(broken(raced(1, {}, { base: 2 }), "base")).fastest, undefined);
  });

  it("is one for each role", () => {
    const judged = judgeScenario([raced(2, { roles: ["reader", "writer"] })], 1);
    assert.deepEqual(
      raceResults(judged, STANDINGS).map(({ role, fastest }) => [role, fastest?.competitor]),
      [
        ["reader", "quick"],
        ["writer", "quick"],
      ],
    );
  });
});
