import { isContestant, isInstrument } from "../measure/plan/plan.ts";
import type { CrewResult } from "../measure/plan/protocol.ts";
import type { CellRecord, GroupRecord, QuartilesRecord, RoleRecord } from "../schema/record.ts";
import { present } from "../words/present.ts";
import { Random } from "../words/random.ts";
import { digestFork, digestRecord } from "./digest.ts";
import { MachineStates } from "./machine-states.ts";
import { LOOKS } from "./verdict.ts";

/** Records whose truth is known, for testing the judge: noise of the kinds that real machines make, by a seed. */
export interface SyntheticGroup {
  /** True cost of each competitor, ns per operation; the first is the baseline. */
  readonly costsNs: Readonly<Record<string, number>>;
  readonly workers: number;
  readonly forks: number;
  /** In one fork. */
  readonly rounds: number;
  /** Relative noise that each slice has of its own. */
  readonly sliceNoise: number;
  /** Relative noise that a crew keeps for a whole fork, its luck with placement; `noisy` may differ from the rest. */
  readonly forkNoise: number;
  readonly noisy?: Readonly<Record<string, number>>;
  /** Relative noise that all slices of a round share. */
  readonly roundNoise: number;
  /** By how much a competitor's cost grows in every other round, in which the machine is busy; slices are tagged then. */
  readonly busyFactors?: Readonly<Record<string, number>>;
  readonly seed: number;
}

interface SyntheticCrew {
  readonly name: string;
  readonly kind: CellRecord["kind"];
  readonly costNs: number;
  readonly workers: number;
}

const SLICE_NS = 250_000;
const CONTROL_NS = 8;
const TAG_NS = 10.8;
const BUSY_TAG_NS = 21.7;

/** What the forks of a group would have sent, fork by fork. */
export function syntheticForks(truth: SyntheticGroup): CrewResult[][] {
  const random = new Random(truth.seed);
  const crews = crewsOf(truth);
  return Array.from({ length: truth.forks }, () => {
    const factors = Array.from({ length: truth.rounds }, () => 1 + truth.roundNoise * gaussian(random));
    return crews.map((crew) => synthesizedCrew(crew, truth, factors, random));
  });
}

function crewsOf({ costsNs, workers }: SyntheticGroup): SyntheticCrew[] {
  const [baseline, ...rivals] = Object.entries(costsNs);
  const [name, costNs] = baseline!;
  return [
    { name, kind: "baseline", costNs, workers },
    { name: `${name}~aa1`, kind: "aa-control", costNs, workers },
    ...rivals.map(([rival, cost]): SyntheticCrew => ({ name: rival, kind: "rival", costNs: cost, workers })),
    { name: "control", kind: "control", costNs: CONTROL_NS, workers },
    ...(workers > 1
      ? [{ name: "control-alone", kind: "control-alone", costNs: CONTROL_NS, workers: 1 } as const]
      : []),
    { name: "empty", kind: "empty", costNs: 0.25, workers: 1 },
  ];
}

function synthesizedCrew(
  { name, kind, costNs, workers }: SyntheticCrew,
  { sliceNoise, forkNoise, noisy, busyFactors }: SyntheticGroup,
  factors: readonly number[],
  random: Random,
): CrewResult {
  const isEngines = isInstrument(kind);
  const luck = isEngines ? 1 : 1 + (noisy?.[name] ?? forkNoise) * gaussian(random);
  const isBusy = (round: number) => busyFactors !== undefined && round % 2 === 1;
  const operations = factors.map((shared, round) => {
    const factor = kind.startsWith("control") ? 1 : shared;
    const busy = isBusy(round) ? (busyFactors![name.split("~")[0]!] ?? 1) : 1;
    const noise = isEngines ? 0 : sliceNoise;
    // Not rounded: at a quarter of a millisecond a whole number of operations would be noise of another kind.
    return SLICE_NS / (costNs * luck * factor * busy * (1 + noise * gaussian(random)));
  });
  const worker = {
    operations,
    startNs: operations.map(() => 0),
    endNs: operations.map(() => SLICE_NS),
    tagNs: busyFactors === undefined ? [] : factors.map((_, round) => (isBusy(round) ? BUSY_TAG_NS : TAG_NS)),
  };
  return {
    name,
    warmUp: { slices: 10, flat: true },
    batches: new Array<number>(workers).fill(1000),
    rounds: [...factors.keys()],
    workers: Array.from({ length: workers }, () => worker),
  };
}

