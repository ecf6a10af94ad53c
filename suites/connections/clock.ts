/** From the origin of this process's clock to the machine's, in ms. */
const ORIGIN_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Monotonic, in ms: the same in all processes of a machine, so that what one has sent and another closed can be compared. */
export function sharedNowMs(): number {
  return ORIGIN_MS + performance.now();
}
