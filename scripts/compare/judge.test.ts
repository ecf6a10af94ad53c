import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type SyntheticGroup,
  syntheticGroup,
  syntheticRecord,
  withCosts,
  withDearControl,
} from "../../suites/engine/judge/judge.synthetic.ts";
import { LEAST_FLOOR } from "../../suites/engine/judge/verdict.ts";
import type { BenchRecord, GroupRecord } from "../../suites/engine/schema/record.ts";
import { acrossRuntimes } from "../../suites/lab/verdicts/runtimes.synthetic.ts";
import { compareGroups, compareRecords, type MeasuredRow, type Row } from "./judge.ts";
import { type Comparison, comparisonJson, comparisonText, exitCodeOf, summaryOf } from "./page.ts";
import { mismatches } from "./records.ts";

const QUIET: Omit<SyntheticGroup, "costsNs"> = {
  workers: 1,
  forks: 12,
  rounds: 60,
  sliceNoise: 0.003,
  forkNoise: 0.001,
  roundNoise: 0.3,
  seed: 5,
};

/** A group of one competitor at two revisions, the newer one's cost a factor of the older one's. */
function pairGroup(competitor: string, factor: number, more: Partial<SyntheticGroup> = {}): GroupRecord {
  const costsNs = { [`${competitor}@1a2b3c4`]: 20, [`${competitor}@working-tree`]: 20 * factor };
  return syntheticGroup({ ...QUIET, costsNs, ...more });
}

const measured = (row: Row | undefined) => {
  assert.ok(row !== undefined && row.noNumber === undefined, row?.noNumber);
  return row;
};

