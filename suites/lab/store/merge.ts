import type { MachineRecord } from "../../engine/schema/envelope.ts";
import type { GroupRecord } from "../../engine/schema/record.ts";
import type { BenchRecord, SimulationRecord, SurveyRecord } from "../schema/record.ts";
import { machinesOf, partsOf } from "../schema/record-file.ts";

export interface NamedRecord {
  /** By which a message names it, a path usually. */
  readonly name: string;
  readonly record: BenchRecord;
}

/**
 * Joins the records of one night's shards, one at least, into the record that one run would have made. In whichever
 * order they are given, the result is the same. Throws an Error with one line where they do not belong together. Parts
 * from different code, methods, runtimes, profiles or sizes are not one night, and no cell has two numbers.
 *
 * Machines may differ, since every ratio is made on one of them. Then `machines` names all, and each part that is not
 * from the record's own `machine` says which one it is from.
 *
 * The seed is that of the first record. Workloads were made from each shard's own seed, which its command may name.
 * What is read from the record's seed is only the bootstrap of its intervals, and any seed is as good for that.
 */
export function mergeRecords(named: readonly NamedRecord[]): BenchRecord {
  const placed = named.map((one) => ({ one, place: placeOf(one.record) }));
  const sorted = placed
    .toSorted((a, b) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0))
    .map(({ one }) => one);
  const [first, ...others] = sorted;
  if (first === undefined) throw new Error("there is no record to merge");
  if (others.length === 0) return first.record;
  for (const other of sorted) checkFits(first, other);
  checkNoneTwice(sorted);
  const records = sorted.map(({ record }) => record);
  const last = records.reduce((latest, record) => (record.finishedAt > latest.finishedAt ? record : latest));
  const machines = new Map<string, MachineRecord>();
  for (const machine of records.flatMap(machinesOf)) {
    // Machines of one slug are of one kind: what differs between them, their kernels, is taken from the first.
    if (!machines.has(machine.slug)) machines.set(machine.slug, machine);
  }
  const own = first.record.machine.slug;
  const part = <Part extends GroupRecord | SimulationRecord | SurveyRecord>(
    pick: (record: BenchRecord) => readonly Part[],
  ): Part[] =>
    records.flatMap((record) =>
      pick(record).map(({ machine = record.machine.slug, ...rest }) => ({
        ...(rest as Part),
        ...(machine === own ? {} : { machine }),
      })),
    );
  const resumedAt = records.flatMap((record) => record.resumedAt ?? []).sort();
  const overviews = mergedOverviews(sorted);
  const { machines: _, overviews: __, resumedAt: ___, argv: ____, ...common } = first.record;
  return {
    ...common,
    command: [...new Set(records.map(({ command }) => command))].join("; "),
    finishedAt: last.finishedAt,
    interrupted: records.some(({ interrupted }) => interrupted),
    ...(resumedAt.length === 0 ? {} : { resumedAt }),
    // What was stolen is counted since a machine was started: of two machines the difference means nothing.
    before: { ...first.record.before, stealSeconds: null },
    after: {
      ...noisiestOf([last, ...records]).after,
      loadAverage: last.after.loadAverage,
      stealSeconds: null,
    },
    ...(machines.size === 1 ? {} : { machines: [...machines.values()] }),
    groups: part(({ groups }) => groups),
    simulations: part(({ simulations }) => simulations),
    surveys: part(({ surveys = [] }) => surveys),
    ...(overviews.length === 0 ? {} : { overviews }),
  };
}

/** The run that was disturbed most, since what it says of that is said of all. */
function noisiestOf(records: readonly [BenchRecord, ...BenchRecord[]]): BenchRecord {
  const shareOf = ({ after: { othersCores = 0, stolenCores = 0 }, machine }: BenchRecord) =>
    (othersCores + stolenCores) / machine.cores;
  return records.reduce((noisiest, record) => (shareOf(record) > shareOf(noisiest) ? record : noisiest));
}

/** By which records are sorted: no two that may be merged are equal in all of it, but for empty ones. */
function placeOf(record: BenchRecord): string {
  const { startedAt, finishedAt, machine, command, seed } = record;
  return JSON.stringify([startedAt, finishedAt, machine.slug, command, seed, cellsOf(record)]);
}

function checkFits(first: NamedRecord, other: NamedRecord): void {
  const { commit } = other.record;
  if (commit === null || commit.dirty) {
    throw new Error(
      `${other.name} was made ${commit === null ? "outside a git work tree" : "with uncommitted changes"}: only records of a commit can be merged, for nobody knows whether others have the same code`,
    );
  }
  for (const [what, of] of ASPECTS) {
    const [one, another] = [of(first.record), of(other.record)];
    if (one === another) continue;
    throw new Error(
      `${first.name} and ${other.name} differ in their ${what} (${one} and ${another}): merge the records of one night`,
    );
  }
}

const ASPECTS: readonly (readonly [what: string, of: (record: BenchRecord) => string])[] = [
  ["commit", ({ commit }) => commit?.hash ?? "none"],
  ["method version", ({ methodVersion }) => String(methodVersion)],
  [
    "runtime",
    ({ runtime: { name, version, engine, flags } }) => [name, version, `with ${engine}`, ...flags].join(" "),
  ],
  ["profile", ({ profile }) => profile],
  ["size", ({ size }) => size],
];

function checkNoneTwice(named: readonly NamedRecord[]): void {
  const ownerOf = new Map<string, NamedRecord>();
  for (const owner of named) {
    for (const cell of cellsOf(owner.record)) {
      const other = ownerOf.get(cell);
      if (other !== undefined) {
        throw new Error(`${cell} is in both ${other.name} and ${owner.name}: remove one of the two`);
      }
    }
    for (const cell of cellsOf(owner.record)) ownerOf.set(cell, owner);
  }
}

/** Names of its cells, each once: a baseline races in every group of its scenario, as the engine's own crews do. */
function cellsOf(record: BenchRecord): string[] {
  return [...new Set(partsOf(record).flatMap(({ cells }) => cells.map(({ name }) => name)))];
}

function mergedOverviews(named: readonly NamedRecord[]): NonNullable<BenchRecord["overviews"]> {
  const byPrimitive = new Map<string, { readonly owner: NamedRecord; readonly text: string }>();
  return named.flatMap((owner) =>
    (owner.record.overviews ?? []).filter((overview) => {
      const text = JSON.stringify(overview);
      const known = byPrimitive.get(overview.primitive);
      if (known === undefined) {
        byPrimitive.set(overview.primitive, { owner, text });
        return true;
      }
      if (known.text === text) return false;
      throw new Error(
        `${known.owner.name} and ${owner.name} differ in the overview of ${overview.primitive}: merge the records of one night`,
      );
    }),
  );
}
