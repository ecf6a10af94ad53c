import { chiSquareLimit, chiSquareOf } from "../shared/chi-square.ts";
import { stretchesBetween, unlikeDraws, unlikeSums } from "../shared/drawn.ts";
import { MOST_TELLING, offMean, uniformMean } from "../shared/off-mean.ts";
import type {
  LatencyClaims,
  Order,
  PickCompetitor,
  Picker,
  PickSetup,
  PickState,
  ProbeAnswer,
  ProbesKnown,
} from "./pick.contract.ts";

/**
 * The promises of a picker as pure functions over what was observed. Each returns undefined, or one sentence that
 * says what broke and by how much.
 */
export interface PickWork {
  readonly setup: PickSetup;
  /** What `inspect` says of the shared words now that all workers rest. */
  readonly state: PickState;
  readonly perWorker: readonly WorkerPicks[];
}

/** All that one worker did since format. */
export interface WorkerPicks {
  readonly picks: number;
  /** Sum of the backends picked, modulo 2^32, as int32 or uint32. */
  readonly checksum: number;
  /** What its picker counted, and `inFlight`: the requests it has not released, where it releases any. */
  readonly counters: Readonly<Record<string, number>>;
  /** The first two as they were at each earlier look, in order; none if absent. */
  readonly earlier?: readonly Pick<WorkerPicks, "picks" | "checksum">[];
}

/**
 * Ticket conservation: the shared words handed out exactly as many tickets as were picked or are still held. The
 * strongest law here.
 */
export function ticketsAreConserved(work: PickWork): string | undefined {
  if (work.state.handedOut === undefined) return undefined;
  const { count, modulo } = work.state.handedOut;
  const held = counted(work, "heldCount");
  const residue = modulus(picksOf(work) + held - count, modulo);
  if (residue === 0) return undefined;
  const lost = signed(residue, modulo);
  const off = lost > 0 ? `${lost} fewer` : `${-lost} more`;
  return `ticketsAreConserved: ${picksOf(work)} picks were made and ${held} are held, the shared words account for ${off} (modulo ${modulo})`;
}

/**
 * Rotation conservation: the sum of all backends picked is the one that the rotation predicts. It predicts it for the
 * tickets handed out, less the tickets still held by any worker. Catches a pick that is answered twice, or wrongly,
 * while the ticket still moves on.
 */
export function rotationIsConserved(work: PickWork, seam = Number.POSITIVE_INFINITY): string | undefined {
  const { setup, state, perWorker } = work;
  if (state.rotation === undefined) return undefined;
  const rotationSums = [0];
  for (const backend of state.rotation) rotationSums.push(rotationSums.at(-1)! + backend);
  const sumUpTo = (ticket: number) =>
    Math.floor(ticket / setup.backends) * rotationSums.at(-1)! + rotationSums[ticket % setup.backends]!;
  const sumAcrossSeams = (ticket: number) =>
    seam === Number.POSITIVE_INFINITY
      ? sumUpTo(ticket)
      : Math.floor(ticket / seam) * sumUpTo(seam) + sumUpTo(ticket % seam);

  const tickets = picksOf(work) + counted(work, "heldCount");
  let expected = sumAcrossSeams(setup.firstTicket + tickets) - sumAcrossSeams(setup.firstTicket);
  for (const { heldAt = 0, heldCount = 0 } of perWorker.map(({ counters }) => counters)) {
    expected -= sumUpTo(heldAt + heldCount) - sumUpTo(heldAt);
  }
  const difference = signed(modulus(checksumOf(work) - expected, 2 ** 32), 2 ** 32);
  if (difference === 0) return undefined;
  return `rotationIsConserved: the ${picksOf(work)} backends picked add up to ${difference} more than the rotation says`;
}

