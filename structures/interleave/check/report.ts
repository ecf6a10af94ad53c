import { type Lane, NOT_EQUAL, WAITING } from "../memory/access.ts";
import type { TracedAccess, TracedStep } from "../search/program.ts";
import { shown } from "./results.ts";

/** A schedule as it is shown: what the threads of a program did, in order. */
export interface Story {
  readonly steps: readonly TracedStep[];
  /** After each step the notes of all threads; missing after a step that threw. */
  readonly notes: readonly (readonly (readonly number[])[])[];
  readonly threads: readonly ShownThread[];
  /** The empty name is of words that are not shown. */
  readonly nameOf: (word: number, lane: Lane) => string;
  /** Undefined where a note stands for no result. */
  readonly resultOf: (note: number) => { readonly result: unknown } | undefined;
  /** What the last step threw, and the place of its thread in `threads`. */
  readonly thrown?: { readonly thread: number; readonly error: unknown };
}

export interface ShownThread {
  /** Its number in the program as it was given. */
  readonly number: number;
  /** What its operations are called. */
  readonly operations: readonly string[];
  /** Whether it is a single function. Its name, if it has one, stands above its column. */
  readonly isSingle: boolean;
}

/** What an error says: the parts of its message, in order. */
export interface Report {
  /** What broke, in one sentence. */
  readonly broken: string;
  /** What an assertion says in several lines. */
  readonly details?: string;
  readonly table: readonly string[];
  /** Further sentences. */
  readonly remarks: readonly string[];
  /** What repeats the schedule: a function and its limits. */
  readonly call: string;
  readonly limits: Readonly<Record<string, string | boolean>>;
}

