import { figureOf } from "../../suites/engine/judge/judge.ts";
import { comparePair, type PairJudgement, type Place } from "../../suites/engine/judge/pairs.ts";
import { costPeers, prepareGroup, type State, stateOf, tableOf } from "../../suites/engine/judge/samples.ts";
import type { Ratio, Verdict } from "../../suites/engine/judge/verdict.ts";
import { cellName } from "../../suites/engine/measure/plan.ts";
import type { BenchRecord, CellRecord, GroupRecord } from "../../suites/engine/schema/record.ts";

/**
 * From records to the rows of a comparison. Pure: the same records give the same rows. The table of a bench says how
 * competitors stand to each other, this one how a competitor stands to itself; figures and verdicts are made alike.
 */
export type Row = MeasuredRow | NumberlessRow;

export interface MeasuredRow {
  /** `pick/uniform-8/cas-ring/1w`, with the role of the workers behind it where there are several. */
  readonly cell: string;
  readonly noNumber?: undefined;
  /** ns per operation with a 99 % interval, on either side. */
  readonly base: Ratio;
  readonly head: Ratio;
  /** Newer over older, with the interval that the verdict rests on. */
  readonly ratio: Ratio;
  /** As a share: 0.012 is 1.2 %. Undefined where nothing is judged, or a single process shows nothing of it. */
  readonly floor: number | undefined;
  /** The least difference that would have been told, as a share; undefined as `floor` is. */
  readonly sees: number | undefined;
  /** Processes that the ratio rests on; of two records, of the one that has fewer. */
  readonly forks: number;
  /** The state of the machine that all its figures are of. */
  readonly state: State;
  /** `not judged` where nothing was raced beside it that could take the machine's weather out of it. */
  readonly verdict: Verdict | "not judged";
}

export interface NumberlessRow {
  readonly cell: string;
  readonly noNumber: string;
}

/**
 * The rows of groups that compare.ts's plan made: the rival against the baseline, each against its own group's floor,
 * all judged as one table.
 */
export function compareGroups(groups: readonly GroupRecord[]): Row[] {
  const found = groups.flatMap((group) => {
    const sightings = [...sightingsByCell([group]).values()];
    const ofKind = (kind: CellRecord["kind"], role: string) =>
      sightings.find(({ any }) => any.kind === kind && any.role === role)!;
    return [...new Set(group.roles)].map((role) =>
      inOneState(ofKind("baseline", role), ofKind("rival", role)),
    );
  });
  const looks = Math.max(1, ...groups.map((group) => group.looks));
  return found.map(({ base, head }): Row => {
    const cell = withoutSide(base);
    const missing = whyNot(base, head);
    if (missing !== undefined) return { cell, noNumber: missing };
    const judgement = comparePair(head.places, base.places, { rows: found.length, looks });
    if (judgement === undefined) {
      const reason =
        base.floor === undefined
          ? "its twin, which sets the noise floor, has no number"
          : "no slice of one side counts beside one of the other";
      return { cell, noNumber: reason };
    }
    return judgedRow({ cell, base, head, floor: base.floor! }, judgement);
  });
}

/** `pick/uniform-8/cas-ring@1a2b3c4/1w/reader` without the name of the side. */
function withoutSide({ places, role }: Sighting): string {
  const { entrant, group } = places[0]!;
  const { primitive, scenario, workers, roles } = group.group;
  const plain = cellName(primitive, scenario, entrant.cell.competitor.split("@")[0]!, workers);
  return new Set(roles).size > 1 ? `${plain}/${role}` : plain;
}

export interface RecordComparison {
  readonly rows: readonly Row[];
  /** Cells that only one of the two records has. */
  readonly onlyInBase: readonly string[];
  readonly onlyInHead: readonly string[];
}

/**
 * The rows of two records that were made at different times: of every cell that both have. What a competitor cost is
 * not comparable over time on a machine that others use too, but how it stood to the baseline beside it is; so the ratio
 * is one of ratios, both of them of one state of the machine. The baseline itself has only its costs, and so has what
 * was raced beside two different baselines: their ratio is shown and not judged.
 */
export function compareRecords(base: BenchRecord, head: BenchRecord): RecordComparison {
  const [before, after] = [sightingsByCell(base.groups), sightingsByCell(head.groups)];
  const pairs = [...before.keys()].flatMap((cell) =>
    after.has(cell) ? [{ cell, ...inOneState(before.get(cell)!, after.get(cell)!) }] : [],
  );
  const rows = pairs.filter((pair) => isPair(pair.base, pair.head)).length;
  const looks = Math.max(1, ...[...base.groups, ...head.groups].map((group) => group.looks));
  return {
    rows: pairs.map((pair): Row => {
      const { cell } = pair;
      const missing = whyNot(pair.base, pair.head);
      if (missing !== undefined) return { cell, noNumber: missing };
      if (!isPair(pair.base, pair.head)) return unjudgedRow(pair);
      const judgement = comparePair(pair.head.places, pair.base.places, { rows, looks });
      if (judgement === undefined) {
        return { cell, noNumber: "in one of the records its baseline or the twin has no number" };
      }
      const floor = (1 + pair.base.floor!) * (1 + pair.head.floor!) - 1;
      return judgedRow({ ...pair, floor }, judgement);
    }),
    onlyInBase: [...before.keys()].filter((cell) => !after.has(cell)),
    onlyInHead: [...after.keys()].filter((cell) => !before.has(cell)),
  };
}

