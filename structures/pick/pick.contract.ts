import type { Contract } from "../shared/contract.ts";
import type { Kind } from "../shared/instance.ts";
import type { LinearMemory, Region } from "../shared/layout.ts";
import type { Traits } from "../shared/traits.ts";
import type { WorkerIdentity } from "../shared/worker-identity.ts";

/**
 * A picker selects a backend for a load balancer: any worker calls it for every request, and it answers which of N
 * backends takes it. The source document requires two things of it: that it is thread-safe, and that it breaks up
 * repeating request patterns.
 *
 * Life: one thread formats `words` words once, before any other thread touches them. Then every worker attaches and
 * calls its own `Picker`. Backends are numbered 0 .. backends - 1. A **member** is a backend that is picked: at first
 * all are. A picker that has `members` lets them change while workers pick. Any other needs a new region for a change
 * of members; parts/simulation.ts shows what that costs. A worker that takes over the seat of one that ended
 * (shared/instance.ts) continues with the shared state. It counts as one more worker in every promise that is made
 * for each.
 *
 * A **ticket** is the serial number of a pick in the order the structure handed picks out, from `firstTicket`. A
 * **rotation** is the order in which a round robin visits the backends. A **cycle** is a run of as many picks as there
 * are backends, from a multiple of that number on.
 */
export interface PickCompetitor extends Traits {
  readonly order: Order;
  /**
   * Whether heavy requests that come at a fixed period reach all backends equally, whatever the period. This is the
   * source document's second constraint.
   */
  readonly breaksPatterns: boolean;
  /**
   * Largest difference between the picks of two backends of equal weight when all workers are at rest. It holds after
   * `picks` picks of the whole crew from `setup.firstTicket` on. Infinity where only the law of large numbers bounds
   * it.
   */
  gapBound(setup: PickSetup, picks: number, state: PickState): number;
  /**
   * `linearizable`: a pick that returned before another began has the lower ticket. `conserved`: every ticket is
   * handed out once, in an order that workers cannot agree on. `none`: there is no common sequence.
   */
  readonly tickets: "linearizable" | "conserved" | "none";
  /**
   * Tickets just before which this picker's arithmetic changes regime: tests start below each of them, and races
   * cross one while they warm up. 2^31 and 2^32 are always tried.
   */
  wrapPoints(backends: number): readonly number[];
  /**
   * For the order `rotation`: the ticket at which the counter wraps and the rotation restarts in the middle. Absent
   * where the order has no such seam.
   */
  seam?(backends: number): number;
  /**
   * Whether a pick reads memory that grows with the number of backends, or divides by it. Others cost the same for 8
   * backends as for 1000.
   */
  readonly dependsOnBackends: boolean;
  /**
   * For a picker that honours weights: how far the picks of a backend may be from its share, for each backend. Absent
   * where weights are ignored.
   */
  shareBound?(setup: PickSetup, picks: number): number;
  /** Why it cannot serve this setup, in a few words. Undefined, or absent, where it can. */
  refuses?(setup: Pick<PickSetup, "backends" | "weights">): string | undefined;
  /** Set where picks cannot be repeated from a seed, so that no simulation can use it. */
  readonly unseeded?: true;
  /**
   * For a picker whose members may change while workers pick. It then has a `shareBound`, which between two changes
   * holds for the weights at that time. For any thread. Several threads may each have one.
   */
  members?(memory: Region, setup: PickSetup): Members;
  /** For a picker that probes backends, whose workers' pickers then have `probes`: its claims about them. */
  readonly probes?: ProbeClaims;
  /** For a picker that goes by how long requests take, whose pickers then have `latencies`: its claims about them. */
  readonly latencies?: LatencyClaims;
  /**
   * For a picker that ejects backends whose requests fail: its claims about that. While no backend is ejected, all
   * its other claims hold.
   */
  readonly ejects?: EjectionClaims;
  /** Work that it leaves to a separate thread. */
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
 * How the next backend is chosen.
 *
 * `rotation`: ticket t gets rotation[t mod backends], with a rotation that format fixed. `reshuffled`: the same with
 * a rotation that changes while workers pick. `cycles`: every cycle of tickets visits each backend once, in an order
 * of its own. `own-cycles`: the same for every cycle of one worker's own picks. `random`: each pick is an independent
 * uniform draw. `load`: random, but weighted by the loads of the backends, enough to halve the lead of the busiest
 * over the mean. `probed`: random, but weighted by what backends answered to probes. Backends that report overload
 * get less than half of their share. `weighted`: in proportion to weights. `none`: not a picker but a lower bound, which
 * shows what a part of one costs and answers 0.
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
  /**
   * Ticket of the first pick, 0 .. 2^32 - 1. Lets a test start next to a wrap point. Pickers without tickets ignore
   * it.
   */
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
   * Reports that a request which `pick` sent to `backend` has ended. Any worker may call it, once for each pick.
   * `failed` is whether the backend was unable to serve it; null where its caller gave it up, which says nothing about
   * the backend. Only a picker that `ejects` uses it. Absent where the
   * picker does not need it. Throws a RangeError for a number that is no backend, and for a backend that has no
   * request in flight. A surplus call for a backend with other requests in flight cannot be detected.
   */
  release?(backend: number, failed?: boolean | null): void;
  /**
   * Counts a request that the caller sends to `backend` by its own choice, as if `pick` had answered it. It has to be
   * released like any other. For a picker that counts requests in flight; absent elsewhere.
   */
  take?(backend: number): void;
  /** The probes that this worker sends to backends, and their answers. Absent where a picker sends none. */
  readonly probes?: Probes;
  /** How long requests took. Absent where a picker does not go by that. */
  readonly latencies?: Latencies;
  /** Picks `count` times and returns the sum, as an int32: for lower bounds, which make no call per pick. */
  pickMany?(count: number): number;
  /**
   * Totals since attach, by name, for the structures that report any. A picker that takes tickets before it picks
   * reports its remaining ones: `heldAt` is where in the rotation they begin, `heldCount` how many they are.
   */
  counters?(): Readonly<Record<string, number>>;
}

