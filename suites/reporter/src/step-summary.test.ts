import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { appendStepSummary } from "./step-summary.ts";

let scratch: string;
let file: string;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "step-summary-"));
  file = join(scratch, "summary.md");
});

afterEach(() => {
  delete process.env.GITHUB_STEP_SUMMARY;
  rmSync(scratch, { recursive: true });
});

test("it appends to the file that the environment names, an empty line apart", () => {
  process.env.GITHUB_STEP_SUMMARY = file;
  writeFileSync(file, "What another command wrote\n");
  appendStepSummary("## First\n");
  appendStepSummary("## Second\n");
  assert.equal(readFileSync(file, "utf8"), "What another command wrote\n\n## First\n\n## Second\n");
});

test("it appends to a file that is named, and makes it", () => {
  appendStepSummary("## First\n", file);
  assert.equal(readFileSync(file, "utf8"), "\n## First\n");
});

test("without the variable, or with an empty one, it says in a line what is missing", () => {
  const message =
    "GITHUB_STEP_SUMMARY is not set: GitHub Actions sets it in every step, elsewhere name a file to append to";
  assert.throws(() => appendStepSummary("## First\n"), { message });
  process.env.GITHUB_STEP_SUMMARY = "";
  assert.throws(() => appendStepSummary("## First\n"), { message });
});

test("what GitHub would not show is refused, with all that stands there counted, and not written", () => {
  const most = "x".repeat(2 ** 20 - 1);
  assert.throws(() => appendStepSummary(`${most}y`, file), {
    message: "the step's summary would have 1048577 bytes, and GitHub takes 1048576: append fewer tables",
  });
  assert.equal(existsSync(file), false);
  appendStepSummary(most, file);
  assert.throws(() => appendStepSummary("", file), /would have 1048577 bytes/);
  // Bytes, not characters.
  assert.throws(() => appendStepSummary("µ".repeat(2 ** 19), join(scratch, "other.md")), /1048577 bytes/);
});
