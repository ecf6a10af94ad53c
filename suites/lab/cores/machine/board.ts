/**
 * All that a simulation knows, in memory that its threads share. Only the thread that has the token reads or writes it,
 * plainly: the token is handed over by an atomic store that the next thread waits for.
 */
export interface Board {
  /** By worker. Its own time, in ns. */
  readonly time: Float64Array;
  /** When what it does next takes effect; Infinity while it does nothing before another worker has acted. */
  readonly key: Float64Array;
  /** The soonest moment at which it can take a line from another core. */
  readonly reach: Float64Array;
  /** When it got its core. */
  readonly since: Float64Array;
  /** When it may run, for a worker that waits for a core; and its place among these. */
  readonly turnToRun: Float64Array;
  /** When its request for a line takes effect if no other comes before, and the worker that waits for that line after it. */
  readonly requested: Float64Array;
  readonly next: Int32Array;
  /** The core it runs on; NONE where it has none. And the one it ran on last. */
  readonly core: Int32Array;
  readonly home: Int32Array;
  /** The line that it polls; NONE where it polls none. When its last poll took effect, and in what time one follows another. */
  readonly polled: Int32Array;
  readonly polledAt: Float64Array;
  readonly pollNs: Float64Array;
  /** Further polls that are answered already. */
  readonly credit: Int32Array;
  /** The word on which it sleeps, and its place among sleepers; NONE where it is awake. */
  readonly sleepsOn: Int32Array;
  readonly sleepOrder: Float64Array;
  /** 1 where it is in the kernel, without a core. */
  readonly isAsleep: Int32Array;
  /** 1 for the worker that has the token. Handed over atomically; each waits on its own. */
  readonly token: Int32Array;

  /** By line. The core that has it alone; NONE. */
  readonly owner: Int16Array;
  /** When the next request for it can take effect. */
  readonly freeAt: Float64Array;
  /** The first worker that waits for it; NONE. */
  readonly first: Int16Array;
  /** `sharerWords` words of bits, a core each: those that have a copy. */
  readonly sharers: Int32Array;
  readonly sharerWords: number;

  /** By core: 1 where a worker has it. */
  readonly busy: Int32Array;
  readonly totals: Int32Array;
  readonly moments: Float64Array;
}

/** In `totals`. */
export const COMPLETED = 0;
/** 1 once nobody can go on. */
export const ABANDONED = 1;
export const CHANCE = 2;
/** In `moments`: when the window opened and closed; Infinity before. And a number that grows with each wait. */
export const OPENED = 0;
export const CLOSED = 1;
export const ORDER = 2;

export function makeBoard(workers: number, lines: number, cores: number): Board {
  const make = <T>(
    of: { new (buffer: SharedArrayBuffer): T; BYTES_PER_ELEMENT: number },
    length: number,
  ): T => new of(new SharedArrayBuffer(length * of.BYTES_PER_ELEMENT));
  const doubles = (length: number, value = 0) => make(Float64Array, length).fill(value);
  const words = (length: number, value = 0) => make(Int32Array, length).fill(value);
  const sharerWords = Math.ceil(cores / 32);
  return {
    time: doubles(workers),
    key: doubles(workers, Number.POSITIVE_INFINITY),
    reach: doubles(workers, Number.POSITIVE_INFINITY),
    since: doubles(workers),
    turnToRun: doubles(workers),
    requested: doubles(workers),
    next: words(workers, -1),
    core: words(workers, -1),
    home: words(workers, -1),
    polled: words(workers, -1),
    polledAt: doubles(workers),
    pollNs: doubles(workers),
    credit: words(workers),
    sleepsOn: words(workers, -1),
    sleepOrder: doubles(workers),
    isAsleep: words(workers),
    token: words(workers),
    owner: make(Int16Array, lines).fill(-1),
    freeAt: doubles(lines),
    first: make(Int16Array, lines).fill(-1),
    sharers: words(lines * sharerWords),
    sharerWords,
    busy: words(cores),
    totals: words(3),
    moments: doubles(3, Number.POSITIVE_INFINITY),
  };
}
