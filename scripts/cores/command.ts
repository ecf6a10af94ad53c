import { rmSync } from "node:fs";
import { join } from "node:path";
import { usableCoreNumbers, usableCores } from "../../suites/engine/measure/machine/cores.ts";
import { onInterruption } from "../../suites/engine/measure/machine/interruption.ts";
import { ascending, sum } from "../../suites/engine/statistics.ts";
import { progressLine } from "../../suites/engine/table/progress.ts";
import { loadCandidates, requested } from "../../suites/lab/candidates.ts";
import { command, refuse, runCommand, type Typed } from "../../suites/lab/command/command.ts";
import { OPTIONS } from "../../suites/lab/command/options.ts";
import {
  EXIT,
  NOTHING_FINISHED,
  orUsageError,
  parseName,
  parseSeed,
  parseWhole,
} from "../../suites/lab/command/usage.ts";
import { HERE, MACHINES } from "../../suites/lab/cores/data/machines.ts";
import type { Machine } from "../../suites/lab/cores/machine/machine.ts";
import {
  type CoresPlan,
  cellsIn,
  FITTED,
  MOST_WORKERS,
  planCores,
  planText,
  type Structure,
  weightOf,
} from "../../suites/lab/cores/plan.ts";
import {
  brokenLaws,
  type CoresCell,
  type CoresRecord,
  checkTogether,
  commitOf,
  completed,
  localCoresPath,
  nameOf,
  newestCores,
  PUBLISHED_CORES,
  publishedCoresPath,
  readCores,
  structureOf,
} from "../../suites/lab/cores/record.ts";
import { type CoresListener, measuredOf, simulateCores } from "../../suites/lab/cores/run.ts";
import { checkCommitted, currentCommit } from "../../suites/lab/git.ts";
import { checkUnpublished } from "../../suites/lab/request.ts";
import { resumed } from "../../suites/lab/resume.ts";
import { recordText } from "../../suites/lab/schema/record-file.ts";
import { loadPublished, writeGenerated } from "../../suites/lab/store/generated.ts";
import { KeptRecord, type Saved, saveSomewhere, saySaved } from "../../suites/lab/store/keep.ts";
import { checkWritable, localFolder, writeAll } from "../../suites/lab/store/results.ts";
import { countsText, workersText } from "../../suites/lab/tables/phrases.ts";
import { printTable } from "../../suites/lab/tables/terminal.ts";
import { checkTables, simulatedTables } from "./tables.ts";

const COMMAND = command({
  about:
    "Simulates what structures would do on machines with more cores than this one. Nothing it prints is measured.",
  usage: { "npm run cores -- [FILTER...] [options]": "" },
  words: {
    FILTER: `leading parts of primitive/scenario/competitor (default: all that is simulated)
        pick   locks/short-section/ticket`,
  },
  options: {
    workers: {
      group: "what to simulate",
      value: "1,2,64",
      help: `worker counts, each 1 to ${MOST_WORKERS} (default: 1, 2, 4, 8 on "${HERE.name}", and up to ${MOST_WORKERS} on the others)`,
    },
    machine: {
      value: "NAME",
      help: `one of the machines ${MACHINES.map(({ name }) => name).join(", ")} (default: all). "${HERE.name}" is the one that measured`,
    },
    candidate: {
      value: "FILE",
      isPath: true,
      multiple: true,
      help: `simulate a competitor from outside the repository; may be given several times. Without FILTER these and their
        baselines alone`,
    },
    list: { help: "print what would be simulated, and why some is not; simulate nothing" },
    check: {
      help: `simulate "${HERE.name}" alone, without draws, and print simulated beside measured figures`,
    },
    draws: {
      group: "how",
      value: "N",
      help: "how often costs are drawn from their ranges for the band, 0 to 1000 (default 8, or 0 with --check)",
    },
    seed: OPTIONS.seed,
    jobs: {
      value: "N",
      help: `processes that simulate, 1 to 256 (default: as many as cores, ${usableCores()} here); no digit depends on it`,
    },
    out: {
      group: "where the record goes",
      value: "DIR",
      isPath: true,
      help: "folder for it (default results/local/cores)",
    },
    publish: {
      help: `write it to results/cores instead, from a clean work tree, and make the generated pages again. With FILTERs,
        which name whole races then, the figures of all others stay as they are published`,
    },
    resume: OPTIONS.resume,
    json: OPTIONS.json,
  },
  after: `A structure's own code runs, each worker in a thread of its own; only its shared words stand in for those of the
    machine. Time is virtual: it depends on costs of accesses, on cache lines and on who runs, and is the same in each
    run of a seed. How near it comes to measured figures: results/cores/README.md. A structure whose figure with two
    workers differs more than 1.5 times from the measured one has none with more.

    Every race's law is checked at the end. Ctrl-C stops at once; what was finished is kept, and can be resumed.`,
  exits: {
    0: "simulated",
    1: "a law was broken, or a figure is missing",
    2: "the request was wrong, nothing was simulated",
    130: "interrupted",
  },
});

