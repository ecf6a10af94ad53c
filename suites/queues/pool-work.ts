/** What a task does: it keeps a core busy for this long. */
export function workFor(us: number): void {
  for (const untilMs = performance.now() + us / 1000; performance.now() < untilMs; );
}

/** The same as a task of Piscina's. */
export default function work({ us }: { readonly us: number }): number {
  workFor(us);
  return Number(process.hrtime.bigint());
}
