import { isAbsolute, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { WriteError } from "../../engine/measure/machine/write-whole.ts";
import { plainLine } from "../../engine/schema/lines.ts";
import { TIED, wrapped } from "./help-text.ts";
import { callersFolder, keptByNpm, pathFrom, ROOT } from "./npm.ts";
import { commandLine, EXIT, likely, UsageError } from "./usage.ts";

/**
 * A script's command line, described once: its options are parsed, and its help text is written, from the same table.
 *
 * Node's parseArgs parses. commander, cac and citty, which also write help texts, were tried. commander and citty take
 * `--out --publish` for a folder named `--publish`. cac and citty let unknown options pass, and cac makes numbers of
 * words.
 */
export interface Command<Options extends OptionTable> {
  /** One sentence. */
  readonly about: string;
  /** Each way to call it, and what that is for where there are several. */
  readonly usage: Readonly<Record<string, string>>;
  readonly options: Options;
  /** What is to be said before the words and options. */
  readonly before?: string;
  /** The words beside the options, by their names: `FILTER`. */
  readonly words?: Readonly<Record<string, string>>;
  /** Whether a word is a path; none is if absent. */
  readonly isPath?: (word: string) => boolean;
  readonly after?: string;
  /** What each exit code means. */
  readonly exits: Readonly<Record<number, string>>;
}

/** By name, in the order of the help text. */
export type OptionTable = Readonly<Record<string, Option>>;

export interface Option {
  readonly help: string;
  /** Stands for its value in the help text: `FILE`. Without, the option is a flag. */
  readonly value?: string;
  readonly default?: string;
  /** The letter that stands for it, too. */
  readonly short?: string;
  /** Whether its value is a path. */
  readonly isPath?: true;
  /** Whether it may be given several times. */
  readonly multiple?: true;
  /** The first word that it goes with, where it does not go with all. */
  readonly of?: string;
  /** What stands before the group of options that this one begins. */
  readonly group?: string;
}

/**
 * What was given to each option, and the words beside them. Paths among them begin where this process stands, wherever
 * the person was that typed them.
 */
export interface Typed<Options extends OptionTable> {
  readonly options: { readonly [Name in keyof Options]: Given<Options[Name]> };
  readonly words: readonly string[];
  /** All of it, as it would be typed again in the repository's folder. */
  readonly argv: readonly string[];
}

type Given<Described extends Option> = Described extends { readonly value: string }
  ? Described extends { readonly multiple: true }
    ? readonly string[]
    : Described extends { readonly default: string }
      ? string
      : string | undefined
  : boolean;

/** Fixes the types of its options, and adds --help. */
export function command<const Options extends OptionTable>(
  description: Command<Options>,
): Command<Options & Help> {
  return { ...description, options: { ...description.options, ...HELP } };
}

const HELP = { help: { help: "this text", short: "h" } } as const satisfies OptionTable;
type Help = typeof HELP;

/**
 * Runs a script: prints the help text where it is asked for, else carries out what was typed. A UsageError becomes its
 * line and exit code.
 */
export async function runCommand<const Options extends OptionTable & Help>(
  description: Command<Options>,
  main: (typed: Typed<Options>) => Promise<number>,
): Promise<void> {
  let lost: WriteError | undefined;
  // A reader that has seen enough (`| head`), or a terminal that was closed, is no error. It is no reason to stop a
  // measurement that is also written down.
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") lost = new WriteError("the output", error);
  });
  process.once("exit", reportCutShort);
  try {
    refuseKept(description);
    const typed = parseCommand(description);
    if (typed.options.help) process.stdout.write(helpText(description));
    else refuseStray(description, typed);
    process.exitCode = typed.options.help ? EXIT.ok : await main(typed);
    // What was written last is known to be lost a moment later.
    await setImmediate();
    if (lost !== undefined) {
      process.stderr.write(`${lost.message}\n`);
      process.exitCode ||= EXIT.failed;
    }
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof WriteError)) throw error;
    process.stderr.write(`${plainLine(error.message)}\n`);
    process.exitCode = EXIT.usage;
  } finally {
    process.off("exit", reportCutShort);
  }
}

