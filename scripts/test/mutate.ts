import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { writeWhole } from "../../suites/engine/measure/machine/write-whole.ts";
import { command, runCommand } from "../../suites/lab/command/command.ts";
import { OPTIONS } from "../../suites/lab/command/options.ts";
import {
  commandLine,
  EXIT,
  parseName,
  parseSeed,
  parseWhole,
  sayWritten,
  UsageError,
} from "../../suites/lab/command/usage.ts";
import { currentCommit } from "../../suites/lab/git.ts";
import { checkWritable } from "../../suites/lab/store/results.ts";
import { areaOf, byArea, discover, type Mutant, publishedSources, STRYKER, sampleOf } from "./mutants.ts";
import { type MutationRecord, mutationPage } from "./mutation-page.ts";
import { Sources } from "./reads.ts";
import { type Outcome, partFor, tried } from "./trial.ts";

const COMMAND = command({
  about: "Changes the published sources of structures at random places, and checks that a test fails.",
  usage: {
    "npm run mutate -- [FOLDER...] [options]":
      "draw a sample, try each of its mutants alone, and write the outcomes",
    "npm run mutate -- --again [options]": `try again the mutants that survived in the record of --out: for example after a law was
      added`,
  },
  before: `Stryker decides what can be changed. npx fetches it, pinned, outside the repository. Its runner is not used: it
    has all changes in the code at once, which slows what is raced here and hides the places that mutants/ change,
    and it draws no sample. Each mutant is planted as its module is loaded. The tests of its folder run until one
    fails; tests of competitors that do not read it are left out.`,
  words: { FOLDER: "folders of structures to draw from, as timers pick (default: all)" },
  options: {
    sample: { value: "N", help: "mutants of each folder, 1 to 1000 (default 30)" },
    seed: OPTIONS.seed,
    again: { help: "only the mutants that survived" },
    out: {
      value: "DIR",
      isPath: true,
      help: "folder for mutation.json and its page README.md (default results/mutation)",
    },
  },
  after: `Outcomes are written as they come: a run that is cut off leaves a smaller sample. A busy machine makes the run longer
    and changes nothing else.`,
  exits: { 0: "done, whatever survived", 1: "a test fails without a mutant", 2: "the request was wrong" },
});

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const LANES = Math.min(2, availableParallelism());
/** A test hangs that takes four times as long as the slowest of its area by itself, and no less than a busy machine may. */
const PATIENCE = { times: 4, leastMs: 30_000 };

await runCommand(COMMAND, async ({ options, words, argv }) => {
  if (options.again && (options.sample !== undefined || options.seed !== undefined || words.length > 0))
    throw new UsageError("--again tries the record's own mutants: remove --sample, --seed and folders");
  const paths = pathsIn(resolve(options.out ?? join(ROOT, "results", "mutation")));
  const size = parseWhole("--sample", options.sample ?? "30", 1, 1000);
  const seed = parseSeed(options.seed);
  checkWritable(dirname(paths.record));
  const sources = new Sources(ROOT);
  const made = {
    startedAt: new Date().toISOString(),
    commit: commitToday(),
    command: commandLine("mutate", argv),
  };
  const { record, mutants } = options.again
    ? survivorsOf(paths.record, sources, made.commit)
    : await drawn(sources, size, words, { ...made, stryker: STRYKER, seed });

  const patienceMs = await patienceFor(sources, new Set(mutants.map(({ file }) => areaOf(file)!)));
  if (patienceMs === undefined) return EXIT.failed;
  const outcomes = new Map<Mutant, Outcome>();
  await tryAll(sources, mutants, patienceMs, (mutant, outcome) => {
    outcomes.set(mutant, outcome);
    process.stderr.write(
      `${outcomes.size} of ${mutants.length}, ${mutant.file}:${mutant.line}: ${outcome.ended}\n`,
    );
    const tried = [...outcomes].map(([{ file, line, from, to, replacement, mutator }, { ended, by }]) => {
      return {
        file,
        line,
        from,
        to,
        replacement,
        mutator,
        was: sources.text(file).slice(from, to),
        ended,
        by,
      };
    });
    keep(paths, { ...record, tried: [...record.tried, ...tried] });
  });
  sayWritten(Object.values(paths));
  return EXIT.ok;
});

