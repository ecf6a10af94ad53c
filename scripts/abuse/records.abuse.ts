import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { readRecord, recordText } from "../../suites/lab/schema/record-file.ts";
import { publishedRecords } from "../../suites/lab/store/results.ts";
import { mistreat } from "./trial.ts";

/** Records that are torn, foreign, from other times or edited by hand, given to every command that reads records. */

const READERS = [
  "report",
  "report --verdicts",
  '"$BIN"/export --format benchstat',
  "nightly --history out/history --from",
  "bench --resume",
];

const path = publishedRecords("draws").at(-1)!;
const sound = readRecord(path);
const text = gunzipSync(readFileSync(path)).toString();
/** The record with changes, which need not fit. */
const changed = (change: object) => recordText({ ...sound, ...change });

/** What is said of a file, behind its name; record.test.ts has all kinds. */
const unreadable: readonly (readonly [what: string, text: string, says: string])[] = [
  ["torn", text.slice(0, text.length / 2), "damaged"],
  ["of another command", '{"kind":"calibration","schemaVersion":1}', "not a record"],
  ["without groups", changed({ groups: undefined }), "groups"],
  ["of a later method", changed({ methodVersion: 99 }), "method version 99"],
  ["with uneven arrays", text.replace(/"p50":\[[^,\]]+,/, '"p50":['), "damaged: .* p50"],
];

/** Can be read, but its run cannot be resumed. */
const notResumable: readonly (readonly [what: string, change: object, says: RegExp])[] = [
  ["of a whole run", { interrupted: false }, /whole/],
  ["of another commit", { commit: { hash: "0".repeat(40), dirty: false } }, /commit 000000000000/],
  ["of no commit", { commit: null }, /commit none/],
  ["without its request", { argv: undefined }, /does not contain its request/],
  ["whose command is torn", { argv: undefined, command: 'npm run bench -- "pick' }, /start a new run/],
  ["with an unknown option", { argv: ["draws", "--frobnicate"] }, /frobnicate/],
  ["of cells that are not there", { argv: ["drwas"] }, /drwas.*draws/],
  ["with a candidate that is gone", { argv: ["draws", "--candidate", "gone.ts"] }, /gone\.ts/],
];

mistreat("records", [
  ...unreadable.flatMap(([what, text, says]) =>
    READERS.map((reader) => ({
      name: `${reader}: ${what}`,
      line: `${reader} record.json`,
      files: { "record.json": text },
      exit: 2,
      says: new RegExp(`record\\.json.*${says}`),
    })),
  ),
  ...notResumable.map(([what, change, says]) => ({
    name: `bench --resume: ${what}`,
    line: "bench --resume record.json",
    files: { "record.json": changed({ interrupted: true, argv: ["draws"], ...change }) },
    exit: 2,
    says,
  })),
  { name: "a folder", line: 'report "$PWD"', exit: 2, says: /cannot be read|EISDIR/ },
  {
    name: "of two methods",
    line: "report first.json second.json",
    files: { "first.json": changed({}), "second.json": changed({ methodVersion: sound.methodVersion - 1 }) },
    exit: 0,
    says: new RegExp(
      `Method: version ${sound.methodVersion}\\b[^]*Method: version ${sound.methodVersion - 1}`,
    ),
  },
]);