/**
 * The probes of one worker: short questions to backends, sent beside the requests. A pick never waits for an answer.
 * The picker's caller sends the probes and reports the answers, at any time and in any order. A probe that is not
 * sent, or gets no answer, delays nothing.
 */
export interface Probes {
  /**
   * The backend that the next probe goes to; -1 where the last pick asks for no more. The next pick cancels what a
   * pick asked for.
   */
  next(): number;
  /**
   * Reports a backend's answer: how many requests it had in flight, and how long it expects a new one to take. The
   * time may be in any unit that is the same for all. Throws a RangeError for a number that is no backend, a count
   * that is no whole number, or an invalid time.
   */
  answer(backend: number, inFlight: number, latency: number): void;
  /**
   * Sets the time, in ms from any beginning. It decides the age of answers, so call it once in each turn of an event
   * loop, for example.
   */
  advance(nowMs: number): void;
  /** The answers that the next pick will use, oldest first. Returns copies: for laws and tests, not for every pick. */
  known(): ProbesKnown;
}

export interface ProbesKnown {
  readonly answers: readonly ProbeAnswer[];
  /** A backend with more requests in flight than this is hot. */
  readonly hotAbove: number;
}

export interface ProbeAnswer {
  readonly backend: number;
  /** As answered, plus one for each pick of this worker that used the answer. */
  readonly inFlight: number;
  readonly latency: number;
  /** The time at which it was reported. */
  readonly heardMs: number;
}

/** What a picker claims about its probes. */
export interface ProbeClaims {
  /** Probes that a pick asks for, each to a different backend; all backends where there are fewer. */
  readonly perPick: number;
  /** Most answers that a worker keeps. */
  kept(backends: number): number;
  /** Most picks that use one answer; Infinity where only its age bounds them. */
  uses(backends: number): number;
  /** Age in ms beyond which no pick uses an answer. */
  readonly mostMs: number;
  /** A backend is hot that has more requests in flight than this quantile of the last answers that a worker heard. */
  readonly hotShare: number;
  /** How many answers those are. */
  readonly heardLast: number;
}

/**
 * How long the requests to each backend took, which all workers of an instance share. Where nothing is reported, picks go
 * by the requests in flight alone.
 */
export interface Latencies {
  /**
   * Reports that a request to `backend` took `ms`, before its release. Any worker may. Throws a RangeError for a number
   * that is no backend, and for a time that is not from 0 to 2^31.
   */
  report(backend: number, ms: number): void;
  /** The estimate of `backend` in ms: see LatencyClaims. 0 before its first report. */
  estimate(backend: number): number;
}