/** The rotation is a permutation of the backends. */
export function rotationIsPermutation({ setup: { backends }, state }: PickWork): string | undefined {
  if (state.rotation === undefined) return undefined;
  const { length } = state.rotation;
  const isBackend = (backend: number) => Number.isInteger(backend) && backend >= 0 && backend < backends;
  if (length === backends && state.rotation.every(isBackend) && new Set(state.rotation).size === length)
    return undefined;
  return `rotationIsPermutation: the rotation does not hold each of ${backends} backends once`;
}

/**
 * Uniform mean: the average backend of independent uniform draws lies within 7 standard errors of the middle. A fair
 * picker fails this once in 4 x 10^11 looks, so the thousands of looks of a run do not raise false alarms.
 */
export function meanIsUniform(work: PickWork): string | undefined {
  const { backends } = work.setup;
  const picks = picksOf(work);
  const standardError = Math.sqrt((picks * (backends * backends - 1)) / 12);
  const allowed = 7 * standardError;
  if (allowed >= MOST_TELLING) return undefined;
  const deviation = offMean(checksumOf(work), picks, uniformMean(backends));
  if (Math.abs(deviation) <= allowed) return undefined;
  return `meanIsUniform: the sum of ${picks} picks is ${(deviation / standardError).toFixed(1)} standard errors off`;
}

/**
 * Between two looks the sums of independent draws deviate from the mean by neither more nor less than chance, for each
 * worker by itself. See `unlikeSums`.
 */
export function sumsScatter({ setup, perWorker }: PickWork): string | undefined {
  const stretches = perWorker.flatMap(({ earlier = [], ...now }) =>
    stretchesBetween([...earlier, now].map(({ picks, checksum }) => ({ draws: picks, checksum }))),
  );
  const unlike = unlikeSums(stretches, setup.backends);
  return unlike === undefined ? undefined : `sumsScatter: ${unlike}`;
}

/**
 * Independent draws: backends, and successive pairs of them, come neither more unevenly nor more evenly than by chance.
 * `sequences` is what each worker picked. `unlikeDraws` says how seldom an honest picker fails.
 */
export function drawsAreIndependent(sequences: readonly Int32Array[], backends: number): string | undefined {
  const unlike = unlikeDraws(sequences, backends);
  return unlike === undefined ? undefined : `drawsAreIndependent: ${unlike}`;
}

/**
 * Whole cycles: every finished cycle adds the sum of all backends. A part of one adds what as many different backends
 * can. For cycles of the crew's tickets, and for cycles of each worker's own picks.
 */
export function cyclesAddUp(order: Order, { setup, perWorker }: PickWork): string | undefined {
  const { backends, firstTicket } = setup;
  if (order === "own-cycles") {
    for (const [worker, { picks, checksum }] of perWorker.entries()) {
      const off = offWholeCycles(backends, 0, picks, checksum);
      if (off !== 0) return `cyclesAddUp: worker ${worker}'s ${picks} picks add up to ${off} too much`;
    }
  }
  if (order === "cycles") {
    const picks = sum(perWorker.map((worker) => worker.picks));
    const checksum = sum(perWorker.map((worker) => worker.checksum));
    const off = offWholeCycles(backends, firstTicket, picks, checksum);
    if (off !== 0) return `cyclesAddUp: the crew's ${picks} picks add up to ${off} too much`;
  }
  return undefined;
}

/** How far a checksum is outside what whole cycles and the parts of one at both ends can add up to; 0 if it is not. */
function offWholeCycles(backends: number, firstTicket: number, picks: number, checksum: number): number {
  const head = Math.min(picks, modulus(-firstTicket, backends));
  const tail = (picks - head) % backends;
  const cycles = (picks - head - tail) / backends;
  const least = (parts: number) => (parts * (parts - 1)) / 2;
  const spread = (parts: number) => parts * (backends - parts);
  const slack = spread(head) + spread(tail);
  // A sum that is known modulo 2^32 only says nothing where this much is allowed.
  if (slack >= 2 ** 31) return 0;
  const residue = modulus(checksum - cycles * least(backends) - least(head) - least(tail), 2 ** 32);
  const above = signed(residue, 2 ** 32);
  return above < 0 ? above : Math.max(0, above - slack);
}

