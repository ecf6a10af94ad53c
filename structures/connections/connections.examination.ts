import { inspect } from "node:util";
import type { Examination } from "../shared/contract.ts";
import { examined } from "../shared/examination.ts";
import { Random } from "../shared/sfc32.ts";
import {
  type Connection,
  type ConnectionsCompetitor,
  contract,
  type Watcher,
} from "./connections.contract.ts";
import {
  closedInTime,
  countsWatched,
  endsWhole,
  everyDeadClosed,
  expiresOnce,
  noLiveClosed,
  noneClosedUnread,
  noTimerLeft,
  refusesAtWatch,
} from "./connections.laws.ts";
import { type PhaseOrder, VirtualLoop } from "./parts/virtual-loop.ts";

/**
 * Every law of connections applied to one watcher. Its connections come, beat, leave, fall silent and come again, on an
 * event loop whose time the examination controls. Written once, so that a newcomer is examined like every other
 * competitor.
 */
interface Plan {
  readonly connections: number;
  readonly timeoutMs: number;
  readonly beatMs: number;
  /** One client in this number falls silent. */
  readonly silentOneIn: number;
  /** Whether a beat is a message or an unsolicited pong. */
  readonly beats?: "messages" | "pongs";
  readonly order?: PhaseOrder;
  /**
   * The event loop stalls for `ms` each time. `stands`: clients go on sending. `jumps`: clients stall as well, and only
   * the clock goes on. When, in ms from the start.
   */
  readonly late?: { readonly how: "stands" | "jumps"; readonly ms: number; readonly atMs: readonly number[] };
}

const BEAT_EACH_10_S: Plan = { connections: 120, timeoutMs: 30_000, beatMs: 10_000, silentOneIn: 4 };
const BEAT_EACH_29_S: Plan = { connections: 60, timeoutMs: 30_000, beatMs: 29_000, silentOneIn: 4 };
/** While all live, while some die, right after that, and in the midst of what that leads to. */
const AT_MS = [62_300, 87_000, 101_000, 150_500, 152_000];
const HOUR_MS = 3_600_000;

const PLANS: Readonly<Record<string, Plan>> = {
  "a beat each 10 s": BEAT_EACH_10_S,
  "a timeout of a minute": { connections: 60, timeoutMs: 60_000, beatMs: 20_000, silentOneIn: 4 },
  "a beat each 29 s": BEAT_EACH_29_S,
  "pongs for beats": { ...BEAT_EACH_10_S, beats: "pongs" },
  "one connection": { connections: 1, timeoutMs: 30_000, beatMs: 10_000, silentOneIn: 1 },
  "a loop that stands still for longer than the timeout": {
    ...BEAT_EACH_10_S,
    late: { how: "stands", ms: 31_000, atMs: AT_MS },
  },
  "the same with Bun's phases": {
    ...BEAT_EACH_10_S,
    order: "bun",
    late: { how: "stands", ms: 31_000, atMs: AT_MS },
  },
  "a loop that stands still for a second or two": {
    ...BEAT_EACH_29_S,
    late: {
      how: "stands",
      ms: 1_500,
      atMs: Array.from({ length: 30 }, (_, index) => 40_000 + index * 7_919),
    },
  },
  "a loop that stands still for half the timeout": {
    ...BEAT_EACH_29_S,
    late: { how: "stands", ms: 15_000, atMs: AT_MS },
  },
  "a clock that jumps by an hour": { ...BEAT_EACH_10_S, late: { how: "jumps", ms: HOUR_MS, atMs: AT_MS } },
  "a clock that jumps by a third of the timeout": {
    ...BEAT_EACH_29_S,
    late: { how: "jumps", ms: 10_000, atMs: AT_MS },
  },
};

export const examination = {
  tries: "fleets of 1 to 120 connections, on loops that stand still and clocks that jump",
  examine: (url) =>
    examined(url, contract, async (competitor: ConnectionsCompetitor) => lawsBroken(competitor)),
} satisfies Examination;

export function lawsBroken(competitor: ConnectionsCompetitor): (string | undefined)[] {
  const { renewedBy } = competitor;
  const surveyed = Object.values(PLANS).map((plan) => ({ plan, seen: new Fleet(competitor, plan).run() }));
  // To close the living on a loop that is on time breaks another law.
  const sparesLiving = surveyed.every(({ plan, seen }) => plan.late !== undefined || seen.living === 0);
  return [
    ...surveyed.flatMap(({ plan: { timeoutMs, late }, seen }) => {
      return [
        renewedBy === "nothing" ? undefined : everyDeadClosed(seen.unclosed),
        noLiveClosed(seen.shortestMs, timeoutMs, competitor.earliness(timeoutMs, 0)),
        sparesLiving && late !== undefined ? noneClosedUnread(seen.living) : undefined,
        closedInTime(
          seen.longestMs,
          timeoutMs,
          competitor.lateness(timeoutMs),
          late === undefined ? 0 : timeoutMs,
        ),
        expiresOnce(seen.strays),
        renewedBy === "nothing" ? undefined : countsWatched(seen.miscounts),
        noTimerLeft(seen.watched, seen.timers),
      ];
    }),
    new Fleet(competitor, BEAT_EACH_10_S).endEarly(),
    refusesAtWatch(wronglyTaken(competitor)),
  ];
}