/**
 * What a picker claims about latencies. The **estimate** of a backend is the greatest of its reported latencies, each
 * reduced by its age: to 1/e of it after `decayMs`. So a peak is taken over at once and forgotten slowly. The **cost** is
 * the estimate times one more than the requests in flight. Before its first report, a backend costs nothing while it
 * has no request in flight, and more than all others while it has. Of the backends that a pick looks at, none costs less
 * than the one that it answers.
 */
export interface LatencyClaims {
  /** Milliseconds. */
  readonly decayMs: number;
  /** By what share an estimate may be off. */
  readonly error: number;
  /** The same picker by another clock, in ms from any origin and the same for all threads: for laws and simulations. */
  byClock(nowMs: () => number): PickCompetitor;
}

/**
 * What a picker claims about ejection, which all workers of an instance share. A backend is **ejected** when its
 * failed requests less its served ones, counted from 0 and never below, reach `failures`. No pick answers an ejected
 * backend while another is not ejected. After `forMs` one pick answers it, as a **trial**. The first outcome reported
 * after that decides. Either the backend is back with its count at 0, or it is ejected for `forMs` more. If none is
 * reported for `forMs`, another trial follows; at once where the trial was given up. Where all are ejected, picks are as
 * if none were, and a backend that serves a request is back.
 */
export interface EjectionClaims {
  /** 1 or more. */
  readonly failures: number;
  /** Milliseconds, 1 or more. */
  readonly forMs: number;
  /** The same picker by another clock, in ms from any origin and the same for all threads: for laws and tests. */
  byClock(nowMs: () => number): PickCompetitor;
}

/**
 * Changes which backends are picked, and how often, while workers pick. Neither pickers nor changes wait for each
 * other. Not to be passed to another thread.
 */
export interface Members {
  /** The weight of each backend; 0 for one that is not a member. */
  weights(): number[];
  /**
   * Gives these backends these weights, whole numbers from 0 to 65,535, all at once. Others keep theirs. A change
   * from 0 to more adds a backend. A weight of 0 drains it: no pick that begins after the return answers it. Picks in
   * progress may still answer it: see `isSettled`. Throws a RangeError for an unknown backend or an invalid weight,
   * where no member would be left, and for weights that this picker cannot serve. Throws an Error while another
   * thread makes a change. Nothing has changed when it throws.
   */
  change(weights: Iterable<readonly [backend: number, weight: number]>): void;
  /**
   * Whether every worker that attached has begun a pick, or attached anew, since the last change returned. If so, no
   * pick in progress can answer by the state before. Only then may another backend get the number of a drained one. A
   * worker that does not pick, or ended and was not replaced, keeps this false. It delays nothing else.
   */
  isSettled(): boolean;
}

/** The work of a separate thread, which sleeps until a worker asks for it. */
export interface Background {
  /** Sleeps until a worker asks; returns at once if one has. Blocks the thread. */
  sleep(): void;
  /** Does the work that was asked for, and returns whether there was any. */
  step(): boolean;
}

export interface PickState {
  /** Tickets handed out since format according to the shared words; undefined where no count is shared. */
  readonly handedOut?: {
    readonly count: number;
    /** `count` is known modulo this. */
    readonly modulo: number;
  };
  /** The rotation, for a round robin that has one. */
  readonly rotation?: readonly number[];
  /** Times that the rotation was changed since format, for a round robin whose rotation changes. */
  readonly reshuffles?: number;
  /** Requests picked and not released, by backend, where the picker counts them. */
  readonly inFlight?: readonly number[];
  /** Backends that are ejected or on trial, in rising order, for a picker that ejects. */
  readonly ejected?: readonly number[];
}

/** What a door that takes a picker is given. */
export const PICKER: Kind = {
  what: "picker",
  module: "hotpath-lab/pick/two-choices",
  mark: "breaksPatterns",
};

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
    latencies: "object",
    ejects: "object",
    background: "object",
  },
  contradiction({ order, lowerBound, shareBound, members, probes }) {
    if (order === "none" && lowerBound === undefined)
      return 'order "none" is for lower bounds: say in which order it picks, or lowerBound: true';
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
