import type { Abuse, Call, Promised } from "./abuse.ts";
import {
  calibrationRecord,
  changedGroups,
  changedRecord,
  methodOfRecord,
  rewrittenRecord,
} from "./planted-records.ts";

/** Records that are torn, foreign, from other times or edited by hand, given to everything that reads records. */

/** What reads a record, by a word for it. */
const READERS: Readonly<Record<string, (path: string) => Call["command"]>> = {
  report: (path) => ["report", path],
  verdicts: (path) => ["report", "--verdicts", path],
  export: (path) => ["export", "--format", "otava", path],
  compare: (path) => ["compare", path, path],
  nightly: (path) => ["nightly", ...["--from", path, "--history", "out/history", "--charts", "out/trends"]],
  merge: (path) => ["merge", path, "--out", "out/merged.json"],
  resume: (path) => ["bench", "--resume", path],
};

/** A record that cannot be read, given to these readers: each says in one line which file it is. */
function unreadable(name: string, text: string, why: RegExp, readers = Object.keys(READERS)): Abuse[] {
  return readers.map((reader) => ({
    name: `records/${name}-in-${reader}`,
    files: { "record.json": text },
    command: READERS[reader]!("record.json"),
    promised: { exit: 2, says: new RegExp(`record\\.json.*(${why.source})`) },
  }));
}

/** A record that can be read, of a run that cannot be gone on with. */
function notResumable(name: string, change: object, why: RegExp): Abuse {
  return {
    name: `records/resume-${name}`,
    files: { "record.json": changedRecord({ interrupted: true, argv: ["draws"], ...change }) },
    command: ["bench", "--resume", "record.json"],
    promised: { exit: 2, says: why },
  };
}

/** Two records, given to what takes several. */
function together(name: string, change: object, command: Call["command"], promised: Promised): Abuse {
  return {
    name: `records/${name}`,
    files: { "first.json": changedRecord({}), "second.json": changedRecord(change) },
    command,
    promised,
  };
}

const METHOD = methodOfRecord();
const NEWER_METHOD = { methodVersion: 99 };
const FIRST_ARRAY = /"p50":\[[^,\]]+,/;

export const records: readonly Abuse[] = [
  ...unreadable(
    "torn",
    rewrittenRecord((text) => text.slice(0, text.length / 2)),
    /damaged/,
  ),
  ...unreadable("empty", "", /damaged/, ["report", "resume"]),
  ...unreadable("no-json", "Dear lab,\nhow are you?\n", /damaged/, ["report", "nightly"]),
  ...unreadable("a-number", "7\n", /not a record/, ["report", "export"]),
  ...unreadable("of-another-command", calibrationRecord(), /not a record/, ["report", "export", "resume"]),
  ...unreadable("of-a-newer-schema", changedRecord({ schemaVersion: 99 }), /version 99/, [
    "report",
    "compare",
  ]),
  ...unreadable("of-a-schema-in-quotes", changedRecord({ schemaVersion: "3" }), /no number but a string/, [
    "report",
  ]),
  ...unreadable(
    "with-workers-that-cannot-be",
    changedGroups((group) => ({ ...group, workers: 1e308 })),
    /workers must be <= /,
  ),
  ...unreadable("begun-yesterday", changedRecord({ startedAt: "yesterday" }), /startedAt must be a time/),
  ...unreadable(
    "with-a-path-for-a-name",
    changedGroups((group) => ({
      ...group,
      cells: group.cells.map((cell) => ({ ...cell, competitor: "../../\x1b[31m" })),
    })),
    /competitor must be a name/,
  ),
  ...unreadable("without-groups", changedRecord({ groups: undefined }), /groups/),
  ...unreadable(
    "with-uneven-arrays",
    rewrittenRecord((text) => text.replace(FIRST_ARRAY, '"p50":[')),
    /p50|length|long/,
    ["report", "verdicts", "export", "compare", "nightly"],
  ),
  ...unreadable(
    "with-a-text-for-a-number",
    rewrittenRecord((text) => text.replace(FIRST_ARRAY, '"p50":["fast",')),
    /damaged/,
    ["report"],
  ),
  {
    name: "records/not-there",
    command: ["report", "nowhere.json"],
    promised: { exit: 2, says: /nowhere\.json.*(ENOENT|no such)/ },
  },
  {
    name: "records/a-folder",
    command: ["report", "$FOLDER"],
    promised: { exit: 2, says: /cannot be read|EISDIR/ },
  },
  {
    name: "records/one-of-two-is-torn",
    files: { "first.json": changedRecord({}), "second.json": "{" },
    command: ["report", "first.json", "second.json"],
    promised: { exit: 2, says: /second\.json is damaged/ },
  },
  {
    name: "records/escapes-in-its-names",
    files: {
      "record.json": changedGroups((group) => ({
        ...group,
        title: "\x1b[2Jcleared",
        cells: group.cells.map((cell) => ({ ...cell, competitor: `${cell.competitor}\x1b]0;titled\x07` })),
      })),
    },
    command: ["report", "record.json"],
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not reach a terminal.
    promised: { exit: 2, neverSays: /[\x1b\x07]/ },
  },
  {
    name: "records/escapes-in-its-command",
    files: { "record.json": changedRecord({ command: "npm run bench\x1b[2J" }) },
    command: ["report", "record.json"],
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not reach a terminal.
    promised: { exit: 2, neverSays: /\x1b/ },
  },
  together("compare-of-two-methods", NEWER_METHOD, ["compare", "first.json", "second.json"], {
    exit: 2,
    says: /method/,
  }),
  together(
    "merge-of-two-methods",
    NEWER_METHOD,
    ["merge", "first.json", "second.json", "--out", "out/m.json"],
    {
      exit: 2,
      says: /method/,
    },
  ),
  together(
    "export-of-two-methods",
    NEWER_METHOD,
    ["export", "--format", "otava", "first.json", "second.json"],
    {
      exit: [0, 2],
      says: new RegExp(`method ${METHOD} .*method 99`),
    },
  ),
  together("report-of-two-methods", NEWER_METHOD, ["report", "first.json", "second.json"], {
    exit: [0, 2],
    says: new RegExp(`Method: version ${METHOD}\\b[\\s\\S]*Method: version 99`),
  }),
  together("compare-of-two-sizes", { size: "smoke" }, ["compare", "first.json", "second.json"], {
    exit: 2,
    says: /sizes/,
  }),
  notResumable("of-a-whole-run", { interrupted: false }, /whole/),
  notResumable(
    "of-another-commit",
    { commit: { hash: "0".repeat(40), dirty: false } },
    /commit 000000000000/,
  ),
  notResumable("of-no-commit", { commit: null }, /commit none/),
  notResumable("without-what-was-asked", { argv: undefined }, /does not say what was asked/),
  notResumable(
    "of-a-command-with-an-open-quote",
    { argv: undefined, command: 'npm run bench -- "pick' },
    /start anew/,
  ),
  notResumable("asked-for-an-unknown-option", { argv: ["draws", "--frobnicate"] }, /frobnicate/),
  notResumable("asked-for-nothing-that-is", { argv: ["drwas"] }, /drwas.*draws/),
  notResumable("with-a-candidate-that-is-gone", { argv: ["draws", "--candidate", "gone.ts"] }, /gone\.ts/),
  {
    ...notResumable("beside-other-words", {}, /remove/),
    command: ["bench", "--resume", "record.json", "pick"],
  },
];
