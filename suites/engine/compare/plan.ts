import type { Entry } from "../../../structures/catalog.ts";
import type { Claims } from "../../../structures/shared/claims.ts";
import {
  allCells,
  type Cell,
  chosenCells,
  crewsOf,
  type GroupPlan,
  type Plan,
  PROFILES,
  type Profile,
  type Request,
  timing,
} from "../measure/plan.ts";
import type { Race } from "../suite.ts";
import { nearestFirst, UsageError } from "../usage.ts";

/**
 * Which cells of two sides race against each other, and in which groups. As everywhere, what decides is a request;
 * here there are two, alike but for the competitors: the one side's and the other's.
 */

/**
 * A verdict on a change rests on one pair alone and is to see 3 % or so; a group holds few crews, so more processes cost
 * little. Slices are short, so that both sides of a pair come within some milliseconds: the machine that the ruler was
 * measured on changes between two speeds, 1 to 1.8, every few rounds of a usual group, and a pair that is torn apart
 * by such a change says nothing. With 60 rounds of 3 ms in as much time intervals were wider.
 */
const COMPARE: Profile = {
  name: "compare",
  forks: 12,
  rounds: 200,
  sliceMs: 1,
  longSliceRounds: 12,
  surveys: 0,
};

/** To see that everything works; the numbers mean nothing. */
const SMOKE: Profile = { name: "smoke", forks: 2, rounds: 12, sliceMs: 2, surveys: 0 };

const COMPARE_PROFILES = { compare: COMPARE, ...PROFILES } as const;

/** The profile of that name at full size; at smoke size there is but one. */
export function compareProfile(name: string, size: Request["size"]): Profile {
  if (!Object.hasOwn(COMPARE_PROFILES, name)) {
    const known = nearestFirst(Object.keys(COMPARE_PROFILES), name).join(", ");
    throw new UsageError(`--profile ${name} is unknown; there are, nearest first: ${known}`);
  }
  return size === "smoke" ? SMOKE : COMPARE_PROFILES[name as keyof typeof COMPARE_PROFILES];
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
 * Chooses cells as a bench of the newer side would, races only; of those the ones that a filter names, and the ones
 * whose competitor has changed, variants among them: who has changed one wants to know of it.
 */
export function selectPairs(
  base: Request,
  head: Request,
  isChanged: (base: Entry, head: Entry) => boolean,
): Selection {
  const cellsOfBase = new Map(allCells(base).map((cell) => [cell.name, cell]));
  // Without the absence that chosenCells adds to variants nobody asked for.
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
 * A group for each pair: the older side's crew as baseline, its twins, and the newer side's as their rival, named
 * `cas-ring@1a2b3c4` after the sides.
 */
export function comparePlan(
  { pairs }: Selection,
  names: { readonly base: string; readonly head: string },
  request: Request,
): Plan {
  const { seed, profile, size, patienceMs, twins, cores } = request;
  // A revision may be raced against itself, and crews need names of their own.
  const headName = names.head === names.base ? `${names.head}-again` : names.head;
  const groups = pairs.map(({ cell, base, head }): GroupPlan => {
    const race = cell.scenario as Race<unknown, unknown, unknown>;
    const workers = cell.workers!;
    const crews = crewsOf(
      { name: `${base.name}@${names.base}`, url: base.url },
      [{ name: `${head.name}@${headName}`, url: head.url }],
      workers,
      twins,
    );
    const bytes = race.bytesPerWorker?.(request.claims.get(head.url), race.params[size]) ?? 0;
    return {
      primitive: cell.suite.suite.primitive,
      scenario: race.scenario,
      suiteUrl: cell.suite.url,
      workers,
      ...timing(profile, size === "full" ? race.sliceMs : undefined, workers, cores),
      crews,
      bytes: bytes * workers * crews.filter(({ url }) => url !== undefined).length,
      absent: [],
      race,
    };
  });
  return { seed, profile, size, patienceMs, groups, simulations: [], surveys: [], overviews: [] };
}

/** What a side's competitors say of themselves, by their URL; one that cannot be imported races and fails. */
export async function claimsOf(
  competitors: ReadonlyMap<string, readonly Entry[]>,
): Promise<Map<string, Claims>> {
  const claims = new Map<string, Claims>();
  for (const { url } of [...competitors.values()].flat()) {
    const module = (await import(url).catch(() => undefined)) as { default?: Claims } | undefined;
    if (module?.default !== undefined) claims.set(url, module.default);
  }
  return claims;
}