export function messageOf({ broken, details, table, remarks, call, limits }: Report): string {
  const options = Object.entries(limits).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const parts = [
    [broken],
    table,
    details === undefined ? [] : details.split("\n").map((line) => `  ${line}`.trimEnd()),
    [...remarks, `To see it again: ${call}(program, { ${options.join(", ")} })`],
  ];
  return parts
    .filter(({ length }) => length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

const MOST_COLUMNS = 112;
const GAP = 2;
/** Where columns would be narrower than this, there is one for all threads. */
const NARROWEST_COLUMN = 24;
/** Names are not cut to less. */
const SHORTEST_NAME = 8;
/** Of a longer table the first and the last rows are shown. */
const MOST_ROWS = 160;
const FIRST_ROWS = 40;
const LAST_ROWS = 100;
/** Rows that a thread repeats are looked for up to this length, and folded if they come more often than this in a row. */
const LONGEST_REPEAT = 10;
const MOST_REPEATS = 3;
const CUT = "...";

interface Row {
  readonly thread: number;
  /** Its text, of which the name is cut first. */
  readonly before: string;
  readonly name: string;
  readonly after: string;
  /** Of an access: its place among all, from 1. */
  readonly number?: number;
}

/** A column for each thread and a row for each access, beginning and end of an operation. */
export function tableOf(story: Story): string[] {
  const table = layoutOf(story, folded(rowsOf(story, "compareExchange")));
  // The name of that function alone fills half of a narrow column.
  return linesOf(table.isCut ? layoutOf(story, folded(rowsOf(story, "CAS"))) : table);
}

/** What happened, a row each. */
function rowsOf(story: Story, compareExchange: string): Row[] {
  const rows = new Rows(story, compareExchange);
  for (const [at, step] of story.steps.entries()) {
    rows.addStep(step);
    for (const [thread, notes] of (story.notes[at] ?? []).entries()) rows.addResults(thread, notes);
  }
  if (story.thrown !== undefined) rows.addThrown(story.thrown.thread, story.thrown.error);
  return rows.made;
}

interface Waiter {
  readonly thread: number;
  readonly kind: string;
  readonly word: number;
  readonly name: string;
  readonly hasLimit: boolean;
}

/** Whether the thread sleeps or has a promise after this access. */
export function isWaiting({ kind, answer }: TracedAccess): boolean {
  return (kind === "wait" && answer === undefined) || (kind === "waitAsync" && Number(answer) >= WAITING);
}

/** Makes the rows of a story, step by step. */
class Rows {
  readonly made: Row[] = [];
  readonly #story: Story;
  readonly #compareExchange: string;
  /** By thread: notes that were shown, operations that have ended, whether it is in one or has died. */
  readonly #threads: { notes: number; ended: number; isWithin: boolean; isDead: boolean }[];
  /** Sleepers and promises, in the order of waiting. */
  #waiters: readonly Waiter[] = [];
  #accesses = 0;

  constructor(story: Story, compareExchange: string) {
    this.#story = story;
    this.#compareExchange = compareExchange;
    this.#threads = story.threads.map(() => ({ notes: 0, ended: 0, isWithin: false, isDead: false }));
  }

  addStep({ thread, event, access, nth = 0 }: TracedStep): void {
    if (event === "times out") {
      const own = this.#waiters.filter((waiter) => waiter.thread === thread);
      const asleep = own.find(({ kind }) => kind === "wait");
      this.#end(asleep ?? own.filter(({ hasLimit }) => hasLimit)[nth]!, ", timed out");
    }
    if (event === "resumes") this.#add(thread, "resumes");
    if (event === "stops") {
      this.#threads[thread]!.isDead = true;
      this.#threads[thread]!.isWithin = false;
      this.#waiters = this.#waiters.filter((waiter) => waiter.thread !== thread);
      this.#add(thread, "dies");
    }
    if (access === undefined) return;
    const name = this.#story.nameOf(access.word, access.lane);
    if (name === "") {
      this.#begin(thread);
      return;
    }
    const number = ++this.#accesses;
    if (event === "store arrives") {
      this.#add(thread, "write of ", name, ` arrives ${changeOf(access)}`, number);
      return;
    }
    this.#begin(thread);
    const [before, after] = described(access, this.#compareExchange);
    this.#add(thread, before, name, after, number);
    const { kind, word, other, answer } = access;
    if (isWaiting(access))
      this.#waiters = [...this.#waiters, { thread, kind, word, name, hasLimit: other !== 0 }];
    if (kind !== "notify") return;
    const woken = this.#waiters.filter((waiter) => waiter.word === word).slice(0, Number(answer));
    for (const waiter of woken) this.#end(waiter, waiter.kind === "wait" ? ", woken" : ", notified");
  }

  addResults(thread: number, notes: readonly number[]): void {
    const progress = this.#threads[thread]!;
    for (const note of notes.slice(progress.notes)) {
      const kept = this.#story.resultOf(note);
      if (kept === undefined) continue;
      const result = kept.result === undefined ? "done" : `-> ${shown(kept.result)}`;
      if (this.#isSingle(thread)) this.#add(thread, result);
      else this.made.push({ thread, before: "", name: this.#operationOf(thread), after: ` ${result}` });
      progress.ended++;
      progress.isWithin = false;
    }
    progress.notes = notes.length;
  }

  addThrown(thread: number, error: unknown): void {
    this.#begin(thread);
    this.#add(thread, `throws ${oneLine(error)}`);
  }

  #begin(thread: number): void {
    const progress = this.#threads[thread]!;
    if (!progress.isWithin && progress.isDead) this.#add(thread, "after its death:");
    else if (!progress.isWithin && !this.#isSingle(thread))
      this.made.push({ thread, before: "", name: this.#operationOf(thread), after: "" });
    progress.isWithin = true;
  }

  #end(waiter: Waiter, how: string): void {
    this.#waiters = this.#waiters.filter((one) => one !== waiter);
    this.#add(waiter.thread, `${waiter.kind} `, waiter.name, how);
  }

  #add(thread: number, before: string, name = "", after = "", number?: number): void {
    const row = { thread, before: this.#isSingle(thread) ? before : `  ${before}`, name, after };
    this.made.push(number === undefined ? row : { ...row, number });
  }

  #isSingle(thread: number): boolean {
    return this.#story.threads[thread]!.isSingle;
  }

  #operationOf(thread: number): string {
    return this.#story.threads[thread]!.operations[this.#threads[thread]!.ended]!;
  }
}

/** What stands before and after the name of the word. */
function described(access: TracedAccess, compareExchange: string): readonly [string, string] {
  const { kind, operand, other, before, after, answer, times } = access;
  const change = ` ${changeOf(access)}`;
  const often = times > 1 ? `, ${times} times` : "";
  switch (kind) {
    case "read":
      // Where plain accesses are weak, an older value may be returned, and a write is kept back.
      return [
        "plain read ",
        ` = ${shown(answer)}${answer === before ? "" : `, now ${shown(before)}`}${often}`,
      ];
    case "load":
      return ["load ", ` = ${shown(answer)}${often}`];
    case "write":
      return ["plain write ", after === operand ? change : ` = ${shown(operand)}, kept back`];
    case "store":
    case "exchange":
      return [`${kind} `, `${change}${often}`];
    case "compareExchange": {
      const failed = answer === operand ? "" : ` failed, was ${shown(answer)}`;
      return [`${compareExchange} `, ` ${shown(operand)} -> ${shown(other)}${failed}${often}`];
    }
    case "wait":
    case "waitAsync":
      return [`${kind} `, ` = ${shown(before)}, ${waited(access)}${often}`];
    case "notify":
      return ["notify ", `, wakes ${shown(answer)}${often}`];
    default:
      return [`${kind} ${shown(operand)}, `, `${change}${often}`];
  }
}

const changeOf = ({ before, after }: TracedAccess): string => `${shown(before)} -> ${shown(after)}`;

function waited(access: TracedAccess): string {
  if (isWaiting(access)) return access.kind === "wait" ? "asleep" : "a promise";
  return access.answer === NOT_EQUAL ? `not ${shown(access.operand)}` : "timed out";
}

const textOf = ({ before, name, after }: Row): string => before + name + after;

interface Layout {
  readonly left: number;
  readonly columns: readonly { readonly head: string; readonly width: number }[];
  /** The threads are the places of columns. A string stands in all of them. */
  readonly rows: readonly (Row | string)[];
  readonly isCut: boolean;
}

function layoutOf({ threads }: Story, rows: Layout["rows"]): Layout {
  const heads = threads.map(({ number, operations, isSingle }) =>
    isSingle && operations[0] !== "" ? `thread ${number}: ${operations[0]}` : `thread ${number}`,
  );
  const kept = rows.filter((row) => typeof row !== "string");
  const left = Math.max(2, String(kept.findLast(({ number }) => number !== undefined)?.number).length);
  const room = MOST_COLUMNS - left - GAP * heads.length;
  const natural = heads.map((head, at) =>
    Math.max(head.length, ...kept.filter(({ thread }) => thread === at).map((row) => textOf(row).length)),
  );
  const widths = sharesOf(room, natural);
  const isCut = widths.some((width, at) => width < natural[at]!);
  if (!isCut || room / heads.length >= NARROWEST_COLUMN)
    return { left, columns: heads.map((head, at) => ({ head, width: widths[at]! })), rows, isCut };
  const named = rows.map((row) => {
    if (typeof row === "string") return row;
    return { ...row, thread: 0, before: `${threads[row.thread]!.number}: ${row.before}` };
  });
  const widest = Math.max(...named.map((row) => (typeof row === "string" ? 0 : textOf(row).length)));
  const most = MOST_COLUMNS - left - GAP;
  const column = { head: "thread: what it does", width: Math.min(most, widest) };
  return { left, columns: [column], rows: named, isCut: widest > most };
}

/** Gives columns what they need, and those that need most the same width if there is not enough room. */
function sharesOf(room: number, natural: readonly number[]): number[] {
  let most = Math.max(...natural);
  const limited = () => natural.map((width) => Math.min(width, most));
  while (limited().reduce((sum, width) => sum + width, 0) > room) most--;
  return limited();
}

function linesOf({ left, columns, rows }: Layout): string[] {
  const line = (number: string, cells: readonly string[]) =>
    [number.padStart(left), ...cells.map((cell, at) => cell.padEnd(columns[at]!.width))]
      .join(" ".repeat(GAP))
      .trimEnd();
  const heads = columns.map(({ head, width }) => cutTo(width, head));
  return [
    line("", heads),
    ...rows.map((row) => {
      if (typeof row === "string") return line("", [row]);
      const others = new Array<string>(row.thread).fill("");
      const number = row.number === undefined ? "" : String(row.number);
      return line(number, [...others, fitted(row, columns[row.thread]!.width)]);
    }),
  ];
}

function fitted(row: Row, width: number): string {
  const excess = textOf(row).length - width;
  const name = withoutMiddle(row.name, Math.max(SHORTEST_NAME, row.name.length - Math.max(0, excess)));
  return cutTo(width, textOf({ ...row, name }));
}

function cutTo(width: number, text: string): string {
  return text.length <= width ? text : `${text.slice(0, width - CUT.length)}${CUT}`;
}

/** Both ends of a name tell: the first what it belongs to, the last which of many it is. */
function withoutMiddle(name: string, length: number): string {
  if (name.length <= length) return name;
  const kept = length - CUT.length;
  const end = Math.ceil(kept / 2);
  return `${name.slice(0, kept - end)}${CUT}${name.slice(-end)}`;
}

/** Without what a thread repeats, and without the middle of what is too long. */
function folded(rows: readonly Row[]): (Row | string)[] {
  const left: (Row | string)[] = [];
  for (let at = 0; at < rows.length; ) {
    const { length, times } = repeatsFrom(rows, at);
    left.push(...rows.slice(at, at + length));
    at += length * times;
    if (times === 1) continue;
    const what = length === 1 ? "" : `these ${length} rows `;
    left.push({
      thread: rows[at - 1]!.thread,
      before: `${CUT} ${what}${times - 1} more times`,
      name: "",
      after: "",
    });
  }
  if (left.length <= MOST_ROWS) return left;
  const out = `${CUT} ${left.length - FIRST_ROWS - LAST_ROWS} rows are left out ${CUT}`;
  return [...left.slice(0, FIRST_ROWS), out, ...left.slice(-LAST_ROWS)];
}

/** The rows from here that the same thread repeats next, and how often they come; one row once where it repeats none. */
function repeatsFrom(
  rows: readonly Row[],
  from: number,
): { readonly length: number; readonly times: number } {
  const { thread } = rows[from]!;
  const isSame = (one: number, other: number) =>
    rows[other]?.thread === thread &&
    rows[one]!.thread === thread &&
    textOf(rows[one]!) === textOf(rows[other]!);
  for (let length = 1; length <= LONGEST_REPEAT; length++) {
    let same = 0;
    while (isSame(from + same, from + same + length)) same++;
    const times = Math.floor(same / length) + 1;
    if (times > MOST_REPEATS) return { length, times };
  }
  return { length: 1, times: 1 };
}

/** What an error says, on one line. */
export function oneLine(error: unknown): string {
  if (!(error instanceof Error)) return shown(error);
  const message = error.message.trim().replaceAll(/\s+/g, " ");
  return error.name === "Error" || error.name === "AssertionError" ? message : `${error.name}: ${message}`;
}
