import { parseArgs } from "node:util";
import { likely, UsageError } from "./usage.ts";

interface Option {
  /** Stands for its value in the help text; without one the option is a flag. */
  readonly value?: string;
  readonly help: string;
  /** May be given several times. */
  readonly multiple?: true;
  /** The option that it needs beside it. */
  readonly needs?: string;
  /** Has no use with --base. */
  readonly isOfOneCommit?: true;
}

/** In the order of the help text. */
const OPTIONS = {
  list: { help: "list the tasks and race nothing" },
  group: { value: "TEXT", help: "only groups whose name contains this; may be repeated", multiple: true },
  task: { value: "TEXT", help: "only tasks whose name contains this; may be repeated", multiple: true },
  baseline: {
    value: "NAME",
    help: "the task that others of its group are compared with",
    isOfOneCommit: true,
  },
  workers: { value: "1,2", help: "numbers of workers, for files that export `workers`", isOfOneCommit: true },
  together: { help: "tasks of a group share compiled code" },
  budget: { value: "TIME", help: "time for all of it: 90s, 8m (default: 1.8 s a task)" },
  precision: { value: "P", help: "race until intervals are this narrow (default: 3%)" },
  quick: { help: "a first look: less time, and intervals up to 10%" },
  seed: { value: "N", help: "repeat the order and random draws of a run" },
  "allow-write": { help: "let bench files write files and start processes" },
  json: { value: "FILE", help: "write all figures, or the list, as JSON; - for stdout" },
  markdown: { value: "FILE", help: "write the tables as Markdown" },
  histogram: { help: "show how the processes of each row spread", isOfOneCommit: true },
  base: { value: "REF", help: "compare with this commit, in the same processes" },
  build: { value: "CMD", help: "builds the other commit", needs: "base" },
  "fail-on": { value: "slower|never", help: "what exits with 3 (default: slower)", needs: "base" },
  save: { value: "NAME", help: "keep the result for --against", isOfOneCommit: true },
  against: { value: "NAME", help: "compare with a result that was kept", isOfOneCommit: true },
  version: { help: "print the version" },
  help: { help: "print this text" },
} as const satisfies Readonly<Record<string, Option>>;

type Name = keyof typeof OPTIONS;
const TABLE: Readonly<Record<Name, Option>> = OPTIONS;
const NAMES = Object.keys(OPTIONS) as Name[];

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
  /** The commit to compare with. */
  readonly base: string | undefined;
  readonly build: string | undefined;
  readonly failOn: "slower" | "never";
  readonly save: string | undefined;
  readonly against: string | undefined;
}

/** What a call asks for: `judge` has arguments of its own. */
export type Call =
  | { readonly kind: "help" | "version" | "init" }
  | { readonly kind: "judge"; readonly args: readonly string[] }
  | { readonly kind: "race"; readonly request: Request };

/** Reads the words of a call. Throws a UsageError where they are not as the help text has them. */
export function callOf(args: readonly string[]): Call {
  const [first, ...rest] = args;
  if (first === "judge") return { kind: first, args: rest };
  if (first === "init") {
    if (rest.join(" ") !== "--ci github")
      throw new UsageError("init writes a workflow: hotpath-race init --ci github");
    return { kind: first };
  }
  const { given, paths } = parsed(args);
  if (given.has("help")) return { kind: "help" };
  if (given.has("version")) return { kind: "version" };
  return { kind: "race", request: requestOf(given, paths) };
}

/** The values of each option that was given, and all other words. */
function parsed(args: readonly string[]) {
  const options = Object.fromEntries(
    NAMES.map((name) => [name, { type: TABLE[name].value === undefined ? "boolean" : "string" } as const]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...options, help: { type: "boolean", short: "h" }, version: { type: "boolean", short: "v" } },
    strict: false,
    tokens: true,
  });
  const given = new Map<Name, string[]>();
  const paths: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") paths.push(token.value);
    if (token.kind !== "option") continue;
    const { rawName, value, inlineValue } = token;
    if (!Object.hasOwn(OPTIONS, token.name)) throw unknown(rawName);
    const name = token.name as Name;
    const { value: needed, multiple, help } = TABLE[name];
    if (needed === undefined && inlineValue === true) throw new UsageError(`--${name} takes no value`);
    if (needed !== undefined && isMissing(value, inlineValue))
      throw new UsageError(`--${name} needs a value: --${name} ${needed}, ${help}`);
    if (given.has(name) && multiple === undefined) throw new UsageError(`--${name} is given twice`);
    given.set(name, [...(given.get(name) ?? []), value ?? ""]);
  }
  for (const name of given.keys()) {
    const { needs, isOfOneCommit } = TABLE[name];
    if (needs !== undefined && !given.has(needs as Name))
      throw new UsageError(`--${name} has no use without --${needs}`);
    if (isOfOneCommit && given.has("base"))
      throw new UsageError(`--${name} has no use with --base: leave one of them out`);
  }
  return { given, paths };
}

