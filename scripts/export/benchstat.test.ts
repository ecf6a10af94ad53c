import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { golden } from "../../suites/engine/golden.trials.ts";
import { judgeRecord } from "../../suites/engine/judge/judge.ts";
import { type BenchRecord, readRecord } from "../../suites/engine/schema/record.ts";
import { mean, median } from "../../suites/engine/statistics.ts";
import { publishedRecords } from "../../suites/lab/store/results.ts";
import { benchstat } from "./benchstat.ts";
import {
  everything,
  later,
  NUMBERLESS,
  raceOf,
  soleRole,
  stalledOnce,
  withCell,
} from "./export.synthetic.ts";
import { judgedSource } from "./figures.ts";

/** Lines of races: processes of each judged row, by the row's cell. */
function resultsByCell(text: string): Map<string, { readonly iterations: number; readonly ns: number }[]> {
  const lines = text.matchAll(
    /^Benchmark(\S+?)\/scenario=([^/\s]+)\/competitor=([^/\s]+?)(?:\/role=([^/\s]+))?(?:\/oversubscribed=yes)?-(\d+) (\d+) (\S+) ns\/op$/gm,
  );
  const results = [...lines].map(([, primitive, scenario, competitor, role, workers, iterations, ns]) => ({
    cell: [
      primitive!.toLowerCase(),
      scenario,
      competitor,
      `${workers}w`,
      ...(role === undefined ? [] : [role]),
    ].join("/"),
    iterations: Number(iterations),
    ns: Number(ns),
  }));
  return Map.groupBy(results, ({ cell }) => cell);
}

/** Every contestant with a number has a line for each fork that counts, and their geometric mean is the judge's. */
function holdsToJudge(record: BenchRecord, text: string): void {
  const results = resultsByCell(text);
  for (const { rows } of judgeRecord(record).races) {
    for (const row of rows) {
      const own = results.get(row.cell) ?? [];
      if ((row.kind !== "baseline" && row.kind !== "rival") || row.noNumber !== undefined) {
        assert.equal(own.length, 0, row.cell);
        continue;
      }
      assert.ok(own.length >= row.forks, row.cell);
      const logs = own.map(({ ns }) => Math.log(ns));
      // The export has every process; in the judge's figure one in six may not weigh, the farthest from the middle.
      const nearest = logs.toSorted((a, b) => Math.abs(a - median(logs)) - Math.abs(b - median(logs)));
      const isMeanOf = (weighing: number) =>
        Math.abs(mean(nearest.slice(0, weighing)) - Math.log(row.median)) < 1e-9;
      const leftOut = Array.from({ length: 1 + Math.floor(logs.length / 6) }, (_, count) => count);
      assert.ok(
        leftOut.some((count) => isMeanOf(logs.length - count)),
        row.cell,
      );
    }
  }
}

describe("benchstat", () => {
  const source = judgedSource("folder/a.json", everything());
  const { text, leftOut, values, remarks } = benchstat([source]);

  it("of three runs, one of changed code and one of none that is known, is what benchstat is given", (test) => {
    const uncommitted = judgedSource("c.json", everything({ startedAt: "2026-11-22", commit: null }));
    const all = benchstat([source, judgedSource("b.json", later()), uncommitted]);
    golden(test, "testdata/benchstat.txt", `${all.text}${all.remarks.join("\n")}\n`);
  });

  it("has a line for each fork of each contestant with a number, whose geometric mean is the judge's", () => {
    holdsToJudge(source.record, text);
    assert.equal(values, text.match(/^Benchmark/gm)!.length);
    assert.deepEqual(leftOut, [...NUMBERLESS.races, ...NUMBERLESS.surveyed]);
    assert.deepEqual(remarks, []);
  });

  it("has lines of the state that the table is judged in", () => {
    const group = raceOf("quiet", { first: 20, other: 10 }, 1, { first: 2, other: 1.5 });
    const record = everything({ groups: [group] });
    const lines = benchstat([judgedSource("a", record)]).text;
    const { quiet } = soleRole(group.cells.find(({ competitor }) => competitor === "other")!);
    const own = resultsByCell(lines).get("synthetic/quiet/other/1w")!;
    assert.deepEqual(
      own.map(({ iterations }) => iterations),
      quiet!.costNs.counts,
    );
    holdsToJudge(record, lines);
  });

  it("has no line of a group in which a slice of the cell came to no end", () => {
    const [one, two] = source.record.groups;
    const record = everything({ groups: [one!, withCell(two!, "slow", stalledOnce)] });
    const lines = benchstat([judgedSource("a", record)]).text;
    assert.equal(resultsByCell(lines).get("synthetic/plain/slow/2w"), undefined);
    holdsToJudge(record, lines);
  });

  it("has the baseline of each scenario before its rivals, which benchstat compares with what comes first", () => {
    const { groups } = source.record;
    const turned = groups.map((group) => ({ ...group, cells: group.cells.toReversed() }));
    const record = { ...source.record, groups: turned, surveys: [] };
    const lines = benchstat([judgedSource("a", record)]).text;
    const firsts = new Map<string, string>();
    for (const [, scenario, competitor] of lines.matchAll(/scenario=([^/]+)\/competitor=([^/\s]+?)[-/]/g))
      firsts.set(scenario!, firsts.get(scenario!) ?? competitor!);
    assert.ok(firsts.size > 1);
    assert.deepEqual([...new Set(firsts.values())], ["first"]);
  });

  it("refuses to count one run's samples twice", () => {
    assert.throws(
      () => benchstat([source, judgedSource("copy.json", everything())]),
      /^Error: folder\/a\.json and copy\.json both have synthetic\/\S+: .*give each record once$/,
    );
  });

  it("keeps a line a line, and refuses a name that the format has no room for", () => {
    const machine = { ...source.record.machine, cpu: "Made\nUp" };
    const odd = benchstat([judgedSource("a", everything({ machine, command: "npm run bench\nPASS" }))]);
    assert.match(odd.text, /^cpu: Made Up$/m);
    assert.doesNotMatch(odd.text, /^PASS/m);
    for (const scenario of ["two words", "a/b", "a=b"]) {
      const record = everything({ groups: [raceOf(scenario, { first: 20, other: 10 })] });
      assert.throws(() => benchstat([judgedSource("a", record)]), /is no name in Go's benchmark format/);
    }
    const record = everything({ groups: [{ ...raceOf("plain", { first: 1 }), primitive: "8" }] });
    assert.throws(() => benchstat([judgedSource("a", record)]), /is no name in Go's benchmark format/);
  });

  it("holds to the judge on a published record", () => {
    const record = readRecord(publishedRecords("draws").at(-1)!);
    holdsToJudge(record, benchstat([judgedSource("draws", record)]).text);
  });
});
