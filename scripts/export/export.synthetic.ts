import { readFileSync } from "node:fs";
import { syntheticGroup } from "../../suites/engine/judge/judge.synthetic.ts";
import type { CellRecord, GroupRecord, RoleRecord } from "../../suites/engine/schema/record.ts";
import { present } from "../../suites/engine/words/present.ts";
import { syntheticRecord } from "../../suites/lab/schema/record.synthetic.ts";
import type { BenchRecord } from "../../suites/lab/schema/record.ts";

/** A simulation and a survey. */
const METRICS = JSON.parse(readFileSync(new URL("testdata/metrics.json", import.meta.url), "utf8"));

/** Records that hold a case of everything that an export meets, for its tests. */
const FORKS = 4;
const ROUNDS = 4;
/** Enough for each fork to have seen the quiet state. */
const TAGGED_ROUNDS = 120;

/**
 * A group of `scenario` whose competitors have the given costs, and this multiple of them while the machine is busy, if
 * given. The first is the baseline.
 */
export function raceOf(
  scenario: string,
  costsNs: Readonly<Record<string, number>>,
  workers = 2,
  busyFactors?: Readonly<Record<string, number>>,
): GroupRecord {
  const group = syntheticGroup({
    costsNs,
    workers,
    forks: FORKS,
    rounds: busyFactors === undefined ? ROUNDS : TAGGED_ROUNDS,
    ...present({ busyFactors }),
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

/** As if in one slice no operation had come to its end. */
export function stalledOnce({ roles }: CellRecord): Partial<CellRecord> {
  const stalled = Object.entries(roles).map(([role, seen]) => [role, { ...seen, stalled: 1 }]);
  return { roles: Object.fromEntries(stalled) };
}

/** The group with its workers in two roles, which saw the same. */
function withRoles(group: GroupRecord, roles: readonly [string, string]): GroupRecord {
  const cells = group.cells.map((cell) => ({
    ...cell,
    roles: Object.fromEntries(roles.map((role) => [role, soleRole(cell)])),
  }));
  return { ...group, roles: [...roles], cells };
}

/** What was seen of the workers of a cell that knows but one role. */
function soleRole({ roles }: CellRecord): RoleRecord {
  return Object.values(roles)[0]!;
}

/**
 * Two races of one scenario that share a baseline; one of their rivals broke a law and another did not finish a slice.
 * One race with roles; one with more workers than cores; a simulation; a survey.
 */
export function everything(more: Partial<BenchRecord> = {}): BenchRecord {
  const failure = { kind: "law", reason: "it lost 3" } as const;
  const plain = withCell(
    withCell(raceOf("plain", { first: 20, "ring-15": 10, broken: 5, stuck: 30 }), "broken", () => ({
      failure,
    })),
    "stuck",
    stalledOnce,
  );
  const record = syntheticRecord(
    [
      plain,
      raceOf("plain", { first: 20, slow: 40 }),
      withRoles(raceOf("roles", { first: 20, "ring-15": 10 }), ["reader", "writer"]),
      { ...raceOf("crowd", { first: 20, "ring-15": 10 }, 4), oversubscribed: true },
    ],
    1,
  );
  return { ...record, ...METRICS, ...more };
}

/** The same work by another commit, a day later. */
export function later(): BenchRecord {
  return everything({
    startedAt: "2026-11-21T12:00:00.000Z",
    commit: { hash: "89abcdef0123456789abcdef0123456789abcdef", dirty: true },
  });
}
