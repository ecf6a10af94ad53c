import { dirname, relative, resolve } from "node:path";
import type { ParseArgsConfig } from "node:util";
import { machinesOf, readRecord, recordText } from "../../suites/engine/schema/record.ts";
import {
  EXIT,
  orUsageError,
  parseArguments,
  runScript,
  UsageError,
} from "../../suites/engine/schema/usage.ts";
import { mergeRecords } from "../../suites/engine/store/merge.ts";
import { checkWritable, writeWhole } from "../../suites/engine/store/results.ts";

const HELP = `Joins the records of one night's shards into one.

usage: npm run merge -- RECORD... --out FILE

The records must be of one commit, without uncommitted changes, and of one
runtime, profile, method, schema and size, and no cell may be in two of them.
Machines may differ: the merged record names them all, and which part is from
which. The order of the records does not matter. Of one record alone a copy is
made.

  --out FILE           the merged record; a file of that name is replaced
  --help               this text

exit codes: 0 done, also if a record is of an interrupted run, which is said; 2
the records cannot be read or do not belong together, nothing was written
`;

const OPTIONS = {
  out: { type: "string" },
  help: { type: "boolean", default: false },
} as const satisfies ParseArgsConfig["options"];

await runScript(async () => {
  const { options, words: paths } = parseArguments(OPTIONS);
  if (options.help) {
    process.stdout.write(HELP);
    return EXIT.ok;
  }
  if (paths.length === 0)
    throw new UsageError("which records? give their files: npm run merge -- RECORD... --out FILE");
  if (options.out === undefined) throw new UsageError("merge needs --out FILE: where the merged record goes");
  const out = options.out;
  // The same file twice is one typed too often, which its cells would say less well.
  const repeated = paths.find(
    (path, index) => paths.findIndex((other) => resolve(other) === resolve(path)) < index,
  );
  if (repeated !== undefined) throw new UsageError(`${repeated} is named twice: leave one away`);
  const merged = orUsageError(() => mergeRecords(paths.map((name) => ({ name, record: readRecord(name) }))));
  orUsageError(() => checkWritable(dirname(resolve(out))));
  orUsageError(() => writeWhole(resolve(out), recordText(merged)));
  const machines = machinesOf(merged).map(({ slug }) => slug);
  process.stderr.write(
    `wrote ${relative(process.cwd(), out)}: ${merged.groups.length} groups of ${paths.length} record${paths.length === 1 ? "" : "s"}, made on ${machines.join(", ")}\n`,
  );
  if (merged.interrupted)
    process.stderr.write("interrupted: at least one record has only what was finished\n");
  return EXIT.ok;
});
