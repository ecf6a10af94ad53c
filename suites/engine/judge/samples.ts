import type { CellRecord, GroupRecord, QuartilesRecord } from "../schema/record.ts";
import type { State } from "../schema/verdict.ts";
import { median, type Sample } from "../statistics.ts";
import { isContestant } from "./contestants.ts";
import { estimateOf, noiseOf, robustScale, withoutOutliers } from "./verdict.ts";

/**
 * From the digests of a group to the samples that are judged: one value of each fork that counts, in one state of the
 * machine.
 */

/** A fork says something of the quiet state if it saw so many pairs of quiet slices: of fewer the median is loose. */
export const FEWEST_QUIET = 20;
/** A row that so many forks say it of is judged in the quiet state. */
export const FEWEST_QUIET_FORKS = 3;

/** A value for each fork that has one: both columns go together. */
export interface ForkValues {
  readonly forks: readonly number[];
  readonly values: Sample;
}

const NOTHING: ForkValues = { forks: [], values: [] };

/** The groups of one table, ready to be judged. */
export interface PreparedTable {
  readonly state: State;
  /** The rows of all groups, group by group. */
  readonly places: readonly Place[];
}

/** A row in one of its groups, in the state in which it is judged there. */
export interface Place extends Prepared {
  /** The same of all slices. */
  readonly ofAnyState: Prepared;
}

export interface Prepared {
  readonly group: PreparedGroup;
  readonly entrant: Entrant;
}

/**
 * Prepares the groups of one table and finds the state in which they are judged: the quiet one, if there is enough of
 * it for most rows and they are known about as well by it, otherwise all slices. What is quiet comes out alike on other
 * days, so that it may cost a little; but a tenth of the slices in a third of the forks makes intervals wide that are
 * narrow by all of them. A row that has too little of the quiet state by itself is judged by all of its slices all the
 * same, beside the A/A control's of all slices, and is told apart. Where the A/A control has too little of it the floor is that of
 * all slices for each row.
 */
export function prepareTable(groups: readonly GroupRecord[]): PreparedTable {
  const inState = (state: State) =>
    groups
      .map((group) => prepareGroup(group, state))
      .flatMap((group) => group.entrants.map((entrant): Prepared => ({ group, entrant })));
  const ofAnyState = inState("any");
  const quiet = inState("quiet");
  const isRaced = ({ entrant }: Prepared) => entrant.cell.failure === undefined;
  const enough = [...quiet.keys()].filter((row) => isRaced(quiet[row]!) && isOfQuiet(quiet[row]!));
  const errorOf = (rows: readonly Prepared[]) => usualError(enough.map((row) => rows[row]!));
  const isQuiet =
    enough.length > quiet.filter(isRaced).length / 2 &&
    errorOf(quiet) <= QUIET_MAY_COST * errorOf(ofAnyState);
  const places = ofAnyState.map((any, row): Place => {
    const judged = isQuiet && isOfQuiet(quiet[row]!) ? quiet[row]! : any;
    return { ...judged, ofAnyState: any };
  });
  return { state: isQuiet ? "quiet" : "any", places };
}

function isOfQuiet({ entrant }: Prepared): boolean {
  return entrant.state === "quiet";
}

/** So many times the error of all slices that of the quiet ones may have. */
const QUIET_MAY_COST = 1.25;

/** Half the width of a 95 % interval of a logarithm: the middle one of those rows. */
function usualError(rows: readonly Prepared[]): number {
  const errors = rows
    .filter(({ entrant }) => entrant.logRatios.values.length > 0)
    .map(({ group, entrant }) => {
      const peers = ratioPeers(group.entrants, entrant);
      const { low, high } = estimateOf(entrant.logRatios.values, peers, 0.95);
      return (high - low) / 2;
    });
  return median(errors);
}

function hasEnoughQuiet({ roles }: CellRecord, role: string): boolean {
  const figures = roles[role];
  const counts = (figures?.any.logRatio === undefined ? figures?.quiet?.costNs : figures.quiet?.logRatio)
    ?.counts;
  return (counts ?? []).filter((count) => count >= FEWEST_QUIET).length >= FEWEST_QUIET_FORKS;
}

/** Share of all slices of competitors that count which were quiet; undefined where slices have no tags. */
export function quietShareOf(groups: readonly GroupRecord[]): number | undefined {
  if (groups.every(({ referenceNs }) => referenceNs === undefined)) return undefined;
  const roles = groups.flatMap(({ cells }) =>
    cells.filter(isContestant).flatMap(({ roles: byRole }) => Object.values(byRole)),
  );
  const slicesIn = (state: State) =>
    roles.reduce((sum, role) => sum + (role[state]?.costNs.counts ?? []).reduce((a, b) => a + b, 0), 0);
  return slicesIn("quiet") / slicesIn("any");
}

