import { basename, dirname, join, relative, resolve } from "node:path";
import type { ParseArgsConfig } from "node:util";
import { loadClaims, loadSuites } from "../../suites/engine/measure/load.ts";
import { describeMachine, usableCores } from "../../suites/engine/measure/machine.ts";
import { PATIENCE_MS } from "../../suites/engine/measure/plan.ts";
import {
  checkCommitted,
  checkFilters,
  checkUnpublished,
  parseBudget,
} from "../../suites/engine/measure/request.ts";
import { argumentsOf } from "../../suites/engine/measure/resume.ts";
import { rulerBlocks, rulerPage } from "../../suites/engine/render/ruler.ts";
import { printBlocks } from "../../suites/engine/render/terminal.ts";
import { recordText } from "../../suites/engine/schema/record.ts";
import { readRulerRecord } from "../../suites/engine/schema/ruler.ts";
import {
  checkResumedAlone,
  commandLine,
  EXIT,
  orUsageError,
  parseArguments,
  parseSeed,
  parseWhole,
  runScript,
} from "../../suites/engine/schema/usage.ts";
import { writeGenerated } from "../../suites/engine/store/generated.ts";
import {
  checkWritable,
  currentCommit,
  RESULTS,
  recordName,
  writeAll,
} from "../../suites/engine/store/results.ts";
import { measureRuler } from "./measure.ts";
import { RULER, rulerPlan } from "./plan.ts";

/**
 * What is measured where no cell is named: private and shared memory, one line that all want and a structure of many
 * lines, a loop that is retried and one that waits, a set that fits the nearest caches and one that does not; alone, with
 * a core for each, and with more workers than cores.
 */
const USUAL_CELLS = [
  "pick/uniform-8/per-worker-random/1w",
  "pick/uniform-8/cas-ring/1w",
  "locks/short-section/futex-three-state/1w",
  "timers/refresh-1k/hashed-wheel/1w",
  "timers/refresh-100k/hashed-wheel/1w",
  "pick/uniform-8/shuffled-round-robin/2w",
  "pick/uniform-8/cas-ring/2w",
  "locks/short-section/futex-three-state/2w",
  "pick/uniform-8/shuffled-round-robin/4w",
];

const HELP = `Measures the ruler: how often this lab's verdicts are wrong, and how small a
difference they see, beside mitata and tinybench.

usage: npm run ruler -- [CELL...] [options]

  CELL   whole names of cells, primitive/scenario/competitor/workers; without:
${USUAL_CELLS.map((cell) => `           ${cell}`).join("\n")}

Each group holds six equal crews of the cell's competitor and six that do 1, 2,
3, 5, 10 and 20 % more work than they count. A verdict of faster or slower
between equals is a false alarm; a slowed crew that is not called slower was
missed. Each row is judged after as many forks as racing would have given it.
The cells of one worker are then read by mitata and tinybench, one process for
each reading.

  --repeats N          groups for each cell, 1 to 1000 (default 2); the equals
                       of one group, that which sets the floor aside, make ten
                       comparisons
  --budget TIME        time for racing all groups together, as 90s, 45m or 1h30m
                       (default: ${RULER.secondsPerCell} s for each crew, twice that for large sets
                       and oversubscribed ones; 22 min for the cells above)
  --readings N         turns in which each library reads each cell, 0 to 1000:
                       three times as it is and once for each slowdown (default:
                       as many as repeats)
  --seed N             repeat the order and workload of an earlier run
  --out DIR            folder for record and page (default results/local)
  --publish            write them to results/ruler; from a clean work tree
  --resume RECORD      finish an interrupted measurement from its record
  --help               this text

Ctrl-C stops at once; what was finished is kept and can be resumed.

exit codes: 0 measured; 1 some group or reading has no numbers; 2 the request
was wrong, nothing was measured; 130 interrupted
`;

const OPTIONS = {
  repeats: { type: "string", default: "2" },
  budget: { type: "string" },
  readings: { type: "string" },
  seed: { type: "string" },
  out: { type: "string" },
  publish: { type: "boolean", default: false },
  resume: { type: "string" },
  help: { type: "boolean", default: false },
} as const satisfies ParseArgsConfig["options"];

await runScript(async () => {
  const typed = parse();
  if (typed.options.help) {
    process.stdout.write(HELP);
    return EXIT.ok;
  }
  const { resume, ...others } = typed.options;
  if (resume !== undefined) checkResumedAlone(others, parse([]).options, typed.cells);
  const previous = resume === undefined ? undefined : orUsageError(() => readRulerRecord(resume));
  const { options, cells: named } = previous === undefined ? typed : parse(argumentsOf(previous));

  const repeats = parseWhole("--repeats", options.repeats, 1, 1000);
  const turns =
    options.readings === undefined ? repeats : parseWhole("--readings", options.readings, 0, 1000);
  const suites = await loadSuites();
  const cores = usableCores();
  const request = {
    suites,
    filters: named.length > 0 ? named : USUAL_CELLS,
    all: true,
    workers: undefined,
    profile: RULER,
    ...(options.budget === undefined ? {} : { budgetMs: parseBudget(options.budget) }),
    size: "full" as const,
    seed: previous?.seed ?? parseSeed(options.seed),
    twins: 1,
    patienceMs: PATIENCE_MS,
    candidates: new Map(),
    claims: await loadClaims(suites, new Map()),
    cores,
  };
  const { plan, cells } = orUsageError(() => {
    checkFilters(request);
    return rulerPlan(request, repeats);
  });
  const commit = currentCommit();
  if (options.publish) checkCommitted(commit, "--publish");
  const identity = {
    startedAt: previous?.startedAt ?? new Date().toISOString(),
    commit,
    machine: describeMachine(),
  };
  const place = join(RESULTS, "ruler", `${recordName(identity, true)}.json`);
  if (options.publish) checkUnpublished(place);
  const local = options.out ?? (resume === undefined ? join(RESULTS, "local") : dirname(resume));
  const ownPlace = options.publish ? join(RESULTS, "ruler") : resolve(local);
  orUsageError(() => checkWritable(ownPlace));

  const readings = { cells: cells.filter(({ group }) => group.workers === 1), turns };
  const record = await measureRuler(plan, readings, { command: commandLine("ruler"), commit }, previous);
  const isPublished = options.publish && !record.interrupted;
  const folder = record.interrupted ? resolve(local) : ownPlace;
  const name = isPublished ? recordName(record, true) : `${recordName(record, false)}-ruler`;
  const path = join(folder, `${name}.json`);
  const saved = writeAll(new Map([[path, recordText(record)]]));
  if (isPublished) saved.push(...(await writeGenerated()));
  if (!record.interrupted) {
    printBlocks(process.stdout, rulerBlocks(record, basename(path)));
    if (!isPublished) {
      const page = rulerPage(record, basename(path));
      saved.push(...writeAll(new Map([[join(folder, `${name}.md`), page]])));
    }
  }
  process.stderr.write(`wrote ${saved.map((file) => relative(process.cwd(), file)).join("\n      ")}\n`);
  if (record.interrupted) {
    process.stderr.write("interrupted: what was finished is kept; --resume RECORD goes on\n");
    return EXIT.interrupted;
  }
  const parts = [...record.groups, ...record.readings];
  return parts.every(({ failure }) => failure === undefined) ? EXIT.ok : EXIT.noNumber;
});

function parse(args?: readonly string[]) {
  const { options, words } = parseArguments(OPTIONS, args);
  return { options, cells: words };
}
