import { scenarioOf } from "../measure/plan.ts";
import { type OverviewRecord, partsOf, type SimulationRecord } from "../schema/record.ts";
import type { JudgedRecord, Verdicts } from "../schema/verdict.ts";
import { type Curve, curvesOf, sizesOf } from "./curves.ts";

/**
 * What is published of a primitive, scenario by scenario: each is whole from the newest record that has it, so that a
 * scenario can be measured again without all the others. What a scenario is raced on several runtimes is one whole, too,
 * whatever runtimes and competitors it is of. Pure.
 */
export interface Newest {
  /** As if one record had all, in the order of the scenarios. */
  readonly verdicts: Verdicts;
  readonly simulations: readonly SimulationRecord[];
  readonly overviews: readonly OverviewRecord[];
  /** The records that this is of, the newest first; one at least. */
  readonly sources: readonly Source[];
}

/** A record, its verdicts, and the scenarios that no newer one has. */
export interface Source extends JudgedFile {
  readonly scenarios: ReadonlySet<string>;
}

export interface JudgedFile extends JudgedRecord {
  /** Name of the record's file. */
  readonly file: string;
}

/**
 * The newest of all `records` of a primitive, given newest last. Scenarios that are not named in `scenarios` are left
 * out; those that are come in this order. Undefined if there is none.
 */
export function newestOf(records: readonly JudgedFile[], scenarios: readonly string[]): Newest | undefined {
  const left = new Set(scenarios);
  const sources = records.toReversed().flatMap(({ file, record, verdicts }): Source[] => {
    const own = new Set(
      partsOf(record)
        .map(({ scenario }) => scenarioOf(scenario))
        .filter((scenario) => left.has(scenario)),
    );
    for (const scenario of own) left.delete(scenario);
    return own.size === 0 ? [] : [{ file, record, verdicts, scenarios: own }];
  });
  if (sources.length === 0) return undefined;
  const placeOf = ({ scenario }: { readonly scenario: string }) => scenarios.indexOf(scenarioOf(scenario));
  const inOrder = <Part extends { readonly scenario: string }>(pick: (source: Source) => readonly Part[]) =>
    sources.flatMap((source) => ownOf(source, pick(source))).toSorted((a, b) => placeOf(a) - placeOf(b));
  return {
    verdicts: {
      races: inOrder(({ verdicts }) => verdicts.races),
      // All simulations before all surveys, as in a record.
      metrics: [
        ...inOrder(({ verdicts }) => verdicts.metrics.filter(({ kind }) => kind === "simulation")),
        ...inOrder(({ verdicts }) => verdicts.metrics.filter(({ kind }) => kind === "survey")),
      ],
    },
    simulations: inOrder(({ record }) => record.simulations),
    overviews: sources.find(({ record }) => record.overviews !== undefined)?.record.overviews ?? [],
    sources,
  };
}

/** Of the parts of a source's record those that it is the newest of. */
export function ownOf<Part extends { readonly scenario: string }>(
  { scenarios }: Source,
  parts: readonly Part[],
): Part[] {
  return parts.filter(({ scenario }) => scenarios.has(scenarioOf(scenario)));
}

/** The record that a scenario is of. */
export function sourceOf({ sources }: Newest, scenario: string): Source {
  const source = sources.find(({ scenarios }) => scenarios.has(scenarioOf(scenario)));
  if (source === undefined) throw new Error(`no record has the scenario ${scenario}`);
  return source;
}

/** By which version of the method a scenario was measured. */
export function methodOf(newest: Newest, scenario: string): number {
  return sourceOf(newest, scenario).record.methodVersion;
}

/** Whether its scenarios were measured by different versions of the method. */
export function hasSeveralMethods({ sources }: Newest): boolean {
  return new Set(sources.map(({ record }) => record.methodVersion)).size > 1;
}

export interface CurveOfSource {
  readonly curve: Curve;
  readonly source: Source;
}

/**
 * Its curves. Times of different methods and days do not compare, so each is drawn whole from one record, and from the
 * newest of those that have the most points of it.
 */
export function newestCurves({ sources }: Newest): CurveOfSource[] {
  const all = sources.flatMap((source) =>
    curvesOf(source.verdicts.races).map((curve): CurveOfSource => ({ curve, source })),
  );
  const byName = Map.groupBy(all, ({ curve }) => curve.points[0]!.point.curve);
  return [...byName.values()].map((same) => {
    const sizes = ({ curve }: CurveOfSource) => sizesOf(curve).length;
    return same.reduce((best, other) => (sizes(other) > sizes(best) ? other : best));
  });
}