export function syntheticGroup(truth: SyntheticGroup): GroupRecord {
  return groupOf(truth, syntheticForks(truth));
}

/** A group's record from what its forks sent. */
export function groupOf(truth: SyntheticGroup, forks: readonly (readonly CrewResult[])[]): GroupRecord {
  const { workers, rounds } = truth;
  const crews = crewsOf(truth);
  const roles = new Array<string>(workers).fill("worker");
  const states = new MachineStates();
  for (const crew of forks.flat()) states.hear(crew, "node24");
  const fullSpeedOf = (count: number) => states.fullSpeed("node24", count);
  const referenceNs = fullSpeedOf(workers)?.ns;
  const digests = forks.map((sent) =>
    digestFork(
      sent,
      crews.map((crew) => ({ ...crew, fullSpeedNs: fullSpeedOf(crew.workers)?.toNs })),
      { roles, oversubscribed: false, columns: {} },
    ),
  );
  return {
    primitive: "synthetic",
    scenario: "test",
    title: "made up",
    operation: "op",
    workers,
    roles,
    oversubscribed: false,
    sliceUs: SLICE_NS / 1000,
    rounds,
    looks: LOOKS.length,
    placement: "arena",
    pinned: true,
    ...present({ referenceNs }),
    columns: {},
    lostForks: [],
    mostThreads: 0,
    mostRssBytes: 0,
    cells: crews.map(({ name, kind }, index) => ({
      name: `synthetic/test/${name}/${workers}w`,
      competitor: name,
      kind,
      ...digestRecord(digests.map((digest, fork) => ({ fork, digest: digest[index]! }))),
    })),
  };
}

/** The group as if a cell had cost `factorOf` it times as much in each process, in every state. */
export function withCosts(
  group: GroupRecord,
  factorOf: (cell: CellRecord, fork: number) => number,
): GroupRecord {
  const cells = group.cells.map((cell) => {
    const dearer = ({ costNs }: RoleRecord["any"]) => ({
      costNs: times(costNs, (fork) => factorOf(cell, fork)),
    });
    const roles = Object.entries(cell.roles).map(([role, { any, quiet, far, ...rest }]) => [
      role,
      {
        ...rest,
        any: dearer(any),
        ...(quiet === undefined ? {} : { quiet: dearer(quiet) }),
        ...(far === undefined ? {} : { far: dearer(far) }),
      },
    ]);
    return { ...cell, roles: Object.fromEntries(roles) };
  });
  return { ...group, cells };
}

function times(
  { forks, counts, ...costs }: QuartilesRecord,
  factorOf: (fork: number) => number,
): QuartilesRecord {
  const dearer = Object.entries(costs).map(([statistic, ns]) => [
    statistic,
    ns.map((one, place) => one * factorOf(forks[place]!)),
  ]);
  return { forks, counts, ...Object.fromEntries(dearer) };
}

/** The group with A/A controls that cost a multiple of what the baseline does: its floor is as wide. */
export function withDearControl(group: GroupRecord, times: number): GroupRecord {
  return withCosts(group, ({ kind }) => (kind === "aa-control" ? times : 1));
}

/** The group as if its workers had these roles in turn: each has the figures that all workers had. */
export function inRoles(group: GroupRecord, ...roles: readonly string[]): GroupRecord {
  const own = group.roles.map((_, index) => roles[index % roles.length]!);
  const cells = group.cells.map((cell) => {
    const { worker, ...others } = cell.roles;
    if (worker === undefined || !isContestant(cell)) return cell;
    return { ...cell, roles: { ...others, ...Object.fromEntries(own.map((role) => [role, worker])) } };
  });
  return { ...group, roles: own, cells };
}

/** Standard normal by Irwin-Hall: twelve uniforms less six. Tails end at 6, which no test here reaches. */
export function gaussian(random: Random): number {
  let sum = -6;
  for (let draw = 0; draw < 12; draw++) sum += random.fraction();
  return sum;
}
