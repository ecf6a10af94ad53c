import { basename, join } from "node:path";
import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import {
  Amount,
  Count,
  Line,
  Moment,
  misfitOf,
  Name,
  Positive,
  Seed,
  Slug,
  versionMisfit,
  Workers,
} from "../../engine/schema/values.ts";
import { present } from "../../engine/words/present.ts";
import { KINDS, readJson } from "../schema/envelope-file.ts";
import type { BenchRecord } from "../schema/record.ts";
import { RESULTS, recordsIn } from "../store/results.ts";
import { COSTS, type CostName, type Machine } from "./machine/machine.ts";
import type { Simulated } from "./machine/simulated.ts";

/**
 * The record of a run of simulations: the machines, and what each structure did on them. As in every record no conclusion
 * is stored. The check against what was measured is made each time that a page is (see check.ts).
 */
const closed = { additionalProperties: false };

const Parameter = Type.Object({ value: Amount, low: Amount, high: Amount, source: Line }, closed);
const costNames = Object.keys(COSTS) as CostName[];
const costs = Object.fromEntries(costNames.map((name) => [name, Parameter]));

const SimulatedMachine = Type.Object(
  {
    name: Slug,
    title: Line,
    sockets: Workers,
    complexesPerSocket: Workers,
    coresPerComplex: Workers,
    costs: Type.Object(costs as Record<CostName, typeof Parameter>, closed),
  },
  closed,
);

/** See `Simulated`. */
const SimulatedFigures = Type.Object(
  {
    nsPerOperation: Amount,
    p50Ns: Amount,
    p99Ns: Amount,
    p999Ns: Amount,
    maxNs: Amount,
    perWorker: Type.Array(Count),
    transfersPerOperation: Amount,
    accessesPerOperation: Amount,
    atomicsPerOperation: Amount,
    failuresPerOperation: Amount,
    sleepsPerOperation: Amount,
    broken: Type.Optional(Line),
  },
  closed,
);

/** The commit's hash, with `-dirty` behind it where files differed from it; or that git knows none. */
const Commit = Type.String({ pattern: "^([0-9a-f]{7,64}(-dirty)?|none)$" });

const Cell = Type.Object(
  {
    primitive: Name,
    scenario: Name,
    competitor: Name,
    /** Name of one of the record's machines. */
    machine: Slug,
    workers: Workers,
    /** Why the competitor is not simulated, in a few words. */
    absent: Type.Optional(Line),
    /** Why a simulation has no figures: its process was lost, say. */
    failure: Type.Optional(Line),
    /**
     * With the machine's costs as they are. A broken law, there or in a draw of the same crew, stands here, and the figures
     * beside it count for nothing.
     */
    nominal: Type.Optional(SimulatedFigures),
    /**
     * The least and the most of the nominal run and of the draws; absent without draws, and where a crew hands lines over so
     * often that they would take too long.
     */
    band: Type.Optional(Type.Object({ nsPerOperation: Type.Tuple([Amount, Amount]) }, closed)),
    /** What an operation took besides its shared accesses, in ns. */
    localNs: Type.Optional(Amount),
    /** The published median at this worker count, where there is one; on the machine that measured alone. */
    measuredNs: Type.Optional(Positive),
    measuredIn: Type.Optional(Type.Object({ file: Name, commit: Line }, closed)),
    /** Where the run was not the record's own but an earlier one: see `completed`. */
    commit: Type.Optional(Commit),
  },
  closed,
);

const PlantedFigures = Type.Object(
  {
    /** Sentence of the law that broke, beginning with its name. There is no time then. */
    broken: Type.Optional(Line),
    nsPerOperation: Type.Optional(Amount),
    transfersPerOperation: Amount,
  },
  closed,
);

/** A fault planted in a structure, beside the same structure without it. Records up to November 27, 2026, have some. */
const Planted = Type.Object(
  { fault: Line, machine: Slug, workers: Workers, honest: PlantedFigures, faulty: PlantedFigures },
  closed,
);

const VERSION = 1;

const Record = Type.Object(
  {
    kind: Type.Literal("simulated"),
    version: Type.Literal(VERSION),
    startedAt: Moment,
    /** The day of it. */
    date: Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" }),
    commit: Commit,
    argv: Type.Array(Type.String()),
    seed: Seed,
    machines: Type.Array(SimulatedMachine),
    /** How often the costs were drawn from their ranges. */
    draws: Count,
    /** The structures that the free costs of the machine were fitted to, as "pick/uniform-8/cas-ring". */
    fitted: Type.Array(Line),
    planted: Type.Optional(Type.Array(Planted)),
    /** Set if the run was stopped; the structures are the ones that it had finished. */
    interrupted: Type.Optional(Type.Literal(true)),
    /** Those of a structure follow one another. */
    cells: Type.Array(Cell),
  },
  closed,
);

export type CoresRecord = Static<typeof Record>;
export type CoresCell = Static<typeof Cell>;

const validator = Compile(Record);

/** Reads and checks a record. Throws an Error whose one-line message says what is wrong with the file. */
export function readCores(path: string): CoresRecord {
  return checkCores(readJson(path, "simulated"), path);
}

