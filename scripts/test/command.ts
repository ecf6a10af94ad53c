import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative, resolve } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { assertWritable } from "../../suites/engine/measure/machine/scratch.ts";
import { writeWhole } from "../../suites/engine/measure/machine/write-whole.ts";
import { plainLine } from "../../suites/engine/schema/lines.ts";
import { present } from "../../suites/engine/words/present.ts";
import { command, refuse, runCommand } from "../../suites/lab/command/command.ts";
import { EXIT, orUsageError, UsageError } from "../../suites/lab/command/usage.ts";
import { askRuntime, LAB_RUNTIMES, parseRuntime } from "../../suites/lab/runtimes/runtimes.ts";
import { printBlocks } from "../../suites/lab/tables/terminal.ts";
import { type Choice, choose, isOfNight, named, type Passed, stateOf, testFiles, testsOf } from "./choice.ts";
import { examinedBlocks, lineOf } from "./on-runtime.page.ts";
import { type Examined, examineesBelow, examineOn } from "./on-runtime.ts";
import { Sources } from "./reads.ts";

const COMMAND = command({
  about: "Runs the tests that a change can break, and names the others.",
  usage: {
    "npm run test:changed": `check and lint, then run every test file that reads something which changed since the file last
      passed here: code, laws, pages, packages or Node`,
    "npm test [-- PATH ...]": `run all of them but those of the night, or all below these paths, and remember which
      passed; HOTPATH_THOROUGH=1 runs those of the night, too`,
    "npm test -- --runtime NAME [PATH ...]": `apply every law to all competitors, or only below these paths, in another
      runtime`,
  },
  before: `If one competitor changed, only its own tests and races run. If a law, the engine or other common code changed, tests
    of all competitors run; that takes minutes.`,
  isPath: () => true,
  options: {
    list: { help: "name the test files that would run, with the reason, and run none" },
    all: { help: "run every test file" },
    "test-name-pattern": {
      value: "REGEX",
      help: "only tests whose names match, as Node's own option has it; it is not remembered that they passed",
    },
    runtime: {
      value: "NAME",
      help: `${LAB_RUNTIMES.join(", ")}: npm run runtimes installs all but the lab's own. Test files are for Node's
        test runner and do not run`,
    },
  },
  exits: {
    0: "all passed",
    1: "a test failed, a check found something, or a law is broken",
    2: "a request that cannot be carried out",
  },
});

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CACHE = join(ROOT, "node_modules", ".cache", "hotpath-lab");
const MEMORY = join(CACHE, "passed.json");
/** Test files and the commands that they start load the same modules, which Node then strips and compiles once. */
process.env.NODE_COMPILE_CACHE ??= CACHE;
/**
 * Timed tests share the machine with one other at most. With a third lane, all tests took 471 s on two cores, and 460 s
 * with two.
 */
const LANES = Math.min(2, availableParallelism());

/** In milliseconds. The longest file takes under 3 minutes on two cores: a test that hangs fails, and is named. */
const LONGEST_TEST = 15 * 60_000;
/** In milliseconds, on two cores 11 minutes. A process that a failed test keeps busy would never end on its own. */
const LONGEST_RUN = 60 * 60_000;

const isThorough = process.env.HOTPATH_THOROUGH === "1";

/** What is said once where it is not known which tests passed. */
const EVERYTHING_RUNS =
  "every test file is run, which takes minutes; npm test -- PATH runs those below a path alone";

/** The file of a failure that belongs to no test file. */
const NOBODY = "";

interface Remembered {
  /** Of what every test depends on. */
  readonly everything: string;
  readonly tests: Readonly<Record<string, Passed & { readonly seconds: number }>>;
}

interface Chosen {
  readonly test: string;
  readonly choice: Exclude<Choice, { kind: "none" }>;
}

await runCommand(COMMAND, async (typed) => {
  const { options, words } = typed;
  if (!options.list) orUsageError(assertWritable);
  const asked = words.map((word) => relative(ROOT, resolve(word)));
  if (options.runtime !== undefined) {
    refuse(COMMAND, typed, ["list", "test-name-pattern"], "--runtime runs no test file");
    return await examineAll(options.runtime, asked);
  }
  const pattern = patternIn(options["test-name-pattern"]);
  const sources = new Sources(ROOT);
  const all = testFiles(sources);
  const stray = words.find((_, place) => !all.some((test) => test.startsWith(asked[place]!)));
  if (stray !== undefined) throw new UsageError(`no test file is below ${stray}`);
  const isAsked = (test: string) =>
    asked.length === 0 ? isThorough || !isOfNight(test) : asked.some((path) => test.startsWith(path));
  const tests = all.filter(isAsked);
  const everything = [process.version, process.arch, sources.hash("package-lock.json")].join();
  const { tests: remembered, lost } = recall(everything);
  if (lost !== undefined && !options.all) process.stdout.write(`${lost}: ${EVERYTHING_RUNS}\n`);
  if (!options.list && !check()) return EXIT.failed;

  const now = new Map(tests.map((test) => [test, stateOf(sources, test)]));
  const chosen = [...now].flatMap(([test, state]): Chosen[] => {
    const choice: Choice = options.all
      ? { kind: "whole", because: "all were asked for" }
      : choose(sources, test, remembered[test], state);
    return choice.kind === "none" ? [] : [{ test, choice }];
  });
  if (!options.all) announce(chosen, now.size, remembered);
  if (options.list) return EXIT.ok;

  const passed: Record<string, Passed & { seconds: number }> = { ...remembered };
  let failed = false;
  // What reads most takes longest. Begun last, it would go on alone.
  const readBy = ({ test }: Chosen) => {
    const { files, competitors } = now.get(test)!;
    return Object.keys(files).length + Object.values(competitors).filter((seen) => seen !== "").length;
  };
  for (const [leaveOut, group] of runsOf(chosen.toSorted((a, b) => readBy(b) - readBy(a)))) {
    const tests = group.map(({ test }) => test);
    const { failures, seconds } = await runTests(tests, leaveOut, pattern);
    failed ||= failures.size > 0;
    if (pattern !== undefined) continue;
    for (const test of tests) {
      // Part of a file takes less than all of it, which is what the time is kept for.
      const longest = Math.max(remembered[test]?.seconds ?? 0, seconds.get(join(ROOT, test)) ?? 0);
      if (failures.has(join(ROOT, test)) || failures.has(NOBODY)) delete passed[test];
      else passed[test] = { ...now.get(test)!, seconds: longest };
    }
    writeWhole(MEMORY, JSON.stringify({ everything, tests: passed } satisfies Remembered));
  }
  const ofNight = asked.length === 0 ? all.length - tests.length : 0;
  if (ofNight > 0) process.stdout.write(`${ofNight} test files run by night: HOTPATH_THOROUGH=1 npm test\n`);
  return failed ? EXIT.failed : EXIT.ok;
});