/**
 * For backends of equal weight: the sum of all backends is no further from its mean than the claimed gap between
 * backends allows. That is furthest where the upper half of the backends has the whole gap more than the lower half. Of
 * N backends with h = floor(N / 2) in the upper half it is half of h (N - h) for each unit of the gap.
 */
export function checksumFitsGap(competitor: PickCompetitor, work: PickWork): string | undefined {
  const { setup, state } = work;
  const picks = picksOf(work);
  const allowed = (competitor.gapBound(setup, picks, state) * Math.floor(setup.backends ** 2 / 4)) / 2;
  if (allowed >= MOST_TELLING) return undefined;
  const off = offMean(checksumOf(work), picks, uniformMean(setup.backends));
  return Math.abs(off) <= allowed
    ? undefined
    : `checksumFitsGap: the sum of ${picks} picks is off by ${off}, the claimed gap allows ${allowed}`;
}

/**
 * As `sharesFollowWeights`, from the sum of all backends. What some have too many others have too few. So the sum is
 * furthest off where the upper half of the backends is above its share by the claimed bound and the lower half below.
 * It is then off by h (N - h) for each unit of the bound, with h = floor(N / 2).
 */
export function checksumFollowsWeights(competitor: PickCompetitor, work: PickWork): string | undefined {
  const { backends, weights = new Array<number>(backends).fill(1) } = work.setup;
  const picks = picksOf(work);
  const allowed = competitor.shareBound!(work.setup, picks) * Math.floor(backends ** 2 / 4);
  if (allowed >= MOST_TELLING) return undefined;
  const mean = { top: sum(weights.map((weight, backend) => weight * backend)), over: sum(weights) };
  const off = offMean(checksumOf(work), picks, mean);
  return Math.abs(off) <= allowed
    ? undefined
    : `checksumFollowsWeights: the sum of ${picks} picks is off by ${off}, the claimed shares allow ${allowed}`;
}

/** Requests are conserved: the ones in flight were picked and not released, and no backend has fewer than 0. */
export function inFlightIsConserved(work: PickWork): string | undefined {
  const { inFlight } = work.state;
  if (inFlight === undefined) return undefined;
  const unreleased = counted(work, "inFlight");
  const lost = unreleased - sum(inFlight);
  if (lost !== 0)
    return `inFlightIsConserved: ${unreleased} requests are in flight, the counters have ${lost} fewer`;
  const negative = inFlight.findIndex((count) => count < 0);
  return negative === -1
    ? undefined
    : `inFlightIsConserved: backend ${negative} has ${inFlight[negative]} requests in flight`;
}

/**
 * A picker's claims can be checked. A round robin shows its rotation, and a picker by load shows the loads. A picker
 * that hands out tickets in one sequence shows how many, modulo a whole rotation at least. Without this, a competitor
 * that shows nothing would break no other law.
 */
export function workIsShown(
  { order, tickets }: PickCompetitor,
  { setup, state }: PickWork,
): string | undefined {
  if (order === "rotation" && state.rotation === undefined)
    return "workIsShown: a round robin shows no rotation";
  if (order === "reshuffled" && state.reshuffles === undefined)
    return "workIsShown: a changing order does not show how often it changed";
  if (order === "load" && state.inFlight === undefined)
    return "workIsShown: a picker by load shows no requests in flight";
  if (tickets === "none") return undefined;
  if (state.handedOut === undefined) return "workIsShown: tickets are handed out and no count is shown";
  const { modulo } = state.handedOut;
  return modulo >= setup.backends
    ? undefined
    : `workIsShown: a count modulo ${modulo} says nothing of ${setup.backends} backends`;
}

