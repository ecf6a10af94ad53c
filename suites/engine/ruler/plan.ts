import {
  type CrewPlan,
  chosenCells,
  type GroupPlan,
  makePlan,
  type Plan,
  type Request,
} from "../measure/plan.ts";

/**
 * How the ruler is measured: the usual groups, but with crews of which the truth is known. Several are equal, so that
 * any verdict of faster or slower between two of them is a false alarm; the others do a known share of extra work, so
 * that whoever calls them no slower has missed it.
 */

/** How much slower the slowed crews are, as shares. */
export const SLOWDOWNS = [0.01, 0.02, 0.03, 0.05, 0.1] as const;

/** Crews of the baseline beside itself: with it six that are equal, which make fifteen pairs. */
const EQUALS = 5;

/** One cell whose truth is known, with the group that measures it. */
export interface RulerCell {
  /** `pick/uniform-8/cas-ring/1w`. */
  readonly name: string;
  readonly competitorUrl: string;
  readonly group: GroupPlan;
}

/**
 * The groups for the cells that the request names, each `repeats` times; cell after cell before any has its second
 * turn, so that the machine's weather falls on all. Throws an Error if a cell is no race.
 */
export function rulerPlan(request: Request, repeats: number): { plan: Plan; cells: readonly RulerCell[] } {
  const cells = chosenCells(request).map(({ name, scenario, entry, workers, absent }): RulerCell => {
    if (scenario.kind !== "race") throw new Error(`${name} is no race: name cells that have a worker count`);
    if (absent !== undefined) throw new Error(`${name} does not take part: ${absent}`);
    const planned = makePlan({ ...request, filters: [name] });
    const group = planned.groups[0]!;
    return { name, competitorUrl: entry.url, group: withKnownCrews(group, entry.name, entry.url, workers!) };
  });
  const { seed, profile, size, patienceMs } = request;
  const groups = Array.from({ length: repeats }, () => cells.map(({ group }) => group)).flat();
  return {
    plan: { seed, profile, size, patienceMs, groups, simulations: [], surveys: [], overviews: [] },
    cells,
  };
}

function withKnownCrews(group: GroupPlan, name: string, url: string, workers: number): GroupPlan {
  const own = group.crews.filter(({ url: module }) => module === undefined);
  const contestants: CrewPlan[] = [
    { name, kind: "baseline", url, workers },
    ...Array.from({ length: EQUALS }, (_, index): CrewPlan => {
      return { name: `${name}~twin${index + 1}`, kind: "twin", url, workers };
    }),
    ...SLOWDOWNS.map((extraWork): CrewPlan => {
      return { name: `${name}~slowed-by-${100 * extraWork}%`, kind: "rival", url, workers, extraWork };
    }),
  ];
  // Bytes of a usual group are of as many structures at most, so there is room for these where there is for those.
  return { ...group, crews: [...contestants, ...own] };
}
