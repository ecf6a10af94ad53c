import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { golden } from "../../suites/engine/golden.trials.ts";
import { judgeRecord } from "../../suites/engine/judge/judge.ts";
import { readRecord } from "../../suites/engine/schema/record.ts";
import { publishedRecords } from "../../suites/lab/store/results.ts";
import { everything, later, NUMBERLESS, raceOf } from "./export.synthetic.ts";
import { judgedSource } from "./figures.ts";
import { otava } from "./otava.ts";

/** Header and rows: no field has a quote, a comma or a break. */
function csv(text: string): readonly (readonly string[])[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.split(","));
}

describe("otava", () => {
  const first = judgedSource("a.json", everything());
  const second = judgedSource("b.json", later());

  it("of three runs, of which one has not every cell, is what Otava reads, oldest first", (test) => {
    const some = judgedSource(
      "c",
      everything({ groups: [raceOf("plain", { first: 20, slow: 40 })], startedAt: "2026-11-22" }),
    );
    const { text, remarks } = otava([second, some, first]);
    golden(test, "testdata/otava.csv", `${text}${remarks.join("\n")}\n`);
  });

  it("counts its figures, and says which have none", () => {
    const { text, values, leftOut, remarks } = otava([second, first]);
    const [header] = csv(text);
    assert.equal(values, 2 * (header!.length - 5));
    const numberless = [...NUMBERLESS.races, ...NUMBERLESS.simulated, ...NUMBERLESS.surveyed];
    assert.deepEqual(leftOut.toSorted(), [...numberless, ...numberless].sort());
    assert.deepEqual(remarks, []);
  });

  it("has the judge's medians and ratios, and medians of metrics", () => {
    const [header, row] = csv(otava([first]).text);
    const metrics = header!.slice(5).map((name, index) => [name, [Number(row![index + 5])]] as const);
    const expected = new Map<string, readonly number[]>([
      ["synthetic/fleet/even:peak", [18]],
      ["synthetic/fleet/even:settled", [1]],
      ["synthetic/fleet/fixed:peak", [100]],
      ["synthetic/held/jitter-15:bytesFilled", [17]],
      ["synthetic/held/jitter-15:pairs", [0]],
    ]);
    for (const row of judgeRecord(first.record).races.flatMap(({ rows }) => rows)) {
      if (row.noNumber !== undefined || (row.kind !== "baseline" && row.kind !== "rival")) continue;
      expected.set(row.cell, [row.median]);
      if (row.ratio !== undefined) expected.set(`${row.cell}:ratio`, [row.ratio.value]);
    }
    assert.deepEqual(new Map(metrics.toSorted()), new Map([...expected].sort()));
  });

  it("puts the parts of one run into one row, and refuses a part that comes twice", () => {
    const races = judgedSource("a.json", { ...first.record, simulations: [], surveys: [] });
    const others = judgedSource("b.json", { ...first.record, groups: [] });
    const { text, remarks } = otava([races, others]);
    assert.equal(text, otava([first]).text);
    assert.deepEqual(remarks, []);
    assert.throws(
      () => otava([races, first]),
      /^Error: a\.json and a\.json both have synthetic\/\S+: a run has one row/,
    );
  });

  it("remarks that runs of several machines are one series to Otava", () => {
    const machine = { ...first.record.machine, slug: "other" };
    const other = judgedSource("b", everything({ machine }));
    assert.match(otava([first, other]).remarks.join("\n"), /^the runs differ in machine,/);
  });

  it("refuses names that would need quotes: which ones Otava uses is a setting", () => {
    for (const scenario of ["a,b", "a;b", 'a"b', "a'b", "a\nb"]) {
      const record = everything({ groups: [raceOf(scenario, { first: 20 })] });
      assert.throws(() => otava([judgedSource("a", record)]), /cannot be a field of the CSV/);
    }
  });

  it("refuses a run without a time", () => {
    const record = everything({ startedAt: "yesterday" });
    assert.throws(
      () => otava([judgedSource("a", record)]),
      /started at "yesterday" has no time to stand under/,
    );
  });

  it("exports what is published, races and simulations", () => {
    // Of two runs: parts of one share a row.
    const simulated = publishedRecords("heartbeats").find((name) => readRecord(name).simulations.length > 0);
    const names = [publishedRecords("draws").at(-1)!, simulated!];
    const sources = names.map((name) => judgedSource(name, readRecord(name)));
    const [header, ...rows] = csv(otava(sources).text);
    assert.equal(rows.length, 2);
    for (const row of rows) assert.equal(row.length, header!.length);
  });
});
