import {
  attributed,
  type Capacity,
  type ChangeLog,
  CONFLICT,
  NO_EVIDENCE,
  NOBODY,
  type Ownership,
  type OwnershipCompetitor,
} from "../../structures/ownership/ownership.contract.ts";
import { allocateFor } from "../../structures/shared/layout.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import { BATCH_MS, exponential, type Fleet, inOrder, LONGEST_FLOW_MS, pareto } from "./fleet.ts";

/**
 * A cluster of collector nodes that learns which owner has what. For each end of each flow it is asked which owner the
 * other end was.
 *
 * Its news is claims, one per end of a flow, or changes, from a control plane. Either goes to the home node of its
 * resource, which broadcasts it to its peers. Faults fall on this news alone. Questions come on time whatever happens,
 * so competitors and scenarios answer the same ones. A lost claim leaves its report's question behind, so it is lost
 * after the collector's door. A node keeps what it knows in a structure of its own, and nodes share nothing else. So
 * each is run from beginning to end before the next.
 */
export interface Faults {
  /** Share of the news that no node hears, each piece by itself. */
  readonly loss: number;
  /** Share lost, if more than `loss`, of the claims of a visit: of B where A, B and A follow each other. */
  readonly lossOfVisits: number;
  /** By what the way to the home node takes longer, cut at LONGEST_DELAY_MS. */
  readonly delay: Delay;
  /** Share that comes twice: once more, exponentially later by SECOND_COPY_MS_MEAN, and with a delay of its own. */
  readonly duplicated: number;
  /** Each node hears each piece later by up to this much, evenly drawn. */
  readonly reorderedMsMost: number;
  /** These nodes lose all they know halfway. */
  readonly restarted: readonly number[];
  /** These hear nothing from their peers in the middle third. */
  readonly deaf: readonly number[];
  /** How wrong an agent's clock is at most, evenly drawn to both sides; the control plane's is right. */
  readonly skewMsMost: number;
  readonly driftPpmMost: number;
  /** By how much it jumps halfway. */
  readonly stepMsMost: number;
}

/** Each kind draws once, so that a piece's other chances are the same under all of them. */
export type Delay =
  | { readonly kind: "exponential"; readonly msMean: number }
  | { readonly kind: "pareto"; readonly msLeast: number; readonly shape: number };

export const NO_FAULTS: Faults = {
  loss: 0,
  lossOfVisits: 0,
  delay: { kind: "exponential", msMean: 0 },
  duplicated: 0,
  reorderedMsMost: 0,
  restarted: [],
  deaf: [],
  skewMsMost: 0,
  driftPpmMost: 0,
  stepMsMost: 0,
};

export const NODES = 3;
/** When a question is asked, after its report came: at once, after the holdback, and in five retries. */
export const LAGS_S = [0, 60, 120, 180, 240, 300, 360];
/** Index of the lag of the holdback. */
export const HOLDBACK = 1;
const LAST = LAGS_S.length - 1;
export const TOLERANCE_MS = 60_000;
/** Time in which answers after the holdback are counted together. */
export const BUCKET_S = 10;

/** What an answer is. */
export const RIGHT = 0;
export const WRONG = 1;
export const NONE = 2;
export const CONFLICTING = 3;
export const KINDS = 4;

/** Where the run begins, as a time: structures have to cope with the numbers that clocks show. */
export const ORIGIN = 1_700_000_000_000;
const NETWORK_MS_MEAN = 200;
/** Of an event from the control plane: polled in batches, published, fetched. Ours; the source names no figure. */
const CHANGE_MS_MEAN = 10_000;
/** Where `Faults.delay` is cut: a claim that late misses the last retry of its own flow's question anyway. */
const LONGEST_DELAY_MS = 600_000;
const SECOND_COPY_MS_MEAN = 10_000;
const MOST_COPIES = 2;
export const TRIM_EVERY_MS = 60_000;
const BUCKET_MS = 1000 * BUCKET_S;

const NETWORK_STREAM = 4;
const FAULTS_STREAM = 5;
const CLOCKS_STREAM = 6;
const QUESTIONS_STREAM = 7;

