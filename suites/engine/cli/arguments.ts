import { command, type Option, parseLine, refuse } from "./command-line.ts";
import { EXIT, UsageError } from "./usage.ts";
import { parseDuration, parseName, parsePrecision, parseSeed, parseWhole, parseWholes } from "./values.ts";

const MOST_WORKERS = 1024;
const MOST_WARM_UPS = 100;

const ONE_COMMIT = { notWith: "base" } as const satisfies Partial<Option>;

/** What makes a comparison of two commits fail. */
const FAIL_ON = ["slower", "bytes", "never"] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** `hotpath-race`. */
export const COMMAND = command({
  about: "Races the tasks of benchmark files, or commands, in processes of their own.",
  usage: {
    "hotpath-race FILE|FOLDER... [options]": "",
    "hotpath-race --command CMD --command CMD [options]": "",
    "hotpath-race init --ci github [--force]": "",
  },
  before: `Files may be written for tinybench, mitata, vitest bench or benchmark.js, or export functions. In a folder, files
    named like benchmarks are taken.`,
  options: {
    list: { help: "list the tasks and race nothing" },
    group: { value: "TEXT", help: "only groups whose name contains this; may be repeated", multiple: true },
    task: { value: "TEXT", help: "only tasks whose name contains this; may be repeated", multiple: true },
    baseline: {
      value: "NAME",
      help: "the task that others of its group are compared with",
      ...ONE_COMMIT,
    },
    workers: { value: "1,2", help: "numbers of workers, for files that export `workers`", ...ONE_COMMIT },
    together: { help: "tasks of a group share compiled code" },
    "compiled-alike": { help: "every process gets the same compiled code", ...ONE_COMMIT },
    node: {
      value: "22,24",
      help: "race each task on several Nodes, by version or path",
      ...ONE_COMMIT,
    },
    with: {
      value: "FLAG",
      help: "race each task with this flag of Node, and without",
      multiple: true,
      isFlag: true,
      notWith: "node",
    },
    budget: { value: "TIME", help: "time for all of it: 90s, 8m (default: 1.6 s a task)" },
    precision: { value: "P", help: "race until intervals are this narrow (default: 3%)" },
    quick: { help: "a first look: less time, and intervals up to 10%" },
    seed: { value: "N", help: "repeat the order and random draws of a run" },
    "allow-write": { help: "let bench files write files and start processes" },
    json: { value: "FILE", help: "write all figures, or the list, as JSON; - for stdout" },
    markdown: { value: "FILE", help: "write the tables as Markdown" },
    why: {
      value: "TASK",
      help: "profile this task and its baseline when they have raced",
      needs: "allow-write",
      ...ONE_COMMIT,
    },
    histogram: { help: "show how the processes of each row spread", ...ONE_COMMIT },
    base: { value: "REF", help: "compare with this commit, in the same processes" },
    build: { value: "CMD", help: "builds the other commit", needs: "base" },
    "fail-on": {
      value: "WHAT",
      default: "slower",
      help: "what exits with 3: slower (default), bytes (both) or never",
      needs: "base",
    },
    command: {
      value: "CMD",
      help: "race commands instead; the first is the baseline",
      multiple: true,
    },
    prepare: { value: "CMD", help: "runs before each execution, and is not timed", needs: "command" },
    warmup: { value: "N", help: "executions of each before they race (default: 1)", needs: "command" },
    "ignore-failure": { help: "race on where a command fails", needs: "command" },
    version: { help: "print the version", short: "v" },
  },
  exits: {
    [EXIT.ok]: "raced",
    [EXIT.failed]: "a file or task failed",
    [EXIT.usage]: "wrong input, or nothing to race or compare",
    [EXIT.slower]: "slower than the base, or allocates more",
    [EXIT.interrupted]: "interrupted",
  },
});

/** What was asked for. */
export interface Request {
  /** Files and folders as they were typed. */
  readonly paths: readonly string[];
  readonly list: boolean;
  readonly groups: readonly string[];
  readonly tasks: readonly string[];
  readonly baseline: string | undefined;
  /** Undefined for what the file says. */
  readonly workers: readonly number[] | undefined;
  readonly isTogether: boolean;
  readonly isCompiledAlike: boolean;
  /** Versions of Node, or paths of them, on which each task races; none for the one that runs this. */
  readonly nodes: readonly string[];
  /** Flags of Node, with each of which each task races beside itself. */
  readonly flags: readonly string[];
  /** Time for all of it, in ms; undefined for what the tasks need. */
  readonly budgetMs: number | undefined;
  /** Half-width of an interval, as a share; undefined for the profile's. */
  readonly precision: number | undefined;
  readonly isQuick: boolean;
  /** uint32; undefined for one drawn at random. */
  readonly seed: number | undefined;
  readonly mayWrite: boolean;
  readonly json: string | undefined;
  readonly markdown: string | undefined;
  readonly histogram: boolean;
  /** The task whose profile is wanted. */
  readonly why: string | undefined;
  /** The commit to compare with. */
  readonly base: string | undefined;
  readonly build: string | undefined;
  readonly failOn: FailOn;
}