const SERVED = { capacity: 10, timeoutMs: 30_000 };
const NOT_SERVED: readonly Partial<typeof SERVED>[] = [
  ...[Number.NaN, 0, -1_000, 500, 1_500, Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 31 + 352].map(
    (timeoutMs) => ({
      timeoutMs,
    }),
  ),
  ...[Number.NaN, 0, -1, 1.5, Number.POSITIVE_INFINITY, 2 ** 32].map((capacity) => ({ capacity })),
];

/** Setups that cannot be served and were not refused by a RangeError, or left a timer. */
function wronglyTaken({ watch }: ConnectionsCompetitor): string[] {
  return NOT_SERVED.filter((given) => {
    const loop = new VirtualLoop();
    try {
      watch({ ...SERVED, ...given, loop, expired() {} }).end();
      return true;
    } catch (error) {
      return !(error instanceof RangeError) || loop.pending > 0;
    }
  }).map((given) => inspect(given));
}

/** From a ping to its pong. */
const ANSWER_MS = 5;
/** From the first connection to the last. */
const OPENING_MS = 9_000;
/** What a server takes to notice that a socket it destroyed has closed; of one connection in three it is two timeouts. */
const CLOSING_MS = 2;
const SLOW_CLOSING_ONE_IN = 3;
const SLOW_CLOSING_TIMEOUTS = 2;
/** From an expiry to messages that had come before it and are still handed over. */
const LAST_WORDS_MS = 1;
/** After the last close: long enough for a timer of the mechanism that waits for a next connection. */
const SWEPT_MS = 1_000;
/** Between two looks at the size, besides those at expiries. */
const COUNT_EVERY_MS = 5_000;
const SEED = 1;

interface Seen {
  readonly unclosed: number;
  /** Connections that expired while their clients lived. */
  readonly living: number;
  /** Of the connections that expired; Infinity and 0 if none did. The longest is without the time for which the loop stood. */
  readonly shortestMs: number;
  readonly longestMs: number;
  readonly strays: number;
  readonly miscounts: number;
  /** After the last close: connections that are watched, and a second later timers that are pending and were not before the first. */
  readonly watched: number;
  readonly timers: number;
}

/** A connection of the examination. */
interface Peer extends Connection {
  state: "away" | "open" | "expired";
  isSilent: boolean;
  /** When what renews it was last heard, and how long the loop had stood by then. */
  heardMs: number;
  heardStoodMs: number;
}

/**
 * All open and beat. In the third timeout some fall silent, for good; in the fourth half of the others leave and come
 * again, while they beat. When all that are to expire must have, the rest leave. A client does what it does at its own
 * time, however late the server is.
 */
class Fleet {
  readonly #competitor: ConnectionsCompetitor;
  readonly #plan: Plan;
  readonly #loop: VirtualLoop;
  readonly #random = new Random(SEED);
  readonly #watcher: Watcher;
  readonly #peers: readonly Peer[];
  #shortestMs = Number.POSITIVE_INFINITY;
  #longestMs = 0;
  #living = 0;
  #expiries = 0;
  #strays = 0;
  #miscounts = 0;

