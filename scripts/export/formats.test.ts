import assert from "node:assert/strict";
import { describe, it } from "node:test";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { goldenCases } from "../../suites/engine/golden.trials.ts";
import type { BenchRecord } from "../../suites/lab/schema/record.ts";
import { readRecord } from "../../suites/lab/schema/record-file.ts";
import { publishedRecords } from "../../suites/lab/store/results.ts";
import { judgeRecord } from "../../suites/lab/verdicts/judge-record.ts";
import { acrossRuntimes, withinRuntime } from "../../suites/lab/verdicts/runtimes.synthetic.ts";
import { everything, later, raceOf, stalledOnce, withCell } from "./export.synthetic.ts";
import { judgedSource, originOf, type Source } from "./figures.ts";
import { exportRecords, FORMAT_NAMES, type FormatName } from "./formats.ts";

const sourcesOf = (...records: readonly BenchRecord[]): Source[] =>
  records.map((record, index) => judgedSource(`${"abc"[index]}.json`, record));
const raced = (scenario: string, more: Partial<BenchRecord> = {}) =>
  sourcesOf(everything({ groups: [raceOf(scenario, { first: 20 })], simulations: [], surveys: [], ...more }));

const WHOLE = everything();
const [SHARED, SLOW, ...OTHERS] = WHOLE.groups;
const [SURVEY] = WHOLE.surveys!;
const ONLY_RACES = { ...WHOLE, simulations: [], surveys: [] };
const plain = { title: "", unit: "", digits: 0 };
const TWICE = {
  ...SURVEY!,
  metrics: { a_b: plain, aB: plain },
  cells: SURVEY!.cells.map((cell) => ({ ...cell, forks: [{ a_b: 1, aB: 2 }] })),
};

/** What is exported or refused, in each format. */
const CASES: Readonly<Record<string, readonly Source[]>> = {
  "races, simulations and surveys": sourcesOf(WHOLE),
  "three runs, one of changed code and one of none that is known": sourcesOf(
    WHOLE,
    later(),
    everything({ startedAt: "2026-11-22", commit: null, simulations: [] }),
  ),
  "two runs, the newer one first": sourcesOf(later(), WHOLE),
  "cells of two runs": sourcesOf(
    { ...ONLY_RACES, groups: [SHARED!, SLOW!] },
    { ...later(), groups: OTHERS, simulations: [], surveys: [] },
  ),
  "parts of one run": sourcesOf(ONLY_RACES, { ...WHOLE, groups: [] }),
  "one run twice": sourcesOf(ONLY_RACES, WHOLE),
  "surveys of two runs": sourcesOf(
    { ...WHOLE, groups: [], simulations: [] },
    { ...later(), groups: [], simulations: [] },
  ),
  "simulations alone": sourcesOf({ ...WHOLE, groups: [], surveys: [] }),
  "several runtimes": sourcesOf({
    ...ONLY_RACES,
    groups: [acrossRuntimes("ring", { node24: 20, bun: 10 }), withinRuntime("bun", { ring: 10 })],
  }),
  "the quiet state": sourcesOf({
    ...ONLY_RACES,
    groups: [raceOf("quiet", { first: 20, other: 10 }, 1, { first: 2, other: 1.5 })],
  }),
  "a slice that came to no end": sourcesOf({ ...ONLY_RACES, groups: [withCell(SLOW!, "slow", stalledOnce)] }),
  "the baseline behind its rivals": sourcesOf({
    ...ONLY_RACES,
    groups: [{ ...SLOW!, cells: SLOW!.cells.toReversed() }],
  }),
  "several machines": [
    ...raced("plain"),
    ...raced("other", { machine: { ...WHOLE.machine, slug: "other" }, startedAt: "2026-11-22" }),
  ],
  "text of several lines": raced("plain", {
    machine: { ...WHOLE.machine, cpu: "Made\nUp" },
    command: "npm run bench\nPASS",
  }),
  ...Object.fromEntries(
    ["two words", "a/b", "a=b", "a,b", "a;b", 'a"b', "a'b", "a\nb"].map((name) => [
      `a scenario called ${JSON.stringify(name)}`,
      raced(name),
    ]),
  ),
  "a scenario with a name of 1024 letters": raced("s".repeat(1024)),
  "a primitive called 8": raced("", { groups: [{ ...raceOf("plain", { first: 1 }), primitive: "8" }] }),
  "a unit of 60 letters": sourcesOf({
    ...WHOLE,
    groups: [],
    surveys: [{ ...SURVEY!, metrics: { bytesFilled: { ...plain, unit: "x".repeat(60) } } }],
  }),
  "two metrics of nearly one name": sourcesOf({ ...WHOLE, groups: [], surveys: [TWICE] }),
  "a run without a time": raced("plain", { startedAt: "yesterday" }),
  "a record of smoke size": [...sourcesOf(later()), ...raced("plain", { size: "smoke" })],
  "an interrupted record": raced("plain", { interrupted: true }),
  "two methods": sourcesOf(WHOLE, { ...later(), methodVersion: 1 }),
  nothing: sourcesOf(everything({ groups: [], simulations: [], surveys: [] })),
};

