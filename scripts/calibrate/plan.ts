import {
  budgetOf,
  type CrewPlan,
  chosenCells,
  type GroupPlan,
  makePlan,
  type Plan,
  type Profile,
  type Request,
  withCrews,
} from "../../suites/engine/measure/plan.ts";

/**
 * How the ruler is measured: the usual groups, but with crews of which the truth is known. Several are equal, so that
 * any verdict of faster or slower between two of them is a false alarm; the others do a known share of extra work, so
 * that whoever calls them no slower has missed it. All of them race to the end, so that the judge can be asked after how
 * many forks racing would have been done with each.
 */

/** How much slower the slowed crews are, as shares. */
export const SLOWDOWNS = [0.01, 0.02, 0.03, 0.05, 0.1, 0.2] as const;

/** Crews of the baseline beside itself: one sets the floor, with the others it makes five equal ones, ten pairs. */
const EQUALS = 5;

/** Some fifteen forks of a group; and racing that goes on to 1 %, as that of the full profile. */
export const RULER: Profile = { name: "ruler", secondsPerCell: 5, precision: 0.01, surveys: 0 };

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
  const cells = chosenCells(request).map(({ name, scenario, entry, absent }): RulerCell => {
    if (scenario.kind !== "race") throw new Error(`${name} is no race: name cells that have a worker count`);
    if (absent !== undefined) throw new Error(`${name} does not take part: ${absent}`);
    const planned = makePlan({ ...request, filters: [name] });
    const group = planned.groups[0]!;
    return { name, competitorUrl: entry.url, group: withKnownCrews(group, entry.name, request) };
  });
  const { seed, profile, size, patienceMs } = request;
  const groups = Array.from({ length: repeats }, () => cells.map(({ group }) => group)).flat();
  const budgetMs = request.budgetMs ?? budgetOf(profile, groups);
  return {
    plan: { seed, profile, size, patienceMs, budgetMs, groups, simulations: [], surveys: [], overviews: [] },
    cells,
  };
}

function withKnownCrews(group: GroupPlan, competitor: string, request: Request): GroupPlan {
  const usual = group.crews.find(({ name }) => name === competitor)!;
  const own = group.crews.filter(({ url }) => url === undefined);
  const rows: CrewPlan[] = [
    ...Array.from({ length: EQUALS }, (_, index): CrewPlan => {
      return { ...usual, name: `${competitor}~twin${index + 1}`, kind: "twin" };
    }),
    ...SLOWDOWNS.map((extraWork): CrewPlan => {
      return { ...usual, name: `${competitor}~slowed-by-${100 * extraWork}%`, kind: "rival", extraWork };
    }),
  ];
  const crews: CrewPlan[] = [{ ...usual, kind: "baseline" }, ...rows, ...own];
  // The crew that sets the floor is no judged row.
  return { ...withCrews(group, crews, request), rows: rows.length - 1 };
}