/** Whether both were raced beside the same baseline, and are none themselves: other ratios say nothing of one another. */
function isPair(base: Sighting, head: Sighting): boolean {
  return base.kind !== "baseline" && head.kind !== "baseline" && base.baseline === head.baseline;
}

interface Compared {
  readonly cell: string;
  readonly base: Sighting;
  readonly head: Sighting;
}

function judgedRow(
  { base, head, floor, ...known }: Compared & { readonly floor: number },
  { ratio, sees, verdict, forks }: PairJudgement,
): MeasuredRow {
  return {
    ...known,
    state: base.state,
    base: base.cost!,
    head: head.cost!,
    ratio,
    floor: finite(floor),
    sees: finite(sees),
    forks,
    verdict,
  };
}

/** A single process shows nothing of how processes differ. */
function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/** What two costs come to that were not measured side by side: their ratio, as far apart as both intervals allow. */
function unjudgedRow({ base, head, ...known }: Compared): MeasuredRow {
  const [before, after] = [base.cost!, head.cost!];
  return {
    ...known,
    state: base.state,
    base: before,
    head: after,
    ratio: {
      value: after.value / before.value,
      low: after.low / before.high,
      high: after.high / before.low,
    },
    floor: undefined,
    sees: undefined,
    forks: Math.min(base.forks, head.forks),
    verdict: "not judged",
  };
}

/** What the groups of one table saw of a cell's workers of one role. */
interface Sighting {
  readonly kind: CellRecord["kind"];
  readonly role: string;
  readonly state: State;
  /** Competitor that ratios are to. */
  readonly baseline: string | undefined;
  readonly places: readonly Place[];
  readonly failure: string | undefined;
  /** Undefined where no slice has a number. */
  readonly cost: Ratio | undefined;
  /** Forks that have a cost. */
  readonly forks: number;
  readonly floor: number | undefined;
}

/** As its table is judged, and of all slices: two of different states do not compare. */
interface Seen {
  readonly judged: Sighting;
  readonly any: Sighting;
}

function inOneState(base: Seen, head: Seen): { readonly base: Sighting; readonly head: Sighting } {
  const state = base.judged.state === head.judged.state ? "judged" : "any";
  return { base: base[state], head: head[state] };
}

/** All cells by their names in tables, a baseline that raced in several groups once; twins are none. */
function sightingsByCell(groups: readonly GroupRecord[]): Map<string, Seen> {
  const tables = [...Map.groupBy(groups, tableOf).values()];
  return new Map(
    tables.flatMap((own) => {
      const judged = sightingsOf(own, stateOf(own));
      const any = sightingsOf(own, "any");
      return [...judged].map(
        ([name, sighting]) => [name, { judged: sighting, any: any.get(name)! }] as const,
      );
    }),
  );
}

function sightingsOf(groups: readonly GroupRecord[], state: State): Map<string, Sighting> {
  const places = groups.flatMap((group): Place[] => {
    const prepared = prepareGroup(group, state);
    return prepared.entrants
      .filter(({ cell }) => cell.kind !== "twin")
      .map((entrant) => ({ group: prepared, entrant }));
  });
  const byName = Map.groupBy(places, ({ group: { group }, entrant: { cell, role } }) =>
    new Set(group.roles).size > 1 ? `${cell.name}/${role}` : cell.name,
  );
  return new Map([...byName].map(([name, own]) => [name, sightingAt(own)]));
}

function sightingAt(places: readonly Place[]): Sighting {
  const { group, entrant } = places[0]!;
  const { cell, role } = entrant;
  const logCosts = places.flatMap((place) => place.entrant.logCosts.values);
  const peers = places.flatMap((place) => costPeers(place.group.entrants, place.entrant));
  const floors = places.flatMap((place) => place.group.floors.get(role) ?? []);
  return {
    kind: cell.kind,
    role,
    state: places.every((place) => place.entrant.state === "quiet") ? "quiet" : "any",
    baseline: group.group.cells.find(({ kind }) => kind === "baseline")?.competitor,
    places,
    failure: places.flatMap((place) => place.entrant.cell.failure ?? [])[0]?.reason,
    cost: logCosts.length === 0 ? undefined : figureOf(logCosts, peers),
    forks: logCosts.length,
    floor: floors.length === 0 ? undefined : Math.max(...floors),
  };
}

/** Why a pair has no number, and on which side; undefined where both have one. */
function whyNot(base: Sighting, head: Sighting): string | undefined {
  for (const [name, { failure, cost }] of [
    ["base", base],
    ["head", head],
  ] as const) {
    if (failure !== undefined) return `${name}: ${failure}`;
    if (cost === undefined) return `${name}: no slice counts, or in some no operation came to its end`;
  }
  return undefined;
}
