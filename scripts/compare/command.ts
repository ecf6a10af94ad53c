import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { primitives as primitivesOfLab } from "../../structures/catalog.ts";
import { type Commit, commitOf, type Repository } from "../../suites/engine/cli/commits/git.ts";
import { judgeRecord } from "../../suites/engine/judge/judge.ts";
import { usableCores } from "../../suites/engine/measure/machine/machine.ts";
import { moduleUrlOf, type Request } from "../../suites/engine/measure/plan/plan.ts";
import { type BenchRecord, checkOneMethod, readRecord } from "../../suites/engine/schema/record.ts";
import { command, refuse, runCommand, type Typed } from "../../suites/lab/command/command.ts";
import {
  checkTemporary,
  commandLine,
  EXIT,
  NOTHING_FINISHED,
  orUsageError,
  parseName,
  parseSeed,
  SEED,
  UsageError,
} from "../../suites/lab/command/usage.ts";
import { provenanceOf } from "../../suites/lab/pages/pages.ts";
import { nothingFailed, type RunIdentity, recordedRun } from "../../suites/lab/recorded-run.ts";
import {
  checkFilters,
  describeProfile,
  parseWaitQuiet,
  parseWorkers,
  usualRequest,
  WAIT_QUIET,
} from "../../suites/lab/request.ts";
import { recordToday } from "../../suites/lab/schema/names.ts";
import { saveLocal, saySaved } from "../../suites/lab/store/keep.ts";
import { checkWritable, localFolder } from "../../suites/lab/store/results.ts";
import { loadFormerNames } from "../../suites/lab/store/standings.ts";
import { describeCompetitors, loadSuites } from "../../suites/lab/suites.ts";
import { asWritten } from "../../suites/lab/tables/as-written.ts";
import { commitHash } from "../../suites/lab/tables/phrases.ts";
import { printBlocks } from "../../suites/lab/tables/terminal.ts";
import { type Checkouts, withCheckouts } from "./checkouts.ts";
import { compareGroups, compareRecords } from "./judge.ts";
import { type Comparison, comparisonBlocks, comparisonJson, comparisonText, exitCodeOf } from "./page.ts";
import { comparePlan, compareProfile, type Selection, selectPairs } from "./plan.ts";
import { mismatches } from "./records.ts";
import { isDirty, knownCommitOf, openRepository } from "./repository.ts";
import {
  competitorsOfSide,
  differencesOfContracts,
  filesFromLab,
  fingerprintOf,
  packageDifferences,
  type Side,
} from "./side.ts";

const { precision, secondsPerCell } = compareProfile("compare", "full");

const COMMAND = command({
  about: "Shows what a change of code made faster or slower, or what differs between two records.",
  usage: {
    "npm run compare -- BASE [HEAD] [FILTER...] [options]": "",
    "npm run compare -- RECORD RECORD [--force] [--json]": "",
  },
  before: `Two revisions: the competitors of both race against each other in the same processes, by the suites and the
    engine of the working tree.`,
  words: {
    "BASE, HEAD": `git revisions: main, HEAD~3, v1.2, 1a2b3c4. Without HEAD, the working tree is compared, including
      uncommitted changes. Each revision is checked out in a temporary folder, which is removed again. A word that is a
      primitive's name or begins with one is a FILTER.`,
    FILTER: `leading parts of cell names, as in bench:
        pick  pick/uniform-8  pick/uniform-8/cas-ring/2w
      Cells that a filter names race whether or not their code changed. Without a filter, the headline scenarios of
      every competitor race whose module, or any file that it imports, has changed, comments included. Only races are
      compared.`,
  },
  isPath: isRecord,
  options: {
    all: {
      help: "all scenarios instead of the headline ones; also with more workers than cores",
    },
    workers: {
      value: "1,2,4",
      help: "worker counts (default: 1 and 2, up to the cores)",
    },
    profile: {
      value: "NAME",
      default: "compare",
      help: `
        compare   ${secondsPerCell} s for each of base, A/A control and head, to ${100 * precision} % (default)
        quick     ${describeProfile("quick")}
        standard  ${describeProfile("standard")}
        full      ${describeProfile("full")}, all worker counts if --all`,
    },
    size: {
      value: "SIZE",
      default: "full",
      help: `full (default), or smoke: the smallest parameters and hardly any rounds, to see that everything works; the
        numbers mean nothing`,
    },
    seed: SEED,
    "wait-quiet": WAIT_QUIET,
    out: { value: "DIR", isPath: true, help: "folder for record and table (default results/local)" },
    force: {
      group: `Two records (paths that end with .json or .json.gz): nothing races. For every cell that both have, the change of its
        ratio to the baseline is judged. The baselines' own costs are shown but not judged, because they contain the
        noise of the host.

        Both:`,
      help: `compare records of different machines, runtimes or sizes (records of different methods never compare), or race
        revisions whose contracts differ, if the working tree's suites can drive both. The first line and the heading
        then say what differs`,
    },
    json: { help: "print the comparison as JSON on stdout and the table on stderr" },
  },
  after: `stdout has the table alone; its first line is the summary. Tables fit the terminal, or 80 columns where there
    is none. NO_COLOR=1 turns colours off. Progress goes to stderr. Ctrl-C stops at once; what was finished is kept.`,
  exits: {
    0: "nothing is slower",
    1: "a law was broken, a process was lost, or a cell has no number",
    2: "the request was wrong, nothing was measured",
    3: "something is slower",
    130: "interrupted",
  },
});

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

