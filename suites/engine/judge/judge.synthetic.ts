import { Random } from "../../../structures/shared/sfc32.ts";
import type { BenchRecord, CellRecord, GroupRecord } from "../record/record.ts";
import { METHOD_VERSION, SCHEMA_VERSION } from "../record/record.ts";

/** Records whose truth is known, for testing the judge: noise of the kinds that real machines make, by a seed. */
export interface SyntheticGroup {
  /** True cost of each competitor, ns per operation; the first is the baseline. */
  readonly costsNs: Readonly<Record<string, number>>;
  readonly workers: number;
  readonly forks: number;
  readonly rounds: number;
  /** Relative noise that each slice has of its own. */
  readonly sliceNoise: number;
  /** Relative noise that a crew keeps for a whole fork, its luck with placement; `noisy` may differ from the rest. */
  readonly forkNoise: number;
  readonly noisy?: Readonly<Record<string, number>>;
  /** Relative noise that all slices of a round share: what pairing must cancel. */
  readonly roundNoise: number;
  readonly seed: number;
}

const SLICE_NS = 3_000_000;
const CONTROL_NS = 8;

export function syntheticGroup(truth: SyntheticGroup): GroupRecord {
  const { costsNs, workers, forks, rounds, seed } = truth;
  const random = new Random(seed);
  const names = Object.keys(costsNs);
  const weather = Array.from({ length: forks }, () =>
    Array.from({ length: rounds }, () => 1 + truth.roundNoise * gaussian(random)),
  );
  const cell = (competitor: string, kind: CellRecord["kind"], costNs: number, crew: number): CellRecord => ({
    name: `synthetic/test/${competitor}/${workers}w`,
    competitor,
    kind,
    forks: weather.map((factors, fork) => {
      const isEngines = kind.startsWith("control") || kind === "empty";
      const luck = isEngines ? 1 : 1 + (truth.noisy?.[competitor] ?? truth.forkNoise) * gaussian(random);
      const noise = isEngines ? 0 : truth.sliceNoise;
      const operations = factors.map((factor) => {
        const ns = costNs * luck * (kind.startsWith("control") ? 1 : factor) * (1 + noise * gaussian(random));
        return new Array<number>(crew).fill(Math.round(SLICE_NS / ns));
      });
      return {
        fork,
        warmUp: { slices: 10, flat: true },
        batches: new Array<number>(crew).fill(1000),
        rounds: factors.map((_, round) => round),
        operations,
        startNs: factors.map(() => new Array<number>(crew).fill(0)),
        endNs: factors.map(() => new Array<number>(crew).fill(SLICE_NS)),
        operationsWithRamps: operations,
        counters: {},
      };
    }),
  });
  const [baseline] = names;
  return {
    primitive: "synthetic",
    scenario: "test",
    title: "made up",
    operation: "op",
    workers,
    roles: new Array<string>(workers).fill("worker"),
    oversubscribed: false,
    sliceMs: SLICE_NS / 1e6,
    rounds,
    columns: {},
    lostForks: [],
    mostThreads: 0,
    mostRssBytes: 0,
    cells: [
      cell(baseline!, "baseline", costsNs[baseline!]!, workers),
      cell(`${baseline}~twin1`, "twin", costsNs[baseline!]!, workers),
      ...names.slice(1).map((name) => cell(name, "rival", costsNs[name]!, workers)),
      cell("control", "control", CONTROL_NS, workers),
      ...(workers > 1 ? [cell("control-alone", "control-alone", CONTROL_NS, 1)] : []),
      cell("empty", "empty", 0.25, 1),
    ],
  };
}

export function syntheticRecord(groups: readonly GroupRecord[], seed: number): BenchRecord {
  const weather = { loadAverage: [0, 0, 0], stealSeconds: null };
  return {
    schemaVersion: SCHEMA_VERSION,
    methodVersion: METHOD_VERSION,
    command: "npm run bench -- synthetic",
    seed,
    profile: "standard",
    size: "full",
    startedAt: "2026-11-20T12:00:00.000Z",
    finishedAt: "2026-11-20T12:01:00.000Z",
    interrupted: false,
    commit: { hash: "0123456789abcdef0123456789abcdef01234567", dirty: false },
    machine: {
      slug: "made-up-2c-1g",
      cpu: "Made Up",
      cores: 2,
      cpuQuotaCores: null,
      governor: null,
      memoryBytes: 2 ** 30,
      platform: "none",
      kernel: "0",
    },
    before: weather,
    after: weather,
    runtime: { name: "Node.js", version: "24.0.0", engine: "V8 13", flags: [] },
    groups: [...groups],
    simulations: [],
  };
}

/** Standard normal by Irwin-Hall: twelve uniforms less six. Tails end at 6, which no test here reaches. */
export function gaussian(random: Random): number {
  let sum = -6;
  for (let draw = 0; draw < 12; draw++) sum += random.fraction();
  return sum;
}
