import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { syntheticGroup } from "../../engine/judge/judge.synthetic.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import { readRecord } from "../schema/record-file.ts";
import { judgeRecord } from "../verdicts/judge-record.ts";
import { KeptRecord, saveLocal, saveSomewhere } from "./keep.ts";
import { recordName } from "./results.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-keep-"));
after(() => rmSync(folder, { recursive: true }));

const group = syntheticGroup({
  costsNs: { baseline: 20, rival: 10 },
  workers: 1,
  forks: 2,
  rounds: 3,
  sliceNoise: 0.01,
  forkNoise: 0.01,
  roundNoise: 0.1,
  seed: 1,
});
const one = { ...syntheticRecord([group], 1), interrupted: true };
const two = { ...one, groups: [group, { ...group, scenario: "another" }] };
const file = `${recordName(one, false)}.json`;
/** Where a folder of the record's name lies, no record can be written. */
const blocked = (name: string) => {
  const place = join(folder, name);
  mkdirSync(join(place, file), { recursive: true });
  return place;
};

it("what is kept of a run grows with it, and is whole each time", () => {
  const place = join(folder, "grows");
  const kept = new KeptRecord(assert.fail);
  for (const record of [one, two]) {
    kept.keep(join(place, file), record, record.groups.length);
    assert.deepEqual(readRecord(join(place, file)), record);
    assert.deepEqual(readdirSync(place), [file]);
  }
});

it("what cannot be kept is said once, until it can be again", () => {
  const place = blocked("refuses");
  const said: string[] = [];
  const kept = new KeptRecord((line) => said.push(line));
  const path = join(place, file);
  kept.keep(path, one, 1);
  kept.keep(path, one, 1);
  assert.equal(said.length, 1);
  assert.match(
    said[0]!,
    /^the record cannot be written \(EISDIR\): nothing is kept; the run goes on and tries again/,
  );
  rmSync(path, { recursive: true });
  kept.keep(path, one, 1);
  rmSync(path);
  mkdirSync(path);
  kept.keep(path, two, 2);
  assert.equal(said.length, 2);
  assert.match(said[1]!, /\.json keeps the first 1 of 2 parts; /);
});

it("at the end of a run its record goes elsewhere rather than nowhere", () => {
  const place = blocked("full");
  const other = join(folder, "other");
  const { paths, trouble } = saveSomewhere(join(place, file), one, new Map(), [blocked("full-too"), other]);
  assert.deepEqual(paths, [join(other, file)]);
  assert.deepEqual(readRecord(paths[0]!), one);
  assert.match(trouble ?? "", /^the record cannot be written to .*full \(EISDIR\): it is .*other\//);
});

it("where there is no room at all that is said", () => {
  const { paths, trouble } = saveSomewhere(join(blocked("a"), file), one, new Map(), [blocked("b")]);
  assert.deepEqual(paths, []);
  assert.match(trouble ?? "", /nor anywhere else/);
});

it("a record is worth more than what is made from it", () => {
  const place = join(folder, "record-alone");
  mkdirSync(join(place, file.replace(/json$/, "verdicts.ndjson")), { recursive: true });
  const { paths, trouble } = saveLocal(one, judgeRecord(one), "# page\n", place);
  assert.deepEqual(paths, [join(place, file)]);
  assert.match(trouble ?? "", /^only the record could be written \(EISDIR\): npm run report -- /);
});
