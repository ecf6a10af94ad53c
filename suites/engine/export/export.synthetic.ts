import { syntheticGroup, syntheticRecord } from "../judge/judge.synthetic.ts";
import type { BenchRecord, CellRecord, GroupRecord } from "../record/record.ts";

/** Records that hold a case of everything that an export meets, for its tests. */
const FORKS = 3;
const ROUNDS = 4;

/** A group of `scenario` whose competitors cost what is said; the first is the baseline. */
export function raceOf(
  scenario: string,
  costsNs: Readonly<Record<string, number>>,
  workers = 2,
): GroupRecord {
  const group = syntheticGroup({
    costsNs,
    workers,
    forks: FORKS,
    rounds: ROUNDS,
    sliceNoise: 0.01,
    forkNoise: 0.02,
    roundNoise: 0,
    seed: 1,
  });
  const renamed = (cell: CellRecord) => ({ ...cell, name: cell.name.replace("/test/", `/${scenario}/`) });
  return { ...group, scenario, cells: group.cells.map(renamed) };
}

/** A group with one cell changed. */
export function withCell(
  group: GroupRecord,
  competitor: string,
  change: (cell: CellRecord) => Partial<CellRecord>,
): GroupRecord {
  const cells = group.cells.map((cell) =>
    cell.competitor === competitor ? { ...cell, ...change(cell) } : cell,
  );
  return { ...group, cells };
}

/**
 * Two races of one scenario that share a baseline, one of whose rivals broke a law and another of which did not finish a
 * slice; one race with roles; one with more workers than cores; a simulation; a survey.
 */
export function everything(more: Partial<BenchRecord> = {}): BenchRecord {
  const failure = { kind: "law", reason: "it lost 3" } as const;
  const plain = withCell(
    withCell(raceOf("plain", { first: 20, "ring-15": 10, broken: 5, stuck: 30 }), "broken", () => ({
      failure,
    })),
    "stuck",
    ({ forks }) => ({
      forks: forks.map((fork) => ({ ...fork, operations: fork.operations.with(0, [0, 0]) })),
    }),
  );
  const record = syntheticRecord(
    [
      plain,
      raceOf("plain", { first: 20, slow: 40 }),
      { ...raceOf("roles", { first: 20, "ring-15": 10 }), roles: ["reader", "writer"] },
      { ...raceOf("crowd", { first: 20, "ring-15": 10 }, 4), oversubscribed: true },
    ],
    1,
  );
  return {
    ...record,
    simulations: [
      {
        primitive: "synthetic",
        scenario: "fleet",
        title: "a fleet",
        metrics: {
          peak: { title: "Peak", unit: "messages/s", digits: 0 },
          settled: { title: "Settled", unit: "h", digits: 1, absentMeans: "never" },
        },
        seeds: [1, 2, 3],
        cells: [
          {
            name: "synthetic/fleet/even",
            competitor: "even",
            baseline: true,
            metrics: { peak: 17, settled: 0 },
            samples: [{ peak: 17, settled: 0 }, { peak: 19, settled: 1 }, { peak: 18 }],
            series: {},
          },
          {
            name: "synthetic/fleet/fixed",
            competitor: "fixed",
            baseline: false,
            metrics: { peak: 100 },
            samples: [{ peak: 100 }, { peak: 100 }, { peak: 100 }],
            series: {},
          },
        ],
      },
    ],
    surveys: [
      {
        primitive: "synthetic",
        scenario: "held",
        title: "what they hold",
        metrics: {
          bytesFilled: { title: "Bytes", unit: "B/timer", digits: 1 },
          pairs: { title: "Pairs", unit: "pairs of owners", digits: 0 },
        },
        cells: [
          {
            name: "synthetic/held/jitter-15",
            competitor: "jitter-15",
            baseline: true,
            forks: [{ bytesFilled: 16.5, pairs: 0 }, { bytesFilled: 17 }, { bytesFilled: 20 }],
          },
          {
            name: "synthetic/held/liar",
            competitor: "liar",
            baseline: false,
            failure,
            forks: [{ bytesFilled: 1, pairs: 1 }],
          },
        ],
      },
    ],
    ...more,
  };
}

/** What of `everything` has no number in a race, a simulation and a survey. */
export const NUMBERLESS = {
  races: ["synthetic/plain/broken/2w", "synthetic/plain/stuck/2w"],
  simulated: ["synthetic/fleet/fixed:settled"],
  surveyed: ["synthetic/held/liar:bytesFilled", "synthetic/held/liar:pairs"],
};

/** The same work by another commit, a day later. */
export function later(): BenchRecord {
  return everything({
    startedAt: "2026-11-21T12:00:00.000Z",
    commit: { hash: "89abcdef0123456789abcdef0123456789abcdef", dirty: true },
  });
}
