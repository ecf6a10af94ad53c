import { dirname, resolve } from "node:path";
import { writeWhole } from "../../suites/engine/measure/machine/write-whole.ts";
import { command, runCommand } from "../../suites/lab/command/command.ts";
import { EXIT, orUsageError, shownPath, UsageError } from "../../suites/lab/command/usage.ts";
import { machinesOf, readRecord, recordText } from "../../suites/lab/schema/record-file.ts";
import { mergeRecords } from "../../suites/lab/store/merge.ts";
import { checkWritable } from "../../suites/lab/store/results.ts";

const COMMAND = command({
  about: "Joins the records of one night's shards into one.",
  usage: { "npm run merge -- RECORD... --out FILE": "" },
  before: `The records must be of one commit, without uncommitted changes, and of one runtime, profile, method, schema
    and size, and no cell may be in two of them. Machines may differ: the merged record names them all, and the machine of
    each part. The order of the records does not matter. One record alone is copied.`,
  isPath: () => true,
  options: {
    out: { value: "FILE", isPath: true, help: "the merged record; a file of that name is replaced" },
  },
  exits: {
    0: "done; a record of an interrupted run is merged too, with a warning",
    2: "the records cannot be read or do not belong together, nothing was written",
  },
});

await runCommand(COMMAND, async ({ options, words: paths }) => {
  if (paths.length === 0)
    throw new UsageError("no record is named: give their files, as npm run merge -- RECORD... --out FILE");
  if (options.out === undefined) throw new UsageError("merge needs --out FILE: where the merged record goes");
  const out = options.out;
  // The same file twice is one typed too often, which its cells would say less well.
  const repeated = paths.find(
    (path, index) => paths.findIndex((other) => resolve(other) === resolve(path)) < index,
  );
  if (repeated !== undefined) throw new UsageError(`${repeated} is named twice: remove one`);
  const merged = orUsageError(() => mergeRecords(paths.map((name) => ({ name, record: readRecord(name) }))));
  checkWritable(dirname(resolve(out)));
  orUsageError(() => writeWhole(resolve(out), recordText(merged)));
  const machines = machinesOf(merged).map(({ slug }) => slug);
  process.stderr.write(
    `wrote ${shownPath(out)}: ${merged.groups.length} groups of ${paths.length} record${paths.length === 1 ? "" : "s"}, made on ${machines.join(", ")}\n`,
  );
  if (merged.interrupted)
    process.stderr.write("interrupted: at least one record has only what was finished\n");
  return EXIT.ok;
});
