import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { acrossRuntimes, withinRuntime } from "../../suites/lab/verdicts/runtimes.synthetic.ts";
import { everything, later } from "./export.synthetic.ts";
import { judgedSource, originOf } from "./figures.ts";
import { exportRecords, FORMAT_NAMES, parseFormat } from "./formats.ts";

describe("the name of a format", () => {
  it("is one of those there are", () => {
    for (const format of FORMAT_NAMES) assert.equal(parseFormat(format), format);
  });

  it("that is missing or unknown is answered with the known ones, the nearest first", () => {
    assert.throws(
      () => parseFormat(undefined),
      /--format is missing: give one of github-action-benchmark, bencher, benchstat, otava$/,
    );
    assert.throws(
      () => parseFormat("benchstats"),
      /--format benchstats is unknown; there are, nearest first: benchstat, bencher, otava, github-action-benchmark$/,
    );
    assert.throws(() => parseFormat("toString"), /--format toString is unknown/);
  });
});

for (const format of FORMAT_NAMES) {
  describe(`records as ${format}`, () => {
    const source = (record = everything()) => judgedSource("a.json", record);

    it("are refused if they are of smoke size or were interrupted, beside whole ones too", () => {
      const whole = judgedSource("whole.json", later());
      assert.throws(
        () => exportRecords(format, [whole, source(everything({ size: "smoke" }))]),
        /^Error: a\.json is of smoke size/,
      );
      assert.throws(
        () => exportRecords(format, [whole, source(everything({ interrupted: true }))]),
        /^Error: a\.json was interrupted: finish it with npm run bench -- --resume a\.json first$/,
      );
    });

    it("are refused if they are of different methods", () => {
      const old = judgedSource("old.json", { ...later(), methodVersion: 1 });
      assert.throws(
        () => exportRecords(format, [source(), old]),
        /^Error: a\.json is of method \d+ and old\.json is of method 1, whose figures .*: export each method to/,
      );
    });

    it("of several runtimes are exported by the names of their cells, and say what all of them were", () => {
      const groups = [acrossRuntimes("ring", { node24: 20, bun: 10 }), withinRuntime("bun", { ring: 10 })];
      const record = source(everything({ groups, simulations: [], surveys: [] }));
      const { text, leftOut } = exportRecords(format, [record]);
      assert.deepEqual(leftOut, []);
      for (const name of ["test@ring", "ring@bun", "test@bun"]) assert.ok(text.includes(name), name);
      assert.equal(originOf(record.record).runtime, "Node.js 24.21.0 + Bun 1.4.5");
    });

    it("are refused if there is no number in them", () => {
      const record = everything({ groups: [], simulations: [], surveys: [] });
      assert.throws(
        () => exportRecords(format, [source(record)]),
        new RegExp(`^Error: nothing to export: no record given has a number that format ${format} takes$`),
      );
    });

    it("have no A/A control, control or empty operation among them, and are the same text each time", () => {
      const { text } = exportRecords(format, [source()]);
      assert.doesNotMatch(text, /A\/A control|control|empty/);
      assert.equal(exportRecords(format, [source()]).text, text);
    });
  });
}

it("simulations alone are something to export where a format takes them", () => {
  const simulated = [judgedSource("a.json", everything({ groups: [], surveys: [] }))];
  for (const format of ["bencher", "otava"] as const)
    assert.equal(exportRecords(format, simulated).values, 3);
  for (const format of ["github-action-benchmark", "benchstat"] as const)
    assert.throws(() => exportRecords(format, simulated), /nothing to export/);
});
