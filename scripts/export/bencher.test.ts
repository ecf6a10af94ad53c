import assert from "node:assert/strict";
import { describe, it } from "node:test";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { judgeRecord } from "../../suites/engine/judge/judge.ts";
import { readRecord } from "../../suites/engine/schema/record.ts";
import { publishedRecords } from "../../suites/lab/store/results.ts";
import { bencher } from "./bencher.ts";
import { everything, later, NUMBERLESS, raceOf } from "./export.synthetic.ts";
import { judgedSource } from "./figures.ts";

/**
 * Bencher Metric Format, from its JSON Schema (https://bencher.dev/bmf.json; bencherdev/bencher,
 * services/console/public/bmf.json). Names are held to what lib/bencher_valid requires. A benchmark's has 1 to 1024
 * characters (benchmark_name.rs). A measure's here is always a slug, which `slugify` leaves as it is and has 1 to 64
 * characters (slug.rs). Bencher therefore recognizes `latency` (bencher_json, measure/built_in.rs).
 */
const Metrics = Compile(
  Type.Record(
    Type.String({ pattern: "^.{1,1024}$" }),
    Type.Record(
      Type.String({ pattern: "^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$" }),
      Type.Object(
        {
          value: Type.Number(),
          lower_value: Type.Optional(Type.Number()),
          upper_value: Type.Optional(Type.Number()),
        },
        { additionalProperties: false },
      ),
      { additionalProperties: false, minProperties: 1 },
    ),
    { additionalProperties: false },
  ),
);

function metricsOf(text: string) {
  const metrics: unknown = JSON.parse(text);
  assert.ok(Metrics.Check(metrics), JSON.stringify(Metrics.Errors(metrics)[0]));
  return metrics;
}

it("the schema refuses a metric without a value, a value that is no number, and a measure that is no slug", () => {
  assert.ok(Metrics.Check({ cell: { latency: { value: 1 } } }));
  for (const bad of [
    { cell: { latency: { lower_value: 1 } } },
    { cell: { latency: { value: null } } },
    { cell: { "Bytes filled": { value: 1 } } },
    { cell: { "bytes--filled": { value: 1 } } },
    { cell: {} },
    { "": { latency: { value: 1 } } },
  ])
    assert.ok(!Metrics.Check(bad), JSON.stringify(bad));
});

describe("bencher", () => {
  const source = judgedSource("a.json", everything());
  const { text, leftOut, values } = bencher([source]);
  const metrics = metricsOf(text);

  it("has latency and ratio of races with the judge's intervals", () => {
    const rows = judgeRecord(source.record).races.flatMap((scenario) => scenario.rows);
    for (const row of rows) {
      const contestant = row.kind === "baseline" || row.kind === "rival";
      if (!contestant || row.noNumber !== undefined) {
        assert.equal(metrics[row.cell], undefined, row.cell);
        continue;
      }
      const { low, high } = row.interval!;
      const ratio = row.ratio && {
        value: row.ratio.value,
        lower_value: row.ratio.low,
        upper_value: row.ratio.high,
      };
      assert.deepEqual(metrics[row.cell], {
        latency: { value: row.median, lower_value: low, upper_value: high },
        ...(ratio && { ratio }),
      });
    }
  });

  it("has metrics as measures named after them and their units, an end that never happened omitted", () => {
    assert.deepEqual(metrics["synthetic/held/jitter-15"], {
      "bytes-filled-b-timer": { value: 17, lower_value: 16.5, upper_value: 20 },
      "pairs-pairs-of-owners": { value: 0, lower_value: 0, upper_value: 0 },
    });
    assert.deepEqual(metrics["synthetic/fleet/even"], {
      "peak-messages-s": { value: 18, lower_value: 17, upper_value: 19 },
      "settled-h": { value: 1, lower_value: 0 },
    });
    assert.deepEqual(Object.keys(metrics["synthetic/fleet/fixed"]!), ["peak-messages-s"]);
  });

  it("counts what it has and what has no number", () => {
    assert.deepEqual(leftOut, [...NUMBERLESS.races, ...NUMBERLESS.simulated, ...NUMBERLESS.surveyed]);
    assert.equal(values, Object.values(metrics).flatMap(Object.keys).length);
  });

  it("refuses two values for one cell, of a survey too, and names the records", () => {
    const races = { ...later(), simulations: [], surveys: [] };
    const surveys = { ...later(), groups: [], simulations: [] };
    for (const [record, cell] of [
      [races, "synthetic/plain/"],
      [surveys, "synthetic/held/jitter-15:"],
    ] as const)
      assert.throws(
        () => bencher([source, judgedSource("b.json", record)]),
        ({ message }) => message.startsWith(`a.json and b.json both have ${cell}`),
      );
  });

  it("refuses names that Bencher has no room for", () => {
    const record = everything({ groups: [raceOf("s".repeat(1024), { first: 20, other: 10 })] });
    assert.throws(
      () => bencher([judgedSource("a.json", record)]),
      /Bencher's names have 1 to 1024 characters/,
    );
    const [survey] = source.record.surveys!;
    const metric = { title: "", unit: "x".repeat(60), digits: 0 };
    const surveys = [{ ...survey!, metrics: { bytesFilled: metric } }];
    assert.throws(
      () => bencher([judgedSource("a.json", everything({ surveys }))]),
      /too long for a measure of Bencher's/,
    );
    const twice = { a_b: { title: "", unit: "", digits: 0 }, aB: { title: "", unit: "", digits: 0 } };
    const cells = survey!.cells.map((cell) => ({ ...cell, forks: [{ a_b: 1, aB: 2 }] }));
    assert.throws(
      () => bencher([judgedSource("a", everything({ surveys: [{ ...survey!, metrics: twice, cells }] }))]),
      /two metrics that Bencher would call a-b/,
    );
  });

  it("exports what is published, races and simulations", () => {
    for (const primitive of ["draws", "heartbeats"]) {
      // The oldest: its simulations are few.
      const record = readRecord(publishedRecords(primitive)[0]!);
      const published = bencher([judgedSource(primitive, record)]);
      assert.ok(Object.keys(metricsOf(published.text)).every((cell) => cell.startsWith(`${primitive}/`)));
      assert.ok(published.values > 0);
    }
  });
});