/**
 * This checks the claim that a pick which returned before another began has the lower ticket. Such a picker keeps no
 * tickets for later: another worker's pick may begin and end before they are picked, with a higher one.
 */
export function ticketsAreNotHeld({ tickets }: PickCompetitor, work: PickWork): string | undefined {
  const held = counted(work, "heldCount");
  return tickets === "linearizable" && held > 0
    ? `ticketsAreNotHeld: ${held} tickets are held by workers, and all are claimed to be linearizable`
    : undefined;
}

/** Every law that totals alone can check, for races. */
export function totalsAreRight(competitor: PickCompetitor, work: PickWork): string | undefined {
  const { order, shareBound } = competitor;
  return (
    workIsShown(competitor, work) ??
    ticketsAreNotHeld(competitor, work) ??
    ticketsAreConserved(work) ??
    rotationIsPermutation(work) ??
    (order === "rotation" ? rotationIsConserved(work, competitor.seam?.(work.setup.backends)) : undefined) ??
    (order === "random" ? (meanIsUniform(work) ?? sumsScatter(work)) : undefined) ??
    (order === "reshuffled" || (shareBound !== undefined && weighsAllAlike(work.setup))
      ? checksumFitsGap(competitor, work)
      : undefined) ??
    cyclesAddUp(order, work) ??
    (shareBound === undefined ? undefined : checksumFollowsWeights(competitor, work)) ??
    inFlightIsConserved(work)
  );
}

/** A stretch of what one worker picked: `before`, picks that it had made since format. */
export interface Excerpt {
  readonly before: number;
  readonly picked: Int32Array;
}

/**
 * Every law that stretches of picks, one from each worker, can check in a race, beside totals. Unlike an examination it
 * looks when the picker has run for long, at moments that no picker can know beforehand.
 */