/** Draws of the costs where nothing else is asked for. */
const DRAWS = "8";
const MOST_DRAWS = 1000;
const MOST_JOBS = 256;

type Asked = Typed<typeof COMMAND.options>;
type Options = Asked["options"];

async function main(typed: Asked): Promise<number> {
  const { options, words, argv, previous } = resumed(COMMAND, typed, readCores);
  if (options.check)
    refuse(COMMAND, { options, words, argv }, ["machine"], `--check is about the machine "${HERE.name}"`);
  if (options.publish) checkWhole({ options, words, argv });
  const machines = machinesOf(options);
  const workers = workersOf(options);
  const jobs = parseWhole("--jobs", options.jobs ?? String(usableCores()), 1, MOST_JOBS);
  const draws = parseWhole("--draws", options.draws ?? (options.check ? "0" : DRAWS), 0, MOST_DRAWS);
  const seed = previous?.seed ?? parseSeed(options.seed);
  const candidates = await loadCandidates(options.candidate, words);
  const plan = await planCores({ filters: words, workers, machines, draws, seed, ...requested(candidates) });
  if (options.list) {
    process.stdout.write(`${[...listing(plan), planText(plan)].join("\n")}\n`);
    return EXIT.ok;
  }
  const kept = words.length === 0 ? undefined : newestCores()?.record;
  const commit = currentCommit();
  const identity = {
    startedAt: previous?.startedAt ?? new Date().toISOString(),
    commit: commitOf(commit),
    argv: [...(previous?.argv ?? argv)],
  };
  if (previous !== undefined) orUsageError(() => checkGoesOn(previous, plan, identity.commit));
  if (options.publish) {
    checkCommitted(commit, "--publish");
    checkUnpublished(publishedCoresPath(identity));
    if (kept !== undefined) orUsageError(() => checkTogether(plan, kept));
  }
  const out = options.out === undefined ? join(localFolder(undefined), "cores") : localFolder(options.out);
  checkWritable(options.publish ? PUBLISHED_CORES : out);
  const measured = await measuredOf(plan);

  const run = new Run(plan, identity, localCoresPath(identity, out), previous);
  const { signal, release } = onInterruption();
  process.stderr.write(`seed ${seed}\n`);
  const hosting = { jobs, cores: usableCoreNumbers(), signal };
  await simulateCores(plan, run.waiting, measured, hosting, run);
  if (!signal.aborted) release();
  return report(run.end(signal.aborted), kept, options, out);
}

/** Prints and saves what came of a run; `kept` is the published record that it completes if it is published. */
async function report(
  record: CoresRecord,
  kept: CoresRecord | undefined,
  options: Options,
  out: string,
): Promise<number> {
  const tables = options.json ? process.stderr : process.stdout;
  const newest = newestCores()?.record;
  const checked = newest === undefined ? [record] : [record, newest];
  for (const table of options.check ? checkTables(record) : simulatedTables(record, checked))
    printTable(tables, table);
  const broken = brokenLaws(record);
  for (const line of broken) tables.write(`broken law, simulated: ${line}\n`);
  const lost = record.cells.filter(({ failure }) => failure !== undefined);
  for (const cell of lost) tables.write(`no figure: ${nameOf(cell)}: ${cell.failure}\n`);
  if (options.json) process.stdout.write(recordText(record));
  const isEmpty = record.cells.length === 0;
  const isSaved = isEmpty || saySaved(await save(record, kept, options.publish, out));
  if (record.interrupted) {
    process.stderr.write(
      isEmpty ? NOTHING_FINISHED : "interrupted: what was finished is kept, and --resume RECORD goes on\n",
    );
    return EXIT.interrupted;
  }
  return isSaved && broken.length === 0 && lost.length === 0 ? EXIT.ok : EXIT.failed;
}

type Identity = Pick<CoresRecord, "startedAt" | "commit" | "argv">;

