import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { assertWritable } from "../../suites/engine/measure/machine/scratch.ts";
import { writeWhole } from "../../suites/engine/measure/machine/write-whole.ts";
import { PlannedTime } from "../../suites/engine/measure/plan/estimate.ts";
import { PROFILES } from "../../suites/engine/measure/plan/plan.ts";
import { type RunFacts, SCHEMA_VERSION } from "../../suites/engine/schema/envelope.ts";
import { readableTime } from "../../suites/engine/table/progress.ts";
import { loadCandidates, requested } from "../../suites/lab/candidates.ts";
import { command, runCommand, type Typed } from "../../suites/lab/command/command.ts";
import { OPTIONS } from "../../suites/lab/command/options.ts";
import {
  commandLine,
  EXIT,
  NOTHING_FINISHED,
  orUsageError,
  parseSeed,
  sayWritten,
  UsageError,
} from "../../suites/lab/command/usage.ts";
import { checkCommitted, currentCommit } from "../../suites/lab/git.ts";
import type { Sampler } from "../../suites/lab/kinds/profile/profile-job.ts";
import { flameSvg } from "../../suites/lab/pictures/flames.ts";
import type { Request } from "../../suites/lab/plan/asked.ts";
import { beginRun } from "../../suites/lab/recorded-run.ts";
import { checkFilters, parseWorkers, requestOf } from "../../suites/lab/request.ts";
import {
  type FlameRecord,
  flameName,
  flameText,
  type ProfileRecord,
  rowsOf,
} from "../../suites/lab/schema/flame.ts";
import { loadPublished, writeGenerated } from "../../suites/lab/store/generated.ts";
import { checkWritable, localFolder, RESULTS, recordName, writeAll } from "../../suites/lab/store/results.ts";
import { mergedProfile } from "./cpu-profile.ts";
import { flameOf } from "./flame-tree.ts";
import { interactivePage, SHOWING_ALL } from "./interactive.ts";
import {
  type CellPlan,
  type Pass,
  type PassOptions,
  passEstimateMs,
  profileCell,
  profilePlan,
} from "./pass.ts";
import { perfUnavailable } from "./perf.ts";
import type { WorkerSamples } from "./samples.ts";

const COMMAND = command({
  about: "Shows where contended workers spend their time: flamegraphs.",
  usage: { "npm run flame -- CELL... [options]": "" },
  words: {
    CELL: `leading parts of cell names, as for npm run bench: a cell is primitive/scenario/competitor/workers
        pick/uniform-8/cas-ring/2w   pick/uniform-8/cas-ring
        timers   (its headline scenarios)
      Only races have workers to profile.`,
  },
  options: {
    all: {
      group: "what to profile",
      help: "also the scenarios, competitors, variants and worker counts that bench races only with --all",
    },
    workers: OPTIONS.workers,
    against: {
      value: "CELL",
      help: `another cell, profiled too: colours then show which calls take a larger share of the time than there, and
        which a smaller one`,
    },
    candidate: {
      value: "FILE",
      isPath: true,
      multiple: true,
      help: "profile a competitor from outside the repository; may be given several times",
    },
    list: OPTIONS.list,
    seconds: {
      group: "how",
      value: "S",
      default: "3",
      help: "how long all workers of a cell are sampled while measuring, in s, 0.1 to 600 (default 3)",
    },
    kernel: {
      help: `sample with Linux perf, from outside: this also shows the kernel (futex) and V8's and Node's own code`,
    },
    seed: OPTIONS.seed,
    out: { group: "where the files go", ...OPTIONS.out },
    publish: {
      help: `also write picture and record to results/<primitive>, from a clean work tree, and make the generated pages
        again`,
    },
  },
  after: `Each cell runs in a process of its own, with slices as in a race and one crew alone. Every worker is sampled while all
    are measuring, and while batches are prepared. For each cell there are three files:
      .cpuprofile  the workers one after the other: drop it on speedscope.app, or load it in the Performance panel of
                   Chrome's DevTools
      .html        interactive, by 0x; the printed address shows all frames, including those that 0x would hide
                   because it does not know them
      .svg         a picture

    A cell whose process crashes, hangs or breaks a law is reported and has no file; the others go on. Progress goes to
    stderr. Ctrl-C stops at once; what was finished is kept.`,
  exits: {
    0: "all were profiled",
    1: "at least one was not",
    2: "the request was wrong, nothing was profiled",
    130: "interrupted",
  },
});

type Asked = Typed<typeof COMMAND.options>;