type Asked = Typed<typeof COMMAND.options>;
type Options = Asked["options"];

async function main(typed: Asked): Promise<number> {
  const { words: names } = typed;
  const [first, second, ...others] = names;
  if (first === undefined) {
    throw new UsageError("say what to compare: BASE [HEAD] [FILTER...], or two records (see --help)");
  }
  const records = [first, second].filter((name) => name !== undefined && isRecord(name));
  if (records.length === 0) {
    return await compareRevisions(typed, first, names.slice(1));
  }
  if (records.length === 1) {
    throw new UsageError(`${records[0]} is a record, which needs one other record: RECORD RECORD`);
  }
  if (others.length > 0)
    throw new UsageError(`two records are compared as a whole: remove ${others.join(", ")}`);
  const forRaces = ["all", "workers", "profile", "size", "seed", "wait-quiet", "out"] as const;
  refuse(COMMAND, typed, forRaces, "two records are compared, and nothing races");
  return compareTwoRecords(typed, first, second!);
}

/** Whether a word names a record rather than a revision. */
function isRecord(word: string): boolean {
  return /\.json(\.gz)?$/.test(word);
}

async function compareRevisions(
  { options, argv }: Asked,
  first: string,
  others: readonly string[],
): Promise<number> {
  const repository = openRepository(ROOT);
  const base = knownCommitOf(repository, first);
  const { head, filters } = headAndFilters(repository, others);
  const size = parseName("--size", options.size, ["full", "smoke"]);
  const usualWorkers = options.all ? undefined : [1, 2].filter((count) => count <= usableCores());
  const usual = usualRequest({
    filters,
    all: options.all,
    workers: parseWorkers(options.workers) ?? usualWorkers,
    profile: compareProfile(options.profile, size),
    size,
    seed: parseSeed(options.seed),
  });
  const asked = { suites: await loadSuites(), ...usual };
  const waitQuietMs = parseWaitQuiet(options["wait-quiet"]);
  const out = localFolder(options.out);
  checkTemporary();
  checkWritable(out);
  const current = knownCommitOf(repository, "HEAD");
  const dirty = isDirty(repository);
  const isSame = head === undefined ? base.hash === current.hash && !dirty : base.hash === head.hash;
  if (isSame && filters.length === 0) {
    const both = head === undefined ? "the working tree is its base, without changes" : "they are one commit";
    const title = `${base.short} -> ${head?.short ?? "working-tree"}`;
    printNothing(options, title, [`nothing differs: ${both} (${base.hash.slice(0, 12)})`]);
    return EXIT.ok;
  }
  return await withCheckouts(repository, async (checkouts) => {
    const sides = {
      base: sideOf(checkouts, "base", first, base),
      head:
        head === undefined
          ? workingTree(checkouts, current, dirty)
          : sideOf(checkouts, "head", others[0]!, head),
    };
    const identity = {
      command: commandLine("compare", argv),
      argv,
      commit: { hash: current.hash, dirty },
      keptIn: out,
      waitQuietMs,
    };
    return await race(options, sides, asked, identity, out);
  });
}

/** The second word is a revision unless it begins as cells' names do. */
function headAndFilters(repository: Repository, words: readonly string[]) {
  const [word] = words;
  if (word === undefined) return { head: undefined, filters: [] };
  const isFilter = primitivesOfLab().includes(word.split("/")[0]!);
  const isRevision = commitOf(repository, word) !== undefined;
  if (isFilter && isRevision && !word.endsWith("/")) {
    throw new UsageError(
      `${word} is a primitive and a revision: write refs/heads/${word} for the one, ${word}/ for the other`,
    );
  }
  if (isFilter) return { head: undefined, filters: words };
  return { head: knownCommitOf(repository, word), filters: words.slice(1) };
}

function sideOf(checkouts: Checkouts, place: string, revision: string, { hash, short }: Commit): Side {
  return {
    name: short,
    description: hash.startsWith(revision) ? hash.slice(0, 12) : `${hash.slice(0, 12)} (${revision})`,
    root: checkouts.worktree(place, hash),
  };
}