describe("two sides that raced together", () => {
  const rows = compareGroups([
    pairGroup("slow", 1.05),
    pairGroup("fast", 0.9),
    pairGroup("equal", 1),
    pairGroup("ring", 1.2, { workers: 2 }),
  ]);

  it("are judged cell by cell, each against its own floor, however much host noise both share", () => {
    assert.deepEqual(
      rows.map((row) => [row.cell, measured(row).verdict]),
      [
        ["synthetic/test/slow/1w", "slower"],
        ["synthetic/test/fast/1w", "faster"],
        ["synthetic/test/equal/1w", "same"],
        ["synthetic/test/ring/2w", "slower"],
      ],
    );
    const { ratio, base, head, floor } = measured(rows[0]);
    assert.ok(Math.abs(ratio.value - 1.05) < 0.005, String(ratio.value));
    assert.ok(base.low < base.value && base.value < base.high && head.value > base.value);
    assert.equal(floor, LEAST_FLOOR);
  });

  it("give the same rows for the same records", () => {
    const group = pairGroup("slow", 1.05);
    assert.deepEqual(compareGroups([group]), compareGroups([group]));
  });

  it("have wider intervals the more rows the table has", () => {
    const group = pairGroup("slow", 1.05);
    const [alone] = compareGroups([group]);
    const [amongMany] = compareGroups(Array.from({ length: 20 }, () => group));
    const width = (row: Row | undefined) => measured(row).ratio.high - measured(row).ratio.low;
    assert.ok(width(amongMany) > width(alone));
  });

  it("cannot be distinguished by less than the base differs from itself, and say what could have been", () => {
    const [row] = compareGroups([withDearControl(pairGroup("ring", 1.035), 1.06)]);
    const { floor, verdict, sees } = measured(row);
    assert.ok(floor! > 0.035 && floor! < 0.1, String(floor));
    assert.equal(verdict, "cannot tell");
    assert.ok(sees! > floor!);
    const [loud] = compareGroups([withDearControl(pairGroup("ring", 1.035), 1.2)]);
    assert.equal(measured(loud).verdict, "no power", "where the base strays by more than 10 %");
    assert.equal(
      measured(compareGroups([pairGroup("ring", 1.035)])[0]).verdict,
      "slower",
      "but by more they can",
    );
  });

  it("are of the quiet state where there is enough of it, and say so", () => {
    const busyFactors = { "ring@1a2b3c4": 2, "ring@working-tree": 1.8 };
    const [row] = compareGroups([pairGroup("ring", 1.02, { rounds: 120, busyFactors })]);
    const { state, forks, ratio } = measured(row);
    assert.deepEqual([state, forks], ["quiet", 12]);
    assert.ok(Math.abs(ratio.value - 1.02) < 0.005, String(ratio.value));
  });

  it("depend where their processes fall into two groups, and have the ratios of both", () => {
    const group = withCosts(pairGroup("ring", 0.5), ({ kind }, fork) =>
      kind === "rival" && fork < 4 ? 4 : 1,
    );
    const [row] = compareGroups([group]);
    const { verdict, groups } = measured(row);
    assert.equal(verdict, "depends");
    assert.deepEqual(
      groups!.map(({ ratio, forks }) => [Number(ratio.value.toPrecision(2)), forks]),
      [
        [0.5, 8],
        [2, 4],
      ],
    );
    const comparison = { title: "one -> other", forced: [], provenance: [], rows: [row!], notes: [] };
    assert.match(comparisonText(comparison), /\| 0\.50 \([^)]+\) or 2\.0\d? \([^)]+\) \|/);
    assert.equal(JSON.parse(comparisonJson(comparison)).rows[0].groups.length, 2);
  });

  it("have a row for each role", () => {
    const group = pairGroup("ring", 1.1, { workers: 2 });
    const cells = compareGroups([{ ...group, roles: ["reader", "writer"] }]).map(({ cell }) => cell);
    assert.deepEqual(cells, ["synthetic/test/ring/2w/reader", "synthetic/test/ring/2w/writer"]);
  });

  it("have no number where a law broke or nothing counts, and say on which side", () => {
    const group = pairGroup("ring", 1);
    const failing = (kind: string): GroupRecord => ({
      ...group,
      cells: group.cells.map((cell) =>
        cell.kind === kind
          ? { ...cell, failure: { kind: "law", reason: "rotationIsConserved" }, roles: {} }
          : cell,
      ),
    });
    for (const [kind, reason] of [
      ["baseline", /^base: rotationIsConserved$/],
      ["rival", /^head: rotationIsConserved$/],
      ["aa-control", /its A\/A control/],
    ] as const) {
      const [row] = compareGroups([failing(kind)]);
      assert.match(row?.noNumber ?? "a number", reason);
    }
    const empty = { ...group, cells: group.cells.map((cell) => ({ ...cell, roles: {} })) };
    assert.match(
      compareGroups([empty])[0]?.noNumber ?? "a number",
      /^base: no slice counts: a worker was off its core in each/,
    );
  });
});

