import { type SyntheticGroup, syntheticGroup } from "../../engine/judge/judge.synthetic.ts";
import type { CellRecord, GroupRecord } from "../../engine/schema/record.ts";
import type { RacedRuntime } from "../../engine/schema/verdict.ts";

/** Races on several runtimes whose truth is known, as bench --runtimes records them. */

export const RUNTIMES = {
  node24: { name: "node24", version: "Node.js 24.21.0", engine: "V8 13.6" },
  bun: { name: "bun", version: "Bun 1.4.5", engine: "JavaScriptCore d6375c72affe" },
  deno: { name: "deno", version: "Deno 2.9.5", engine: "V8 15.0" },
} as const satisfies Readonly<Record<string, RacedRuntime>>;
type Name = keyof typeof RUNTIMES;

type Truth = Partial<Omit<SyntheticGroup, "costsNs" | "workers">>;
const USUAL = { forks: 6, rounds: 20, sliceNoise: 0.01, forkNoise: 0.003, roundNoise: 0, seed: 5 };

/** A competitor against itself: what it costs on each runtime. The first is the baseline. */
export function acrossRuntimes(
  competitor: string,
  costsNs: Readonly<Partial<Record<Name, number>>>,
  workers = 1,
  truth: Truth = {},
): GroupRecord {
  const named = Object.entries(costsNs).map(([runtime, ns]) => [`${competitor}@${runtime}`, ns] as const);
  const names = Object.keys(costsNs) as Name[];
  const group = syntheticGroup({ ...USUAL, ...truth, costsNs: Object.fromEntries(named), workers });
  const runtimeOf = ({ competitor: name }: CellRecord) =>
    names.find((runtime) => name.split("~")[0] === `${competitor}@${runtime}`) ?? names[0]!;
  return onRuntimes(group, competitor, names, runtimeOf);
}

/** What competitors cost on one runtime; the first of them is the baseline. */
export function withinRuntime(
  runtime: Name,
  costsNs: Readonly<Record<string, number>>,
  workers = 1,
  truth: Truth = {},
): GroupRecord {
  const group = syntheticGroup({ ...USUAL, ...truth, costsNs, workers });
  return onRuntimes(group, runtime, [runtime], () => runtime);
}

function onRuntimes(
  group: GroupRecord,
  of: string,
  names: readonly Name[],
  runtimeOf: (cell: CellRecord) => Name,
): GroupRecord {
  const scenario = `${group.scenario}@${of}`;
  return {
    ...group,
    scenario,
    runtimes: names.map((name) => RUNTIMES[name]),
    cells: group.cells.map((cell) => ({
      ...cell,
      name: `${group.primitive}/${scenario}/${cell.competitor}/${group.workers}w`,
      runtime: runtimeOf(cell),
    })),
  };
}

/** The group with a competitor absent, under the name that its cells would have. */
export function withAbsent(group: GroupRecord, competitor: string, reason: string): GroupRecord {
  return { ...group, absent: [...(group.absent ?? []), { competitor, reason }] };
}
