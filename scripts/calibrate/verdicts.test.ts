import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { golden } from "../../suites/engine/golden.trials.ts";
import { syntheticGroup } from "../../suites/engine/judge/judge.synthetic.ts";
import type { GroupResult } from "../../suites/engine/measure/run/watched.ts";
import type { GroupRecord } from "../../suites/engine/schema/record.ts";
import { runPlan } from "../../suites/lab/kinds/run.ts";
import { verdictsPage } from "../../suites/lab/pages/calibration/calibration-verdicts.ts";
import type { Request } from "../../suites/lab/plan/asked.ts";
import { LabRacing } from "../../suites/lab/racing.ts";
import { type CalibrationRecord, readCalibration } from "../../suites/lab/schema/calibration.ts";
import { syntheticRecord } from "../../suites/lab/schema/record.synthetic.ts";
import { recordText } from "../../suites/lab/schema/record-file.ts";
import { othersBeside } from "../../suites/lab/store/calibration.ts";
import { calibrationRequest, ROUNDS } from "./smoke.synthetic.ts";
import { knownGroup, planVerdicts, slowdownsOf } from "./verdicts.ts";

const CELLS = ["pick/uniform-8/shuffled-round-robin/1w", "pick/uniform-8/cas-ring/2w"];

let request: Request;
before(async () => {
  request = await calibrationRequest(CELLS);
});

describe("the plan", () => {
  it("repeats cell after cell, each with equals, slowed ones and the engine's own crews", () => {
    const { plan, cells, orders } = planVerdicts(request, 3, 2);
    assert.deepEqual(
      cells.map(({ name }) => name),
      CELLS,
    );
    assert.deepEqual(
      plan.groups.map(({ workers, rows }) => [workers, rows]),
      [...Array.from({ length: 6 }, (_, place) => [1 + (place % 2), 8]), [1, 4], [2, 4]],
      "three turns, and the equals in small company",
    );
    assert.equal(orders.length, 2 * 2 * 7, "two libraries read the cell of one worker in two turns");
    const crews = plan.groups[1]!.crews;
    const slowdowns = slowdownsOf({ workers: 2, isLarge: false });
    assert.equal(new Set(crews.map(({ name }) => name)).size, crews.length);
    assert.equal(
      crews.filter(({ url, extraWork }) => url !== undefined && extraWork === undefined).length,
      6,
    );
    assert.deepEqual(
      crews.flatMap(({ extraWork }) => extraWork ?? []),
      slowdowns,
    );
    assert.deepEqual(
      crews.filter(({ url }) => url === undefined).map(({ kind }) => kind),
      ["control", "control-alone", "empty"],
    );
    assert.equal(
      plan.groups[1]!.rows,
      4 + slowdowns.length,
      "the baseline and what sets the floor are no rows",
    );
  });

  it("has each turn twice where it is compiled alike, too", () => {
    const { groups } = planVerdicts(request, 1, 0, true).plan;
    assert.deepEqual(
      groups.map(({ scenario, isCompiledAlike }) => [scenario, isCompiledAlike]),
      [undefined, true, undefined].flatMap((isAlike) => {
        const cell = [isAlike ? "uniform-8@compiled-alike" : "uniform-8", isAlike];
        return [cell, cell];
      }),
    );
  });

  it("refuses what has no clock", () => {
    const [simulated] = request.suites.flatMap(({ suite: { primitive, scenarios } }) =>
      scenarios.filter(({ kind }) => kind === "simulation").map(({ scenario }) => `${primitive}/${scenario}`),
    );
    assert.throws(() => planVerdicts({ ...request, filters: [simulated!] }, 1, 0), /is no race/);
  });
});

