import { judgeRecord } from "../judge/judge.ts";
import { type BenchRecord, partsOf, type Seen } from "../schema/record.ts";
import { type Curve, curvesOf, sizesOf } from "./curves.ts";

/**
 * What is published of a primitive, scenario by scenario: each is whole from the newest record that has it, so that a
 * scenario can be measured again without all the others. Pure.
 */
export interface Newest {
  /** As if one record had all. */
  readonly seen: Seen;
  /** The records that this is of, the newest first; one at least. */
  readonly sources: readonly Source[];
}

/** A record, and the scenarios that no newer one has. */
export interface Source {
  /** Name of its file. */
  readonly file: string;
  readonly record: BenchRecord;
  readonly scenarios: ReadonlySet<string>;
}

/**
 * The newest of all `records` of a primitive, given newest last. Scenarios that are not named in `scenarios` are left
 * out; those that are come in this order. Undefined if there is none.
 */
export function newestOf(
  records: readonly Pick<Source, "file" | "record">[],
  scenarios: readonly string[],
): Newest | undefined {
  const left = new Set(scenarios);
  const sources = records.toReversed().flatMap(({ file, record }): Source[] => {
    const own = new Set(
      partsOf(record)
        .map(({ scenario }) => scenario)
        .filter((scenario) => left.has(scenario)),
    );
    for (const scenario of own) left.delete(scenario);
    return own.size === 0 ? [] : [{ file, record, scenarios: own }];
  });
  if (sources.length === 0) return undefined;
  const parts = sources.map(partOf);
  const inOrder = <Part extends { readonly scenario: string }>(pick: (part: Seen) => readonly Part[]) =>
    parts.flatMap(pick).toSorted((a, b) => scenarios.indexOf(a.scenario) - scenarios.indexOf(b.scenario));
  const overviews = sources.find(({ record }) => record.overviews !== undefined)?.record.overviews;
  const seen = {
    groups: inOrder(({ groups }) => groups),
    simulations: inOrder(({ simulations }) => simulations),
    surveys: inOrder(({ surveys = [] }) => surveys),
    ...(overviews === undefined ? {} : { overviews }),
  };
  return { seen, sources };
}

/** Of a source's record what it is the newest of. */
export function partOf({ record, scenarios }: Source): BenchRecord {
  const isOwn = ({ scenario }: { readonly scenario: string }) => scenarios.has(scenario);
  return {
    ...record,
    groups: record.groups.filter(isOwn),
    simulations: record.simulations.filter(isOwn),
    surveys: (record.surveys ?? []).filter(isOwn),
  };
}

/** The record that a scenario is of. */
export function sourceOf({ sources }: Newest, scenario: string): Source {
  const source = sources.find(({ scenarios }) => scenarios.has(scenario));
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
    curvesOf(judgeRecord(source.record)).map((curve): CurveOfSource => ({ curve, source })),
  );
  const byName = Map.groupBy(all, ({ curve }) => curve.points[0]!.point.curve);
  return [...byName.values()].map((same) => {
    const sizes = ({ curve }: CurveOfSource) => sizesOf(curve).length;
    return same.reduce((best, other) => (sizes(other) > sizes(best) ? other : best));
  });
}
