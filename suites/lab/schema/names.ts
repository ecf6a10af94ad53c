import type { BenchRecord, OverviewRecord } from "./record.ts";

/**
 * Competitors are renamed; records are not. What is read from a record gets the names of today. By primitive and former name.
 */
export type FormerNames = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** A cell's name, `primitive/scenario/competitor/workers` and what may follow, with its competitor's name of today. */
export function cellToday(cell: string, formerNames: FormerNames): string {
  const [primitive, scenario, competitor, ...rest] = cell.split("/") as [string, string, string];
  return [
    primitive,
    scenarioToday(primitive, scenario, formerNames),
    nameToday(primitive, competitor, formerNames),
    ...rest,
  ].join("/");
}

/** That of an A/A control, `competitor~aa1`, and of a competitor on a runtime, `competitor@bun`, follow its competitor's. */
export function nameToday(primitive: string, competitor: string, formerNames: FormerNames): string {
  return competitor.replace(/^[^~@]+/, (name) => formerNames.get(primitive)?.get(name) ?? name);
}

/** What a competitor's race against itself is called, `scenario@competitor`, follows the competitor, too. */
function scenarioToday(primitive: string, scenario: string, formerNames: FormerNames): string {
  return scenario.replace(/(?<=@).+$/, (name) => nameToday(primitive, name, formerNames));
}

/** What records have of one scenario, of whatever kind. */
interface Part {
  readonly primitive: string;
  readonly scenario: string;
  readonly cells: readonly { readonly name: string; readonly competitor: string }[];
  readonly absent?: readonly { readonly competitor: string; readonly reason: string }[];
}

/** A part with the names of today in place of former ones. */
function partToday<P extends Part>(part: P, formerNames: FormerNames): P {
  const { primitive, scenario, cells, absent } = part;
  if (!formerNames.has(primitive)) return part;
  const today = <T extends { readonly competitor: string }>(of: T): T => {
    return { ...of, competitor: nameToday(primitive, of.competitor, formerNames) };
  };
  return {
    ...part,
    scenario: scenarioToday(primitive, scenario, formerNames),
    cells: cells.map((cell) => ({ ...today(cell), name: cellToday(cell.name, formerNames) })),
    ...(absent === undefined ? {} : { absent: absent.map(today) }),
  };
}

/** A record with the names of today in place of former ones. Figures stay as they are. */
export function recordToday(record: BenchRecord, formerNames: FormerNames): BenchRecord {
  const parts = <P extends Part>(of: readonly P[]) => of.map((part) => partToday(part, formerNames));
  const overview = (of: OverviewRecord): OverviewRecord => {
    return { ...of, variants: of.variants.map((name) => nameToday(of.primitive, name, formerNames)) };
  };
  const { groups, simulations, surveys, overviews } = record;
  return {
    ...record,
    groups: parts(groups),
    simulations: parts(simulations),
    ...(surveys === undefined ? {} : { surveys: parts(surveys) }),
    ...(overviews === undefined ? {} : { overviews: overviews.map(overview) }),
  };
}
