import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { syntheticRecord } from "../judge/judge.synthetic.ts";
import { loadClaims, loadSuites } from "../load.ts";
import type { Profile, Request } from "../measure/plan.ts";
import { type GroupResult, run } from "../measure/run.ts";
import { RULER_SCHEMA_VERSION, type RulerRecord, readRulerRecord, rulerText } from "../record/ruler.ts";
import { rulerPage } from "../report/ruler.ts";
import { rulerGroup } from "./measure.ts";
import { rulerPlan, SLOWDOWNS } from "./plan.ts";

const SMOKE: Profile = { name: "smoke", forks: 1, rounds: 2, sliceMs: 2, surveys: 1 };
const CELLS = ["pick/uniform-8/shuffled-round-robin/1w", "pick/uniform-8/cas-ring/2w"];

let request: Request;
before(async () => {
  const suites = await loadSuites();
  request = {
    suites,
    filters: CELLS,
    all: true,
    workers: undefined,
    profile: SMOKE,
    size: "smoke",
    seed: 42,
    twins: 1,
    patienceMs: 30_000,
    candidates: new Map(),
    claims: await loadClaims(suites, new Map()),
    cores: 2,
  };
});

describe("the plan", () => {
  it("repeats cell after cell, each with equals, slowed ones and the engine's own crews", () => {
    const { plan, cells } = rulerPlan(request, 3);
    assert.deepEqual(
      cells.map(({ name }) => name),
      CELLS,
    );
    assert.equal(plan.groups.length, 6);
    assert.deepEqual(
      plan.groups.map(({ workers }) => workers),
      [1, 2, 1, 2, 1, 2],
    );
    const crews = plan.groups[1]!.crews;
    assert.equal(new Set(crews.map(({ name }) => name)).size, crews.length);
    assert.equal(
      crews.filter(({ url, extraWork }) => url !== undefined && extraWork === undefined).length,
      6,
    );
    assert.deepEqual(
      crews.flatMap(({ extraWork }) => extraWork ?? []),
      [...SLOWDOWNS],
    );
    assert.deepEqual(
      crews.filter(({ url }) => url === undefined).map(({ kind }) => kind),
      ["control", "control-alone", "empty"],
    );
  });

  it("refuses what has no clock", () => {
    const [simulated] = request.suites.flatMap(({ suite: { primitive, scenarios } }) =>
      scenarios.filter(({ kind }) => kind === "simulation").map(({ scenario }) => `${primitive}/${scenario}`),
    );
    assert.throws(() => rulerPlan({ ...request, filters: [simulated!] }, 1), /is no race/);
  });
});

describe("a slowed crew", () => {
  it("runs what it does not count, and its law finds all of it", async () => {
    const { plan } = rulerPlan({ ...request, filters: CELLS.slice(0, 1) }, 1);
    const [group] = plan.groups;
    // Twice the work: every counted operation has another beside it.
    const crews = group!.crews.map((crew) =>
      crew.extraWork === undefined ? crew : { ...crew, extraWork: 1 },
    );
    let seen: GroupResult | undefined;
    await run(
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
    assert.equal(slowed.length, SLOWDOWNS.length);
    for (const { name, failure, slices } of slowed) {
      assert.equal(failure, undefined, name);
      assert.equal(slices.length, SMOKE.rounds, name);
      for (const { workers } of slices) {
        const [{ operations, operationsWithRamps }] = workers as [(typeof workers)[number]];
        assert.ok(
          operations > 0 && operationsWithRamps >= 2 * operations,
          `${operationsWithRamps}, ${operations}`,
        );
      }
    }
    const record = rulerGroup(seen!);
    assert.equal(record.failure, undefined);
    assert.deepEqual(
      record.forks.map((forkCrews) => forkCrews.map((rounds) => rounds.length)),
      [Array.from({ length: 6 + SLOWDOWNS.length }, () => SMOKE.rounds)],
    );
  });
});

describe("the record", () => {
  const folder = mkdtempSync(join(tmpdir(), "hotpath-ruler-"));
  after(() => rmSync(folder, { recursive: true }));
  const { schemaVersion: _, groups: __, simulations: ___, surveys: ____, ...facts } = syntheticRecord([], 7);
  const crews = [0, 0, 0, 0.03].map((extraWork, crew) => ({ name: `crew${crew}`, extraWork }));
  const record: RulerRecord = {
    rulerSchemaVersion: RULER_SCHEMA_VERSION,
    ...facts,
    groups: [
      {
        cell: "synthetic/test/one/1w",
        workers: 1,
        oversubscribed: false,
        crews,
        forks: Array.from({ length: 3 }, (_, fork) =>
          crews.map(({ extraWork }) => [10 * (1 + extraWork) + fork / 100, null, 10.02 * (1 + extraWork)]),
        ),
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

  it("is read back as it was written", () => {
    const path = join(folder, "whole.json");
    writeFileSync(path, rulerText(record));
    assert.deepEqual(readRulerRecord(path), record);
  });

  it("is refused in one line where it is damaged or another thing", () => {
    const path = join(folder, "damaged.json");
    writeFileSync(path, rulerText(record).slice(0, -20));
    assert.throws(() => readRulerRecord(path), /damaged: it is not JSON/);
    writeFileSync(path, rulerText(record).replace('"turn":1', '"turn":-1'));
    assert.throws(() => readRulerRecord(path), /no ruler record that this lab can read: \/readings\/1\/turn/);
  });

  it("makes the same page each time, which says what has no numbers", () => {
    const page = rulerPage(record, "whole.json");
    assert.equal(rulerPage(record, "whole.json"), page);
    assert.match(page, /\| lab +\| 1 +\| +3 \|/);
    assert.match(page, /1 groups or readings have no numbers: it died/);
  });
});
