import type { PickCompetitor, PickState } from "./pick.contract.ts";

/**
 * The promises of a picker as pure functions over what was observed. Each returns undefined, or one sentence that
 * says what broke and by how much.
 */
export interface PickWork {
  readonly backends: number;
  readonly workers: number;
  readonly firstTicket: number;
  /** Picks made by all workers together since format. */
  readonly picks: number;
  /** Sum of the backends picked, modulo 2^32, as int32 or uint32. */
  readonly checksum: number;
  /** What `inspect` says of the shared words now that all workers rest. */
  readonly state: PickState;
}

/** Ticket conservation: the shared words moved on by exactly as many picks as were made. The strongest law here. */
export function ticketsAreConserved({ picks, state }: PickWork): string | undefined {
  if (state.handedOut === undefined) return undefined;
  const { count, modulo } = state.handedOut;
  const lost = modulus(picks - count, modulo);
  if (lost === 0) return undefined;
  return `ticketsAreConserved: ${picks} picks were made, the shared words account for ${lost} fewer (modulo ${modulo})`;
}

/**
 * Lap conservation: the sum of all backends picked is the one that the lap predicts for that many tickets, whoever
 * drew them. Catches a pick that is answered twice, or wrongly, while the ticket still moves on.
 */
export function lapIsConserved({
  backends,
  picks,
  firstTicket,
  checksum,
  state,
}: PickWork): string | undefined {
  if (state.lap === undefined) return undefined;
  const start = firstTicket % backends;
  const wholeLaps = Math.floor(picks / backends);
  let expected = wholeLaps * sum(state.lap);
  for (let ticket = 0; ticket < picks % backends; ticket++)
    expected += state.lap[(start + ticket) % backends]!;
  const difference = modulus(checksum - expected, 2 ** 32);
  if (difference === 0) return undefined;
  return `lapIsConserved: the ${picks} backends picked add up to ${signed(difference)} more than their lap says`;
}

/** The lap is a permutation of the backends. */
export function lapIsPermutation({ backends, state }: PickWork): string | undefined {
  if (state.lap === undefined) return undefined;
  const sorted = [...state.lap].sort((a, b) => a - b);
  if (sorted.length === backends && sorted.every((backend, index) => backend === index)) return undefined;
  return `lapIsPermutation: the lap does not hold each of ${backends} backends once`;
}

/**
 * Uniform mean: the average backend of independent uniform draws lies within 7 standard errors of the middle. A fair
 * picker fails this once in 4 x 10^11 looks, so the thousands of looks of a run do not raise false alarms.
 */
export function meanIsUniform({ backends, picks, checksum }: PickWork): string | undefined {
  const deviation = signed(modulus(2 * checksum - picks * (backends - 1), 2 ** 32)) / 2;
  const standardError = Math.sqrt((picks * (backends * backends - 1)) / 12);
  if (Math.abs(deviation) <= 7 * standardError) return undefined;
  return `meanIsUniform: the sum of ${picks} picks is ${(deviation / standardError).toFixed(1)} standard errors off`;
}

/**
 * What a picker claims can be looked at: a round robin shows its lap, and whoever hands out tickets in one sequence
 * shows how many, modulo a whole lap at least. Without this, a competitor that shows nothing would break no other law.
 */
export function workIsShown(
  { order, tickets }: PickCompetitor,
  { backends, state }: PickWork,
): string | undefined {
  if (order === "round-robin" && state.lap === undefined) return "workIsShown: a round robin shows no lap";
  if (tickets === "none") return undefined;
  if (state.handedOut === undefined) return "workIsShown: tickets are handed out and no count is shown";
  const { modulo } = state.handedOut;
  return modulo >= backends
    ? undefined
    : `workIsShown: a count modulo ${modulo} says nothing of ${backends} backends`;
}

/** Every law that totals alone can check: what a race holds a competitor to after each slice. */
export function totalsAreRight(competitor: PickCompetitor, work: PickWork): string | undefined {
  return (
    workIsShown(competitor, work) ??
    ticketsAreConserved(work) ??
    lapIsPermutation(work) ??
    lapIsConserved(work) ??
    (competitor.order === "random" ? meanIsUniform(work) : undefined)
  );
}

/** Every pick is a backend. `counts` has one entry per backend and one more for everything out of range. */
export function picksAreInRange(counts: readonly number[], backends: number): string | undefined {
  const strays = counts[backends]!;
  return strays === 0 ? undefined : `picksAreInRange: ${strays} picks were not in 0 .. ${backends - 1}`;
}

/** The gap between the most and the least picked backend is within the competitor's claim. */
export function gapIsBounded(counts: readonly number[], bound: number): string | undefined {
  // A fold, because a call with a quarter of a million arguments overflows the stack.
  const most = counts.reduce((best, count) => Math.max(best, count), Number.NEGATIVE_INFINITY);
  const fewest = counts.reduce((best, count) => Math.min(best, count), Number.POSITIVE_INFINITY);
  return most - fewest <= bound
    ? undefined
    : `gapIsBounded: ${most - fewest} between backends at rest, claimed ${bound}`;
}

/**
 * Chi-square of the counts against uniform, for random pickers. The limit is mean + 6 standard deviations of the
 * distribution (degrees of freedom d: mean d, variance 2 d), far past any usual significance.
 */
export function countsAreUniform(counts: readonly number[]): string | undefined {
  const expected = sum(counts) / counts.length;
  const chiSquare = sum(counts.map((count) => (count - expected) ** 2 / expected));
  const freedom = counts.length - 1;
  const limit = freedom + 6 * Math.sqrt(2 * freedom);
  return chiSquare <= limit
    ? undefined
    : `countsAreUniform: chi-square ${chiSquare.toFixed(1)} over ${limit.toFixed(1)}`;
}

/** No two workers pick the same sequence: private generators must draw from different streams. */
export function streamsDiffer(sequences: readonly Int32Array[]): string | undefined {
  for (const [index, sequence] of sequences.entries()) {
    const twin = sequences.findIndex(
      (other, later) => later > index && sequence.every((pick, at) => pick === other[at]),
    );
    if (twin !== -1) return `streamsDiffer: workers ${index} and ${twin} picked the same sequence`;
  }
  return undefined;
}

/** One pick as a worker saw it. */
export interface PickEvent {
  readonly ticket: number;
  /** Clock readings before and after the call, on one clock for all workers. */
  readonly calledNs: number;
  readonly returnedNs: number;
}

/**
 * Ticket linearizability: no pick that returned before another was called has the higher ticket. Sorted by ticket, a
 * pick that returned before the latest call among the tickets below it is out of order.
 */
export function ticketsAreLinearizable(history: readonly PickEvent[]): string | undefined {
  const byTicket = [...history].sort((a, b) => a.ticket - b.ticket);
  let latestCallNs = Number.NEGATIVE_INFINITY;
  let previous: number | undefined;
  for (const { ticket, calledNs, returnedNs } of byTicket) {
    if (ticket === previous) return `ticketsAreLinearizable: ticket ${ticket} was handed out twice`;
    if (returnedNs < latestCallNs) {
      return `ticketsAreLinearizable: ticket ${ticket} returned ${latestCallNs - returnedNs} ns before a lower one was called`;
    }
    latestCallNs = Math.max(latestCallNs, calledNs);
    previous = ticket;
  }
  return undefined;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function modulus(value: number, by: number): number {
  return ((value % by) + by) % by;
}

/** A residue modulo 2^32 as the number of smallest size with that residue. */
function signed(residue: number): number {
  return residue >= 2 ** 31 ? residue - 2 ** 32 : residue;
}