interface Paths {
  readonly record: string;
  readonly page: string;
}

function pathsIn(folder: string): Paths {
  return { record: join(folder, "mutation.json"), page: join(folder, "README.md") };
}

function commitToday(): string {
  const commit = currentCommit();
  return commit === null ? "none" : `${commit.hash.slice(0, 12)}${commit.dirty ? " with changes" : ""}`;
}

/** What is to be tried, and the record of the rest: all of a sample, and none. */
interface Plan {
  readonly record: MutationRecord;
  readonly mutants: readonly Mutant[];
}

async function drawn(
  sources: Sources,
  size: number,
  folders: readonly string[],
  made: Omit<MutationRecord, "mutants" | "tried">,
): Promise<Plan> {
  const published = publishedSources(ROOT);
  const areas = [...new Set(published.map((file) => areaOf(file)!))];
  const named = new Set(folders.map((folder) => parseName("mutate", folder, areas)));
  const files = published.filter((file) => named.size === 0 || named.has(areaOf(file)!));
  const all = await discover(ROOT, files, (file) => sources.text(file));
  const mutants = Object.fromEntries([...byArea(all)].map(([area, { length }]) => [area, length]));
  return { record: { ...made, mutants, tried: [] }, mutants: sampleOf(all, size, made.seed) };
}

function readRecord(path: string): MutationRecord {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as MutationRecord;
  } catch (error) {
    throw new UsageError(`--again cannot read ${path} (${error}): draw a sample without --again`);
  }
}

/** Of a record made of the same sources. */
function survivorsOf(path: string, sources: Sources, commit: string): Plan {
  const record = readRecord(path);
  for (const { file, from, to, was } of record.tried) {
    if (!sources.files.has(file) || sources.text(file).slice(from, to) !== was)
      throw new UsageError(`${file} has changed since ${path}: draw a sample without --again`);
  }
  const mutants = record.tried.filter(({ ended }) => ended === "survived");
  const tried = record.tried.filter(({ ended }) => ended !== "survived");
  return { record: { ...record, commit, tried }, mutants };
}

/** By area, from its tests without a mutant; undefined, and said, where they do not pass. */
async function patienceFor(
  sources: Sources,
  areas: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number> | undefined> {
  const patienceMs = new Map<string, number>();
  for (const area of areas) {
    const { ended, by, longestMs } = await tried(ROOT, partFor(sources, area), undefined, 600_000);
    if (ended !== "survived") {
      process.stderr.write(`${area}: "${by}" fails without a mutant\n`);
      return undefined;
    }
    patienceMs.set(area, Math.max(PATIENCE.leastMs, PATIENCE.times * longestMs));
  }
  return patienceMs;
}

/** The ones that hang are tried once more, alone. */
async function tryAll(
  sources: Sources,
  mutants: readonly Mutant[],
  patienceMs: ReadonlyMap<string, number>,
  report: (mutant: Mutant, outcome: Outcome) => void,
): Promise<void> {
  const hanging: Mutant[] = [];
  const outcomeOf = (mutant: Mutant) => {
    const area = areaOf(mutant.file)!;
    return tried(ROOT, partFor(sources, area, mutant.file), mutant, patienceMs.get(area)!);
  };
  const waiting = mutants.values();
  const carryOut = async () => {
    for (const mutant of waiting) {
      const outcome = await outcomeOf(mutant);
      if (outcome.ended === "hung") hanging.push(mutant);
      report(mutant, outcome);
    }
  };
  await Promise.all(Array.from({ length: LANES }, carryOut));
  for (const mutant of hanging) report(mutant, await outcomeOf(mutant));
}

function keep({ record: path, page }: Paths, { tried, ...rest }: MutationRecord): void {
  const inOrder = tried.toSorted((a, b) => (a.file === b.file ? a.from - b.from : a.file < b.file ? -1 : 1));
  const record = { ...rest, tried: inOrder };
  writeWhole(path, `${JSON.stringify(record, null, 2)}\n`);
  writeWhole(page, mutationPage(record));
}
