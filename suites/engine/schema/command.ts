import { type ParseArgsConfig, parseArgs } from "node:util";
import { TIED, wrapped } from "./help-text.ts";
import { EXIT, nearestFirst, UsageError } from "./usage.ts";

/**
 * A script's command line, described once: its options are parsed, and its help text is written, from the same table.
 *
 * Node's parseArgs parses. Of the libraries that also write help texts commander, cac and citty were tried: commander and
 * citty take `--out --publish` for a folder named `--publish`, cac and citty let unknown options pass, and cac makes
 * numbers of words.
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
  /** Whether it may be given several times. */
  readonly multiple?: true;
  /** The first word that it goes with, where it does not go with all. */
  readonly of?: string;
  /** What stands before the group of options that this one begins. */
  readonly group?: string;
}

/** What was given to each option, and the words beside them. */
export interface Typed<Options extends OptionTable> {
  readonly options: { readonly [Name in keyof Options]: Given<Options[Name]> };
  readonly words: readonly string[];
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

const HELP = { help: { help: "this text" } } as const satisfies OptionTable;
type Help = typeof HELP;

/**
 * Runs a script: prints the help text where it is asked for, else carries out what was typed. A UsageError becomes its
 * line and exit code.
 */
export async function runCommand<const Options extends OptionTable & Help>(
  description: Command<Options>,
  main: (typed: Typed<Options>) => Promise<number>,
): Promise<void> {
  // A reader that has seen enough (`| head`) is no error, and no reason to stop a measurement that is also written down.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  process.once("exit", tellCutShort);
  try {
    const typed = parseCommand(description);
    if (typed.options.help) process.stdout.write(helpText(description));
    else refuseStray(description, typed);
    process.exitCode = typed.options.help ? EXIT.ok : await main(typed);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message.replaceAll("\n", " ")}\n`);
    process.exitCode = EXIT.usage;
  } finally {
    process.off("exit", tellCutShort);
  }
}

/** What ends a process before its command is done must not look like success. */
function tellCutShort(code: number): void {
  if (code !== EXIT.ok) return;
  process.stderr.write("ended before it was done: a module that was imported calls process.exit\n");
  process.exitCode = EXIT.noNumber;
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
      throw new UsageError(`--${name} is for ${of}: leave it away with ${first}`);
  }
}

/** The options that were typed: those that are not as they are where nothing is. */
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
  if (extra.length > 0) throw new UsageError(`${why}: leave away ${extra.join(", ")}`);
}

/** Throws a UsageError for an option that the command does not have, or that lacks its value. */
export function parseCommand<const Options extends OptionTable>(
  { options: described }: Command<Options>,
  args: readonly string[] = process.argv.slice(2),
): Typed<Options> {
  const options = Object.fromEntries(Object.entries(described).map(parserOption));
  try {
    const { values, positionals } = parseArgs({ args: joinNegatives(args), options, allowPositionals: true });
    return { options: values as Typed<Options>["options"], words: positionals };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const unknown = code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? /'(-+(.+?))'/.exec(message) : null;
    if (unknown === null) throw new UsageError(message);
    const names = nearestFirst(Object.keys(options), unknown[2]!).map((name) => `--${name}`);
    throw new UsageError(`Unknown option '${unknown[1]}'; there are, nearest first: ${names.join(", ")}`);
  }
}

/** `--workers -1` as `--workers=-1`: parseArgs would take the number for an option and lecture about it. */
function joinNegatives(args: readonly string[]): string[] {
  const isNegative = (arg: string | undefined) => arg !== undefined && /^-\d/.test(arg);
  return args.flatMap((arg, index) => {
    if (arg.startsWith("--") && isNegative(args[index + 1])) return [`${arg}=${args[index + 1]}`];
    return isNegative(arg) && args[index - 1]?.startsWith("--") ? [] : [arg];
  });
}

type ParserOptions = NonNullable<ParseArgsConfig["options"]>;

function parserOption([name, option]: [string, Option]): [string, ParserOptions[string]] {
  if (option.value === undefined) return [name, { type: "boolean", default: false }];
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

function termOf([name, { value }]: [string, Option]): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

const INDENT = "  ";
/** Spaces between the longest term and its explanation, at least. */
const GAP = 2;
