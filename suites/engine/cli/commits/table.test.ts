import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
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

const OUTCOME: CommitsOutcome = {
  base: { ref: "origin/main", commit: "0123456789" },
  head: { commit: "abcdef0123", isDirty: true },
  remarks: ["both sides were built with: npm run build"],
  rows: [
    row("same", "same", 1.001),
    row("kept", "unchanged"),
    { ...row("open", "cannot tell", 1.02), remark: "slower in a first race, and not in a second" },
    row("a bit slower", "slower", 1.1),
    row("slower | `x`", "slower", 1.3),
    row("faster", "faster", 0.5),
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

describe("the table of two commits", () => {
  it("has what is slower first, and all others after it", () => {
    assert.equal(
      outcomeText(OUTCOME),
      `abcdef0 with uncommitted changes against origin/main (0123456)

task            base     head             ratio  verdict
slower | \`x\`  1.5 us  1.95 us  1.30 (1.29-1.31)  slower
a bit slower  1.5 us  1.65 us  1.10 (1.09-1.11)  slower
faster        1.5 us   750 ns  0.50 (0.49-0.51)  faster
same          1.5 us   1.5 us  1.00 (0.99-1.01)  same
open          1.5 us  1.53 us  1.02 (1.01-1.03)  cannot tell
failed                                           no number

5 compared (2 slower, 1 faster, 1 same, 1 cannot tell), 1 unchanged, 9 not compared (1 no number, 2 failed, 1 new, 1 gone, 1 no base, 1 refused, 2 not raced). The noise floor of this machine is 0.4 %, and 0.4 % at most.
bench/b.js: it imports own
open: slower in a first race, and not in a second
failed: not today
refused: waits: waits 97 % of its time
failed: broken; lost: it throws
no base: mended: in the base: it throws
not raced: long: two races take at least 8 min 2 s: give --budget 9m
both sides were built with: npm run build
1 unchanged, both commits load the same files: kept
1 not raced, the budget was over: late
1 new, the base does not have them: added
1 gone, only the base has them: removed
`,
    );
  });

  it("is Markdown in which no name of a task is markup", () => {
    const text = outcomeMarkdown(OUTCOME);
    assert.match(
      text,
      /^### abcdef0 with uncommitted changes against origin\/main \(0123456\)\n\n5 compared \(2 slower, /,
    );
    assert.ok(text.includes("\n| `` slower \\| `x` `` | 1.5 us | 1.95 us | 1.30 (1.29-1.31) |"), text);
    assert.ok(
      text.includes(
        "<details>\n<summary>1 unchanged, both commits load the same files</summary>\n\n- `kept`\n\n</details>\n",
      ),
    );
    const bar = outcomeMarkdown({ ...OUTCOME, rows: [row("a | b", "unchanged")] });
    assert.ok(bar.includes("\n- `a | b`\n"), "no cell ends in a list");
    const hostile = { ...OUTCOME, refused: [{ file: "b.js", reason: "<img> **no** [x](y)\nmore" }] };
    assert.ok(outcomeMarkdown(hostile).includes("- b.js: \\<img\\> \\*\\*no\\*\\* \\[x\\](y) more\n"));
  });

  it("names the files of tasks where there are several", () => {
    const other = { ...row("same", "same", 1), file: "bench/b.bench.js" };
    const text = outcomeText({ ...OUTCOME, rows: [row("same", "same", 1), other] });
    assert.match(text, /\nbench\/a.bench.js: same .*\nbench\/b.bench.js: same /);
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

describe("the list of what was not raced", () => {
  it("has files and tasks, each with its reason", () => {
    const list = refusalsOf(OUTCOME, join(tmpdir(), "top"));
    assert.deepEqual(
      list.map(({ reason }) => reason),
      [
        "bench/b.js: it imports own",
        "bench/a.bench.js: waits: waits 97 % of its time",
        "bench/a.bench.js: broken: it throws",
        "bench/a.bench.js: lost: it throws",
        "bench/a.bench.js: mended: in the base: it throws",
        "bench/a.bench.js: long: two races take at least 8 min 2 s: give --budget 9m",
      ],
    );
    assert.equal(list[0]!.file, pathToFileURL(join(tmpdir(), "top", "bench", "b.js")).href);
  });
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

  it("is 2 where each file was refused", () => {
    assert.equal(exitCodeOf([], refused, "slower"), 2);
  });
});

describe("what to do where nothing was compared", () => {
  const said = (verdict: string, build?: string) => mendings([row("a", verdict)], build);
  it("is said for each reason", () => {
    assert.deepEqual(said("no base", "npm run build"), [
      'nothing was compared, since the base does not run: give --build "npm run build", which runs in both commits, if it has to be built or lacks packages, or another --base',
    ]);
    assert.deepEqual(said("no base"), [
      "nothing was compared, since the base does not run: give another --base",
    ]);
    assert.deepEqual(said("not raced"), [
      "nothing was compared, since there was no time: give a longer --budget, or fewer tasks by --task TEXT",
    ]);
    assert.deepEqual(said("new"), [
      "nothing was compared, since the base has none of these tasks: give a --base that has some",
    ]);
    assert.deepEqual(said("refused"), [], "its line says why");
  });
});