describe("two records", () => {
  /** As a bench leaves it: a baseline and rivals; the whole machine slower or faster by `hostNoise`. */
  const record = (costs: Readonly<Record<string, number>>, hostNoise: number, seed: number): BenchRecord => {
    const costsNs = Object.fromEntries(Object.entries(costs).map(([name, ns]) => [name, ns * hostNoise]));
    return syntheticRecord([syntheticGroup({ ...QUIET, costsNs, seed })], seed);
  };
  const before = record({ locked: 50, ring: 20, wheel: 30, gone: 10 }, 1, 1);
  const after = record({ locked: 50, ring: 21.4, wheel: 30, added: 10 }, 1.3, 2);

  it("are compared by ratios to their baselines, from which the host's noise cancels", () => {
    const { rows, onlyInBase, onlyInHead } = compareRecords(before, after);
    assert.deepEqual(
      rows.map((row) => [row.cell, measured(row).verdict]),
      [
        ["synthetic/test/ring/1w", "slower"],
        ["synthetic/test/wheel/1w", "same"],
        ["synthetic/test/locked/1w", "not judged"],
      ],
    );
    const [ring, , locked] = rows.map(measured);
    assert.ok(Math.abs(ring!.ratio.value - 1.07) < 0.01, String(ring!.ratio.value));
    assert.ok(Math.abs(locked!.ratio.value - 1.3) < 0.2, "the noise itself");
    assert.deepEqual([onlyInBase, onlyInHead], [["synthetic/test/gone/1w"], ["synthetic/test/added/1w"]]);
  });

  it("have intervals wider than either's own", () => {
    const ownWidth = (one: BenchRecord) => {
      const [ring] = compareRecords(one, structuredClone(one)).rows.map(measured);
      return Math.log(ring!.ratio.high / ring!.ratio.low) / Math.SQRT2;
    };
    const [ring] = compareRecords(before, after).rows.map(measured);
    const width = Math.log(ring!.ratio.high / ring!.ratio.low);
    assert.ok(width > ownWidth(before) && width > ownWidth(after));
  });

  it("swap their verdicts when they swap places", () => {
    const ring = compareRecords(after, before).rows.find(({ cell }) => cell.includes("/ring/"));
    assert.equal(measured(ring).verdict, "faster");
  });

  it("of one process each have no verdict, whatever they show, nor a least visible difference", () => {
    const one = (costs: Readonly<Record<string, number>>, seed: number) =>
      syntheticRecord([syntheticGroup({ ...QUIET, forks: 1, costsNs: costs, seed })], seed);
    const { rows } = compareRecords(one({ locked: 50, ring: 20 }, 1), one({ locked: 50, ring: 200 }, 2));
    const ring = rows.find(({ cell }) => cell.includes("/ring/"));
    const { verdict, sees } = measured(ring);
    assert.deepEqual([verdict, sees], ["cannot tell", undefined]);
  });

  it("are not judged where they were raced beside two different baselines", () => {
    const other = record({ wheel: 30, ring: 20, locked: 50 }, 1, 3);
    const { rows } = compareRecords(before, other);
    assert.deepEqual(
      rows.map((row) => measured(row).verdict),
      ["not judged", "not judged", "not judged"],
    );
    assert.ok(Math.abs(measured(rows[1]).ratio.value - 1) < 0.2, "the costs' own, not 5 / 3");
  });

  it("are not of one kind where a part of a merged record is of another machine, whatever its first is", () => {
    const elsewhere = (one: BenchRecord): BenchRecord => ({
      ...one,
      groups: one.groups.map((group) => ({ ...group, machine: "other-4c-8g" })),
    });
    assert.deepEqual(mismatches(before, elsewhere(after)), ["machines made-up-2c-1g and other-4c-8g"]);
    assert.deepEqual(mismatches(elsewhere(before), elsewhere(after)), []);
  });

  it("are of one kind unless machine, runtime or size differ", () => {
    const { machine, runtime } = before;
    assert.deepEqual(mismatches(before, { ...after, seed: 9, profile: "full" }), []);
    for (const [change, shown] of [
      [{ machine: { ...machine, slug: "other-4c-8g" } }, "machines made-up-2c-1g and other-4c-8g"],
      [{ runtime: { ...runtime, version: "25.0.0" } }, "runtimes Node.js 24.0.0 and Node.js 25.0.0"],
      [
        { runtime: { ...runtime, flags: ["--jitless"] } },
        "runtimes Node.js 24.0.0 and Node.js 24.0.0 --jitless",
      ],
      [{ size: "smoke" }, "sizes full and smoke"],
    ] as const) {
      assert.deepEqual(mismatches(before, { ...after, ...change } as BenchRecord), [shown]);
    }
  });

  it("compare a competitor's cells on several runtimes, unless one of these is of another version", () => {
    const raced = (bun: number) => syntheticRecord([acrossRuntimes("ring", { node24: 20, bun })], 1);
    const { rows } = compareRecords(raced(10), raced(12));
    assert.deepEqual(
      rows.map((row) => [row.cell, measured(row).verdict]),
      [
        ["synthetic/test@ring/ring@bun/1w", "slower"],
        ["synthetic/test@ring/ring@node24/1w", "not judged"],
      ],
    );
    const newer = raced(12);
    const groups = newer.groups.map((group) => ({
      ...group,
      runtimes: group.runtimes!.map((one) => (one.name === "bun" ? { ...one, version: "Bun 1.5.0" } : one)),
    }));
    assert.deepEqual(mismatches(raced(10), newer), []);
    assert.deepEqual(mismatches(raced(10), { ...newer, groups }), ["runtimes Bun 1.4.5 and Bun 1.5.0"]);
  });
});