function workingTree(checkouts: Checkouts, { hash }: Commit, dirty: boolean): Side {
  return {
    name: "working-tree",
    description: `working tree at ${hash.slice(0, 12)}, ${dirty ? "with uncommitted changes (dirty)" : "without changes"}`,
    root: checkouts.snapshot("head"),
  };
}

interface Sides {
  readonly base: Side;
  readonly head: Side;
}

async function race(
  options: Options,
  sides: Sides,
  asked: Omit<Request, "described" | "competitors">,
  identity: RunIdentity,
  out: string,
): Promise<number> {
  const head = await requestFor(sides.head, asked);
  const base = await requestFor(sides.base, asked);
  if (asked.filters.length > 0) orUsageError(() => checkFilters(head));
  const selection = orUsageError(() =>
    selectPairs(
      base,
      head,
      (before, after) => fingerprintOf(sides.base, before) !== fingerprintOf(sides.head, after),
    ),
  );
  const primitives = new Set(selection.pairs.map(({ cell }) => cell.suite.suite.primitive));
  const differences = differencesOfContracts(primitives, [
    sides.base,
    sides.head,
    { name: "working-tree", description: "", root: ROOT },
  ]);
  if (differences.size > 0 && !options.force) {
    throw new UsageError(
      `${[...differences.values()].join("; ")}: one suite may not be able to race both: compare other primitives (FILTER), or the records of a bench of each; --force races them anyway`,
    );
  }
  if (!hasRaces(selection)) {
    throw new UsageError(
      "the request has no race that can run here (simulations and surveys are not compared; npm run bench runs them)",
    );
  }
  const left = leftOut(selection, sides);
  if (selection.pairs.length === 0) {
    const { base: from, head: to } = sides;
    printNothing(options, `${from.name} -> ${to.name}`, [
      `nothing to race between ${from.name} and ${to.name}`,
      ...left,
    ]);
    return EXIT.ok;
  }
  for (const line of left) process.stderr.write(`${line}\n`);
  const names = { base: sides.base.name, head: sides.head.name };
  const plan = comparePlan(selection, names, head);
  const record = await recordedRun(plan, identity);
  if (record.interrupted) {
    const isEmpty = record.groups.length === 0;
    if (!isEmpty) saySaved(saveLocal(record, judgeRecord(record), undefined, out));
    process.stderr.write(
      isEmpty ? NOTHING_FINISHED : "interrupted: only what was finished is kept, in the record\n",
    );
    return EXIT.interrupted;
  }
  const comparison: Comparison = {
    title: `${names.base} -> ${names.head}`,
    forced: differences.size === 0 ? [] : [`different contracts of ${[...differences.keys()].join(", ")}`],
    provenance: [
      ["Base", sides.base.description],
      ["Head", sides.head.description],
      // The record's commit is that of the suites and the engine.
      ...provenanceOf(record).map(
        ([label, value]) => [label === "Commit" ? "Engine" : label, value] as const,
      ),
    ],
    rows: compareGroups(record.groups),
    notes: [...left, ...lostForks(record), ...HOW_TO_READ],
  };
  const isSaved = saySaved(saveLocal(record, judgeRecord(record), comparisonText(comparison), out));
  print(options, comparison);
  return isSaved && nothingFailed(record) ? exitCodeOf(comparison.rows) : EXIT.failed;
}

async function requestFor(side: Side, asked: Omit<Request, "described" | "competitors">): Promise<Request> {
  const competitors = competitorsOfSide(side);
  const { suites, filters, size } = asked;
  const described = await describeCompetitors(
    suites,
    (primitive) => competitors.get(primitive) ?? [],
    filters,
    size,
  );
  return { ...asked, competitors, described };
}

function hasRaces({ pairs, unchanged, added, removed }: Selection): boolean {
  return [pairs, unchanged, added, removed].some(({ length }) => length > 0);
}

/** Competitors, or packages, that a line names. */
const MOST_NAMED = 6;

/** What is not in the table, and what the two sides share though they did not when they were written. */
function leftOut({ pairs, unchanged, unraced, added, removed }: Selection, { base, head }: Sides): string[] {
  const packages = packageDifferences(base, head);
  const lab = { name: "working-tree", description: "", root: ROOT };
  const own = packageDifferences(head, lab);
  const suites = new Set(pairs.map(({ cell }) => moduleUrlOf(cell.suite, cell.scenario.scenario)));
  const brought = filesFromLab(suites, lab, [base, head]);
  const moved = [...new Set([...packages, ...own])];
  const lines: readonly [named: readonly string[], line: string][] = [
    [unchanged, `${unchanged.length} competitors have the same code in both and were not raced`],
    [unraced, `changed, but in no headline race (a FILTER or --all may name others): ${firstOf(unraced)}`],
    [added, `new, nothing to compare with: ${firstOf(added)}`],
    [removed, `removed: ${firstOf(removed)}`],
    [moved, `package.json differs (${firstOf(moved)}): both ran with the working tree's packages`],
    [brought, `the suites use files that differ, and for both sides the working tree's: ${firstOf(brought)}`],
  ];
  return lines.filter(([named]) => named.length > 0).map(([, line]) => line);
}