/** Refuses a call whose options npm kept for itself, and says how it is typed. */
function refuseKept({ options }: Command<OptionTable>): void {
  const kept = keptByNpm(Object.keys(options));
  if (kept.size === 0) return;
  // npm takes a value for a word unless it is typed with "=", and what is given several times for one.
  const isLost = ([name, value]: readonly [string, string]) =>
    options[name]!.value !== undefined && (options[name]!.multiple || value === "true");
  const asTyped = [...kept].flatMap(([name, value]) => {
    const { value: described } = options[name]!;
    if (described === undefined) return [`--${name}`];
    return isLost([name, value]) ? [`--${name}`, described] : [`--${name}=${value}`];
  });
  const words = [...kept].some(isLost) ? ["..."] : process.argv.slice(2);
  const { npm_lifecycle_event: script } = process.env;
  const call = commandLine(script!, [...words, ...asTyped], { flags: [] });
  const names = [...kept.keys()].map((name) => `--${name}`).join(" and ");
  throw new UsageError(`npm kept ${names} for itself: put -- before the command's own options: ${call}`);
}

/** What ends a process before its command is done must not look like success. */
function reportCutShort(code: number): void {
  if (code !== EXIT.ok) return;
  process.stderr.write("ended before it was done: a module that was imported calls process.exit\n");
  process.exitCode = EXIT.failed;
}

/** Refuses options that go with another first word. */
function refuseStray<const Options extends OptionTable>(
  description: Command<Options>,
  typed: Typed<Options>,
): void {
  const [first] = typed.words;
  if (first === undefined) return;
  for (const name of given(description, typed)) {
    const { of }: Option = description.options[name]!;
    if (of !== undefined && of !== first)
      throw new UsageError(`--${name} is for ${of}: remove it with ${first}`);
  }
}

/** The options that were typed, which differ from their defaults. */
function given<const Options extends OptionTable>(
  description: Command<Options>,
  { options }: Typed<Options>,
): string[] {
  const { options: usual } = parseCommand(description, []);
  return Object.keys(description.options).filter(
    (name) => JSON.stringify(options[name]) !== JSON.stringify(usual[name]),
  );
}

/** Refuses what was typed and has no use here: `words`, and options of these names. */
export function refuse<const Options extends OptionTable>(
  description: Command<Options>,
  typed: Typed<Options>,
  names: readonly (string & keyof Options)[],
  why: string,
  words: readonly string[] = [],
): void {
  const refused = given(description, typed).filter((name) => names.includes(name));
  const extra = [...words, ...refused.map((name) => `--${name}`)];
  if (extra.length > 0) throw new UsageError(`${why}: remove ${extra.join(", ")}`);
}

/**
 * What was typed in `folder`. Throws a UsageError for an option that the command does not have, or that lacks its value.
 */
export function parseCommand<const Options extends OptionTable>(
  description: Command<Options>,
  args: readonly string[] = process.argv.slice(2),
  folder = callersFolder(),
): Typed<Options> {
  const options = Object.fromEntries(Object.entries(description.options).map(parserOption));
  const parse = (words: string[]) =>
    parseArgs({ args: words, options, allowPositionals: true, tokens: true });
  const typed = joinNegatives(args);
  try {
    const { tokens } = parse(typed);
    const from = (other: string) =>
      resolve(other) === resolve(folder) ? typed : typedIn(other, typed, tokens, folder, description);
    const { values, positionals } = parse(from(process.cwd()));
    return {
      options: values as Typed<Options>["options"],
      words: positionals,
      argv: from(ROOT),
    };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const unknown = code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? /'(-+(.+?))'/.exec(message) : null;
    if (unknown === null) throw new UsageError(message);
    const names = likely(Object.keys(options), unknown[2]!).map((name) => `--${name}`);
    const guess = names.length === 0 ? "" : `did you mean ${names.join(" or ")}? `;
    throw new UsageError(
      `Unknown option '${unknown[1]}': ${guess}${callOf(description)} -- --help lists all`,
    );
  }
}

