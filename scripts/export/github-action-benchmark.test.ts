import assert from "node:assert/strict";
import { describe, it } from "node:test";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { judgeRecord } from "../../suites/engine/judge/judge.ts";
import { readRecord } from "../../suites/engine/schema/record.ts";
import { publishedRecords } from "../../suites/lab/store/results.ts";
import { everything, later, NUMBERLESS } from "./export.synthetic.ts";
import { judgedSource } from "./figures.ts";
import { githubActionBenchmark, RATIO_UNIT } from "./github-action-benchmark.ts";

/**
 * What the action takes for `customSmallerIsBetter`, from benchmark-action/github-action-benchmark: README.md ("Every
 * entry in the JSON file you provide only needs to provide name, unit, and value. You can also provide optional range
 * ... and extra") and `BenchmarkResult` in src/extract.ts, which would also coerce other types; an empty array it
 * refuses. A name must be there once: src/write.ts finds the entry to compare with by its name.
 */
const Entries = Compile(
  Type.Array(
    Type.Object(
      {
        name: Type.String({ minLength: 1 }),
        unit: Type.String({ minLength: 1 }),
        value: Type.Number(),
        range: Type.Optional(Type.String()),
        extra: Type.Optional(Type.String()),
      },
      { additionalProperties: false },
    ),
    { minItems: 1 },
  ),
);

function entriesOf(text: string) {
  const entries: unknown = JSON.parse(text);
  assert.ok(Entries.Check(entries), JSON.stringify(Entries.Errors(entries)[0]));
  assert.equal(new Set(entries.map(({ name }) => name)).size, entries.length, "a name is there once");
  return entries;
}

it("the schema refuses what the action does: no value, a value that is no number, nothing at all", () => {
  const good = { name: "a", unit: "ns/op", value: 1 };
  assert.ok(Entries.Check([good]));
  for (const bad of [[], [{ ...good, value: null }], [{ name: "a", unit: "ns/op" }], { a: good }])
    assert.ok(!Entries.Check(bad), JSON.stringify(bad));
});

describe("github-action-benchmark", () => {
  const source = judgedSource("a.json", everything());
  const { text, leftOut, values, remarks } = githubActionBenchmark([source]);
  const entries = entriesOf(text);
  const entry = (name: string) => entries.find((each) => each.name === name);

  it("has each cell of the races with a number, and the ratio of each that has one", () => {
    assert.deepEqual(entries.map(({ name }) => name).sort(), [
      "synthetic/crowd/first/4w",
      "synthetic/crowd/ring-15/4w",
      "synthetic/crowd/ring-15/4w ratio",
      "synthetic/plain/first/2w",
      "synthetic/plain/ring-15/2w",
      "synthetic/plain/ring-15/2w ratio",
      "synthetic/plain/slow/2w",
      "synthetic/plain/slow/2w ratio",
      "synthetic/roles/first/2w/reader",
      "synthetic/roles/first/2w/writer",
      "synthetic/roles/ring-15/2w/reader",
      "synthetic/roles/ring-15/2w/reader ratio",
      "synthetic/roles/ring-15/2w/writer",
      "synthetic/roles/ring-15/2w/writer ratio",
    ]);
    assert.equal(values, entries.length);
    assert.deepEqual(leftOut, NUMBERLESS.races);
    assert.deepEqual(remarks, []);
  });

  it("has the judge's figures, and says what they rest on", () => {
    const rows = judgeRecord(source.record).races.flatMap((scenario) => scenario.rows);
    const row = rows.find(({ cell }) => cell === "synthetic/plain/ring-15/2w")!;
    assert.ok(row.noNumber === undefined && row.ratio !== undefined);
    const time = entry(row.cell)!;
    assert.equal(time.value, row.median);
    assert.equal(time.unit, "ns/op");
    assert.match(time.range!, /^± [\d.]+$/);
    assert.match(time.extra!, /^ratio to baseline 0\.\d+ \(0\.\d+-0\.\d+\)\nfaster\n4 forks$/);
    const ratio = entry(`${row.cell} ratio`)!;
    assert.equal(ratio.value, row.ratio.value);
    assert.equal(ratio.unit, RATIO_UNIT);
    assert.match(ratio.range!, /^0\.\d+ to 0\.\d+$/);
    assert.match(entry("synthetic/plain/first/2w")!.extra!, /^baseline\n8 forks$/);
  });

  it("marks rows with more workers than cores, and only those", () => {
    for (const { name, extra } of entries)
      assert.equal(/^oversubscribed$/m.test(extra!), name.includes("/crowd/"), name);
  });

  it("refuses two values for one cell and names the records", () => {
    assert.throws(
      () => githubActionBenchmark([source, judgedSource("b.json", later())]),
      /^Error: a\.json and b\.json both have synthetic\/\S+: this format has one value for each cell/,
    );
  });

  it("takes records of different cells, and remarks that their commits differ", () => {
    const { groups, ...rest } = later();
    const other = { ...rest, groups: groups.slice(2, 3) };
    const first = { ...source.record, groups: groups.slice(0, 2) };
    const both = githubActionBenchmark([judgedSource("a.json", first), judgedSource("b.json", other)]);
    assert.equal(entriesOf(both.text).length, 11);
    assert.match(both.remarks.join("\n"), /^the records differ in commit, .*under one commit$/);
  });

  it("has every contestant of a published record", () => {
    const record = readRecord(publishedRecords("draws").at(-1)!);
    const published = githubActionBenchmark([judgedSource("draws", record)]);
    const rivals = record.groups.flatMap(({ cells }) => cells.filter(({ kind }) => kind === "rival"));
    const ratios = entriesOf(published.text).filter(({ unit }) => unit === RATIO_UNIT);
    assert.ok(rivals.length > 0);
    assert.equal(ratios.length + published.leftOut.length, rivals.length);
    assert.ok(!published.text.includes("aa-control"));
  });
});
