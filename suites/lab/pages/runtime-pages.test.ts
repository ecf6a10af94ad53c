import assert from "node:assert/strict";
import { it } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import type { BenchRecord, SurveyRecord } from "../schema/record.ts";
import { checkRecord, isOnRuntimes, recordText } from "../schema/record-file.ts";
import { readVerdicts, verdictText } from "../schema/verdict.ts";
import { judgedRecord } from "../verdicts/judge-record.ts";
import { acrossRuntimes, RUNTIMES, withinRuntime } from "../verdicts/runtimes.synthetic.ts";
import { newestOf } from "./newest.ts";
import { recordPage } from "./pages.ts";
import { runtimesPage } from "./runtime-pages.ts";

const ACROSS = acrossRuntimes("cas-ring", { node24: 20, bun: 8 });
const RACED = syntheticRecord(
  [
    ACROSS,
    withinRuntime("node24", { "cas-ring": 20, other: 40 }),
    withinRuntime("bun", { "cas-ring": 20, other: 5 }),
  ],
  7,
);

/** A survey of bytes with a figure of each process, or the reason that there is none. */
function survey(runtime: keyof typeof RUNTIMES, bytes: readonly number[], reason?: string): SurveyRecord {
  const name = `synthetic/test@${runtime}/list`;
  const cell = { name, competitor: "list", baseline: true, forks: bytes.map((each) => ({ bytes: each })) };
  return {
    primitive: "synthetic",
    scenario: `test@${runtime}`,
    title: "bytes of a thing",
    metrics: { bytes: { title: "Held", unit: "B/thing", digits: 1 } },
    runtimes: [RUNTIMES[runtime]],
    absent: reason === undefined ? [] : [{ competitor: "list", reason }],
    cells: reason === undefined ? [cell] : [],
  };
}

const SURVEYED = {
  ...syntheticRecord([], 7),
  surveys: [survey("node24", [24, 26, 25]), survey("bun", [40]), survey("deno", [], "no counters")],
};

function pageOf(...records: readonly BenchRecord[]): string {
  const files = records.map((record, index) => ({
    file: `${index}.json`,
    record: checkRecord(record, "it"),
  }));
  const newest = newestOf(files, ["test"])!;
  return runtimesPage("synthetic", newest, { question: "Which one?", labels: new Map() });
}

it("a record of several runtimes is read again as it was written, and so are its verdicts", () => {
  assert.deepEqual(checkRecord(JSON.parse(recordText(RACED)), "it"), RACED);
  const { verdicts } = judgedRecord(RACED);
  assert.deepEqual(readVerdicts(verdictText(verdicts), "them"), verdicts);
  assert.deepEqual([RACED, SURVEYED, syntheticRecord([], 7)].map(isOnRuntimes), [true, true, false]);
});

it("the pages of races and surveys on several runtimes", (t) => {
  const gone = syntheticRecord([acrossRuntimes("gone", { node24: 20, deno: 8 })], 7);
  goldenCases(t, "testdata/runtimes.md", {
    "a record by itself": recordPage("Results", judgedRecord(RACED), "record.json"),
    races: pageOf(RACED),
    surveys: pageOf(SURVEYED),
    "the newest record of a scenario supersedes older ones whole": pageOf(gone, syntheticRecord([ACROSS], 7)),
  });
});
