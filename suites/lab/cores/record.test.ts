import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { cellOf, figuresOf, recordOf } from "./record.synthetic.ts";
import {
  brokenLaws,
  checkCores,
  checkTogether,
  commitOf,
  completed,
  kept,
  localCoresPath,
  newestCores,
  publishedCoresPath,
  readCores,
} from "./record.ts";

const record = recordOf([
  cellOf("cas-ring", { nsPerOperation: 22, measuredNs: 20, workers: 64, machine: "server" }),
  cellOf("liar", { nsPerOperation: 1, broken: "totals: 7 of 8" }),
]);

const folder = mkdtempSync(join(tmpdir(), "hotpath-cores-"));
after(() => rmSync(folder, { recursive: true }));

describe("a record of simulations", () => {
  it("is read as it was written, compressed or not", () => {
    const text = JSON.stringify(record);
    writeFileSync(join(folder, "plain.json"), text);
    writeFileSync(join(folder, "small.json.gz"), gzipSync(text));
    assert.deepEqual(readCores(join(folder, "plain.json")), record);
    assert.deepEqual(readCores(join(folder, "small.json.gz")), record);
  });

  it("of a published folder is the newest", () => {
    const published = join(folder, "published");
    assert.equal(newestCores(published), undefined);
  });

  it("completes an earlier one, of the same costs, draws and seed, with the races that were run again", () => {
    const elsewhere = (scenario: string) => ({ ...cellOf("ticket", { nsPerOperation: 9 }), scenario });
    const earlier = { ...recordOf([elsewhere("one"), elsewhere("two")]), commit: "0123456" };
    const run = recordOf([elsewhere("two"), elsewhere("three")]);
    const kept = { commit: "0123456", ...elsewhere("one") };
    assert.deepEqual(completed(run, earlier), { ...run, cells: [kept, ...run.cells] });
    const older = { ...kept, commit: "abcdef0" };
    assert.deepEqual(completed(run, { ...earlier, cells: [older] }).cells[0], older);
    const [machine, ...others] = run.machines;
    const withPause = (pause: object) => {
      const { costs } = machine!;
      return {
        ...run,
        machines: [{ ...machine!, costs: { ...costs, pause: { ...costs.pause, ...pause } } }, ...others],
      };
    };
    checkTogether(withPause({ source: "in other words" }), earlier);
    for (const other of [
      withPause({ value: 11 }),
      { ...run, draws: run.draws + 1 },
      { ...run, seed: run.seed + 1 },
    ])
      assert.throws(
        () => checkTogether(other, earlier),
        /^Error: the published record has other machines, draws or seed \(\d+\): give its seed, or simulate all$/,
      );
  });

  it("names what broke a law", () => {
    assert.deepEqual(brokenLaws(record), ["pick/uniform-8/liar/2w on here: totals: 7 of 8"]);
  });

  it("has figures to six digits, and operations of workers as they are", () => {
    const figures = kept({ ...figuresOf(123.456789, [1_234_567, 2]), broken: "a law: broken" });
    assert.equal(figures.nsPerOperation, 123.457);
    assert.deepEqual(figures.perWorker, [1_234_567, 2]);
    assert.equal(figures.broken, "a law: broken");
  });

  it("can be read again where a window never closed", () => {
    const asleep = {
      ...figuresOf(Number.POSITIVE_INFINITY, [0, 0]),
      p50Ns: 1,
      broken: "everyWorkerFinishes: never",
    };
    const nominal = kept(JSON.parse(JSON.stringify(asleep)));
    assert.equal(nominal.nsPerOperation, 0);
    const [cell] = record.cells;
    checkCores({ ...record, cells: [{ ...cell, workers: 2, nominal }] }, "x");
  });

  it("is named by its day and commit, a local one by its time", () => {
    assert.match(publishedCoresPath(record), /results\/cores\/2026-11-26-d83a107\.json\.gz$/);
    assert.equal(localCoresPath(record, "out"), join("out", "2026-11-26T233000000-d83a107.json"));
    assert.equal(commitOf({ hash: "d83a107d", dirty: true }), "d83a107d-dirty");
    assert.equal(commitOf(null), "none");
  });
});

describe("a damaged record is refused in one line", () => {
  const [cell, other] = record.cells as [(typeof record.cells)[0], (typeof record.cells)[0]];
  const damaged: readonly (readonly [unknown, RegExp])[] = [
    [null, /^x is not a record of npm run cores$/],
    [{ kind: "bench" }, /^x is not a record of npm run cores$/],
    [{ ...record, version: 2 }, /^x has version 2, this lab reads version 1$/],
    [{ ...record, seed: -1 }, /^x is damaged: \/seed /],
    [{ ...record, more: 1 }, /^x is damaged: \/more is not known here$/],
    [{ ...record, date: "2026-11-27" }, /\/date is not the day of 2026-11-26T/],
    [{ ...record, cells: [cell, { ...other, machine: "elsewhere" }] }, /\/cells\/1\/machine is none of/],
    [{ ...record, cells: [{ ...cell, workers: 2 }] }, /\/cells\/0\/nominal\/perWorker has more entries than/],
    [{ ...record, cells: [{ ...cell, competitor: "../../x" }] }, /\/cells\/0\/competitor must be a name/],
  ];
  for (const [value, message] of damaged) {
    it(String(message), () => assert.throws(() => checkCores(value, "x"), { message }));
  }

  it("as is a file that cannot be read, or is no JSON", () => {
    assert.throws(() => readCores(join(folder, "nowhere.json")), /nowhere\.json cannot be read: ENOENT$/);
    writeFileSync(join(folder, "damaged.json"), "{");
    assert.throws(() => readCores(join(folder, "damaged.json")), /is not JSON; make the record again with/);
  });
});