/** What the cluster did. */
export interface Seen {
  readonly questions: number;
  readonly lookups: number;
  /** answers[lag][kind]. */
  readonly answers: readonly Int32Array[];
  /** Of the questions unattributed after the holdback: how many were first attributed rightly at each lag. */
  readonly recovered: Int32Array;
  /** Answers with the tolerance at the last lag, by kind. */
  readonly bridged: Int32Array;
  /** buckets[kind]: answers after the holdback, by when they were given. */
  readonly buckets: readonly Int32Array[];
  /**
   * owners x owners, the lower of a pair first. 1 where a wrong answer, from the holdback on, joined two that no flow
   * ever did, or an owner to itself. Earlier ones would have had no effect.
   */
  readonly falseEdges: Uint8Array;
  readonly traffic: Traffic;
  /** Claims that were forgotten before they came. */
  readonly refused: number;
  /** The most that a node's private structure kept; undefined where it does not say, or its memory was reserved. */
  readonly bytes: number | undefined;
}

/** Pieces of news, counted once for each node and copy. */
export interface Traffic {
  sent: number;
  lost: number;
  delivered: number;
  inFlight: number;
}

/** Reports, all of one kind, with times as the sender's clock shows them. */
export interface News {
  readonly count: number;
  readonly resources: Int32Array;
  readonly owners: Int32Array;
  /** Of a change: when it happened. */
  readonly starts: Int32Array;
  /** Of a change: the same. */
  readonly stops: Int32Array;
  readonly sentAt: Int32Array;
  readonly isOfVisit: Uint8Array;
  readonly networkMsMean: number;
  /**
   * Whether news of one resource arrives in order, as the partition of a queue ensures, unless a fault delays it. Then
   * that of each resource stands in the order of being sent.
   */
  readonly keepsOrder: boolean;
}

/** What a node hears, in the order of arrival. */
export interface Deliveries {
  readonly news: Int32Array;
  readonly arrivals: Int32Array;
}

export interface Questions {
  /** When the report of each end came. */
  readonly askedAt: Int32Array;
  /** When the flow began, by the asker's clock. */
  readonly about: Int32Array;
}

/** What happens to a cluster of some nodes: what its agents report, when that reaches each node, and what is asked. */
export interface History {
  readonly news: News;
  /** Of each node. */
  readonly heard: readonly Deliveries[];
  readonly questions: Questions;
  readonly traffic: Traffic;
  /** What a node must have room for, so that it forgets nothing that is reported or asked. */
  readonly bounds: Bounds;
}

export interface Bounds {
  readonly capacity: Capacity;
  /** How far back reports and questions may lie. */
  readonly retentionMs: number;
  /** The earliest time in a report. */
  readonly earliest: number;
}

export function drawHistory(
  hears: OwnershipCompetitor["hears"],
  fleet: Fleet,
  faults: Faults,
  seed: number,
  nodes = NODES,
): History {
  const clock = clocksOf(fleet, faults, new Random(seed, CLOCKS_STREAM));
  const news = hears === "claims" ? traitsOf(fleet, clock) : changesOf(fleet);
  const traffic: Traffic = { sent: 0, lost: 0, delivered: 0, inFlight: 0 };
  const heard = deliver(news, faults, fleet.plan.horizonMs, seed, traffic, nodes);
  const questions = questionsOf(fleet, clock, new Random(seed, QUESTIONS_STREAM));
  return { news, heard, questions, traffic, bounds: boundsOf(news, heard, questions, fleet.plan) };
}

export function runCluster(
  competitor: OwnershipCompetitor,
  fleet: Fleet,
  faults: Faults,
  seed: number,
  nodes = NODES,
): Seen {
  const { plan, ends, joined } = fleet;
  const { news, heard, questions, traffic, bounds } = drawHistory(
    competitor.hears,
    fleet,
    faults,
    seed,
    nodes,
  );
  const bucketCount = Math.ceil(plan.horizonMs / BUCKET_MS);
  const seen = {
    questions: ends.count,
    lookups: 0,
    answers: LAGS_S.map(() => new Int32Array(KINDS)),
    recovered: new Int32Array(LAGS_S.length),
    bridged: new Int32Array(KINDS),
    buckets: Array.from({ length: KINDS }, () => new Int32Array(bucketCount)),
    falseEdges: new Uint8Array(joined.length),
    traffic,
    refused: 0,
    bytes: undefined,
  };
  const cluster: Cluster = { competitor, fleet, faults, nodes, news, questions, seed, ...bounds };
  for (const [node, deliveries] of heard.entries()) runNode(node, cluster, deliveries, seen);
  return seen;
}

interface Cluster extends Bounds {
  readonly competitor: OwnershipCompetitor;
  readonly fleet: Fleet;
  readonly faults: Faults;
  readonly nodes: number;
  readonly news: News;
  readonly questions: Questions;
  readonly seed: number;
}

