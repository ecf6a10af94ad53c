import { cellName, type GroupPlan, type Profile } from "../../suites/engine/measure/plan/plan.ts";
import { budgetOf, groupSharesMs } from "../../suites/engine/measure/plan/timing.ts";
import { METHOD_VERSION } from "../../suites/engine/schema/envelope.ts";
import { UsageError } from "../../suites/lab/command/usage.ts";
import type { HistoryLine } from "../../suites/lab/series/history.ts";
import { nightOf } from "../../suites/lab/series/nights.ts";

/**
 * What a night measures. Everything that the lab races takes hours, a night has one, so each night takes what was
 * measured longest ago.
 */

/** One scenario at one worker count with all its competitors, in as many groups as they need. Raced in one night. */
export interface Section {
  /** `pick/uniform-8/2w`. */
  readonly name: string;
  readonly groups: readonly GroupPlan[];
  /** Names of the cells that take part. */
  readonly cells: readonly string[];
  readonly estimateMs: number;
}

/** What was chosen for one machine. */
export interface Share {
  /** In the order of the plan. */
  readonly sections: readonly Section[];
  readonly estimateMs: number;
}

/** `2/4`: the second of four, both from 1. Throws a UsageError for anything else. */
export function parseShard(text: string): { readonly index: number; readonly count: number } {
  const [, index, count] = /^(\d{1,3})\/(\d{1,3})$/.exec(text)?.map(Number) ?? [];
  if (index !== undefined && count !== undefined && index >= 1 && index <= count) return { index, count };
  throw new UsageError(`--shard ${text} is out of range: give i/n with i from 1 to n, as 2/4`);
}

/**
 * The groups of a plan by scenario and worker count, in its order. Each takes at most what the profile gives it. A
 * group decided sooner leaves its time to the others of the night, and not to waiting groups.
 */
export function sectionsOf(groups: readonly GroupPlan[], profile: Profile): Section[] {
  const bySection = Map.groupBy(groups, sectionNameOf);
  return [...bySection].map(([name, own]) => ({
    name,
    groups: own,
    cells: [...new Set(own.flatMap(cellsOf))],
    estimateMs: own
      .flatMap((group) => groupSharesMs({ groups: [group], budgetMs: budgetOf(profile, [group]) }))
      .reduce((sum, ms) => sum + ms, 0),
  }));
}

function sectionNameOf({ primitive, scenario, workers }: GroupPlan): string {
  return [primitive, scenario, `${workers}w`].join("/");
}

function cellsOf({ primitive, scenario, workers, crews }: GroupPlan): string[] {
  return crews
    .filter(({ kind }) => kind === "baseline" || kind === "rival")
    .map(({ name }) => cellName(primitive, scenario, name, workers));
}

/**
 * The groups of a plan without the groups that are ahead of others of their section. After a night that was interrupted
 * within a section, its next turn covers what it lacks. The place of a night is its order in the history, as in `deal`.
 */
export function dueGroups(
  groups: readonly GroupPlan[],
  lines: readonly HistoryLine[],
  profile: string,
): GroupPlan[] {
  const nights = new Map<string, number>();
  const lastNight = new Map<string, number>();
  for (const line of lines) {
    const night = nightOf(line);
    if (!nights.has(night)) nights.set(night, nights.size);
    if (isOfProfile(line, profile)) lastNight.set(withoutRole(line.cell), nights.get(night)!);
  }
  // The baseline races in each group of its section, and is as old as the newest of them.
  const cellsWithout = ({ primitive, scenario, workers, crews }: GroupPlan) => {
    const rivals = crews.filter(({ kind }) => kind === "rival");
    return (rivals.length > 0 ? rivals : crews.filter(({ kind }) => kind === "baseline")).map(({ name }) =>
      cellName(primitive, scenario, name, workers),
    );
  };
  const nightOfGroup = (group: GroupPlan) => oldest(cellsWithout(group), lastNight);
  return [...Map.groupBy(groups, sectionNameOf).values()].flatMap((section) => {
    const least = Math.min(...section.map(nightOfGroup));
    return section.filter((group) => nightOfGroup(group) === least);
  });
}

/** The section of a line's cell. */
export function sectionOf({ cell }: Pick<HistoryLine, "cell">): string {
  const [primitive, scenario, , workers] = cell.split("/");
  return [primitive, scenario, workers].join("/");
}

/**
 * Deals sections to `shards` machines, each with a budget of its own. Sections with a cell that was never measured come
 * first, then the ones whose cells were measured longest ago. Others keep the order given. Each goes to the machine
 * with the most time left; what does not fit even there waits, and smaller ones behind it may go ahead. It cannot wait
 * for ever. The next night it is older than all that went ahead. A machine that has nothing yet takes whatever comes,
 * even if it is larger than its budget.
 *
 * Pure: the same sections and lines give the same shares on every machine. Lines of all machines count alike, so that
 * machines of several kinds, as a farm deals them out, agree on what is next.
 */
export function deal(
  sections: readonly Section[],
  lines: readonly HistoryLine[],
  profile: string,
  budgetMs: number,
  shards: number,
): Share[] {
  const dealt = Array.from({ length: shards }, (): { sections: Section[]; estimateMs: number } => ({
    sections: [],
    estimateMs: 0,
  }));
  for (const section of oldestFirst(sections, lines, profile)) {
    const emptiest = dealt.reduce((least, share) => (share.estimateMs < least.estimateMs ? share : least));
    const fits = emptiest.estimateMs + section.estimateMs <= budgetMs;
    if (!fits && emptiest.sections.length > 0) continue;
    emptiest.sections.push(section);
    emptiest.estimateMs += section.estimateMs;
  }
  return dealt.map(({ sections: own, estimateMs }) => ({
    sections: sections.filter((section) => own.includes(section)),
    estimateMs,
  }));
}

/**
 * A section is as old as the cell that was measured longest ago, so that a new competitor makes it new. Age is the place
 * in the history and no time: clocks go back. A line without a number counts, so that a cell that always fails is not
 * raced over and over. A line of another profile or method does not.
 */
function oldestFirst(
  sections: readonly Section[],
  lines: readonly HistoryLine[],
  profile: string,
): Section[] {
  const lastPlace = new Map<string, number>();
  for (const [place, line] of lines.entries()) {
    if (isOfProfile(line, profile)) lastPlace.set(withoutRole(line.cell), place);
  }
  return sections
    .map((section) => ({ section, place: oldest(section.cells, lastPlace) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ section }) => section);
}

function isOfProfile(line: HistoryLine, profile: string): boolean {
  return line.profile === profile && line.method === METHOD_VERSION;
}

function withoutRole(cell: string): string {
  return cell.split("/").slice(0, 4).join("/");
}

const NEVER = -1;

/** The place of the cell that was measured longest ago. */
function oldest(cells: readonly string[], lastPlace: ReadonlyMap<string, number>): number {
  return Math.min(...cells.map((cell) => lastPlace.get(cell) ?? NEVER));
}
