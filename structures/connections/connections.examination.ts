import { type Examination, examined } from "../shared/examination.ts";
import { Random } from "../shared/sfc32.ts";
import {
  type Connection,
  type ConnectionsCompetitor,
  contract,
  type Watcher,
} from "./connections.contract.ts";
import { closedInTime, everyDeadClosed, expiresOnce, noLiveClosed, noTimerLeft } from "./connections.laws.ts";
import { VirtualLoop } from "./parts/virtual-loop.ts";

/**
 * Every law of connections applied to one watcher, over connections that come, beat, leave, fall silent and come again, on
 * an event loop whose time is the examination's. Written once, so that a newcomer is examined like everybody else.
 */
interface Plan {
  readonly connections: number;
  readonly timeoutMs: number;
  readonly beatMs: number;
  /** One in so many falls silent. */
  readonly silentOneIn: number;
}

const PLANS: Readonly<Record<string, Plan>> = {
  "a beat each 10 s": { connections: 120, timeoutMs: 30_000, beatMs: 10_000, silentOneIn: 4 },
  "a timeout of a minute": { connections: 60, timeoutMs: 60_000, beatMs: 20_000, silentOneIn: 4 },
  "a beat each 29 s": { connections: 60, timeoutMs: 30_000, beatMs: 29_000, silentOneIn: 4 },
  "one connection": { connections: 1, timeoutMs: 30_000, beatMs: 10_000, silentOneIn: 1 },
};

export const examination = {
  tries: "fleets of 1 to 120 connections that come, beat, leave and fall silent in four ways",
  examine: (url) =>
    examined(url, contract, async (competitor: ConnectionsCompetitor) => lawsBroken(competitor)),
} satisfies Examination;

function lawsBroken(competitor: ConnectionsCompetitor): (string | undefined)[] {
  return Object.values(PLANS).flatMap((plan) => {
    const { renewedBy } = competitor;
    const seen = new Fleet(competitor, plan).run();
    const claimed = competitor.lateness(plan.timeoutMs);
    return [
      renewedBy === "nothing" ? undefined : everyDeadClosed(seen.unclosed),
      noLiveClosed(seen.shortestMs, plan.timeoutMs, competitor.earliness(plan.timeoutMs, 0)),
      closedInTime(seen.longestMs, plan.timeoutMs, claimed),
      expiresOnce(seen.strays),
      noTimerLeft(seen.watched, seen.timers),
    ];
  });
}

/** From a ping to its pong. */
const ANSWER_MS = 5;
/** From the first connection to the last. */
const OPENING_MS = 9_000;
/** What a server takes to notice that a socket it destroyed has closed. */
const CLOSING_MS = 2;
const SEED = 1;

interface Seen {
  readonly unclosed: number;
  /** Of the connections that expired; Infinity and 0 if none did. */
  readonly shortestMs: number;
  readonly longestMs: number;
  readonly strays: number;
  /** After the last close: connections that are watched, and timers that are pending and were not before the first. */
  readonly watched: number;
  readonly timers: number;
}

/** A connection of the examination. */
interface Peer extends Connection {
  state: "away" | "open" | "expired";
  isSilent: boolean;
  /** When what renews it was last heard. */
  heardMs: number;
}

/**
 * All open and beat. In the third timeout some fall silent, for good; in the fourth half of the others leave and come
 * again, while they beat. When all that are to expire must have, the rest leave.
 */
class Fleet {
  readonly #competitor: ConnectionsCompetitor;
  readonly #plan: Plan;
  readonly #loop = new VirtualLoop();
  readonly #random = new Random(SEED);
  readonly #watcher: Watcher;
  #shortestMs = Number.POSITIVE_INFINITY;
  #longestMs = 0;
  #strays = 0;

  constructor(competitor: ConnectionsCompetitor, plan: Plan) {
    const { connections, timeoutMs } = plan;
    this.#competitor = competitor;
    this.#plan = plan;
    this.#watcher = competitor.watch({
      capacity: connections,
      timeoutMs,
      loop: this.#loop,
      expired: (connection) => this.#expired(connection as Peer),
    });
  }

  run(): Seen {
    const { connections, timeoutMs } = this.#plan;
    const timersBefore = this.#loop.pending;
    const peers = Array.from({ length: connections }, (_, place) => this.#peer(place));
    for (const peer of peers) this.#live(peer);
    this.#loop.run(10 * timeoutMs);
    const unclosed = peers.filter(({ isSilent, state }) => isSilent && state !== "away").length;
    for (const peer of peers) this.#close(peer);
    const watched = this.#watcher.size;
    const timers = this.#loop.pending - timersBefore;
    this.#watcher.end();
    return {
      unclosed,
      shortestMs: this.#shortestMs,
      longestMs: this.#longestMs,
      strays: this.#strays,
      watched,
      timers: Math.max(timers, this.#loop.pending),
    };
  }

  #peer(place: number): Peer {
    const peer: Peer = {
      place,
      state: "away",
      isSilent: false,
      heardMs: 0,
      ping: () => this.#loop.at(ANSWER_MS, () => this.#answer(peer)),
    };
    return peer;
  }

  #live(peer: Peer): void {
    const { timeoutMs, beatMs, silentOneIn } = this.#plan;
    const openMs = 1 + this.#random.below(OPENING_MS);
    this.#loop.at(openMs, () => this.#open(peer));
    this.#loop.at(openMs + this.#random.below(beatMs), () => this.#beat(peer));
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

  #open(peer: Peer): void {
    peer.state = "open";
    peer.heardMs = this.#loop.now();
    this.#watcher.opened(peer);
  }

  #beat(peer: Peer): void {
    this.#loop.at(this.#plan.beatMs, () => this.#beat(peer));
    if (peer.state !== "open" || peer.isSilent) return;
    if (this.#competitor.renewedBy === "messages") peer.heardMs = this.#loop.now();
    this.#watcher.heard(peer);
  }

  #answer(peer: Peer): void {
    if (peer.state !== "open" || peer.isSilent) return;
    if (this.#competitor.renewedBy === "pongs") peer.heardMs = this.#loop.now();
    this.#watcher.answered(peer);
  }

  #expired(peer: Peer): void {
    if (peer.state !== "open") {
      this.#strays++;
      return;
    }
    peer.state = "expired";
    const silenceMs = this.#loop.now() - peer.heardMs;
    this.#shortestMs = Math.min(this.#shortestMs, silenceMs);
    this.#longestMs = Math.max(this.#longestMs, silenceMs);
    this.#loop.at(CLOSING_MS, () => this.#close(peer));
  }

  #close(peer: Peer): void {
    if (peer.state === "away") return;
    peer.state = "away";
    this.#watcher.closed(peer);
  }
}