describe("a slowed crew", () => {
  it("runs what it does not count, and its law finds all of it", async () => {
    const { plan } = planVerdicts({ ...request, filters: CELLS.slice(0, 1) }, 1, 0, true);
    // The one that is compiled alike.
    const group = plan.groups[1];
    // Twice the work: every counted operation has another beside it.
    const crews = group!.crews.map((crew) =>
      crew.extraWork === undefined ? crew : { ...crew, extraWork: 1 },
    );
    let seen: GroupResult | undefined;
    await runPlan(
      { ...plan, groups: [{ ...group!, crews }] },
      {
        progress() {},
        raced: (result) => {
          seen = result;
        },
        simulated() {},
        surveyed() {},
      },
      new AbortController().signal,
    );
    const slowed = seen!.forks[0]!.crews.filter(({ name }) => name.includes("~slowed"));
    assert.equal(slowed.length, slowdownsOf({ workers: 1, isLarge: false }).length);
    const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
    for (const { name, failure, rounds, workers, accounts } of slowed) {
      assert.equal(failure, undefined, name);
      assert.equal(rounds.length, ROUNDS, name);
      const counted = sum(workers[0]!.operations);
      const run = sum(accounts!.last.operations) - sum(accounts!.first.operations);
      assert.ok(counted > 0 && run >= 2 * counted, `${name}: ${run}, ${counted}`);
    }
    const groups: GroupRecord[] = [];
    const racing = new LabRacing(groups, undefined, true);
    racing.needed(seen!.plan, seen!.forks);
    const record = knownGroup(racing.finish(seen!), seen!.plan, "smoke");
    assert.deepEqual([record.failure, record.isCompiledAlike], [undefined, true]);
    assert.equal(
      Object.values(record.extraWork).filter((extraWork) => extraWork === 1).length,
      slowed.length,
    );
    assert.deepEqual([record.isLarge, record.precision], [false, 0.01]);
  });
});

describe("the record", () => {
  const folder = mkdtempSync(join(tmpdir(), "hotpath-verdicts-"));
  after(() => rmSync(folder, { recursive: true }));
  const { groups: _, simulations: __, surveys: ___, ...facts } = syntheticRecord([], 7);
  const group = syntheticGroup({
    costsNs: { one: 10, equal: 10, slowed: 10.3 },
    workers: 1,
    forks: 4,
    rounds: 20,
    sliceNoise: 0.001,
    forkNoise: 0.001,
    roundNoise: 0,
    seed: 1,
  });
  const record: CalibrationRecord = {
    ...facts,
    kind: "calibration",
    part: "verdicts",
    groups: [
      {
        ...group,
        extraWork: { one: 0, "one~aa1": 0, equal: 0, slowed: 0.03 },
        isLarge: false,
        precision: 0.01,
      },
    ],
    readings: [
      { library: "a", cell: "synthetic/test/one/1w", extraWork: 0, turn: 0, mean: 10, low: 9, high: 11 },
      {
        library: "a",
        cell: "synthetic/test/one/1w",
        extraWork: 0,
        turn: 1,
        mean: null,
        low: null,
        high: null,
        failure: "it died",
      },
    ],
  };

  it("is read back as it was written, and refused in one line where it is damaged", () => {
    const path = join(folder, "whole.json");
    writeFileSync(path, recordText(record));
    assert.deepEqual(readCalibration(path), JSON.parse(JSON.stringify(record)));
    writeFileSync(path, recordText(record).replace('"turn": 1', '"turn": -1'));
    assert.throws(() => readCalibration(path), /is damaged: \/readings\/1\/turn/);
  });

  it("counts beside it the published ones of its method", () => {
    const published = join(folder, "published");
    mkdirSync(published);
    const others = [
      record,
      { ...record, startedAt: "2026-01-02T00:00:00.000Z" },
      { ...record, startedAt: "2026-01-03T00:00:00.000Z", methodVersion: record.methodVersion - 1 },
    ];
    for (const [place, one] of others.entries())
      writeFileSync(join(published, `2026-01-0${place + 1}-a.json`), recordText(one));
    assert.deepEqual(
      othersBeside(record, published).map(({ startedAt }) => startedAt),
      ["2026-01-02T00:00:00.000Z"],
    );
  });

  it("makes a page that says what has no numbers, and counts the equals of other runs", (test) => {
    const other = {
      ...record,
      groups: record.groups.map((group) => ({ ...group, isCompiledAlike: true as const })),
    };
    golden(test, "testdata/verdicts.md", verdictsPage(record, "whole.json", [other, record]));
  });
});