async function main(typed: Asked): Promise<number> {
  const { options, argv } = typed;
  const asked = await askedOf(typed);
  const { plans, pass, request } = asked;
  const estimateMs = plans.length * passEstimateMs(pass);
  if (options.list) {
    const total = `${plans.length} cells, about ${readableTime(estimateMs)}, and more for large structures`;
    process.stdout.write(`${[...plans.map(({ cell }) => cell), total].join("\n")}\n`);
    return EXIT.ok;
  }
  const commit = currentCommit();
  if (options.publish) {
    checkCommitted(commit, "--publish");
    if (options.candidate.length > 0) {
      throw new UsageError("--publish excludes --candidate: remove one of them");
    }
  }
  const out = localFolder(options.out);
  orUsageError(assertWritable);
  checkWritable(out);

  const run = beginRun(
    { seed: request.seed, profile: { ...request.profile, name: "flame" }, size: request.size },
    { command: commandLine("flame", argv), argv, commit },
  );
  await run.observe();
  process.stderr.write(`seed ${request.seed}, about ${readableTime(estimateMs)}\n`);
  const seen = await profileAll(asked, run);
  const facts = run.end();
  if (asked.against !== undefined && seen.other === undefined && !facts.interrupted) {
    process.stderr.write(
      `without ${asked.against.cell} no difference can be shown: pictures have their usual colours\n`,
    );
  }
  const records = seen.drawn.map((cell) => ({ cell, record: recordOf(facts, asked, seen, cell) }));
  const written: FlameRecord[] = [];
  for (const { cell, record } of records) {
    if (await isWritten(record, cell, out)) written.push(record);
  }
  if (options.publish) await publish(written);
  if (facts.interrupted) {
    process.stderr.write(
      records.length === 0 ? NOTHING_FINISHED : "interrupted: what was finished is kept\n",
    );
    return EXIT.interrupted;
  }
  return seen.failures === 0 && written.length === records.length ? EXIT.ok : EXIT.failed;
}

/** What a request comes to. */
interface Profiling {
  readonly request: Request;
  readonly pass: PassOptions;
  /** What is drawn. */
  readonly cells: readonly CellPlan[];
  /** Beside which all are drawn. */
  readonly against: CellPlan | undefined;
  /** All that is profiled, in its order. */
  readonly plans: readonly CellPlan[];
}

async function askedOf(typed: Asked): Promise<Profiling> {
  const { options, words: filters } = typed;
  if (filters.length === 0) {
    throw new UsageError("name a cell: npm run flame -- pick/uniform-8/cas-ring/2w (see --help)");
  }
  const request = await flameRequest(options, filters);
  const cells = orUsageError(() => cellsOf(request));
  const against = options.against === undefined ? undefined : againstOf(request, options.against);
  if (cells.every(({ cell }) => cell === against?.cell)) {
    throw new UsageError(`--against ${against!.cell} is the profiled cell itself: name another`);
  }
  const { lab, seed, size, patienceMs } = request;
  const windowsMs = 1000 * parseSeconds(options.seconds);
  const sampling = { sampler: samplerOf(options), windowsMs };
  const others = cells.filter(({ cell }) => cell !== against?.cell);
  return {
    request,
    pass: { lab, seed, size, patienceMs, ...sampling },
    cells,
    against,
    plans: against === undefined ? cells : [against, ...others],
  };
}

interface Profiles {
  readonly drawn: readonly Drawn[];
  /** Beside which all are drawn, where that could be profiled. */
  readonly other: ProfileRecord | undefined;
  readonly failures: number;
}

/** One after the other, until the run is interrupted. What fails is told, and the others go on. */
async function profileAll(
  { plans, cells, pass, against }: Profiling,
  run: ReturnType<typeof beginRun>,
): Promise<Profiles> {
  let left = plans.length;
  const clock = new PlannedTime({ progress: run.progress.show }, () => left * passEstimateMs(pass));
  const wanted = new Set(cells.map(({ cell }) => cell));
  const drawn: Drawn[] = [];
  let other: ProfileRecord | undefined;
  let failures = 0;
  const fail = (line: string) => {
    failures++;
    run.progress.clear();
    process.stderr.write(`${line}\n`);
  };
  for (const plan of plans) {
    if (run.signal.aborted) break;
    const profiled = await profileCell(plan, pass, clock, run.signal);
    left--;
    if (profiled.failure !== undefined) {
      if (run.signal.aborted) break;
      fail(`${plan.cell} has no profile: ${profiled.failure}`);
      continue;
    }
    const profile = profileOf(plan, profiled);
    if (plan.cell === against?.cell) other = profile;
    if (!wanted.has(plan.cell)) continue;
    try {
      drawn.push(await drawnOf(profile, profiled.workers));
    } catch (error) {
      fail(`${plan.cell} was profiled, but not drawn: ${(error as Error).message}`);
    }
  }
  return { drawn, other, failures };
}