/** Whether an option was typed as the value of another, or nothing was. */
function isMissing(value: string | undefined, isInline: boolean | undefined): boolean {
  return (
    value === undefined || value === "" || (isInline !== true && /^-./.test(value) && !/^-\d/.test(value))
  );
}

function unknown(typed: string): UsageError {
  const [near] = likely(NAMES, typed.replace(/^-+/, ""));
  const guess = near === undefined ? "" : `, did you mean --${near}?`;
  return new UsageError(`there is no option ${typed}${guess || ","} hotpath-race --help lists all`);
}

function requestOf(given: ReadonlyMap<Name, readonly string[]>, paths: readonly string[]): Request {
  const one = (name: Name): string | undefined => given.get(name)?.[0];
  const read = <T>(name: Name, reader: (text: string) => T | undefined, what: string): T | undefined => {
    const text = one(name);
    if (text === undefined) return undefined;
    const value = reader(text);
    if (value === undefined) throw new UsageError(`--${name} ${text} is not understood: give ${what}`);
    return value;
  };
  if (paths.length === 0)
    throw new UsageError("give a bench file or a folder of them: hotpath-race FILE; --help says more");
  if (given.has("list") && ["markdown", "base", "save", "against"].some((name) => given.has(name as Name)))
    throw new UsageError(
      "--list races nothing, so there is nothing to compare or show: leave one of them out",
    );
  if (one("markdown") === "-") throw new UsageError("--markdown writes a file: give its name, as out.md");
  return {
    paths,
    list: given.has("list"),
    groups: given.get("group") ?? [],
    tasks: given.get("task") ?? [],
    baseline: one("baseline"),
    workers: read("workers", workersIn, "whole numbers from 1 to 1024, as 1,2"),
    isTogether: given.has("together"),
    budgetMs: read("budget", timeIn, "a time from 1s to 24h, as 90s or 8m"),
    precision: read("precision", precisionIn, "a share from 0.1% to 50%, as 3% or 0.03"),
    isQuick: given.has("quick"),
    seed: read("seed", (text) => whole(text, 0, 2 ** 32 - 1), "a whole number from 0 to 4294967295"),
    mayWrite: given.has("allow-write"),
    json: one("json"),
    markdown: one("markdown"),
    histogram: given.has("histogram"),
    base: one("base"),
    build: one("build"),
    failOn: read("fail-on", failOnIn, "slower or never") ?? "slower",
    save: one("save"),
    against: one("against"),
  };
}

const UNIT_MS = { s: 1000, m: 60_000, min: 60_000, h: 3_600_000 } as const;

function timeIn(text: string): number | undefined {
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?(s|m|min|h)$/.exec(text) ?? [];
  const ms = Number(number) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return ms >= UNIT_MS.s && ms <= 24 * UNIT_MS.h ? ms : undefined;
}

function precisionIn(text: string): number | undefined {
  const [, number, percent] = /^(\d+(?:\.\d+)?)( ?%)?$/.exec(text) ?? [];
  const share = Number(number) / (percent === undefined ? 1 : 100);
  return share >= 0.001 && share <= 0.5 ? share : undefined;
}

function workersIn(text: string): number[] | undefined {
  const counts = text.split(",").map((count) => whole(count, 1, 1024));
  return counts.every((count) => count !== undefined) ? [...new Set(counts)] : undefined;
}

function failOnIn(text: string): Request["failOn"] | undefined {
  return text === "slower" || text === "never" ? text : undefined;
}

function whole(text: string, least: number, most: number): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

const TERM_WIDTH = 26;

/** Fits a terminal of 80 columns and 40 lines. */
export function helpText(): string {
  const terms = NAMES.map((name) => {
    const { value, help } = TABLE[name];
    const term = `  --${name}${value === undefined ? "" : ` ${value}`}`;
    return `${term.padEnd(TERM_WIDTH)}${help}`;
  });
  return `${[
    "Races the tasks of benchmark files, each in an isolate and processes of its own.",
    "",
    "usage: hotpath-race FILE|FOLDER... [options]",
    "       hotpath-race judge --csv FILE|--data FILE   find changes in a series",
    "       hotpath-race init --ci github               write a workflow",
    "",
    "Files may be written for tinybench, mitata, vitest bench or benchmark.js, or",
    "export functions. In a folder, files named like benchmarks are taken.",
    "",
    ...terms,
    "",
    "exit codes: 0 raced, 1 a file or task failed, 2 wrong input, or nothing to race",
    "            or compare, 3 slower than the base, 130 interrupted",
  ].join("\n")}\n`;
}
