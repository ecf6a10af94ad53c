import type { Contract } from "../shared/contract.ts";
import type { LinearMemory, Region } from "../shared/layout.ts";
import type { Traits } from "../shared/traits.ts";
import type { WorkerIdentity } from "../shared/worker-identity.ts";

/**
 * A picker is a load-balancer's selection: called for every request, by any worker, it answers which of N backends
 * takes it. The source document asks two things of it: that it be thread-safe, and that it break up repeating
 * request patterns.
 *
 * Life: one thread formats `words` words once, before any other may touch them; then every worker attaches and calls
 * its own `Picker`. Backends are numbered 0 .. backends - 1. A **member** is a backend that is picked: to begin with all
 * are. A picker that has `members` lets them change while workers pick; for any other a change of members is a new
 * region (parts/simulation.ts shows what that costs). A worker that takes over the seat of one that ended
 * (shared/instance.ts) goes on with what is shared; it is a worker more to all that is promised for each.
 *
 * A **ticket** is the serial number of a pick in the order the structure handed picks out, from `firstTicket`. A
 * **rotation** is the order in which a round robin visits the backends. A **cycle** is a run of as many picks as there
 * are backends, from a multiple of that number on.
 */
export interface PickCompetitor extends Traits {
  readonly order: Order;
  /**
   * Whether heavy requests that come at a fixed period end up on all backends alike, whatever the period: the source
   * document's second constraint.
   */
  readonly breaksPatterns: boolean;
  /**
   * Largest difference between the picks of two backends of equal weight when all workers are at rest, after `picks`
   * picks of the whole crew from `setup.firstTicket` on; Infinity where only the law of large numbers bounds it.
   */
  gapBound(setup: PickSetup, picks: number, state: PickState): number;
  /**
   * `linearizable`: a pick that returned before another began has the lower ticket. `conserved`: every ticket is
   * handed out once, in no order that workers could agree on. `none`: there is no common sequence to speak of.
   */
  readonly tickets: "linearizable" | "conserved" | "none";
  /**
   * Tickets just before which this picker's arithmetic changes regime: tests start below each of them, and races
   * cross one while they warm up. 2^31 and 2^32 are always tried.
   */
  wrapPoints(backends: number): readonly number[];
  /**
   * For the order `rotation`: the ticket at which the rotation starts anew in mid-rotation because the counter wraps
   * there; absent where the order has no such seam.
   */
  seam?(backends: number): number;
  /**
   * Whether a pick reads memory that grows with the number of backends, or divides by it; others cost the same for 8 as
   * for 1000.
   */
  readonly dependsOnBackends: boolean;
  /**
   * For a picker that honours weights: how far the picks of a backend may be from its share, for each backend. Absent
   * where weights are ignored.
   */
  shareBound?(setup: PickSetup, picks: number): number;
  /** Why it cannot serve this setup, in a few words; undefined, or absent, where it can. */
  refuses?(setup: Pick<PickSetup, "backends" | "weights">): string | undefined;
  /** Set where picks cannot be repeated from a seed, so that no simulation can use it. */
  readonly unseeded?: true;
  /**
   * For a picker whose members may change while workers pick; it then has a `shareBound`, which between two changes holds
   * for the weights of the time. For any thread, of which several may have one.
   */
  members?(memory: Region, setup: PickSetup): Members;
  /** For a picker that probes backends, whose workers' pickers then have `probes`: what it claims of them. */
  readonly probes?: ProbeClaims;
  /**
   * For a picker that ejects backends whose requests fail: what it claims of that. While none is ejected, it keeps all
   * that it claims elsewhere.
   */
  readonly ejects?: EjectionClaims;
  /** Work that it leaves to a thread of its own. */
  readonly background?: {
    /** URL of the competitor's module, whose thread will import it again. */
    readonly url: string;
    attach(memory: Region, setup: PickSetup): Background;
  };

  /** Size in int32 words. */
  words(setup: PickSetup): number;
  format(memory: Region, setup: PickSetup): void;
  attach(memory: Region, setup: PickSetup, worker: WorkerIdentity): Picker;
  /** Reads back what the shared words say was done. Only while no worker is picking. */
  inspect(memory: Region, setup: PickSetup): PickState;
}