describe("the answer", () => {
  const figure = { value: 20, low: 19, high: 21 };
  const row = (cell: string, verdict: MeasuredRow["verdict"], value: number): Row => ({
    cell,
    base: figure,
    head: figure,
    ratio: { value, low: value - 0.01, high: value + 0.01 },
    floor: verdict === "not judged" ? undefined : 0.012,
    sees: verdict === "not judged" ? undefined : 0.042,
    forks: 12,
    state: "quiet",
    verdict,
  });
  const slower = row("slower", "slower", 1.05);
  const unclear = row("unclear", "cannot tell", 1.2);
  const same = row("same", "same", 1);
  const numberless: Row = { cell: "broken", noNumber: "head: rotationIsConserved" };
  const comparison = (rows: readonly Row[], forced: readonly string[] = []): Comparison => ({
    title: "1a2b3c4 -> working-tree",
    forced,
    provenance: [["Base", "main"]],
    rows,
    notes: ["3 competitors were not raced"],
  });

  it("is an exit code: a missing number before a slower one, and nothing else fails", () => {
    for (const verdict of ["faster", "cannot tell", "no power", "depends", "not judged"] as const)
      assert.equal(exitCodeOf([same, row("other", verdict, 1)]), 0, verdict);
    assert.equal(exitCodeOf([slower, unclear, same]), 3);
    assert.equal(exitCodeOf([numberless, slower, unclear]), 1);
  });

  it("is a table that begins with its sum and with what is slower, and names the gaps", () => {
    const both = row("both", "depends", 1.3);
    const lines = comparisonText(comparison([same, numberless, unclear, both, slower])).split("\n");
    assert.equal(lines[0], "1 slower, 0 faster, 1 same, 1 cannot tell, 1 depends, 1 no number of 5");
    assert.equal(lines[2], "## 1a2b3c4 -> working-tree");
    const cells = lines.flatMap((line) => /^\| (\w+) /.exec(line)?.[1] ?? []);
    assert.deepEqual(cells, ["Cell", "slower", "both", "unclear", "same", "broken"]);
    assert.match(
      lines.join("\n"),
      /\| slower +\| 1\.05 \(1\.04-1\.06\) \| \*\*slower\*\* .* 1\.2% \| +12 \| quiet \|/,
    );
    assert.match(lines.join("\n"), /\| unclear .*\| cannot tell \(sees 4\.2%\) /);
    assert.match(lines.join("\n"), /\| broken .*no number: head: rotationIsConserved/);
    assert.match(lines.join("\n"), /^- 3 competitors were not raced$/m);
  });

  it("is marked in its first line and its heading where it was forced", () => {
    const [first, , heading] = comparisonText(comparison([same], ["sizes full and smoke"])).split("\n");
    assert.equal(first, "forced: sizes full and smoke. 0 slower, 0 faster, 1 same, 0 cannot tell of 1");
    assert.equal(heading, "## 1a2b3c4 -> working-tree (forced: sizes full and smoke)");
  });

  it("is for programs the same unrounded", () => {
    const rows = [slower, numberless];
    const { summary, rows: shown } = JSON.parse(comparisonJson(comparison(rows)));
    assert.equal(summary, summaryOf(comparison(rows)));
    assert.deepEqual(shown[0], { ...slower, unit: "ns/op" });
    assert.deepEqual(shown[1], { cell: "broken", verdict: "no number", reason: "head: rotationIsConserved" });
  });
});