export function excerptsAreRight(
  { order }: Pick<PickCompetitor, "order">,
  { backends, firstTicket, workers }: PickSetup,
  excerpts: readonly Excerpt[],
): string | undefined {
  if (order === "none") return undefined;
  for (const { before, picked } of excerpts) {
    const stray = picked.find((backend) => !(backend >= 0 && backend < backends));
    if (stray !== undefined)
      return `picksAreInRange: a pick was ${stray}, which is not in 0 .. ${backends - 1}`;
    const isOwn = order === "own-cycles";
    if (!isOwn && !(order === "cycles" && workers === 1)) continue;
    const broken = cyclesArePermutations(picked, backends, before + (isOwn ? 0 : firstTicket));
    if (broken !== undefined) return broken;
  }
  return order === "random"
    ? drawsAreIndependent(
        excerpts.map(({ picked }) => picked),
        backends,
      )
    : undefined;
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
 * Backends are picked no less evenly, for their weights, than by independent draws, by chi-square. This is the check
 * for pickers that claim no gap. Reports nothing for so few picks that the approximation fails.
 */
export function noWorseThanChance(
  counts: readonly number[],
  weights: readonly number[] = counts.map(() => 1),
): string | undefined {
  const [picks, weight] = [sum(counts), sum(weights)];
  const expected = weights.map((own) => (picks * own) / weight);
  if (expected.some((count) => count < FEWEST_EXPECTED)) return undefined;
  const chiSquare = chiSquareOf(counts, expected);
  const limit = chiSquareLimit(counts.length);
  return chiSquare <= limit
    ? undefined
    : `noWorseThanChance: chi-square ${chiSquare.toFixed(1)} over ${limit.toFixed(1)}`;
}

/**
 * Workers that take over a seat one after another continue. Together they are no worse than chance, and do not each
 * begin as the one before did. `counts`: the backend that each of them picked first.
 */
export function restartsGoOn(counts: readonly number[]): string | undefined {
  const worse = noWorseThanChance(counts);
  if (worse === undefined) return undefined;
  const missed = counts.filter((count) => count === 0).length;
  return `restartsGoOn: ${sum(counts)} holders of one seat began at ${counts.length - missed} of ${counts.length} backends; ${worse}`;
}

/**
 * Instances made with different seeds begin at any backend, no worse than chance. Balancers that restart together then
 * do not send their first requests to one backend. `counts`: the backend that each of them picked first.
 */
export function instancesBeginApart(counts: readonly number[]): string | undefined {
  const worse = noWorseThanChance(counts);
  return worse === undefined
    ? undefined
    : `instancesBeginApart: of ${sum(counts)} instances ${Math.max(...counts)} began at one of ${counts.length} backends; ${worse}`;
}

/** The first two workers of an instance begin at the same backend no more often than chance would have it. */
export function workersBeginApart(same: number, instances: number, backends: number): string | undefined {
  const mean = instances / backends;
  // As rare by chance as the limit of meanIsUniform.
  return same <= mean + 7 * Math.sqrt(mean * (1 - 1 / backends))
    ? undefined
    : `workersBeginApart: in ${same} of ${instances} instances two workers began at the same of ${backends} backends`;
}

/** Picks of a backend. */
const FEWEST_EXPECTED = 20;

/**
 * Every backend gets at least a tenth of an equal share. Loads and unlucky moments together cannot take that from it.
 * Reports nothing for so few picks that chance could.
 */
export function noBackendIsLeftOut(counts: readonly number[]): string | undefined {
  const mean = sum(counts) / counts.length;
  const left = counts.findIndex((count) => count < mean / 10);
  return left === -1 || mean < FEWEST_EXPECTED
    ? undefined
    : `noBackendIsLeftOut: backend ${left} was picked ${counts[left]} times, the mean one ${mean.toFixed(1)}`;
}

/**
 * `refused`: the numbers of backends that every picker must serve but this one refuses. Without this, one that refuses
 * everything would break no other law.
 */
export function equalBackendsAreServed(refused: readonly number[]): string | undefined {
  return refused.length === 0
    ? undefined
    : `equalBackendsAreServed: ${refused.join(" and ")} backends of equal weight are refused`;
}

/** Requests are picked one by one, as they come; only a lower bound, which has no backend behind it, may do many in one call. */
export function picksAreCalledFor({ order }: Pick<PickCompetitor, "order">, { pickMany }: Partial<Picker>) {
  return order === "none" || pickMany === undefined
    ? undefined
    : "picksAreCalledFor: pickMany is for lower bounds: requests come one by one";
}

/**
 * Every cycle of a sequence is a permutation of the backends. `first` is the ticket of its first pick. The rest of a
 * cycle that began before may have no backend twice.
 */
export function cyclesArePermutations(
  sequence: readonly number[] | Int32Array,
  backends: number,
  first: number,
): string | undefined {
  const seenIn = new Int32Array(backends).fill(-1);
  for (const [index, backend] of sequence.entries()) {
    const cycle = Math.floor((index + (first % backends)) / backends);
    if (seenIn[backend] === cycle) {
      return `cyclesArePermutations: pick ${index} is the second of backend ${backend} in its cycle`;
    }
    seenIn[backend] = cycle;
  }
  return undefined;
}

/** Every backend was picked in proportion to its weight, to within the competitor's claim. */
export function sharesFollowWeights(
  counts: readonly number[],
  weights: readonly number[],
  bound: number,
): string | undefined {
  const perWeight = sum(counts) / sum(weights);
  for (const [backend, count] of counts.entries()) {
    const share = perWeight * weights[backend]!;
    if (Math.abs(count - share) > bound) {
      return `sharesFollowWeights: backend ${backend} was picked ${count} times, its share is ${share.toFixed(1)}, claimed within ${bound}`;
    }
  }
  return undefined;
}

/**
 * Format leaves nothing done, whatever the words held before. The other laws rely on a picker's own counts: a count of
 * reshuffles that starts high would allow any gap.
 */
export function nothingIsDoneYet({
  handedOut,
  reshuffles = 0,
  inFlight = [],
  ejected = [],
}: PickState): string | undefined {
  const tickets = handedOut?.count ?? 0;
  const requests = inFlight.find((count) => count !== 0) ?? 0;
  return tickets === 0 && reshuffles === 0 && requests === 0 && ejected.length === 0
    ? undefined
    : `nothingIsDoneYet: before any pick there are ${tickets} tickets, ${reshuffles} reshuffles, ${requests} requests at a backend, ${ejected.length} ejected backends`;
}

/** Making another instance does not change this one: instances share nothing. */
export function instancesAreIndependent(before: PickState, after: PickState): string | undefined {
  return JSON.stringify(before) === JSON.stringify(after)
    ? undefined
    : "instancesAreIndependent: making a second instance changed the first";
}

/**
 * Repeating patterns are broken up: the load of the busiest backend is within what chance does to a uniform draw.
 * `heavy` are the heavy requests that were dealt to each backend, whatever their period.
 *
 * The limit is the limit of independent draws. An order that is rotated as a whole deals heavy requests in pairs whose
 * distance is fixed, so its counts vary more. An honest one meets the limit by chance more often than the one look in
 * 65 million. Looks are therefore made from fixed seeds only.
 */
export function patternsAreBroken(heavy: readonly number[]): string | undefined {
  const chiSquare = chiSquareOf(heavy);
  const limit = chiSquareLimit(heavy.length);
  return chiSquare <= limit
    ? undefined
    : `patternsAreBroken: the heavy requests are spread with chi-square ${chiSquare.toFixed(1)} over ${limit.toFixed(1)}`;
}

/**
 * No two workers pick the same sequence, as far as both go: private generators must draw from different streams. Two
 * that were stopped before they had LEAST_IN_COMMON picks in common show nothing.
 */
export function streamsDiffer(sequences: readonly Int32Array[]): string | undefined {
  for (const [index, sequence] of sequences.entries()) {
    const aaControl = sequences.findIndex((other, later) => {
      const common = Math.min(sequence.length, other.length);
      return (
        later > index &&
        common >= LEAST_IN_COMMON &&
        sequence.subarray(0, common).every((pick, at) => pick === other[at])
      );
    });
    if (aaControl !== -1) return `streamsDiffer: workers ${index} and ${aaControl} picked the same sequence`;
  }
  return undefined;
}

/** A picker that draws picks other backends from another seed. `other` was picked from that seed, as often. */
export function seedsDiffer(picked: readonly number[], other: readonly number[]): string | undefined {
  return picked.some((backend, at) => backend !== other[at])
    ? undefined
    : `seedsDiffer: ${picked.length} picks are the same from two seeds`;
}

/** Picks: enough that, even of two backends, different streams pick the same only once in 2^32 looks. */
const LEAST_IN_COMMON = 32;

/** How a picker spreads requests that last, and how random picks spread as many. */
export interface LoadsSeen {
  /** Requests in flight of the busiest backend beyond those of the mean one, summed over all looks. */
  readonly excess: number;
  /** The same where every pick is an independent uniform draw. */
  readonly excessByChance: number;
}

/**
 * Loads have a say: the busiest backend is ahead of the mean one by less than half of what chance makes it. Half,
 * because a picker that uses load and gains less than that need not keep loads.
 */
export function loadsAreSpread({ excess, excessByChance }: LoadsSeen): string | undefined {
  return excess < excessByChance / 2
    ? undefined
    : `loadsAreSpread: the busiest backend is ahead by ${excess} in all, by chance it is ${excessByChance}`;
}

/** Each pick asks for the claimed number of probes, each to another backend. `asked`: the backends, of one pick. */
export function probesAreSpread(asked: readonly number[], perPick: number): string | undefined {
  const different = new Set(asked).size;
  return asked.length === perPick && different === perPick
    ? undefined
    : `probesAreSpread: a pick asks for ${asked.length} probes, to ${different} backends, claimed ${perPick}`;
}

/** No more answers are kept than the claim allows. */
export function answersAreBounded({ answers }: ProbesKnown, most: number): string | undefined {
  return answers.length <= most
    ? undefined
    : `answersAreBounded: ${answers.length} answers are kept, claimed ${most}`;
}

/** Every kept answer was heard: its backend's latest, with one more in flight for each pick that used it. */
export function answersAreHeard(
  { answers }: ProbesKnown,
  heard: ReadonlyMap<number, ProbeAnswer>,
): string | undefined {
  const stray = answers.find(({ backend, inFlight, latency, heardMs }) => {
    const latest = heard.get(backend);
    return (
      latest === undefined ||
      latest.inFlight !== inFlight ||
      latest.latency !== latency ||
      latest.heardMs !== heardMs
    );
  });
  return stray === undefined
    ? undefined
    : `answersAreHeard: of backend ${stray.backend} ${stray.inFlight} in flight are known at ${stray.heardMs} ms, heard were ${heard.get(stray.backend)?.inFlight ?? "none"} at ${heard.get(stray.backend)?.heardMs ?? "no"} ms`;
}

/** No answer is kept that is older than the claim allows. */
export function answersAreFresh({ answers }: ProbesKnown, nowMs: number, mostMs: number): string | undefined {
  const oldestMs = Math.max(0, ...answers.map(({ heardMs }) => nowMs - heardMs));
  return oldestMs <= mostMs
    ? undefined
    : `answersAreFresh: an answer of ${oldestMs} ms is kept, claimed ${mostMs}`;
}

/** No more picks use one answer than the claim allows. */
export function answersWearOut(uses: number, most: number): string | undefined {
  return uses <= most ? undefined : `answersWearOut: ${uses} picks went by one answer, claimed ${most}`;
}

/** The threshold for hot follows the latest answers. `inFlights`: what each of them has in flight. */
export function hotIsAboveShare(
  { hotAbove }: ProbesKnown,
  inFlights: readonly number[],
  share: number,
): string | undefined {
  const sorted = inFlights.toSorted((one, other) => one - other);
  const expected = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return hotAbove === expected
    ? undefined
    : `hotIsAboveShare: hot is above ${hotAbove} in flight, by the last ${sorted.length} answers above ${expected}`;
}

/**
 * Hot-cold: of two answers or more a pick uses a cold one with the least latency. Where all are hot it uses one with
 * the fewest requests in flight.
 */
export function coldIsPreferred({ answers, hotAbove }: ProbesKnown, picked: number): string | undefined {
  if (answers.length < 2) return undefined;
  const cold = answers.filter(({ inFlight }) => inFlight <= hotAbove);
  const [among, measure] =
    cold.length > 0
      ? ([cold, ({ latency }: ProbeAnswer) => latency] as const)
      : ([answers, ({ inFlight }: ProbeAnswer) => inFlight] as const);
  const least = Math.min(...among.map(measure));
  return among.some((answer) => answer.backend === picked && measure(answer) === least)
    ? undefined
    : `coldIsPreferred: backend ${picked} was picked, of ${answers.length} answers ${cold.length} are cold and others better`;
}

/** Backends that always say they are overloaded, and quick, get less than half of what they would by chance. */
export function overloadedAreSpared(picks: number, picksByChance: number): string | undefined {
  return picks < picksByChance / 2
    ? undefined
    : `overloadedAreSpared: overloaded backends were picked ${picks} times, by chance ${picksByChance}`;
}

/**
 * The estimate of a backend is the greatest of its latencies, each reduced by its age, within the claimed error. It is
 * computed from all that was ever reported, so that one without calls has decayed.
 */
export function estimateIsPeak(
  estimate: number,
  reports: readonly { readonly ms: number; readonly atMs: number }[],
  nowMs: number,
  { decayMs, error }: Pick<LatencyClaims, "decayMs" | "error">,
): string | undefined {
  const peak = Math.max(0, ...reports.map(({ ms, atMs }) => ms * Math.exp((atMs - nowMs) / decayMs)));
  return Math.abs(estimate - peak) <= error * peak
    ? undefined
    : `estimateIsPeak: after ${reports.length} reports the estimate is ${estimate} ms, their decayed peak ${peak} ms`;
}

/** Of two backends whose costs differ by more than the claimed error, the cheaper is picked. */
export function cheaperIsPicked(costs: readonly number[], picked: number, error: number): string | undefined {
  const other = costs[1 - picked]!;
  return costs[picked]! * (1 - error) <= other * (1 + error)
    ? undefined
    : `cheaperIsPicked: backend ${picked} was picked and costs ${costs[picked]}, the other ${other}`;
}

/**
 * Outcomes alone decide which backends are ejected. Both lists rise: the backends shown, and the backends by the rule.
 */
export function outcomesDecide(shown: readonly number[] = [], byRule: readonly number[]): string | undefined {
  if (String(shown) === String(byRule)) return undefined;
  const named = (backends: readonly number[]) => (backends.length === 0 ? "none" : backends.join(" and "));
  return `outcomesDecide: of the backends ${named(shown)} are ejected, by the outcomes reported ${named(byRule)}`;
}

/** An ejected backend is not picked. `strays`: picks that answered one while another was not ejected. */
export function ejectedAreSpared(strays: number): string | undefined {
  return strays === 0
    ? undefined
    : `ejectedAreSpared: ${strays} picks answered an ejected backend while another was not ejected`;
}

/**
 * An ejected backend comes back: it is picked for a trial soon after it is due. `picks`: the picks in which it was not.
 */
export function ejectedAreTried(picks: number, most: number): string | undefined {
  return picks <= most
    ? undefined
    : `ejectedAreTried: a backend was due for a trial during ${picks} picks and was not tried`;
}

/** A backend that fails its requests at once looks idle, and gets no more requests than it takes to eject it. */
export function failingAreSpared(picks: number, most: number): string | undefined {
  return picks <= most
    ? undefined
    : `failingAreSpared: a backend that fails at once was picked ${picks} times, claimed ${most}`;
}

/**
 * A drained backend is not picked. `strays`: picks that began after the change that drained their backend had returned,
 * and ended before it was added again.
 */
export function drainedStaysOut(strays: number): string | undefined {
  return strays === 0
    ? undefined
    : `drainedStaysOut: ${strays} picks that began after their backend was drained were answered by it`;
}

/** `isSettled` is true when every worker has begun a pick since the change, and not before. */
export function settledIsTold(workersWithoutPick: number, isSettled: boolean): string | undefined {
  if (isSettled === (workersWithoutPick === 0)) return undefined;
  return `settledIsTold: ${workersWithoutPick} workers have not picked since the change, which is said to be ${isSettled ? "" : "un"}settled`;
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

function weighsAllAlike({ weights = [] }: PickSetup): boolean {
  return weights.every((weight) => weight === weights[0]);
}

function picksOf({ perWorker }: PickWork): number {
  return sum(perWorker.map(({ picks }) => picks));
}

/** Sum of the workers' checksums; known modulo 2^32. */
function checksumOf({ perWorker }: PickWork): number {
  return sum(perWorker.map(({ checksum }) => checksum));
}

function counted({ perWorker }: PickWork, counter: string): number {
  return sum(perWorker.map(({ counters }) => counters[counter] ?? 0));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function modulus(value: number, by: number): number {
  return ((value % by) + by) % by;
}

/** A residue as the number of smallest size with that residue. */
function signed(residue: number, modulo: number): number {
  return 2 * residue >= modulo ? residue - modulo : residue;
}