/** How a command is called, without what follows a `--`. */
function callOf({ usage }: Pick<Command<OptionTable>, "usage">): string {
  return /^[^[]*?(?= --|$)/.exec(Object.keys(usage)[0]!)![0];
}

/** `--workers -1` as `--workers=-1`: parseArgs would take the number for an option and lecture about it. */
function joinNegatives(args: readonly string[]): string[] {
  const isNegative = (arg: string | undefined) => arg !== undefined && /^-\d/.test(arg);
  return args.flatMap((arg, index) => {
    if (arg.startsWith("--") && isNegative(args[index + 1])) return [`${arg}=${args[index + 1]}`];
    return isNegative(arg) && args[index - 1]?.startsWith("--") ? [] : [arg];
  });
}

type Token = NonNullable<ReturnType<typeof parseArgs>["tokens"]>[number];

/** Words typed in one folder as they would be typed in another: what differs are paths that begin there. */
function typedIn(
  other: string,
  args: readonly string[],
  tokens: readonly Token[],
  folder: string,
  { options, isPath = () => false }: Command<OptionTable>,
): string[] {
  const typed = [...args];
  const moved = (path: string) => (isAbsolute(path) ? path : pathFrom(other, resolve(folder, path)));
  for (const token of tokens) {
    if (token.kind === "positional" && isPath(token.value)) typed[token.index] = moved(token.value);
    if (token.kind !== "option" || !options[token.name]!.isPath || token.value === undefined) continue;
    if (token.inlineValue) typed[token.index] = `${token.rawName}=${moved(token.value)}`;
    else typed[token.index + 1] = moved(token.value);
  }
  return typed;
}

type ParserOptions = NonNullable<ParseArgsConfig["options"]>;

function parserOption([name, option]: [string, Option]): [string, ParserOptions[string]] {
  const short = option.short === undefined ? {} : { short: option.short };
  if (option.value === undefined) return [name, { type: "boolean", default: false, ...short }];
  if (option.multiple) return [name, { type: "string", multiple: true, default: [] }];
  return [name, { type: "string", ...(option.default === undefined ? {} : { default: option.default }) }];
}

export function helpText(described: Command<OptionTable>): string {
  const { about, usage, before = "", words = {}, options, after = "", exits } = described;
  const terms = [...Object.keys(words), ...Object.entries(options).map(termOf)];
  const column = INDENT.length + Math.max(...terms.map(({ length }) => length)) + GAP;
  const explained = (term: string, text: string) => wrapped(text, `${INDENT}${term}`.padEnd(column));

  const calls = Object.entries(usage).map(([call, purpose], index) => {
    const line = `${index === 0 ? "usage: " : "       "}${call}\n`;
    return purpose === "" ? line : `${line}${wrapped(purpose, " ".repeat(11))}`;
  });
  const codes = Object.entries(exits).map(([code, meaning]) => `${code}${TIED}${meaning}`);
  const isGrouped = Object.values(options).some(({ group }) => group !== undefined);
  const groups = [""];
  for (const [name, option] of Object.entries(options)) {
    if (option.group !== undefined) groups.push(wrapped(option.group));
    else if (isGrouped && name === "help") groups.push("");
    groups[groups.length - 1] += explained(termOf([name, option]), option.help);
  }
  return [
    wrapped(about),
    calls.join(""),
    wrapped(before),
    Object.entries(words)
      .map(([word, text]) => explained(word, text))
      .join(""),
    ...groups,
    wrapped(after),
    wrapped(`exit codes: ${codes.join("; ")}`),
  ]
    .filter((section) => section.trim() !== "")
    .join("\n");
}

function termOf([name, { value, short }]: [string, Option]): string {
  const term = value === undefined ? `--${name}` : `--${name} ${value}`;
  return short === undefined ? term : `${term}, -${short}`;
}

const INDENT = "  ";
/** Spaces between the longest term and its explanation, at least. */
const GAP = 2;