/** Writes the files of a cell, all or none, and says which, or why not. */
async function isWritten(record: FlameRecord, cell: Drawn, out: string): Promise<boolean> {
  try {
    const files = await filesOf(record, cell, out);
    writeAllOrNone(files);
    sayWritten([...files.keys()]);
    const page = [...files.keys()].find((path) => path.endsWith(".html"))!;
    process.stderr.write(`0x with all frames: ${pathToFileURL(page).href}${SHOWING_ALL}\n`);
    return true;
  } catch (error) {
    process.stderr.write(`${cell.profile.cell} was profiled, but not written: ${(error as Error).message}\n`);
    return false;
  }
}

/** Where a cell's record is committed the next one of its name takes its place. */
async function publish(records: readonly FlameRecord[]): Promise<void> {
  if (records.length === 0) return;
  const files = records.map((record) => {
    const [primitive] = record.profiled.cell.split("/");
    return [join(RESULTS, primitive!, `${flameName(record)}.json.gz`), flameText(record)] as const;
  });
  sayWritten(writeAll(new Map(files)));
  const { length } = await writeGenerated(await loadPublished());
  process.stderr.write(`wrote ${length} generated pages and pictures\n`);
}

function profileOf(
  { cell, group: { oversubscribed } }: CellPlan,
  { workers, windowsMs }: Extract<Pass, { readonly failure?: undefined }>,
): ProfileRecord {
  return { cell, windowsMs, oversubscribed, frames: rowsOf(flameOf(cell, workers)) };
}

/**
 * A profile with everything that takes long to make of it. It is made while Ctrl-C is still handled, so that an
 * interrupt loses none of the others.
 */
interface Drawn {
  readonly profile: ProfileRecord;
  /** For speedscope and Chrome. */
  readonly merged: string;
  readonly page: string;
}

async function drawnOf(profile: ProfileRecord, workers: readonly WorkerSamples[]): Promise<Drawn> {
  const merged = mergedProfile(workers);
  return { profile, merged: JSON.stringify(merged), page: await interactivePage(merged, profile.cell) };
}

function recordOf(
  facts: RunFacts,
  { pass: { sampler } }: Profiling,
  { other }: Profiles,
  { profile }: Drawn,
): FlameRecord {
  return {
    kind: "flame",
    schemaVersion: SCHEMA_VERSION,
    ...facts,
    sampler,
    inlining: false,
    profiled: profile,
    ...(other === undefined || other === profile ? {} : { against: other }),
  };
}

/** All that is written of a cell, made before any of it is written. */
async function filesOf(
  record: FlameRecord,
  { merged, page }: Drawn,
  out: string,
): Promise<ReadonlyMap<string, string>> {
  const [primitive] = record.profiled.cell.split("/");
  const path = join(out, `${recordName(record, false)}-${primitive}-${flameName(record)}`);
  return new Map([
    [`${path}.cpuprofile`, merged],
    [`${path}.html`, page],
    [`${path}.svg`, await flameSvg(record, "the profile beside it")],
  ]);
}

/** Where one of the files cannot be written those before it are removed again, and the error is thrown. */
function writeAllOrNone(files: ReadonlyMap<string, string>): void {
  const written: string[] = [];
  try {
    for (const [path, text] of files) {
      writeWhole(path, text);
      written.push(path);
    }
  } catch (error) {
    for (const path of written) rmSync(path);
    throw error;
  }
}

async function flameRequest(options: Asked["options"], filters: readonly string[]): Promise<Request> {
  const visited = options.against === undefined ? filters : [...filters, options.against];
  const candidates = await loadCandidates(options.candidate, visited);
  const request = await requestOf({
    filters: visited,
    all: options.all,
    workers: parseWorkers(options.workers),
    profile: PROFILES.quick,
    seed: parseSeed(options.seed),
    ...requested(candidates),
  });
  return { ...request, filters };
}

/** Throws an Error with one line if no race is asked for. */
function cellsOf(request: Request): CellPlan[] {
  checkFilters(request);
  const cells = profilePlan(request);
  if (cells.length > 0) return cells;
  throw new Error(
    `${request.filters.join(", ")} has no races, and only they have workers to profile (npm run bench -- --list --all shows which)`,
  );
}

function againstOf(request: Request, cell: string): CellPlan {
  const cells = orUsageError(() => cellsOf({ ...request, filters: [cell] }));
  const [only, second] = cells;
  if (second === undefined) return only!;
  throw new UsageError(`--against ${cell} names several cells: name one, such as ${only!.cell}`);
}

function samplerOf({ kernel }: Asked["options"]): Sampler {
  if (!kernel) return "v8";
  const why = perfUnavailable();
  if (why === undefined) return "perf";
  throw new UsageError(`--kernel: ${why}; remove it to sample with V8's own profiler`);
}

/** Seconds from 0.1 to 600. */
function parseSeconds(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (seconds >= 0.1 && seconds <= 600) return seconds;
  throw new UsageError(`--seconds ${text} is out of range: give a number from 0.1 to 600`);
}

await runCommand(COMMAND, main);