/** By how much the clock of an owner's agent is ahead at a time. */
type Clock = (owner: number, at: number) => number;

function clocksOf({ plan }: Fleet, faults: Faults, random: Random): Clock {
  const { skewMsMost, driftPpmMost, stepMsMost } = faults;
  const drawn = (most: number) =>
    Float64Array.from({ length: plan.owners }, () => most * (2 * random.fraction() - 1));
  const [skews, drifts, steps] = [drawn(skewMsMost), drawn(driftPpmMost / 1e6), drawn(stepMsMost)];
  const halfway = plan.horizonMs / 2;
  return (owner, at) => Math.round(skews[owner]! + at * drifts[owner]! + (at >= halfway ? steps[owner]! : 0));
}

function traitsOf({ spells, ends }: Fleet, clock: Clock): News {
  const starts = new Int32Array(ends.count);
  const stops = new Int32Array(ends.count);
  for (let end = 0; end < ends.count; end++) {
    const owner = ends.owners[end]!;
    starts[end] = ends.starts[end]! + clock(owner, ends.starts[end]!);
    // A clock that steps back during a flow leaves nothing to claim, but agents round up.
    stops[end] = Math.max(starts[end]! + 1, ends.stops[end]! + clock(owner, ends.stops[end]!));
  }
  const isOfVisit = ends.spells.map((spell) => spells.visits[spell]!);
  return {
    ...ends,
    starts,
    stops,
    isOfVisit: new Uint8Array(isOfVisit),
    networkMsMean: NETWORK_MS_MEAN,
    // Agents of several owners send them, each on its own.
    keepsOrder: false,
  };
}

/** An event when a spell begins, and one when it ends, but where the next one begins that very moment. */
function changesOf({ spells }: Fleet): News {
  const events: { spell: number; owner: number; at: number }[] = [];
  for (let spell = 0; spell < spells.count; spell++) {
    const end = spells.ends[spell]!;
    const isFollowed =
      spells.resources[spell + 1] === spells.resources[spell] && spells.starts[spell + 1] === end;
    events.push({ spell, owner: spells.owners[spell]!, at: spells.starts[spell]! });
    if (!isFollowed) events.push({ spell, owner: NOBODY, at: end });
  }
  const times = Int32Array.from(events, ({ at }) => at);
  return {
    count: events.length,
    resources: Int32Array.from(events, ({ spell }) => spells.resources[spell]!),
    owners: Int32Array.from(events, ({ owner }) => owner),
    starts: times,
    stops: times,
    sentAt: times,
    isOfVisit: Uint8Array.from(events, ({ spell }) => spells.visits[spell]!),
    networkMsMean: CHANGE_MS_MEAN,
    keepsOrder: true,
  };
}

function questionsOf({ ends }: Fleet, clock: Clock, random: Random): Questions {
  const askedAt = new Int32Array(ends.count);
  const about = new Int32Array(ends.count);
  for (let end = 0; end < ends.count; end++) {
    askedAt[end] = ends.sentAt[end]! + Math.round(exponential(NETWORK_MS_MEAN, random));
    about[end] = ends.starts[end]! + clock(ends.owners[end]!, ends.starts[end]!);
  }
  return { askedAt, about };
}

/** The node to which all news and questions of a resource go. */
export function homeOf(resource: number, nodes: number): number {
  return resource % nodes;
}

/**
 * What becomes of the news on its way. Chance of the network and of faults have streams of their own, and every piece
 * draws as much from them, whatever happens to it. So no fault affects another or the network, and what is lost of 10 %
 * is lost of 20 %, too.
 */
