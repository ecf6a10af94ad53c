import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * How heavy a room may be. A room is a folder. It has few files, so that a reader sees them at one glance, and its lines have
 * a budget: what is added somewhere is taken away somewhere, or a person says why not.
 */
const MOST_FILES = 15;
/** Folders whose files are a list: each file in them takes part, and none names another. They may grow. */
const LISTS = /\/(competitors|scenarios)$/;
/** Budgets are so round, in lines: a small change is no matter of weight. */
const STEP = 50;

const BUDGETS = "scripts/tidy/budgets.json";

export interface Budgets {
  /** Rooms that have more files than others may, with how many and why. They may only shrink. */
  readonly files: Readonly<Record<string, { readonly most: number; readonly why: string }>>;
  /** Lines of each area. */
  readonly lines: Readonly<Record<string, Lines>>;
}

interface Lines {
  readonly source: number;
  readonly tests: number;
  /** Why it is more than it was, where somebody raised it. */
  readonly why?: string;
}

/** Whether a file tests others, or is what tests share. */
export function isTest(name: string): boolean {
  return /\.(test|synthetic|trials|abuse|library)\.\w+$/.test(name);
}

/** A file of code: its path from the root, and what is in it. */
export interface CodeFile {
  readonly name: string;
  readonly text: string;
}

/** Throws where the file of budgets is damaged. */
export function readBudgets(root: string): Budgets {
  return JSON.parse(readFileSync(join(root, BUDGETS), "utf8")) as Budgets;
}

/** What is heavier than it may be, one line each. */
export function overBudget(files: readonly CodeFile[], budgets: Budgets): string[] {
  return [...tooManyFiles(files, budgets.files), ...tooManyLines(linesOf(files), budgets.lines)];
}

/** Writes down how heavy all is, where that is less than the budgets allow or has none. Nothing is raised. */
export function lowerBudgets(root: string, files: readonly CodeFile[]): void {
  const { files: rooms, lines } = readBudgets(root);
  const counts = filesByRoom(files);
  const kept = Object.entries(rooms).flatMap(([room, { most, why }]) => {
    const count = counts.get(room) ?? 0;
    return count <= MOST_FILES ? [] : [[room, { most: Math.min(most, count), why }] as const];
  });
  const lowered = Object.entries(linesOf(files)).map(([area, now]) => {
    const { source, tests, ...why } = lines[area] ?? {
      source: Number.POSITIVE_INFINITY,
      tests: Number.POSITIVE_INFINITY,
    };
    return [
      area,
      { source: Math.min(source, rounded(now.source)), tests: Math.min(tests, rounded(now.tests)), ...why },
    ];
  });
  const budgets = { files: Object.fromEntries(kept), lines: Object.fromEntries(lowered) };
  writeFileSync(join(root, BUDGETS), `${JSON.stringify(budgets, null, 2)}\n`);
}

function tooManyFiles(files: readonly CodeFile[], listed: Budgets["files"]): string[] {
  const counts = filesByRoom(files);
  const crowded = [...counts].flatMap(([room, count]) => {
    const most = listed[room]?.most ?? MOST_FILES;
    if (LISTS.test(room) || count <= most) return [];
    return [`${room}: ${count} files of source, ${most} at most: give those that belong together a folder`];
  });
  const shrunk = Object.entries(listed).flatMap(([room, { most }]) => {
    const count = counts.get(room) ?? 0;
    return count < most ? [`${room}: ${count} files of source, and ${BUDGETS} allows ${most}: ${LOWER}`] : [];
  });
  return [...crowded, ...shrunk];
}

function tooManyLines(lines: Readonly<Record<string, Lines>>, budgets: Budgets["lines"]): string[] {
  return Object.entries(lines).flatMap(([area, now]) => {
    const budget = budgets[area];
    if (budget === undefined) return [`${area}: has no budget: ${LOWER}`];
    return (["source", "tests"] as const).flatMap((kind) => {
      const over = now[kind] - budget[kind];
      if (over <= 0) return [];
      return [
        `${area}: ${over} lines of ${kind} over its budget: shorten it, or raise ${BUDGETS} and say there why`,
      ];
    });
  });
}

const LOWER = "npm run tidy -- --lower-budgets writes it";

function filesByRoom(files: readonly CodeFile[]): Map<string, number> {
  const sources = files.filter(({ name }) => !isTest(name));
  return new Map(
    [...Map.groupBy(sources, ({ name }) => dirname(name))].map(([room, own]) => [room, own.length]),
  );
}

function linesOf(files: readonly CodeFile[]): Record<string, Lines> {
  const count = (own: readonly CodeFile[]) =>
    own.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
  const budgeted = files.filter(({ name }) => !LISTS.test(dirname(name)));
  const areas = [...Map.groupBy(budgeted, ({ name }) => areaOf(name))].map(([area, own]) => {
    const tests = own.filter(({ name }) => isTest(name));
    return [area, { source: count(own) - count(tests), tests: count(tests) }] as const;
  });
  return Object.fromEntries(areas.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The folder of a primitive, a command or a package; in the engine and the lab each folder. */
function areaOf(name: string): string {
  const folders = dirname(name).split("/");
  return folders.slice(0, /^suites\/(engine|lab)\//.test(name) ? 3 : 2).join("/");
}

function rounded(lines: number): number {
  return STEP * Math.ceil(lines / STEP);
}
