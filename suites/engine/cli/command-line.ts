import { parseArgs } from "node:util";
import { present } from "../words/present.ts";
import { TIED, wrapped } from "./help-text.ts";
import { likely, UsageError } from "./usage.ts";

/**
 * A command line, described once: its options are parsed, and its help text is written, from the same table.
 *
 * Node's parseArgs takes it apart. commander, cac and citty, which also write help texts, were tried. commander and citty take
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
  /** Whether its value is an option of something else, and begins with a dash. */
  readonly isFlag?: true;
  /** Whether it may be given several times. */
  readonly multiple?: true;
  /** The first word that it goes with, where it does not go with all. */
  readonly of?: string;
  /** The option that it has no use without, and the one that it has no use with. */
  readonly needs?: string;
  readonly notWith?: string;
  /** What stands before the group of options that this one begins. */
  readonly group?: string;
}

/** What was given to each option, and the words beside them. */
export interface Typed<Options extends OptionTable> {
  readonly options: { readonly [Name in keyof Options]: Given<Options[Name]> };
  readonly words: readonly string[];
  /** All of it, as it would be typed again. */
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

/** Throws a UsageError for an option that the command does not have, that lacks its value, or has no use beside another. */
export function parseLine<const Options extends OptionTable>(
  description: Command<Options>,
  argv: readonly string[],
): Typed<Options> {
  const table: OptionTable = description.options;
  const values = new Map<string, string[]>();
  const words: string[] = [];
  for (const token of tokensOf(description, argv)) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(table, name) ? table[name]! : undefined;
    if (option === undefined) throw unknown(description, rawName);
    if (option.value === undefined && inlineValue === true) throw new UsageError(`--${name} takes no value`);
    if (option.value !== undefined && isMissing(value, inlineValue === true || option.isFlag))
      throw new UsageError(`--${name} needs a value: --${name} ${option.value}`);
    const before = values.get(name) ?? [];
    if (before.length > 0 && option.value !== undefined && !option.multiple)
      throw new UsageError(`--${name} is given twice`);
    values.set(name, [...before, value ?? ""]);
  }
  for (const name of values.keys()) {
    const { needs, notWith } = table[name]!;
    if (needs !== undefined && !values.has(needs))
      throw new UsageError(`--${name} has no use without --${needs}`);
    if (notWith !== undefined && values.has(notWith))
      throw new UsageError(`--${name} has no use with --${notWith}: leave one of them out`);
  }
  const given = Object.entries(table).map(([name, option]) => [name, givenTo(option, values.get(name))]);
  return { options: Object.fromEntries(given), words, argv };
}

function tokensOf({ options }: Command<OptionTable>, argv: readonly string[]) {
  const known = Object.entries(options).map(([name, { value, short }]) => {
    const type = value === undefined ? "boolean" : "string";
    return [name, { type, ...present({ short }) }] as const;
  });
  return parseArgs({
    args: [...argv],
    options: Object.fromEntries(known),
    allowPositionals: true,
    strict: false,
    tokens: true,
  }).tokens;
}

/** Whether an option was typed as the value of another, or nothing was. */
function isMissing(value: string | undefined, isInline: boolean | undefined): boolean {
  return (
    value === undefined || value === "" || (isInline !== true && /^-./.test(value) && !/^-\d/.test(value))
  );
}

function givenTo(option: Option, values: readonly string[] | undefined) {
  if (option.value === undefined) return values !== undefined;
  return option.multiple ? (values ?? []) : (values?.[0] ?? option.default);
}

function unknown(description: Command<OptionTable>, rawName: string): UsageError {
  const names = likely(Object.keys(description.options), rawName.replace(/^-+/, "")).map(
    (name) => `--${name}`,
  );
  const guess = names.length === 0 ? "," : `, did you mean ${names.join(" or ")}?`;
  return new UsageError(`there is no option ${rawName}${guess} ${callOf(description)} --help lists all`);
}

/** How a command is called, without words and options. */
function callOf({ usage }: Pick<Command<OptionTable>, "usage">): string {
  const [call] = Object.keys(usage) as [string];
  const npm = /^npm run (?:-s )?\S+/.exec(call);
  return npm === null ? /^\S+(?: [a-z]+)*/.exec(call)![0] : `${npm[0]} --`;
}

/** A line with its paths changed: those that stand for options' values, and words that are paths. */
export function withPaths(
  description: Command<OptionTable>,
  argv: readonly string[],
  changed: (path: string) => string,
): string[] {
  const { options, isPath = () => false } = description;
  const line = [...argv];
  for (const token of tokensOf(description, argv)) {
    if (token.kind === "positional" && isPath(token.value)) line[token.index] = changed(token.value);
    if (token.kind !== "option" || !options[token.name]?.isPath || token.value === undefined) continue;
    if (token.inlineValue) line[token.index] = `${token.rawName}=${changed(token.value)}`;
    else line[token.index + 1] = changed(token.value);
  }
  return line;
}

/** Refuses options that go with another first word. */
export function refuseStray<const Options extends OptionTable>(
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
  const { options: usual } = parseLine(description, []);
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