function deliver(
  news: News,
  faults: Faults,
  horizonMs: number,
  seed: number,
  traffic: Traffic,
  nodes: number,
): Deliveries[] {
  const way = new Way(news, nodes, new Random(seed, NETWORK_STREAM));
  const mishaps = new Mishaps(faults, nodes, new Random(seed, FAULTS_STREAM));
  const room = news.count * (faults.duplicated > 0 ? MOST_COPIES : 1);
  const heard = Array.from({ length: nodes }, () => ({
    count: 0,
    news: new Int32Array(room),
    arrivals: new Int32Array(room),
  }));
  const deafFrom = horizonMs / 3;
  const deafTo = (2 * horizonMs) / 3;
  for (let piece = 0; piece < news.count; piece++) {
    way.draw(piece);
    mishaps.draw(news.isOfVisit[piece] === 1);
    const { copies, extraMs } = mishaps;
    traffic.sent += copies * nodes;
    if (mishaps.isLost) {
      traffic.lost += copies * nodes;
      continue;
    }
    const home = homeOf(news.resources[piece]!, nodes);
    for (let copy = 0; copy < copies; copy++)
      for (let node = 0; node < nodes; node++) {
        const arrival = Math.round(way.arrivals[node]! + extraMs[copy * nodes + node]!);
        if (node !== home && faults.deaf.includes(node) && arrival >= deafFrom && arrival < deafTo) {
          traffic.lost++;
          continue;
        }
        const to = heard[node]!;
        to.news[to.count] = piece;
        to.arrivals[to.count] = arrival;
        to.count++;
      }
  }
  return heard.map(({ count, ...to }): Deliveries => {
    const order = inOrder(to.arrivals.subarray(0, count));
    return {
      news: order.map((index) => to.news[index]!),
      arrivals: order.map((index) => to.arrivals[index]!),
    };
  });
}

/** When a piece of news comes to each node if nothing goes wrong: to its home first, and from there to the peers. */
class Way {
  readonly arrivals: Float64Array;
  readonly #news: News;
  readonly #nodes: number;
  readonly #random: Random;
  /** The last arrival of a resource at a node: where order is kept, the next is no earlier. */
  readonly #lastArrivals: Float64Array;

  constructor(news: News, nodes: number, random: Random) {
    this.arrivals = new Float64Array(nodes);
    this.#news = news;
    this.#nodes = nodes;
    this.#random = random;
    const resources = news.resources.reduce((most, resource) => Math.max(most, resource + 1), 0);
    this.#lastArrivals = new Float64Array(resources * nodes);
  }