/** As `readCores`, for a value that is already parsed; `name` stands for it in the message. */
export function checkCores(value: unknown, name: string): CoresRecord {
  const { kind, version } = (value ?? {}) as { readonly [key: string]: unknown };
  if (kind !== "simulated") throw new Error(`${name} is not a record of ${KINDS.simulated}`);
  if (version !== VERSION) throw new Error(`${name} ${versionMisfit("version", version, VERSION)}`);
  if (!validator.Check(value)) throw new Error(`${name} is damaged: ${misfitOf(validator.Errors(value))}`);
  const misfit = misfitBetween(value);
  if (misfit !== undefined) throw new Error(`${name} is damaged: ${misfit}`);
  return value;
}

/** What no field shows alone. */
function misfitBetween({ cells, machines, date, startedAt }: CoresRecord): string | undefined {
  if (!startedAt.startsWith(date)) return `/date is not the day of ${startedAt}`;
  const names = new Set(machines.map(({ name }) => name));
  const place = cells.findIndex(({ machine }) => !names.has(machine));
  if (place !== -1) return `/cells/${place}/machine is none of the record's machines`;
  // Of workers with roles only those of the first one's are counted.
  const crowded = cells.findIndex(({ nominal, workers }) => (nominal?.perWorker.length ?? 0) > workers);
  return crowded === -1 ? undefined : `/cells/${crowded}/nominal/perWorker has more entries than workers`;
}

/** Where records are published, each under its day. */
export const PUBLISHED_CORES = join(RESULTS, "cores");

type CoresIdentity = Pick<CoresRecord, "startedAt" | "commit">;

/** Where a record is published. */
export function publishedCoresPath({ startedAt, commit }: CoresIdentity): string {
  return join(PUBLISHED_CORES, `${startedAt.slice(0, 10)}-${commit.slice(0, 7)}.json.gz`);
}

/** Where a local run's record goes: its name sorts by time, to the ms. */
export function localCoresPath({ startedAt, commit }: CoresIdentity, folder: string): string {
  const time = startedAt.slice(0, 23).replaceAll(/[:.]/g, "");
  return join(folder, `${time}-${commit.slice(0, 7)}.json`);
}

/** The newest published record, and its file's name; undefined if there is none. */
export function newestCores(
  folder = PUBLISHED_CORES,
): { readonly file: string; readonly record: CoresRecord } | undefined {
  const newest = recordsIn(folder, readCores).at(-1);
  return newest === undefined ? undefined : { file: basename(newest.path), record: newest.record };
}

/** A run of some races, with the cells that an earlier record has of all others: each with its commit. */
export function completed(record: CoresRecord, earlier: CoresRecord): CoresRecord {
  const own = new Set(record.cells.map(raceOf));
  const others = earlier.cells.filter((cell) => !own.has(raceOf(cell)));
  return {
    ...record,
    cells: [...others.map((cell) => ({ commit: earlier.commit, ...cell })), ...record.cells],
  };
}

interface Conditions extends Pick<CoresRecord, "draws" | "seed"> {
  readonly machines: readonly Machine[];
}

/** Throws an Error with one line where figures of two runs do not belong together. */
export function checkTogether(run: Conditions, earlier: Conditions): void {
  // Where a cost is from may since be said in other words.
  const textOf = ({ machines, draws, seed }: Conditions) =>
    JSON.stringify([machines, draws, seed], (key, value) => (key === "source" ? undefined : value));
  if (textOf(run) !== textOf(earlier))
    throw new Error(
      `the published record has other machines, draws or seed (${earlier.seed}): give its seed, or simulate all`,
    );
}

/** A commit as records of simulations have it. */
export function commitOf(commit: BenchRecord["commit"]): string {
  return commit === null ? "none" : `${commit.hash}${commit.dirty ? "-dirty" : ""}`;
}

/** Digits of a figure: more than any reader needs, and few enough for a small file. */
const DIGITS = 6;

/** Figures as a record has them: of a window that never closed, because its workers sleep for ever, some are 0. */
export function kept({ perWorker, broken, ...figures }: Simulated): NonNullable<CoresCell["nominal"]> {
  const short = Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [
      name,
      // Between processes what is not finite becomes null.
      Number.isFinite(figure) ? Number(figure.toPrecision(DIGITS)) : 0,
    ]),
  ) as typeof figures;
  return { ...short, perWorker: [...perWorker], ...present({ broken }) };
}

/** Every law that was broken in a run, with the cell that broke it: one line each. */
export function brokenLaws({ cells }: Pick<CoresRecord, "cells">): string[] {
  return cells.flatMap((cell) =>
    cell.nominal?.broken === undefined ? [] : [`${nameOf(cell)}: ${cell.nominal.broken}`],
  );
}

/** As it is printed: `pick/uniform-8/cas-ring/64w on epyc-milan`. */
export function nameOf({
  primitive,
  scenario,
  competitor,
  workers,
  machine,
}: Omit<CoresCell, "absent">): string {
  return `${primitive}/${scenario}/${competitor}/${workers}w on ${machine}`;
}

/** A structure's name, as a filter spells it and `fitted` has it. */
export function structureOf({
  primitive,
  scenario,
  competitor,
}: Pick<CoresCell, "primitive" | "scenario" | "competitor">): string {
  return `${raceOf({ primitive, scenario })}/${competitor}`;
}

/** As it is printed: `pick/uniform-8`. */
export function raceOf({ primitive, scenario }: Pick<CoresCell, "primitive" | "scenario">): string {
  return `${primitive}/${scenario}`;
}
