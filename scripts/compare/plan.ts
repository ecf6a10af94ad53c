import type { Entry } from "../../structures/catalog.ts";
import { rolesOf } from "../../suites/engine/judge/assemble.ts";
import { crewsOf } from "../../suites/engine/measure/plan/crews.ts";
import { withCrews } from "../../suites/engine/measure/plan/groups.ts";
import { type GroupPlan, PROFILES, type Profile } from "../../suites/engine/measure/plan/plan.ts";
import { parseName } from "../../suites/lab/command/usage.ts";
import type { Request } from "../../suites/lab/plan/asked.ts";
import { allCells, type Cell, chosenCells } from "../../suites/lab/plan/cells.ts";
import { makePlan } from "../../suites/lab/plan/make-plan.ts";

/**
 * Which cells of two sides race against each other, and in which groups. As everywhere, what decides is a request;
 * here there are two, alike but for the competitors: the one side's and the other's.
 */

/**
 * The author of a change wants to see one percent, and waits a minute for it. That is 20 s for each of base, its A/A
 * control and head. What is decided sooner ends sooner.
 */
const COMPARE: Profile = { name: "compare", secondsPerCell: 20, precision: 0.01, surveys: 0 };

/** To see that everything works; the numbers mean nothing. */
const SMOKE: Profile = {
  name: "smoke",
  secondsPerCell: 1,
  precision: 1,
  surveys: 0,
  exactly: { forks: 2, rounds: 12 },
};

const COMPARE_PROFILES = { compare: COMPARE, ...PROFILES } as const;

/** The profile of that name at full size; at smoke size there is but one. */
export function compareProfile(name: string, size: Request["size"]): Profile {
  const names = Object.keys(COMPARE_PROFILES) as (keyof typeof COMPARE_PROFILES)[];
  const profile = COMPARE_PROFILES[parseName("--profile", name, names)];
  return size === "smoke" ? SMOKE : profile;
}

/** A cell that both sides have. */
export interface Pair {
  readonly cell: Cell;
  readonly base: Entry;
  readonly head: Entry;
}

export interface Selection {
  readonly pairs: readonly Pair[];
  /** Competitors, `pick/cas-ring`: of the same code on both sides, and named by no filter. */
  readonly unchanged: readonly string[];
  /** Changed, but without a filter in no race that is asked for: in simulations alone, say. */
  readonly unraced: readonly string[];
  /** That only the newer side has, or in some scenario (`pick/uniform-7/cas-ring`) only there takes part. */
  readonly added: readonly string[];
  /** That only the older side has, or in some scenario only there takes part. */
  readonly removed: readonly string[];
}

/**
 * Chooses cells as a bench of the newer side would, races only. It takes the cells that a filter names, and the cells
 * whose competitor has changed, including variants: the author of the change wants to see it.
 */
export function selectPairs(
  base: Request,
  head: Request,
  isChanged: (base: Entry, head: Entry) => boolean,
): Selection {
  const cellsOfBase = new Map(allCells(base).map((cell) => [cell.name, cell]));
  // Without the absence that chosenCells adds to variants that were not asked for.
  const cellsOfHead = new Map(allCells(head).map((cell) => [cell.name, cell]));
  const known = new Map<string, boolean>();
  const hasChanged = (before: Entry, after: Entry) => {
    const changed = known.get(after.url) ?? isChanged(before, after);
    known.set(after.url, changed);
    return changed;
  };
  const pairs: Pair[] = [];
  const unchanged = new Set<string>();
  const added = new Set<string>();
  const removed = new Set<string>();
  for (const chosen of chosenCells(head)) {
    const { name, suite, scenario, entry, workers } = chosen;
    if (workers === undefined) continue;
    const before = cellsOfBase.get(name);
    const inScenario = `${suite.suite.primitive}/${scenario.scenario}/${entry.name}`;
    if (cellsOfHead.get(name)!.absent !== undefined) {
      if (before !== undefined && before.absent === undefined) removed.add(inScenario);
    } else if (before === undefined) added.add(competitorLabel(chosen));
    else if (before.absent !== undefined) added.add(inScenario);
    else if (hasChanged(before.entry, entry) || (head.filters.length > 0 && chosen.absent === undefined))
      pairs.push({ cell: chosen, base: before.entry, head: entry });
    else unchanged.add(competitorLabel(chosen));
  }
  const raced = new Set(pairs.map(({ cell }) => competitorLabel(cell)));
  const unraced = [...cellsOfHead.values()].filter((cell) => {
    const before = cellsOfBase.get(cell.name);
    if (head.filters.length > 0 || before === undefined || raced.has(competitorLabel(cell))) return false;
    return hasChanged(before.entry, cell.entry);
  });
  for (const cell of chosenCells(base)) {
    if (cell.workers !== undefined && !cellsOfHead.has(cell.name)) removed.add(competitorLabel(cell));
  }
  return {
    pairs,
    unchanged: [...unchanged],
    unraced: [...new Set(unraced.map(competitorLabel))],
    added: [...added],
    removed: [...removed],
  };
}

function competitorLabel({ suite, entry }: Cell): string {
  return `${suite.suite.primitive}/${entry.name}`;
}

/**
 * The group of a pair: the older side's crew as baseline, its A/A control, and the newer side's as their rival. Crews are named
 * `cas-ring@1a2b3c4` after the sides. Long and wide as the cell's usual group, and in the same memory.
 */
export function groupOf(
  { cell, base, head }: Pair,
  names: { readonly base: string; readonly head: string },
  request: Request,
): GroupPlan {
  // A revision may be raced against itself, and crews need names of their own.
  const headName = names.head === names.base ? `${names.head}-again` : names.head;
  const usual = makePlan({ ...request, filters: [cell.name] }).groups[0]!;
  const { placement } = usual.crews.find(({ name }) => name === head.name)!;
  const crews = crewsOf(
    { name: `${base.name}@${names.base}`, url: base.url },
    [{ name: `${head.name}@${headName}`, url: head.url }],
    usual.workers,
    () => placement,
  );
  const known = request.described.get(head.url);
  const described = new Map(known === undefined ? [] : [base, head].map(({ url }) => [url, known]));
  const rows = new Set(rolesOf(usual)).size;
  return { ...withCrews(usual, crews, { ...request, described }), rows, absent: [] };
}