  draw(piece: number): void {
    const { resources, sentAt, networkMsMean, keepsOrder } = this.#news;
    const resource = resources[piece]!;
    const home = homeOf(resource, this.#nodes);
    const atHome = sentAt[piece]! + exponential(networkMsMean, this.#random);
    for (let node = 0; node < this.#nodes; node++) {
      const arrival = atHome + (node === home ? 0 : exponential(NETWORK_MS_MEAN, this.#random));
      const last = resource * this.#nodes + node;
      this.arrivals[node] = keepsOrder ? Math.max(arrival, this.#lastArrivals[last]!) : arrival;
      this.#lastArrivals[last] = this.arrivals[node]!;
    }
  }
}

/** What faults do to a piece of news. All is drawn before anything is decided. */
class Mishaps {
  isLost = false;
  copies = 1;
  /** By how much faults make each copy later at each node: copy after copy. */
  readonly extraMs: Float64Array;
  readonly #faults: Faults;
  readonly #nodes: number;
  readonly #random: Random;

  constructor(faults: Faults, nodes: number, random: Random) {
    this.extraMs = new Float64Array(MOST_COPIES * nodes);
    this.#faults = faults;
    this.#nodes = nodes;
    this.#random = random;
  }

  draw(isOfVisit: boolean): void {
    const { loss, lossOfVisits, duplicated, delay, reorderedMsMost } = this.#faults;
    const random = this.#random;
    this.isLost = random.fraction() < (isOfVisit ? Math.max(loss, lossOfVisits) : loss);
    this.copies = random.fraction() < duplicated ? MOST_COPIES : 1;
    const againMs = exponential(SECOND_COPY_MS_MEAN, random);
    for (let copy = 0; copy < MOST_COPIES; copy++) {
      const delayMs = Math.min(drawDelayMs(delay, random), LONGEST_DELAY_MS) + (copy === 0 ? 0 : againMs);
      for (let node = 0; node < this.#nodes; node++)
        this.extraMs[copy * this.#nodes + node] = delayMs + reorderedMsMost * random.fraction();
    }
  }
}

function drawDelayMs(delay: Delay, random: Random): number {
  return delay.kind === "exponential"
    ? exponential(delay.msMean, random)
    : pareto(delay.msLeast, delay.shape, random);
}

/** How much a structure must hold, and for how long, so that nothing reported or asked is forgotten before. */
function boundsOf(
  news: News,
  heard: readonly Deliveries[],
  questions: Questions,
  plan: Fleet["plan"],
): Bounds {
  let retentionMs = 0;
  let aheadMs = 0;
  let earliest = 0;
  for (const deliveries of heard)
    for (let index = 0; index < deliveries.news.length; index++) {
      const piece = deliveries.news[index]!;
      const arrival = deliveries.arrivals[index]!;
      retentionMs = Math.max(retentionMs, arrival - news.starts[piece]!);
      aheadMs = Math.max(aheadMs, news.stops[piece]! - arrival);
      earliest = Math.min(earliest, news.starts[piece]!);
    }
  for (let end = 0; end < questions.askedAt.length; end++)
    retentionMs = Math.max(
      retentionMs,
      questions.askedAt[end]! + 1000 * LAGS_S[LAST]! - questions.about[end]!,
    );
  // What bridges a gap lies before the time that is asked about.
  retentionMs += TOLERANCE_MS;
  const windowMs = retentionMs + TRIM_EVERY_MS + aheadMs - earliest + 1;
  // Two ranges for each claim of the window, as if none ever met another, and half as many again for busy times.
  const shareKept = Math.min(1, (1.5 * windowMs) / plan.horizonMs);
  const ranges = Math.ceil(2 * news.count * shareKept) + plan.resources;
  const capacity: Capacity = { resources: plan.resources, owners: plan.owners, windowMs, ranges };
  return { capacity, retentionMs, earliest };
}

/** The least that a node must hold in any scenario of this size. */
export function leastCapacity({ resources, owners }: Fleet["plan"]): Capacity {
  const windowMs = LONGEST_FLOW_MS + BATCH_MS + 1000 * LAGS_S[LAST]! + TOLERANCE_MS;
  return { resources, owners, windowMs, ranges: resources };
}

type Counted = { -readonly [Key in keyof Seen]: Seen[Key] };

function runNode(node: number, cluster: Cluster, deliveries: Deliveries, seen: Counted): void {
  const { fleet, faults, questions } = cluster;
  const { plan } = fleet;
  const asked = askedOf(node, cluster.nodes, fleet, questions);
  const restartsAt = faults.restarted.includes(node) ? plan.horizonMs / 2 : Number.POSITIVE_INFINITY;
  let replica = new Replica(node, cluster, cluster.earliest);
  const judge = new Judge(cluster, seen, asked.length);
  const next = new Int32Array(LAGS_S.length);
  const dueAt = new Float64Array(LAGS_S.length);
  for (const [lag, seconds] of LAGS_S.entries()) dueAt[lag] = timeOf(0) + 1000 * seconds;
  let delivered = 0;
  let trimsAt = TRIM_EVERY_MS;
  let hasRestarted = false;

  function timeOf(index: number): number {
    return index < asked.length ? questions.askedAt[asked[index]!]! : Number.POSITIVE_INFINITY;
  }

  for (;;) {
    const lag = earliestOf(dueAt);
    const deadline = dueAt[lag]!;
    if (deadline === Number.POSITIVE_INFINITY) break;
    const arrival = delivered < deliveries.news.length ? deliveries.arrivals[delivered]! : deadline + 1;
    const now = Math.min(arrival, deadline);
    if (!hasRestarted && now >= restartsAt) {
      judge.end(replica);
      replica = new Replica(node, cluster, now - cluster.retentionMs);
      hasRestarted = true;
    }
    if (now >= trimsAt) {
      seen.bytes = mostOf(seen.bytes, replica.bytes());
      replica.trim(now - cluster.retentionMs);
      trimsAt = now + TRIM_EVERY_MS;
    }
    // A question in the millisecond in which news comes is answered with it.
    if (arrival <= deadline) {
      replica.hear(deliveries.news[delivered++]!, now);
    } else {
      const index = next[lag]!;
      judge.ask(replica, asked[index]!, lag, index, now);
      next[lag] = index + 1;
      dueAt[lag] = timeOf(index + 1) + 1000 * LAGS_S[lag]!;
    }
  }
  judge.end(replica);
  seen.traffic.delivered += delivered;
  seen.traffic.inFlight += deliveries.news.length - delivered;
}

/** What a node answered, as it is counted. */
class Judge {
  readonly #cluster: Cluster;
  readonly #seen: Counted;
  /** Questions that were unattributed after the holdback, and were not attributed rightly since. */
  readonly #waiting: Uint8Array;

  constructor(cluster: Cluster, seen: Counted, asked: number) {
    this.#cluster = cluster;
    this.#seen = seen;
    this.#waiting = new Uint8Array(asked);
  }

  /** Asks about an end at a lag, and counts the answer; `index` is the question's among those of the node. */
  ask(replica: Replica, end: number, lag: number, index: number, now: number): void {
    const { fleet, questions } = this.#cluster;
    const seen = this.#seen;
    const { owners, resources } = fleet.ends;
    const resource = resources[end ^ 1]!;
    const truth = owners[end ^ 1]!;
    const about = questions.about[end]!;
    const said = replica.ownerAt(resource, about, 0);
    const kind = kindOf(said, truth);
    seen.lookups++;
    seen.answers[lag]![kind]!++;
    if (kind === WRONG && lag >= HOLDBACK) this.#noteEdge(owners[end]!, said);
    if (lag === HOLDBACK) {
      if (kind >= NONE) this.#waiting[index] = 1;
      const bucket = Math.floor(now / BUCKET_MS);
      if (bucket < seen.buckets[kind]!.length) seen.buckets[kind]![bucket]!++;
    } else if (this.#waiting[index] === 1 && kind === RIGHT && lag > HOLDBACK) {
      this.#waiting[index] = 0;
      seen.recovered[lag]!++;
    }
    if (lag === LAST) {
      const bridged = attributed(replica.ownerAt(resource, about, TOLERANCE_MS));
      seen.bridged[kindOf(bridged, truth)]!++;
    }
  }

  /** A structure that is done with: all that it kept and refused. */
  end(replica: Replica): void {
    this.#seen.bytes = mostOf(this.#seen.bytes, replica.bytes());
    this.#seen.refused += replica.refused;
  }

  #noteEdge(asker: number, said: number): void {
    const { plan, joined } = this.#cluster.fleet;
    const edge = Math.min(asker, said) * plan.owners + Math.max(asker, said);
    if (joined[edge] === 0) this.#seen.falseEdges[edge] = 1;
  }
}

function earliestOf(times: Float64Array): number {
  let earliest = 0;
  for (let index = 1; index < times.length; index++) if (times[index]! < times[earliest]!) earliest = index;
  return earliest;
}

export function kindOf(said: number, truth: number): number {
  if (said === truth) return RIGHT;
  if (said === NO_EVIDENCE) return NONE;
  return said === CONFLICT ? CONFLICTING : WRONG;
}

/** What a node is asked: about the ends whose reports come to it, in the order in which they come. */
export function askedOf(node: number, nodes: number, { ends }: Fleet, { askedAt }: Questions): Int32Array {
  const own = new Int32Array(ends.count);
  let count = 0;
  for (let end = 0; end < ends.count; end++)
    if (homeOf(ends.resources[end]!, nodes) === node) own[count++] = end;
  const times = own.subarray(0, count).map((end) => askedAt[end]!);
  return inOrder(times).map((index) => own[index]!);
}

function mostOf(most: number | undefined, bytes: number | undefined): number | undefined {
  return most === undefined || bytes === undefined ? (most ?? bytes) : Math.max(most, bytes);
}

/** What one node knows, in the structure under test. Times here are relative to the run. */
class Replica {
  refused = 0;
  readonly #news: News;
  readonly #log: ChangeLog | undefined;
  readonly #ownership: Ownership | undefined;
  readonly #handle: ChangeLog | Ownership;
  readonly #isPrivate: boolean;

  constructor(node: number, { competitor, capacity, seed, news, nodes }: Cluster, watermark: number) {
    this.#news = news;
    const words = competitor.words(capacity);
    const { memory, linear } = allocateFor(competitor, words);
    competitor.format(memory, capacity);
    const worker = { index: node, workers: nodes, role: "worker", seed };
    if (competitor.hears === "claims") this.#ownership = competitor.attach(memory, capacity, worker, linear);
    else this.#log = competitor.attach(memory, capacity, worker, linear);
    this.#handle = (this.#ownership ?? this.#log)!;
    this.trim(watermark);
    this.#isPrivate = words === 0;
  }

  hear(piece: number, now: number): void {
    const { resources, owners, starts, stops } = this.#news;
    const resource = resources[piece]!;
    const start = ORIGIN + starts[piece]!;
    if (this.#ownership === undefined) this.#log!.change(resource, owners[piece]!, start, ORIGIN + now);
    else if (!this.#ownership.claim(resource, owners[piece]!, start, ORIGIN + stops[piece]!)) this.refused++;
  }

  ownerAt(resource: number, at: number, toleranceMs: number): number {
    return this.#handle.ownerAt(resource, ORIGIN + at, toleranceMs);
  }

  trim(watermark: number): void {
    this.#handle.trim(ORIGIN + watermark);
  }

  bytes(): number | undefined {
    return this.#isPrivate ? this.#handle.bytes?.() : undefined;
  }
}
