import { runtimesOf } from "../../suites/engine/judge/judge.ts";
import { isContestant } from "../../suites/engine/measure/plan/plan.ts";
import type { BenchRecord } from "../../suites/lab/schema/record.ts";

/** A merged record has parts of several machines, and which is whose may change from one night to the next. */
function machinesApart(base: BenchRecord, head: BenchRecord): string[] {
  const [before, after] = [machinesByCell(base), machinesByCell(head)];
  const pairs = [...before].flatMap(([cell, machine]) => {
    const other = after.get(cell);
    return other === undefined || other === machine ? [] : [`machines ${machine} and ${other}`];
  });
  return [...new Set(pairs)];
}

function machinesByCell({ machine: own, groups }: BenchRecord): Map<string, string> {
  return new Map(
    groups.flatMap(({ machine = own.slug, cells }) =>
      cells.filter(isContestant).map(({ name }) => [name, machine] as const),
    ),
  );
}

/** What cells of both ran on besides the records' own runtimes, where it is not of one version. */
function runtimesApart(base: BenchRecord, head: BenchRecord): string[] {
  const after = new Map(
    runtimesOf([...head.groups, ...(head.surveys ?? [])]).map((runtime) => [runtime.name, runtime]),
  );
  return runtimesOf([...base.groups, ...(base.surveys ?? [])]).flatMap(({ name, version }) => {
    const other = after.get(name);
    return other === undefined || other.version === version
      ? []
      : [`runtimes ${version} and ${other.version}`];
  });
}

/** What keeps two records of one method from being compared, each a few words that name both; none if nothing does. */
export function mismatches(base: BenchRecord, head: BenchRecord): string[] {
  const runtime = ({ runtime: { name, version, flags } }: BenchRecord) => [name, version, ...flags].join(" ");
  const differing = (what: string, of: (record: BenchRecord) => string) =>
    of(base) === of(head) ? [] : [`${what} ${of(base)} and ${of(head)}`];
  return [
    ...machinesApart(base, head),
    ...differing("runtimes", runtime),
    ...runtimesApart(base, head),
    ...differing("sizes", ({ size }) => size),
  ];
}