function outcome(format: FormatName, sources: readonly Source[]): string {
  try {
    const { text, values, leftOut, remarks } = exportRecords(format, sources);
    const notes = [`${values} values`, ...leftOut.map((name) => `left out: ${name}`), ...remarks];
    return `${text}${notes.map((note) => `> ${note}\n`).join("")}`;
  } catch (error) {
    return `${String(error).replaceAll(/(.)\1{50,}/g, "$1...")}\n`;
  }
}

for (const format of FORMAT_NAMES)
  it(`${format} is what other engines are given, or says why not`, (test) => {
    const texts = Object.entries(CASES).map(([name, sources]) => [name, outcome(format, sources)]);
    goldenCases(test, `testdata/${format}.md`, Object.fromEntries(texts));
  });

it("records of several runtimes say what all of them were", () => {
  const [source] = CASES["several runtimes"]!;
  assert.equal(originOf(source!.record).runtime, "Node.js 24.21.0 + Bun 1.4.5");
});

const exactly = { additionalProperties: false };

/**
 * What the action takes for `customSmallerIsBetter`, from benchmark-action/github-action-benchmark: README.md ("Every
 * entry in the JSON file you provide only needs to provide name, unit, and value. You can also provide optional range
 * ... and extra") and `BenchmarkResult` in src/extract.ts, which would also coerce other types; an empty array it
 * refuses. A name must be there once: src/write.ts finds the entry to compare with by its name.
 */
const text = Type.String({ minLength: 1 });
const note = Type.Optional(Type.String());
const Entry = Type.Object(
  { name: text, unit: text, value: Type.Number(), range: note, extra: note },
  exactly,
);
const Entries = Type.Array(Entry, { minItems: 1 });

/** The figures of an export by cell: one, or in benchstat one for each process. */
const FIGURES: Readonly<Record<FormatName, (text: string) => Map<string, number[]>>> = {
  "github-action-benchmark"(text) {
    const entries = JSON.parse(text);
    assert.ok(Compile(Entries).Check(entries));
    assert.equal(new Set(entries.map(({ name }) => name)).size, entries.length, "a name is there once");
    return new Map(
      entries.flatMap(({ name, unit, value }) => (unit.startsWith("ns/") ? [[name, [value]]] : [])),
    );
  },
  benchstat(text) {
    const lines = text.matchAll(
      /^Benchmark(\S+?)\/scenario=([^/\s]+)\/competitor=([^/\s]+?)(?:\/role=([^/\s]+))?(?:\/oversubscribed=yes)?-(\d+) \d+ (\S+) ns\/op$/gm,
    );
    const figures = new Map<string, number[]>();
    for (const [, primitive, scenario, competitor, role, workers, ns] of lines) {
      const place = [primitive!.toLowerCase(), scenario, competitor, `${workers}w`];
      const cell = [...place, ...(role === undefined ? [] : [role])].join("/");
      figures.set(cell, [...(figures.get(cell) ?? []), Number(ns)]);
    }
    return figures;
  },
};

describe("an export has the judged figures of each contestant with a number, and no other cell", () => {
  const records = [...CASES["races, simulations and surveys"]!, ...CASES["the quiet state"]!];
  const draws = publishedRecords("draws").at(-1)!;
  for (const format of FORMAT_NAMES)
    it(format, () => {
      for (const source of [...records, judgedSource("draws", readRecord(draws))]) {
        const figures = FIGURES[format](exportRecords(format, [source]).text);
        const rows = judgeRecord(source.record).races.flatMap((scenario) => scenario.rows);
        const judged = rows.flatMap((row) => {
          const isContestant = row.kind === "baseline" || row.kind === "rival";
          return isContestant && row.noNumber === undefined ? [row] : [];
        });
        assert.deepEqual([...figures.keys()].sort(), judged.map(({ cell }) => cell).sort());
        for (const { cell, median, processes } of judged) {
          const own = format === "benchstat" ? processes.map(({ ns }) => ns) : [median];
          assert.deepEqual(figures.get(cell), own, cell);
        }
      }
    });
});
