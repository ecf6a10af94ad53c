import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { golden, goldenCases } from "../../golden.trials.ts";
import { type CommitsOutcome, exitCodeOf, mendings, refusalsOf, type TaskRow } from "./outcome.ts";
import { appendOutcome, outcomeMarkdown, outcomeText } from "./table.ts";

const file = "bench/a.bench.js";

function row(task: string, verdict: string, ratio?: number): TaskRow {
  const measured =
    ratio === undefined
      ? {}
      : {
          ratio: { value: ratio, low: ratio - 0.01, high: ratio + 0.01 },
          baseNs: 1500,
          headNs: 1500 * ratio,
          floor: 0.004,
          processes: 4,
        };
  return { file, task, verdict, ...measured };
}

const figure = (value: number) => ({ value, low: value, high: value });
const allocates: TaskRow["allocates"] = {
  ...{ bytes: figure(144), more: figure(48), verdict: "more" },
  ...{ collectionsPerOperation: 1 / 20_000, collectingShare: 0.01 },
};
const OUTCOME: CommitsOutcome = {
  base: { ref: "origin/main", commit: "0123456789" },
  head: { commit: "abcdef0123", isDirty: true },
  remarks: ["both sides were built with: npm run build"],
  rows: [
    row("same", "same", 1.001),
    row("kept", "unchanged"),
    { ...row("open", "cannot tell", 1.02), remark: "slower in a first race, and not in a second" },
    row("a bit slower", "slower", 1.1),
    { ...row("slower | `x`", "slower", 1.3), floor: 0.006 },
    { ...row("faster", "faster", 0.5), allocates },
    { ...row("failed", "no number"), reason: "not today" },
    { ...row("waits", "refused"), reason: "waits 97 % of its time" },
    row("added", "new"),
    row("removed", "gone"),
    row("late", "not raced"),
    { ...row("broken", "failed"), reason: "it throws" },
    { ...row("lost", "failed"), reason: "it throws" },
    { ...row("mended", "no base"), reason: "in the base: it throws" },
    { ...row("long", "not raced"), reason: "two races take at least 8 min 2 s: give --budget 9m" },
  ],
  refused: [{ file: "bench/b.js", reason: "it imports own" }],
  exitCode: 3,
};

it("the table of two commits reads as testdata/commits.md has it", (test) => {
  const only = (...rows: TaskRow[]) => ({ ...OUTCOME, rows });
  const divided = [0.5, 2].map((value) => ({ ratio: { value, low: value, high: value }, forks: 4 }));
  goldenCases(test, "testdata/commits.md", {
    "all verdicts": outcomeText(OUTCOME),
    "a narrow terminal": outcomeText(OUTCOME, { width: 60, styled: (verdict) => `<${verdict}>` }),
    "several files": outcomeText(
      only(row("same", "same", 1), { ...row("same", "same", 1), file: "bench/b.bench.js" }),
    ),
    "two answers, and what would have been seen": outcomeText(
      only({ ...row("a", "depends", 1), groups: divided }, { ...row("b", "cannot tell", 1), sees: 0.042 }),
    ),
    "many that did not race": outcomeText(
      only(...Array.from({ length: 20 }, (_, index) => row(`${index}`, "unchanged"))),
    ),
    markdown: outcomeMarkdown(OUTCOME),
    "no cell ends in a list": outcomeMarkdown(only(row("a | b", "unchanged"))),
    "names that are markup": outcomeMarkdown({
      ...OUTCOME,
      refused: [{ file: "b.js", reason: "<img> **no** [x](y)\nmore" }],
    }),
  });
});

describe("the summary of a step", () => {
  const folder = mkdtempSync(join(tmpdir(), "hotpath-summary-"));
  after(() => rmSync(folder, { recursive: true }));
  const summary = join(folder, "summary.md");
  const many = (verdict: string): CommitsOutcome => ({
    ...OUTCOME,
    rows: Array.from({ length: 120_000 }, (_, index) =>
      row(`täsk ${index}`, verdict, verdict === "same" ? 1 : undefined),
    ),
  });

  it("takes the table behind what is there", () => {
    writeFileSync(summary, "before\n");
    appendOutcome(summary, OUTCOME);
    assert.equal(readFileSync(summary, "utf8"), `before\n\n${outcomeMarkdown(OUTCOME)}`);
  });

  for (const verdict of ["same", "unchanged"]) {
    it(`never grows beyond what GitHub shows, and counts what is missing: ${verdict}`, () => {
      writeFileSync(summary, "before\n");
      appendOutcome(summary, many(verdict));
      const { size } = statSync(summary);
      assert.ok(size <= 2 ** 20 && size > 2 ** 20 - 200, `${size}`);
      const text = readFileSync(summary, "utf8");
      const [, left] = /\n\n(\d+) more lines do not fit here; --json has all\.\n$/.exec(text)!;
      const lines = new Set(outcomeMarkdown(many(verdict)).trimEnd().split("\n"));
      const shown = text
        .slice(text.indexOf("###"))
        .split("\n")
        .filter((line) => lines.has(line));
      assert.ok(Number(left) > 0 && Number(left) < lines.size && shown.length > 0);
      assert.equal(text.match(/<details>/g)?.length, text.match(/<\/details>/g)?.length);
    });
  }

  it("that is full stays as it is", () => {
    writeFileSync(summary, "x".repeat(2 ** 20 - 1));
    appendOutcome(summary, OUTCOME);
    assert.equal(statSync(summary).size, 2 ** 20);
  });
});

it("what was not raced is a list of files and tasks, each with its reason", (test) => {
  const list = refusalsOf(OUTCOME, "/top").map(({ file, reason }) => `${file}\n    ${reason}\n`);
  golden(test, "testdata/refused.txt", list.join(""));
});

describe("the exit code", () => {
  const refused = [{ file, reason: "it imports own" }];
  const cases: readonly (readonly [code: number, verdicts: readonly string[], failOn?: "never"])[] = [
    [3, ["slower", "failed", "no base"]],
    [0, ["slower", "not raced"], "never"],
    [1, ["failed", "same"]],
    [1, ["failed"], "never"],
    [0, ["same", "no base", "not raced", "new", "refused"]],
    [0, ["cannot tell"]],
    [0, ["unchanged", "no base", "new", "refused"]],
    [2, ["unchanged", "not raced"]],
    ...["no base", "not raced", "new", "gone", "refused", "not judged", "no number"].map(
      (one) => [2, [one]] as const,
    ),
    [0, []],
  ];
  for (const [code, verdicts, failOn = "slower"] of cases)
    it(`is ${code} for ${verdicts.join(", ") || "nothing"}${failOn === "never" ? ", if nothing is to fail" : ""}`, () => {
      const rows = verdicts.map((verdict) => row("a", verdict));
      assert.equal(exitCodeOf(rows, [], failOn), code);
    });

  it("is 3 where a task allocates more, if that is to fail", () => {
    const rows = [{ ...row("a", "faster"), allocates }];
    assert.deepEqual(
      (["bytes", "slower", "never"] as const).map((failOn) => exitCodeOf(rows, [], failOn)),
      [3, 0, 0],
    );
  });

  it("is 2 where each file was refused", () => {
    assert.equal(exitCodeOf([], refused, "slower"), 2);
  });
});

it("what to do where nothing was compared is said for each reason", (test) => {
  const said = [["no base", "npm run build"], ["no base"], ["not raced"], ["new"], ["refused"]].map(
    ([verdict, build]) => `${verdict}\n    ${mendings([row("a", verdict!)], build).join("\n    ")}\n`,
  );
  golden(test, "testdata/mendings.txt", said.join(""));
});