/** As many as a line has room for, and how many more there are. */
function firstOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function lostForks({ groups }: BenchRecord): string[] {
  return groups.flatMap(({ primitive, scenario, workers, lostForks }) =>
    lostForks.map(
      ({ fork, reason }) => `${primitive}/${scenario} ${workers}w, fork ${fork + 1} was lost: ${reason}`,
    ),
  );
}

const VERDICTS =
  "**faster** / **slower**: the interval lies wholly beyond the floor. same: wholly within 3 %. depends: the processes fall into two groups that answer differently. cannot tell: none of these; (sees x %) is the least difference that would have been seen. no power: the same beside a floor over 10 %.";
const STATES =
  "Forks: processes that weigh in the ratio. State: the slices that most processes are judged by. quiet: every core ran at full speed, and several were near one another. far: at full speed, but far from one another. any: all slices.";

const HOW_TO_READ = [
  "Base, Head: what one worker waits for one operation, with its 99 % interval. Head / base: raced side by side, with the interval that the verdict rests on. It is widened for the number of rows and of looks at them (Bonferroni).",
  `Floor: how far the base's A/A control strays from it in the same processes. ${VERDICTS}`,
  STATES,
];

async function compareTwoRecords(
  { options, argv }: Asked,
  basePath: string,
  headPath: string,
): Promise<number> {
  const formerNames = await loadFormerNames();
  const [base, head] = orUsageError(
    () =>
      [
        recordToday(readRecord(basePath), formerNames),
        recordToday(readRecord(headPath), formerNames),
      ] as const,
  );
  const both = [
    { name: basePath, record: base },
    { name: headPath, record: head },
  ];
  orUsageError(() => checkOneMethod(both, "measure both by one"));
  const forced = mismatches(base, head);
  if (forced.length > 0 && !options.force) {
    throw new UsageError(
      `the records are not of one kind (${forced.join("; ")}): --force compares them anyway`,
    );
  }
  const { rows, onlyInBase, onlyInHead } = asWritten(compareRecords(base, head));
  if (rows.length === 0) throw new UsageError(`${basePath} and ${headPath} have no raced cell in common`);
  const origin = (path: string, record: BenchRecord) => {
    const { commit, startedAt, profile, seed, interrupted } = record;
    const where = commit === null ? "no commit" : commitHash(commit);
    return `${basename(path)}: ${where}, ${startedAt}, profile ${profile}, seed ${seed}${interrupted ? ", interrupted" : ""}`;
  };
  const conditions = provenanceOf(asWritten(head)).filter(
    ([label]) => label === "Machine" || label === "Runtime",
  );
  print(options, {
    title: `${basename(basePath)} -> ${basename(headPath)}`,
    forced: asWritten(forced),
    provenance: [
      ["Base", origin(basePath, asWritten(base))],
      ["Head", origin(headPath, asWritten(head))],
      ...(forced.length > 0 ? [] : conditions),
      ["Command", `\`${commandLine("compare", argv)}\``],
    ],
    rows,
    notes: [
      ...(onlyInBase.length === 0 ? [] : [`${onlyInBase.length} cells are in the base alone`]),
      ...(onlyInHead.length === 0 ? [] : [`${onlyInHead.length} cells are in the head alone`]),
      "Base, Head: what one worker waits for one operation, with its 99 % interval. Head / base: how the ratio to the baseline of the same record changed. Host noise cancels from it. The interval is the one that the verdict rests on, widened for the number of rows and of looks at them (Bonferroni).",
      "not judged: the baseline itself, whose costs at two times contain host noise, and competitors raced beside two different baselines.",
      `Floor: the floors of both records together. ${VERDICTS}`,
      STATES,
    ],
  });
  return exitCodeOf(rows);
}

function print(options: Options, comparison: Comparison): void {
  printBlocks(options.json ? process.stderr : process.stdout, comparisonBlocks(comparison));
  if (options.json) process.stdout.write(comparisonJson(comparison));
}

/** Why there is no table; for programs, one without rows. */
function printNothing(options: Options, title: string, notes: readonly string[]): void {
  const text = notes.map((line) => `${line}\n`).join("");
  if (!options.json) {
    process.stdout.write(text);
    return;
  }
  process.stderr.write(text);
  process.stdout.write(comparisonJson({ title, forced: [], provenance: [], rows: [], notes }));
}

await runCommand(COMMAND, main);