/**
 * What decides which backend comes next.
 *
 * `rotation`: ticket t gets rotation[t mod backends], a rotation that format fixed. `reshuffled`: the same of a
 * rotation that changes while workers pick. `cycles`: every cycle of tickets visits each backend once, in an order of
 * its own. `own-cycles`: so does every cycle of one worker's own picks. `random`: each pick is an independent uniform
 * draw. `load`: random, but the loads of backends have a say, enough of one to halve by how much the busiest is ahead
 * of the mean. `probed`: random, but what backends answered to probes has a say, enough of one that those which say
 * they are overloaded get less than half of their share. `weighted`: in proportion to weights. `none`: no picker at all
 * but a floor, which shows what a part of one costs and answers 0.
 */
export type Order =
  | "rotation"
  | "reshuffled"
  | "cycles"
  | "own-cycles"
  | "random"
  | "load"
  | "probed"
  | "weighted"
  | "none";

export interface PickSetup {
  /** 1 .. 2^20. */
  readonly backends: number;
  /**
   * Whole numbers from 1 to 65,535, one for each backend; absent where all weigh the same. For a picker with a shareBound
   * only.
   */
  readonly weights?: readonly number[];
  /** uint32; decides the shuffle and every random stream. */
  readonly seed: number;
  /** Ticket of the first pick, 0 .. 2^32 - 1; a way to start next to a wrap point. Pickers without tickets ignore it. */
  readonly firstTicket: number;
  /** 1 .. 2^16. */
  readonly workers: number;
  /** The Memory that the picker's words view, where it `needsLinear`. */
  readonly linear?: LinearMemory;
}

/** One worker's handle. Not to be passed to another thread. */
export interface Picker {
  /** The backend for the next request, 0 .. backends - 1. */
  pick(): number;
  /**
   * Says that a request that `pick` sent to `backend` is done: once for each pick, by any worker. `failed` is whether the
   * backend was unable to serve it; only a picker that `ejects` goes by that. Absent where nobody needs to know. Throws a
   * RangeError for what is no backend, and for one that has no request under way; one too many of a backend that has
   * others under way cannot be noticed.
   */
  release?(backend: number, failed?: boolean): void;
  /**
   * Counts a request that goes to `backend` by somebody else's choice, as if `pick` had answered it: to be released like
   * any other. For a picker that counts requests under way; absent where nothing is counted.
   */
  take?(backend: number): void;
  /** What this worker asks backends, and hears of them. Absent where a picker asks nothing. */
  readonly probes?: Probes;
  /** Picks `count` times and returns the sum, as an int32: for floors, whose point is that no call is made per pick. */
  pickMany?(count: number): number;
  /**
   * Totals since attach, by name, for the structures that have something to report. A picker that takes tickets before picking
   * says with `heldAt` and `heldCount` where in the rotation its remaining ones begin and how many they are.
   */
  counters?(): Readonly<Record<string, number>>;
}

/**
 * The probes of one worker: short questions to backends, sent beside the requests. A pick never waits for an answer. The picker's
 * caller sends the probes and reports the answers, whenever and in whatever order they come; a probe that is
 * not sent, or has no answer, holds up nothing.
 */
export interface Probes {
  /**
   * The backend that the next probe goes to, -1 where the last pick asks for no more. What a pick asked for is void at
   * the next pick.
   */
  next(): number;
  /**
   * Tells what a backend answered: how many requests it had in flight, and how long it expects one to take that comes now,
   * in any unit, the same for all. Throws a RangeError for what is no backend, no whole number or no time.
   */
  answer(backend: number, inFlight: number, latency: number): void;
  /**
   * Sets the time, in ms from any beginning. Answers are as old as it says, so call it once in each turn of an event
   * loop, say.
   */
  advance(nowMs: number): void;
  /** What the next pick will go by, oldest answer first. Copies: for laws and tests, not for every pick. */
  known(): ProbesKnown;
}

export interface ProbesKnown {
  readonly answers: readonly ProbeAnswer[];
  /** A backend is hot that has more requests in flight than this. */
  readonly hotAbove: number;
}

export interface ProbeAnswer {
  readonly backend: number;
  /** As answered, and one more for each pick of this worker that went by the answer. */
  readonly inFlight: number;
  readonly latency: number;
  /** The time when it was told. */
  readonly heardMs: number;
}

/** What a picker claims of its probes. */
export interface ProbeClaims {
  /** Probes that a pick asks for, each to another backend; as many as there are backends where those are fewer. */
  readonly perPick: number;
  /** Most answers that a worker keeps. */
  kept(backends: number): number;
  /** Most picks that go by one answer; Infinity where only its age bounds them. */
  uses(backends: number): number;
  /** Age in ms beyond which no pick goes by an answer. */
  readonly mostMs: number;
  /** A backend is hot that has more requests in flight than this share of the answers that a worker heard last. */
  readonly hotShare: number;
  /** How many answers those are. */
  readonly heardLast: number;
}

