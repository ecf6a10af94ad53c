import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { UsageError } from "../../suites/lab/command/usage.ts";
import { readingsPage, readingsSummary } from "../../suites/lab/pages/calibration/calibration-readings.ts";
import type { Request } from "../../suites/lab/plan/asked.ts";
import {
  failuresOf,
  READINGS,
  type ReadingsRecord,
  readCalibration,
} from "../../suites/lab/schema/calibration.ts";
import { recordText } from "../../suites/lab/schema/record-file.ts";
import { newestCalibrations } from "../../suites/lab/store/calibration.ts";
import { measureReadings, planReadings, type ReadingsPlan } from "./readings.ts";
import { calibrationRequest, ROUNDS } from "./smoke.synthetic.ts";

const identity = { command: "npm run calibrate -- readings pick/uniform-8/cas-ring", argv: [], commit: null };

const folder = mkdtempSync(join(tmpdir(), "hotpath-readings-"));
after(() => rmSync(folder, { recursive: true }));

let request: Request;
let plan: ReadingsPlan;
let record: ReadingsRecord;
before(async () => {
  request = { ...(await calibrationRequest(["pick/uniform-8/cas-ring"])), workers: [1] };
  plan = planReadings({ ...request, all: false }, 2, 2);
  record = await measureReadings(plan, identity);
});

it("measures each chosen cell in each turn by all four, and no cell that was not chosen", () => {
  assert.equal(record.interrupted, false);
  const [group] = record.groups;
  assert.deepEqual(
    group!.cells.map(({ name }) => name),
    ["pick/uniform-8/cas-ring/1w"],
  );
  assert.equal(group!.crews, 5, "raced beside baseline, A/A control, control and the empty crew");
  const [{ turns }] = group!.cells as [(typeof record.groups)[number]["cells"][number]];
  assert.equal(turns.length, 2);
  for (const turn of turns) {
    for (const reading of READINGS) {
      assert.equal(turn[reading].failure, undefined, reading);
      assert.ok(turn[reading].nsPerOperation!.median > 0, reading);
    }
    assert.equal(turn.alone.samples, ROUNDS, "the lab's samples are its slices");
  }
  assert.notEqual(turns[0]!.mitata.heapBytesPerOperation, undefined);
  assert.equal(turns[1]!.mitata.heapBytesPerOperation, undefined, "the first turn alone weighs");
  assert.deepEqual(failuresOf(record), []);
});

it("a record is read back as it was written, and the newest is found", () => {
  const older = { ...record, startedAt: "2020-01-01T00:00:00.000Z" };
  const path = join(folder, "2026-01-02-made-up.json");
  writeFileSync(path, recordText(record));
  writeFileSync(join(folder, "2026-01-03-made-up.json"), recordText(older));
  assert.deepEqual(readCalibration(path), record);
  assert.deepEqual(newestCalibrations("readings", folder).alone, { path, record });
  assert.equal(newestCalibrations("readings", join(folder, "nowhere")).alone, undefined);
});

it("a file that is not such a record is refused in one line that names it", () => {
  const path = join(folder, "other.json");
  const text = recordText(record);
  for (const [wrong, reason] of [
    ["null", /is not a record of npm run calibrate/],
    ['{"schemaVersion": 1}', /is not a record of npm run calibrate/],
    [text.replace('"schemaVersion": 3', '"schemaVersion": 1'), /has schema version 1/],
    [text.replace('"turns": 2', '"turns": "two"'), /is damaged: \/turns/],
    ["{", /is damaged: it is not JSON; .* npm run calibrate/],
  ] as const) {
    writeFileSync(path, wrong);
    assert.throws(
      () => readCalibration(path),
      ({ message }: Error) => message.startsWith(path) && reason.test(message) && !message.includes("\n"),
    );
  }
});

it("the page has the summary, every pair and a row for each cell, and depends on the record alone", () => {
  const page = readingsPage(record, "a.json");
  assert.ok(page.includes(readingsSummary(record)));
  assert.match(
    readingsSummary(record),
    /^1 one-worker cells, 0 of them in the quiet state: [01] agree within 10 % in every pair, /,
  );
  assert.match(page, /^\| tinybench to mitata +\| +1 \|/m);
  assert.match(page, /^\| cas-ring +\| +[\d.,]+ \| +[\d.,]+ \| +[\d.,]+ \| +[\d.,]+ \|/m);
  assert.ok(
    page.endsWith("Made from `a.json` by `npm run report`. Do not edit: change the lab and make it again.\n"),
  );
  const path = join(folder, "page.json");
  writeFileSync(path, recordText(record));
  assert.equal(readingsPage(readCalibration(path) as ReadingsRecord, "a.json"), page);
  assert.ok(readFileSync(path, "utf8").split("\n").length < 200, "figures stand on one line");
});

it("a failure in one turn is counted, and its cell does not agree", () => {
  const broken = structuredClone(record);
  broken.groups[0]!.cells[0]!.turns[1]!.tinybench = {
    failure: { kind: "law", reason: "rotation is not conserved" },
    samples: 0,
    batch: 0,
    flags: [],
  };
  assert.deepEqual(failuresOf(broken), ["rotation is not conserved"]);
  assert.match(readingsSummary(broken), /1 lack a number$/);
  assert.match(readingsPage(broken, "a.json"), /tinybench has no number: rotation is not conserved/);
});

it("an interrupted record is gone on with where it ended, and only by the same plan", async () => {
  const made = (previous: ReadingsRecord, asked = plan) => measureReadings(asked, identity, previous);
  const interrupted = { ...record, interrupted: true };
  const whole = await made(interrupted);
  assert.deepEqual(whole.groups, record.groups, "what was finished is not measured anew");
  assert.equal(whole.startedAt, record.startedAt);
  assert.equal(whole.resumedAt?.length, 1);
  await assert.rejects(made(record), /the record is whole/);
  await assert.rejects(made(interrupted, { ...plan, turns: 3 }), /no longer those of the lab: start anew/);
  const others = { ...interrupted, libraries: { mitata: "0.0.0", tinybench: "0.0.0" } };
  await assert.rejects(made(others), UsageError);
});

it("a request without a race of one worker is refused", () => {
  for (const filter of ["heartbeats/steady", "pick/resonance-4-workers"]) {
    assert.throws(() => planReadings({ ...request, filters: [filter] }, 1), UsageError);
  }
});