/** A run as it goes on: its record, which is on the disk after each structure, and its progress line. */
class Run implements CoresListener {
  readonly #plan: CoresPlan;
  readonly #identity: Identity;
  readonly #path: string;
  readonly #progress = progressLine(process.stderr);
  readonly #kept = new KeptRecord((line) => {
    this.#progress.clear();
    process.stderr.write(line);
  });
  /** Of the structures that are done. */
  readonly #cells = new Map<Structure, readonly CoresCell[]>();
  /** How many cells of each structure have begun. */
  readonly #begun = new Map<Structure, number>();
  readonly #startedMs = performance.now();
  readonly waiting: readonly Structure[];

  constructor(plan: CoresPlan, identity: Identity, path: string, previous: CoresRecord | undefined) {
    this.#plan = plan;
    this.#identity = identity;
    this.#path = path;
    for (const structure of plan.structures) {
      const done = previous === undefined ? undefined : cellsIn(previous, structure);
      if (done !== undefined) this.#cells.set(structure, done);
    }
    this.waiting = plan.structures.filter((structure) => !this.#cells.has(structure));
  }

  begun(structure: Structure, workers: number): void {
    this.#begun.set(structure, (this.#begun.get(structure) ?? 0) + 1);
    const share = this.#share();
    const elapsedMs = performance.now() - this.#startedMs;
    const leftMs = share === 0 ? undefined : (elapsedMs / share) * (1 - share);
    const { race, competitor, machine } = structure;
    const name = structureOf({ ...race, competitor });
    this.#progress.show(share, leftMs, `${name}, ${workersText(workers)} on ${machine.name}, simulated`);
  }

  ended(structure: Structure, cells: readonly CoresCell[]): void {
    this.#cells.set(structure, cells);
    this.#kept.keep(this.#path, this.#record(true), this.#cells.size);
  }

  end(isInterrupted: boolean): CoresRecord {
    this.#progress.clear();
    return this.#record(isInterrupted);
  }

  /** Of the work that was waiting: a cell that runs is not yet done. */
  #share(): number {
    const weights = this.waiting.map((structure) => {
      const weight = structure.absent === undefined ? weightOf(this.#plan, structure) : 0;
      const cells = structure.counts.length;
      const done = this.#cells.has(structure) ? cells : Math.max(0, (this.#begun.get(structure) ?? 0) - 1);
      return { all: weight * cells, done: weight * done };
    });
    return sum(weights.map(({ done }) => done)) / sum(weights.map(({ all }) => all));
  }

  #record(isInterrupted: boolean): CoresRecord {
    const { machines, structures, seed, draws } = this.#plan;
    const { startedAt, commit, argv } = this.#identity;
    return {
      kind: "simulated",
      version: 1,
      startedAt,
      date: startedAt.slice(0, 10),
      commit,
      argv,
      seed,
      machines: [...machines],
      draws,
      fitted: [...FITTED],
      ...(isInterrupted ? { interrupted: true } : {}),
      cells: structures.flatMap((structure) => this.#cells.get(structure) ?? []),
    };
  }
}

/** Throws an Error with one line unless the rest of a run would be of one piece with its beginning. */
function checkGoesOn(previous: CoresRecord, { machines, draws }: CoresPlan, commit: string): void {
  if (!previous.interrupted)
    throw new Error("--resume: the record is whole: there is nothing left to simulate");
  if (previous.commit !== commit)
    throw new Error(
      `--resume: the record was made at commit ${previous.commit.slice(0, 12)}: check that out first`,
    );
  if (JSON.stringify([previous.machines, previous.draws]) !== JSON.stringify([machines, draws]))
    throw new Error("--resume: the record is of other machines: start anew");
}

/** A published record has all that is simulated of each of its races. */
function checkWhole(typed: Asked): void {
  const partial = ["workers", "machine", "candidate", "check", "draws", "out"] as const;
  const ofOne = typed.words.filter((word) => word.split("/").length > 2);
  refuse(COMMAND, typed, partial, "--publish takes all that is simulated of a race", ofOne);
}

function machinesOf({ machine, check }: Options): readonly Machine[] {
  const asked = check ? HERE.name : machine;
  if (asked === undefined) return MACHINES;
  const name = parseName(
    "--machine",
    asked,
    MACHINES.map((known) => known.name),
  );
  return MACHINES.filter((known) => known.name === name);
}

function workersOf({ workers }: Options): number[] | undefined {
  if (workers === undefined) return undefined;
  const counts = workers.split(",").map((part) => parseWhole("--workers", part.trim(), 1, MOST_WORKERS));
  return [...new Set(counts)].toSorted(ascending);
}

function listing({ structures }: CoresPlan): string[] {
  return structures.map(({ race, competitor, machine, counts, absent }) => {
    const name = structureOf({ ...race, competitor });
    return absent === undefined
      ? `${name}: ${countsText(counts)} on ${machine.name}`
      : `${name}: not simulated, as ${absent}`;
  });
}

/** Writes a record. An interrupted run is kept as a local one, from where it can be resumed and then published. */
async function save(
  record: CoresRecord,
  kept: CoresRecord | undefined,
  publish: boolean,
  out: string,
): Promise<Saved> {
  const local = localCoresPath(record, out);
  if (!publish || record.interrupted) return saveSomewhere(local, record, new Map());
  const paths = [
    ...writeAll(new Map([[publishedCoresPath(record), recordText(kept ? completed(record, kept) : record)]])),
    ...(await writeGenerated(await loadPublished())),
  ];
  rmSync(local, { force: true });
  return { paths };
}

await runCommand(COMMAND, main);