async function examineAll(runtime: string, paths: readonly string[]): Promise<number> {
  const start = parseRuntime("--runtime", runtime);
  const examinees = examineesBelow(paths);
  if (examinees.length === 0) throw new UsageError(`no competitor is below ${paths.join(", ")}`);
  const facts = await askRuntime(start);
  const all: Examined[] = [];
  await examineOn(start, examinees, LANES, (examined) => {
    all.push(examined);
    process.stderr.write(`${plainLine(lineOf(examined))}\n`);
  });
  printBlocks(process.stdout, examinedBlocks(facts, all));
  return all.some(({ finding }) => finding.kind === "broken") ? EXIT.failed : EXIT.ok;
}

/** Test files to run at once, by what matches the tests of theirs that are left out. */
function runsOf(chosen: readonly Chosen[]): Map<string, Chosen[]> {
  // What is set for a part of the races from outside is not for a run that takes them for all.
  delete process.env.HOTPATH_COMPETITORS;
  const raced = chosen.flatMap(({ test, choice }) =>
    choice.kind === "part" && !hasTestsByName(test) ? choice.changed : [],
  );
  if (raced.length > 0) process.env.HOTPATH_COMPETITORS = raced.join();
  return Map.groupBy(chosen, ({ test, choice }) =>
    choice.kind === "part" && hasTestsByName(test) ? testsOf(choice.unchanged).source : "",
  );
}

/** Tests of structures are named after the competitor that they examine. */
function hasTestsByName(test: string): boolean {
  return test.startsWith("structures/");
}

function patternIn(text: string | undefined): RegExp | undefined {
  try {
    return text === undefined ? undefined : new RegExp(text);
  } catch {
    throw new UsageError(`--test-name-pattern takes a regular expression, not ${text}`);
  }
}

function check(): boolean {
  return spawnSync("npm", ["run", "-s", "check"], { cwd: ROOT, stdio: "inherit" }).status === 0;
}

/** Which tests passed here, or why that is not known. */
function recall(everything: string): Pick<Remembered, "tests"> & { readonly lost?: string } {
  try {
    const remembered = JSON.parse(readFileSync(MEMORY, "utf8")) as Remembered;
    if (remembered.everything === everything) return { tests: remembered.tests };
    return { tests: {}, lost: "package-lock.json or Node is not as it was when tests passed here" };
  } catch {
    // The first run here.
    return { tests: {}, lost: "no test has passed here yet" };
  }
}

function announce(chosen: readonly Chosen[], all: number, remembered: Remembered["tests"]): void {
  for (const { test, choice } of chosen) {
    const why = choice.kind === "whole" ? choice.because : `of ${named(choice.changed, 4)} alone`;
    process.stdout.write(`${test}: ${why}\n`);
  }
  const whole = chosen.filter(({ choice }) => choice.kind === "whole");
  const seconds = whole.map(({ test }) => remembered[test]?.seconds);
  const known = seconds.filter((each) => each !== undefined);
  const secondsTogether = Math.ceil(known.reduce((sum, each) => sum + each, 0) / LANES);
  const isKnown = known.length === seconds.length && known.length > 0;
  const took = isKnown ? `, the whole ones about ${secondsTogether} s` : "";
  process.stdout.write(
    `${chosen.length} of ${all} test files to run${took}; ${all - chosen.length} passed with all that they read as it is\n`,
  );
}

async function runTests(tests: readonly string[], leaveOut: string, pattern: RegExp | undefined) {
  const failures = new Set<string>();
  const seconds = new Map<string, number>();
  const stream = run({
    files: tests.map((test) => join(ROOT, test)),
    concurrency: LANES,
    timeout: LONGEST_TEST,
    signal: AbortSignal.timeout(LONGEST_RUN),
    cwd: ROOT,
    ...(leaveOut === "" ? {} : { testSkipPatterns: new RegExp(leaveOut) }),
    ...present({ testNamePatterns: pattern }),
  });
  stream.on("test:fail", ({ file = NOBODY }) => failures.add(file));
  stream.on("test:summary", ({ file, duration_ms }) => {
    if (file !== undefined) seconds.set(file, duration_ms / 1000);
  });
  for await (const text of stream.compose(new spec())) process.stdout.write(text);
  return { failures, seconds };
}
