import type { BenchRecord } from "../record/record.ts";

/** What keeps two records from being compared, each a few words that name both; none if nothing does. */
export function mismatches(base: BenchRecord, head: BenchRecord): string[] {
  const runtime = ({ runtime: { name, version, flags } }: BenchRecord) => [name, version, ...flags].join(" ");
  const told = (what: string, of: (record: BenchRecord) => string) =>
    of(base) === of(head) ? [] : [`${what} ${of(base)} and ${of(head)}`];
  return [
    ...told("machines", ({ machine }) => machine.slug),
    ...told("runtimes", runtime),
    ...told("versions of the method", ({ methodVersion }) => String(methodVersion)),
    ...told("sizes", ({ size }) => size),
  ];
}
