import { nthOf, producerOf, TORN } from "./parts/messages.ts";
import type { QueuesCompetitor } from "./queues.contract.ts";

/**
 * The promises as pure functions over what the workers noted. Each returns undefined, or one sentence that says what
 * broke and by how much.
 */
export interface Work {
  readonly sent: readonly Produced[];
  readonly received: readonly Consumed[];
}

/** What one producer noted. Messages that were refused do not count: the next one has the number of the last. */
export interface Produced {
  /** Messages whose send returned true, numbered from 0 on. */
  readonly count: number;
  /** By message: what a clock said that all workers share, before the send and after it. Absent where none was kept. */
  readonly began?: Int32Array | undefined;
  readonly ended?: Int32Array | undefined;
}

/** What one consumer noted: the numbers of the messages in the order in which it received them. */
export interface Consumed {
  readonly numbers: readonly number[] | Int32Array;
}

/** Every message is received as it was sent. */
export function nothingIsTorn({ received }: Work): string | undefined {
  const torn = received.reduce(
    (sum, { numbers }) => sum + [...numbers].filter((one) => one === TORN).length,
    0,
  );
  return torn === 0 ? undefined : `nothingIsTorn: ${torn} messages were not received as they were sent`;
}

/** No message is received twice, and none that nobody sent. */
export function nothingIsDoubled({ sent, received }: Work): string | undefined {
  const seen = new Set<number>();
  for (const { numbers } of received) {
    for (const number of numbers) {
      if (number === TORN) continue;
      if (seen.has(number)) return `nothingIsDoubled: ${named(number)} was received twice`;
      if (nthOf(number) >= (sent[producerOf(number)]?.count ?? 0))
        return `nothingIsDoubled: ${named(number)} was received, and nobody sent it`;
      seen.add(number);
    }
  }
  return undefined;
}

/** Every message is received. Where the oldest give way, the last one of a sole producer is. */
export function nothingIsLost(
  { full }: Pick<QueuesCompetitor, "full">,
  { sent, received }: Work,
): string | undefined {
  const got = sent.map(() => new Set<number>());
  for (const { numbers } of received)
    for (const number of numbers) got[producerOf(number)]?.add(nthOf(number));
  if (full === "drops-oldest") {
    const last = sent[0]!.count - 1;
    return sent.length > 1 || last < 0 || got[0]!.has(last)
      ? undefined
      : `nothingIsLost: the newest message, ${last}, was not received`;
  }
  const missing = sent.map(({ count }, producer) => count - got[producer]!.size);
  const lost = missing.reduce((sum, count) => sum + count, 0);
  return lost <= 0
    ? undefined
    : `nothingIsLost: ${lost} messages were sent and not received, by producer ${missing.join(", ")}`;
}

/** Each consumer receives the messages of a producer in the order in which they were sent. */
export function orderIsKept(
  { order }: Pick<QueuesCompetitor, "order">,
  { received }: Work,
): string | undefined {
  if (order === "none") return undefined;
  for (const { numbers } of received) {
    const last = new Map<number, number>();
    for (const number of numbers) {
      if (number === TORN) continue;
      const producer = producerOf(number);
      const before = last.get(producer) ?? -1;
      if (nthOf(number) <= before)
        return `orderIsKept: ${named(number)} was received after message ${before} of that producer`;
      last.set(producer, nthOf(number));
    }
  }
  return undefined;
}

/** A send that returned before another began comes first, whoever made them. Asked of a sole consumer. */
export function globalOrderIsKept(
  { order }: Pick<QueuesCompetitor, "order">,
  { sent, received }: Work,
): string | undefined {
  if (order !== "global" || received.length > 1) return undefined;
  let latest = { number: TORN, began: Number.NEGATIVE_INFINITY };
  for (const number of received[0]!.numbers) {
    const { began, ended } = sent[producerOf(number)] ?? {};
    if (began === undefined || ended === undefined || nthOf(number) >= began.length) continue;
    if (ended[nthOf(number)]! < latest.began)
      return `globalOrderIsKept: ${named(number)} was sent before ${named(latest.number)} and received after it`;
    if (began[nthOf(number)]! > latest.began) latest = { number, began: began[nthOf(number)]! };
  }
  return undefined;
}

/** All workers of a crew return from all their calls, given `limitMs` for them. */
export function everyWorkerFinishes(workers: number, finished: number, limitMs: number): string | undefined {
  return finished === workers
    ? undefined
    : `everyWorkerFinishes: ${workers - finished} of ${workers} workers were not done after ${limitMs} ms`;
}

/** Nobody calls the kernel to wake others while none sleeps. */
export function noneIsWokenInVain(
  { notifies }: Pick<QueuesCompetitor, "notifies">,
  wakeUps: number,
): string | undefined {
  return notifies === true || wakeUps === 0
    ? undefined
    : `noneIsWokenInVain: ${wakeUps} wake-ups, and nobody slept`;
}

function named(number: number): string {
  return `message ${nthOf(number)} of producer ${producerOf(number)}`;
}
