/**
 * Nanoseconds on the one monotonic clock that all threads of a process share, as a double. `performance.now()` will
 * not do: its origin differs from worker to worker. Exact up to 2^53 ns, 104 days after boot; beyond that rounded to
 * 2 ns, which no figure here resolves.
 */
export function nowNs(): number {
  return Number(process.hrtime.bigint());
}