/** A race of commands that was asked for. */
export interface CommandRequest
  extends Pick<Request, "budgetMs" | "precision" | "isQuick" | "seed" | "json" | "markdown"> {
  /** One or more, each as a shell takes it. */
  readonly commands: readonly string[];
  readonly prepare: string | undefined;
  /** Executions of each before they race. */
  readonly warmUps: number;
  readonly ignoresFailure: boolean;
}

/** What a call asks for. */
export type Call =
  | { readonly kind: "help" | "version" }
  | { readonly kind: "init"; readonly isReplacing: boolean }
  | { readonly kind: "commands"; readonly request: CommandRequest }
  | { readonly kind: "race"; readonly request: Request };

/** Reads the words of a call. Throws a UsageError where they are not as the help text has them. */
export function callOf(args: readonly string[]): Call {
  if (args[0] === "init") return initOf(args.slice(1));
  const typed = parseLine(COMMAND, args);
  if (typed.options.help) return { kind: "help" };
  if (typed.options.version) return { kind: "version" };
  if (typed.options.command.length > 0) return { kind: "commands", request: commandRequestOf(typed) };
  return { kind: "race", request: requestOf(typed) };
}

function initOf(words: readonly string[]): Call {
  const isReplacing = words.includes("--force");
  if (words.filter((word) => word !== "--force").join(" ") !== "--ci github")
    throw new UsageError("init writes workflows for pull requests: hotpath-race init --ci github [--force]");
  return { kind: "init", isReplacing };
}

type TypedHere = ReturnType<typeof parseLine<typeof COMMAND.options>>;

const OF_COMMANDS = ["command", "prepare", "warmup", "ignore-failure"] as const;
const OF_BOTH = ["budget", "precision", "quick", "seed", "json", "markdown", "help", "version"] as const;

function commandRequestOf(typed: TypedHere): CommandRequest {
  const names = Object.keys(COMMAND.options) as (keyof typeof COMMAND.options)[];
  const others = names.filter((name) => ![...OF_COMMANDS, ...OF_BOTH].some((known) => known === name));
  refuse(COMMAND, typed, others, "--command races commands, and no tasks of files", typed.words);
  const { options } = typed;
  const repeated = options.command.find((own, place) => options.command.indexOf(own) < place);
  if (repeated !== undefined)
    throw new UsageError(`--command ${repeated} is given twice: the first races beside itself in any case`);
  return {
    commands: options.command,
    prepare: options.prepare,
    warmUps: options.warmup === undefined ? 1 : parseWhole("--warmup", options.warmup, 1, MOST_WARM_UPS),
    ignoresFailure: options["ignore-failure"],
    ...commonOf(options),
  };
}

/** What both kinds of races know. */
function commonOf(options: TypedHere["options"]) {
  const { json, markdown } = options;
  if (markdown === "-") throw new UsageError("--markdown writes a file: give its name, as out.md");
  return {
    budgetMs: read(options.budget, (text) => parseDuration("--budget", text)),
    precision: read(options.precision, parsePrecision),
    isQuick: options.quick,
    seed: read(options.seed, parseSeed),
    json,
    markdown,
  };
}

function read<T>(text: string | undefined, reader: (text: string) => T): T | undefined {
  return text === undefined ? undefined : reader(text);
}

function requestOf({ options, words }: TypedHere): Request {
  const { list, markdown, base } = options;
  if (words.length === 0)
    throw new UsageError("give a bench file or a folder of them: hotpath-race FILE; --help says more");
  if (list && (markdown !== undefined || base !== undefined))
    throw new UsageError(
      "--list races nothing, so there is nothing to compare or show: leave one of them out",
    );
  const ofBoth = ["base", "list", "baseline", "compiled-alike"] as const;
  const other = ofBoth.find((name) => options[name] !== undefined && options[name] !== false);
  if (other !== undefined && (options.node !== undefined || options.with.length > 0))
    throw new UsageError(
      `--${options.node === undefined ? "with" : "node"} has no use with --${other}: leave one of them out`,
    );
  return {
    paths: words,
    list,
    groups: options.group,
    tasks: options.task,
    baseline: options.baseline,
    workers: read(options.workers, (text) => parseWholes("--workers", text, 1, MOST_WORKERS)),
    isTogether: options.together,
    isCompiledAlike: options["compiled-alike"],
    nodes: options.node?.split(",").map((text) => text.trim()) ?? [],
    flags: options.with,
    mayWrite: options["allow-write"],
    ...commonOf(options),
    why: options.why,
    histogram: options.histogram,
    base,
    build: options.build,
    failOn: parseName("--fail-on", options["fail-on"], FAIL_ON),
  };
}