function countingIn(state: State, table: QuartilesRecord | undefined, asLog: (p50: number) => number) {
  if (table === undefined) return NOTHING;
  const fewest = state === "quiet" ? FEWEST_QUIET : 1;
  const places = [...table.forks.keys()].filter((place) => table.counts[place]! >= fewest);
  return {
    forks: places.map((place) => table.forks[place]!),
    values: places.map((place) => asLog(table.p50[place]!)),
  };
}

/** Logarithm of what an operation of a role cost, in ns: the median of each fork. */
export function logCostsOf({ roles }: CellRecord, role: string, state: State): ForkValues {
  return countingIn(state, roles[role]?.[state]?.costNs, Math.log);
}

/** Logarithm of candidate / baseline: the median of each fork. Nothing for the baseline. */
export function logRatiosOf({ roles }: CellRecord, role: string, state: State): ForkValues {
  return countingIn(state, roles[role]?.[state]?.logRatio, (p50) => p50);
}

/** What one group knows of one row: a cell, or one role of a cell. */
export interface Entrant {
  readonly cell: CellRecord;
  readonly role: string;
  /** The group's, or `any` where this row has too little of the quiet one. */
  readonly state: State;
  /** Empty for a cell that failed, or of which in some slice no operation came to its end. */
  readonly logCosts: ForkValues;
  /** Against the baseline of its group, without what was left out and without the group's offset (see `noiseOf`); none for
   * the baseline. */
  readonly logRatios: ForkValues;
  /** The ratios of forks that were left out: they lie too far from the others. */
  readonly leftOut: readonly number[];
}

export interface PreparedGroup {
  readonly group: GroupRecord;
  readonly state: State;
  /** Role by role, in the order of the cells. */
  readonly entrants: readonly Entrant[];
  /** Noise floor by role, as a share; none where the A/A control has no ratio. */
  readonly floors: ReadonlyMap<string, number>;
}

function prepareGroup(group: GroupRecord, state: State): PreparedGroup {
  const cells = group.cells.filter(isContestant);
  const baseline = cells.find(({ kind }) => kind === "baseline");
  const hasBaseline = baseline !== undefined && baseline.failure === undefined;
  const floors = new Map<string, number>();
  const entrants = [...new Set(group.roles)].flatMap((role) => {
    const isWhole = ({ failure, roles }: CellRecord) =>
      failure === undefined && roles[role]?.stalled === undefined;
    const ownState = (cell: CellRecord): State => (hasEnoughQuiet(cell, role) ? state : "any");
    const ratiosOf = (cell: CellRecord) =>
      hasBaseline && isWhole(baseline) && isWhole(cell) ? logRatiosOf(cell, role, ownState(cell)) : NOTHING;
    const all = cells.map((cell) => ({ cell, ratios: ratiosOf(cell) }));
    const scale = robustScale(all.map(({ ratios }) => ratios.values));
    const own = all.map(({ cell, ratios }): Entrant => {
      const counts = withoutOutliers(ratios.values, scale);
      return {
        cell,
        role,
        state: ownState(cell),
        logCosts: isWhole(cell) ? logCostsOf(cell, role, ownState(cell)) : NOTHING,
        logRatios: {
          forks: ratios.forks.filter((_, place) => counts[place]),
          values: ratios.values.filter((_, place) => counts[place]),
        },
        leftOut: ratios.values.filter((_, place) => !counts[place]).map(Math.exp),
      };
    });
    const aaControl = own.find(({ cell }) => cell === floorControlOf(group));
    if (aaControl === undefined || aaControl.logRatios.values.length === 0) return own;
    const { offset, floor } = noiseOf(aaControl.logRatios.values);
    floors.set(role, floor);
    return own.map((entrant) => (entrant === aaControl ? entrant : withoutOffset(entrant, offset)));
  });
  return { group, state, entrants, floors };
}

/** The A/A control of a group that sets its floor: the first. */
export function floorControlOf({ cells }: GroupRecord): CellRecord | undefined {
  return cells.find(({ kind }) => kind === "aa-control");
}

/** A row as it stands to the baseline's equals. */
function withoutOffset(entrant: Entrant, offset: number): Entrant {
  const { forks, values } = entrant.logRatios;
  return { ...entrant, logRatios: { forks, values: values.map((value) => value - offset) } };
}

/** The ratios of the other rows of a group whose workers do the same: a row's peers. */
export function ratioPeers(entrants: readonly Entrant[], of: Entrant): Sample[] {
  return entrants
    .filter((other) => other !== of && other.role === of.role && other.logRatios.values.length > 0)
    .map(({ logRatios }) => logRatios.values);
}

/** The same for costs. */
export function costPeers(entrants: readonly Entrant[], of: Entrant): Sample[] {
  return entrants
    .filter((other) => other !== of && other.role === of.role && other.logCosts.values.length > 0)
    .map(({ logCosts }) => logCosts.values);
}