/**
 * What a picker claims of ejection, which all workers of an instance share. A backend is **ejected** when its failed
 * requests less its served ones, counted from 0 and never below, reach `failures`. No pick answers an ejected backend
 * while another is not ejected. After `forMs` one pick answers it, as a **trial**. The first outcome reported of it
 * from then on decides: the backend is back, with nothing held against it, or ejected for `forMs` more. If none is reported
 * for `forMs`, another trial follows. Where all are ejected, picks are as if none were.
 */
export interface EjectionClaims {
  /** 1 or more. */
  readonly failures: number;
  /** Milliseconds, 1 or more. */
  readonly forMs: number;
  /** The same picker by another clock, in ms from any beginning and the same for all threads: for laws and tests. */
  byClock(nowMs: () => number): PickCompetitor;
}

/**
 * Changes which backends are picked, and how often, while workers pick. No picker waits for a change, and a change waits
 * for nobody. Not to be passed to another thread.
 */
export interface Members {
  /** The weight of each backend; 0 for one that is no member. */
  weights(): number[];
  /**
   * Gives these backends these weights, whole numbers from 0 to 65,535, all at once; others keep theirs. From 0 to more
   * adds a backend; 0 drains it: no pick that begins after the return answers it. Picks that are under way may: see
   * `isSettled`. Throws a RangeError for a backend or a weight that there is not, where no member would be left, and for
   * weights that this picker cannot serve; an Error while another thread makes a change. Whatever it throws, nothing has
   * changed.
   */
  change(weights: Iterable<readonly [backend: number, weight: number]>): void;
  /**
   * Whether every worker that attached has begun a pick, or attached anew, since the last change returned, so that no
   * pick under way can answer by what was before. Only then may the number of a drained backend be given to another. A
   * worker that does not pick, or has ended and nobody attached in its place, keeps that from being known, and holds up
   * nothing else.
   */
  isSettled(): boolean;
}

/** The work of a thread beside the workers, which sleeps until a worker asks for it. */
export interface Background {
  /** Sleeps until a worker asks, or returns at once where one has. Blocks the thread. */
  sleep(): void;
  /** Does what was asked for, if anything was; returns whether. */
  step(): boolean;
}

export interface PickState {
  /** Tickets handed out since format according to the shared words; undefined where nothing is shared. */
  readonly handedOut?: {
    readonly count: number;
    /** `count` is known modulo this. */
    readonly modulo: number;
  };
  /** The rotation, for a round robin that has one. */
  readonly rotation?: readonly number[];
  /** Times that the rotation was changed since format, for a round robin whose rotation changes. */
  readonly reshuffles?: number;
  /** Requests picked and not released, by backend, where that is kept. */
  readonly inFlight?: readonly number[];
  /** Backends that are ejected or on trial, rising, for a picker that ejects. */
  readonly ejected?: readonly number[];
}

export const contract = {
  question: "Which backend takes the next request, when many workers ask at once?",
  oracle: "locked-round-robin",
  fields: {
    order: {
      rotation: true,
      reshuffled: true,
      cycles: true,
      "own-cycles": true,
      random: true,
      load: true,
      probed: true,
      weighted: true,
      none: true,
    },
    breaksPatterns: "boolean",
    gapBound: "function",
    tickets: { linearizable: true, conserved: true, none: true },
    wrapPoints: "function",
    dependsOnBackends: "boolean",
    words: "function",
    format: "function",
    attach: "function",
    inspect: "function",
  },
  optional: {
    seam: "function",
    shareBound: "function",
    refuses: "function",
    unseeded: "true",
    members: "function",
    probes: "object",
    ejects: "object",
    background: "object",
  },
  contradiction({ order, floor, shareBound, members, probes }) {
    if (order === "none" && floor === undefined)
      return 'order "none" is for floors: say in which order it picks, or floor: true';
    if (order === "weighted" && shareBound === undefined)
      return 'order "weighted" needs shareBound: how far the picks of a backend may be from its share';
    if (members !== undefined && shareBound === undefined)
      return "members needs shareBound: how far the picks of a backend may be from its share";
    if ((order === "probed") !== (probes !== undefined))
      return 'order "probed" and probes go together: say what is claimed of the probes, or in which order it picks without';
    return undefined;
  },
  footprint: (picker) => {
    const words = picker.words({ backends: 8, seed: 0, firstTicket: 0, workers: 8 });
    return `${words * Int32Array.BYTES_PER_ELEMENT} B shared, 8 backends`;
  },
} satisfies Contract<PickCompetitor>;