  constructor(competitor: ConnectionsCompetitor, plan: Plan) {
    const { connections, timeoutMs, order, late } = plan;
    this.#competitor = competitor;
    this.#plan = plan;
    this.#loop = new VirtualLoop(order);
    this.#watcher = competitor.watch({
      capacity: connections,
      timeoutMs,
      loop: this.#loop,
      expired: (connection) => this.#expired(connection as Peer),
    });
    this.#peers = Array.from({ length: connections }, (_, place) => this.#peer(place));
    for (const atMs of late?.atMs ?? [])
      this.#loop.at(atMs, () =>
        late!.how === "jumps" ? this.#loop.jump(late!.ms) : this.#loop.stand(late!.ms),
      );
  }

  run(): Seen {
    const timersBefore = this.#loop.pending;
    for (const peer of this.#peers) this.#live(peer);
    this.#count();
    const { timeoutMs, late } = this.#plan;
    const lastMs = 10 * timeoutMs + (late === undefined ? 0 : 2 * timeoutMs + late.ms * late.atMs.length);
    this.#loop.run(lastMs);
    const unclosed = this.#peers.filter(({ isSilent, state }) => isSilent && state === "open").length;
    for (const peer of this.#peers) this.#close(peer);
    const watched = this.#watcher.size;
    this.#loop.run(lastMs + SWEPT_MS);
    const timers = this.#loop.pending - timersBefore;
    return {
      unclosed,
      living: this.#living,
      shortestMs: this.#shortestMs,
      longestMs: this.#longestMs,
      strays: this.#strays,
      miscounts: this.#miscounts,
      watched,
      timers,
    };
  }

  /** Ends in the midst, while some are silent and others are about to expire. */
  endEarly(): string | undefined {
    for (const peer of this.#peers) this.#live(peer);
    const { timeoutMs } = this.#plan;
    this.#loop.run(2.5 * timeoutMs);
    this.#watcher.end();
    const before = this.#expiries;
    // A timer that is left would have fired, without effect, by the end of the run; one of a later call is pending only
    // then.
    const left = this.#loop.pending;
    this.#loop.run(6 * timeoutMs);
    return endsWhole(this.#expiries - before, this.#watcher.size, Math.max(left, this.#loop.pending));
  }

  #peer(place: number): Peer {
    const peer: Peer = {
      place,
      state: "away",
      isSilent: false,
      heardMs: 0,
      heardStoodMs: 0,
      ping: () => this.#loop.at(ANSWER_MS, () => this.#answer(peer)),
    };
    return peer;
  }

  #live(peer: Peer): void {
    const { timeoutMs, beatMs, silentOneIn } = this.#plan;
    const openMs = 1 + this.#random.below(OPENING_MS);
    this.#loop.at(openMs, () => this.#open(peer));
    this.#beat(peer, openMs + this.#random.below(beatMs));
    if (peer.place % silentOneIn === 0) {
      this.#loop.at(2 * timeoutMs + this.#random.below(timeoutMs), () => {
        peer.isSilent = true;
      });
    } else if (peer.place % 2 === 0) {
      const leaveMs = 3 * timeoutMs + this.#random.below(timeoutMs);
      this.#loop.at(leaveMs, () => this.#close(peer));
      this.#loop.at(leaveMs + 1 + this.#random.below(beatMs), () => this.#open(peer));
    }
  }

  #count(): void {
    this.#loop.at(COUNT_EVERY_MS, () => this.#count());
    const open = this.#peers.filter(({ state }) => state === "open").length;
    if (this.#watcher.size !== open) this.#miscounts++;
  }

  #open(peer: Peer): void {
    // Not one that has expired meanwhile and is slow to close.
    if (peer.state !== "away") return;
    peer.state = "open";
    this.#renew(peer);
    this.#watcher.opened(peer);
  }

  /** So much later, and again and again. */
  #beat(peer: Peer, delayMs: number): void {
    this.#loop.at(delayMs, () => {
      this.#beat(peer, this.#plan.beatMs);
      if (peer.state !== "open" || peer.isSilent) return;
      if (this.#plan.beats === "pongs") this.#answer(peer);
      else this.#say(peer);
    });
  }

  #say(peer: Peer): void {
    if (this.#competitor.renewedBy === "messages") this.#renew(peer);
    this.#watcher.heard(peer);
  }

  #answer(peer: Peer): void {
    if (peer.state !== "open" || peer.isSilent) return;
    this.#renew(peer);
    this.#watcher.answered(peer);
  }

  #renew(peer: Peer): void {
    peer.heardMs = this.#loop.now();
    peer.heardStoodMs = this.#loop.stoodMs;
  }

  #expired(peer: Peer): void {
    this.#expiries++;
    if (peer.state !== "open") {
      this.#strays++;
      return;
    }
    peer.state = "expired";
    if (!peer.isSilent) this.#living++;
    const silenceMs = this.#loop.now() - peer.heardMs;
    const stoodMs = this.#loop.stoodMs - peer.heardStoodMs;
    this.#shortestMs = Math.min(this.#shortestMs, silenceMs);
    this.#longestMs = Math.max(this.#longestMs, silenceMs - stoodMs);
    this.#loop.at(LAST_WORDS_MS, () => {
      this.#watcher.heard(peer);
      this.#watcher.answered(peer);
    });
    const isSlow = peer.place % SLOW_CLOSING_ONE_IN === 0;
    this.#loop.at(isSlow ? SLOW_CLOSING_TIMEOUTS * this.#plan.timeoutMs : CLOSING_MS, () =>
      this.#close(peer),
    );
  }

  #close(peer: Peer): void {
    if (peer.state === "away") return;
    peer.state = "away";
    this.#watcher.closed(peer);
  }
}
