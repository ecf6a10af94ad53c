import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { type RawFork, RawSlices } from "./raw.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-raw-"));
after(() => rmSync(folder, { recursive: true }));

const path = join(folder, "below", "run.slices.ndjson.gz");
const forkOf = (fork: number): RawFork => ({ primitive: "p", scenario: "s", workers: 1, fork, crews: [] });
const unheard = (line: string) => assert.fail(line);
const read = () =>
  gunzipSync(readFileSync(path))
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as RawFork).fork);

it("slices are one text, a line for each fork, however often the run is gone on with", () => {
  const slices = new RawSlices(path, undefined, unheard);
  assert.equal(slices.describe(), undefined, "before the first fork there is no file");
  slices.append(forkOf(0));
  slices.append(forkOf(1));
  assert.deepEqual(read(), [0, 1]);
  const finished = slices.describe();
  slices.append(forkOf(9));
  appendFileSync(path, "torn");
  new RawSlices(path, finished, unheard).append(forkOf(2));
  assert.deepEqual(read(), [0, 1, 2], "what followed the last finished group is gone");
  new RawSlices(path, undefined, unheard).append(forkOf(3));
  assert.deepEqual(read(), [3], "another run's file of that name is replaced");
});

it("a record knows their file by its name and hash", () => {
  const slices = new RawSlices(path, undefined, unheard);
  slices.append(forkOf(0));
  const sha256 = createHash("sha256").update(readFileSync(path)).digest("hex");
  const bytes = readFileSync(path).byteLength;
  assert.deepEqual(slices.describe(), { file: "run.slices.ndjson.gz", sha256, bytes });
});

it("a run goes on without slices that cannot be kept, and says so once", () => {
  const taken = join(folder, "taken.slices.ndjson.gz");
  const said: string[] = [];
  const slices = new RawSlices(taken, undefined, (line) => said.push(line));
  slices.append(forkOf(0));
  rmSync(taken);
  mkdirSync(taken);
  slices.append(forkOf(1));
  slices.append(forkOf(2));
  assert.equal(said.length, 1);
  assert.match(said[0]!, /^slices are not kept \(EISDIR: .*\n$/);
  assert.equal(slices.describe(), undefined);
});

it("a run does not go on with slices that are not those of its record", () => {
  const slices = new RawSlices(path, undefined, unheard);
  slices.append(forkOf(0));
  const described = slices.describe();
  writeFileSync(path, "others");
  const said: string[] = [];
  const again = new RawSlices(path, described, (line) => said.push(line));
  again.append(forkOf(1));
  assert.match(said.join(), /^slices are not kept \(other than its record says: /);
  assert.equal(again.describe(), undefined);
  assert.ok(!existsSync(path));
});

it("nothing is left of a run that finished nothing", () => {
  const slices = new RawSlices(path, undefined, unheard);
  slices.append(forkOf(0));
  slices.discard();
  assert.ok(!existsSync(path));
});
