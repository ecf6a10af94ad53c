import type { Access, Value } from "../memory/access.ts";

/**
 * A few threads and the memory that they share. `Shared` is a SharedArrayBuffer, a typed array over one, or a plain
 * object or array of such. The threads get stand-ins for it of the same shape.
 */
export interface Program<Shared> {
  /** Formatted. Stays as it is. */
  readonly memory: Shared;
  readonly threads: readonly (readonly Part<Shared>[])[];
  /** A thread that may stop for ever before any of its accesses, and while it sleeps; or several such. */
  readonly mortal?: number | readonly number[];
  /** What is done, sooner or later, once a mortal thread has stopped. Its notes follow those of the thread. */
  readonly obituary?: Part<Shared>;
}

/**
 * A stretch of a thread. Must do the same when it is given the same answers. It may return a promise where threads are
 * awaited, as by exploreAsync; it is over when the promise is settled.
 */
export type Part<Shared> = (memory: Shared, self: Self) => void;

export interface Self {
  /** Keeps results, int32 each: they are part of the state. What follows is another step, so that others see the thread here. */
  readonly note: (...results: number[]) => void;
  /** What this part's accesses have returned; polls that were given up count once. */
  readonly answers: readonly Value[];
  /** Its number. */
  readonly thread: number;
}

/** A state as a caller may look at it, until its function returns. */
export interface Glimpse<Shared> {
  /** Real memory with the contents of this state, written anew for each glimpse: what a caller changes in it is gone then. */
  readonly memory: Shared;
  readonly threads: readonly {
    readonly notes: readonly number[];
    /** Whether it has not begun, is done, or has made no access since its last note. */
    readonly rests: boolean;
    readonly done: boolean;
    /** Whether it sleeps until another thread wakes it. */
    readonly isAsleep: boolean;
  }[];
}

export interface Watcher<Shared> {
  /** Called for each state that can be reached; for some more than once. What it throws ends the exploration. */
  state?(state: Glimpse<Shared>): void;
  /** The same for the states in which every thread is done, after `state`. */
  end?(state: Glimpse<Shared>): void;
  /**
   * Called before these where a thread has thrown. If it returns, the thread has stopped there, and the exploration goes
   * on. Without it, what the thread threw is the failure.
   */
  thrown?(error: unknown, thread: number): void;
}

/** How to explore. Without any of these: every schedule, in the order that needs least memory. */
export interface Bounds {
  /**
   * How often at most a thread is left that could go on (Musuvathi & Qadeer, CHESS, 2007); any number if absent. What an
   * exploration so bounded says of doomed states means nothing: leaving a thread that spins counts as well.
   */
  readonly preemptions?: number;
  /** Plain accesses as weak as ECMAScript allows; see weak.ts. */
  readonly weak?: boolean;
  /** States that are nearest to the beginning come first. A schedule that is reported is then as short as any. */
  readonly shortestFirst?: boolean;
  /**
   * Schedules at random instead of all, from this seed. With `depth` they are drawn by priorities; see draws.ts and
   * `missed`.
   */
  readonly random?: { readonly schedules: number; readonly seed: number; readonly depth?: number };
  /** Ends after this time with what was covered by then. */
  readonly timeLimitMs?: number;
  /** Ends with this number of states; 3,000,000 if absent. */
  readonly maxStates?: number;
  /** Called about once a second. */
  readonly progress?: (sofar: Exploration) => void;
}

export interface Exploration {
  readonly states: number;
  readonly ends: number;
  /**
   * States from which no schedule lets every thread finish: deadlocks, and all that leads nowhere else. 0 where not all
   * schedules were visited.
   */
  readonly doomed: number;
  /** States in which no thread can go on, and not all are done. */
  readonly deadlocks: number;
  /** Steps of the longest way from the beginning that was followed; with `shortestFirst` of the farthest state. */
  readonly depth: number;
  /** What ended it before all schedules were visited. `turns`: a thread counts how often it goes round a loop. */
  readonly cut?: "preemptions" | "random" | "time" | "states" | "turns" | "replay";
  /**
   * Of schedules at random with `depth`: the probability, at most, that they miss a fault which depends on the order of so
   * many pairs of steps, if no schedule has more steps than `depth` of this exploration. Absent where threads may choose.
   */
  readonly missed?: number;
  /** In words, what threads do that was not followed to its end; absent if nothing. */
  readonly unfollowed?: readonly string[];
}

/** What a thread does in one step of a schedule that is shown: at most one access, and the notes that follow it. */
export interface TracedStep {
  readonly thread: number;
  /**
   * `stops`: it dies here. `times out`: its wait ends. `resumes`: a promise of Atomics.waitAsync that was notified is
   * resolved. `store arrives`: an earlier plain store becomes visible.
   */
  readonly event: "runs" | "stops" | "times out" | "resumes" | "store arrives";
  readonly access?: TracedAccess;
  /** Which of several such steps of the thread, from 0 on; 0 if absent. */
  readonly nth?: number;
  /** All notes of the thread after this step. */
  readonly notes: readonly number[];
}

export interface TracedAccess extends Access {
  /** What stood in its lane before and after. */
  readonly before: Value;
  readonly after: Value;
  /** What the access returned; undefined where the thread fell asleep. */
  readonly answer: Value | undefined;
  /** How often it was made in a row, each time with this answer: polls that were given up. */
  readonly times: number;
}

/** What a search came to. */
export interface Found {
  readonly exploration: Exploration;
  /** The first failure, if there was one; the search ended there. */
  readonly failure?: Failure;
}

export interface Failure {
  /** A watcher or a thread threw `error`; or no thread can go on; or threads go on for ever and cannot finish. */
  readonly kind: "thrown" | "deadlock" | "livelock";
  readonly error?: unknown;
  /** The thread that threw. */
  readonly thread?: number;
  /** The schedule that leads there, from the beginning. */
  readonly steps: readonly TracedStep[];
  /** The same schedule for `replay`. */
  readonly schedule: string;
}

/** What is wrong with a program or with how it is to be explored: no failure of its own, and without a schedule. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
}
