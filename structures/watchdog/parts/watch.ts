import { isTaken } from "../../shared/instance.ts";
import type { Region } from "../../shared/layout.ts";
import { BEAT, HANGS, HOLDER, HUNG_MS, LOOP_WORDS, THREAD } from "./words.ts";

/** What the watching thread says of a loop. */
export interface Silence {
  readonly loop: number;
  /** The thread's number, 0 for the main thread. */
  readonly threadId: number;
  /** For how long no beat came, in ms that the watching thread has lived through. Less than it was, by under two looks. */
  readonly silentMs: number;
}

export interface WatchSetup {
  readonly words: Region;
  readonly seats: Region;
  readonly loops: number;
  readonly hungMs: number;
  readonly everyMs: number;
  /** Any monotonic clock, in ms. */
  readonly nowMs: () => number;
  readonly onHung: (silence: Silence) => void;
  readonly onBack: (silence: Silence) => void;
}

/**
 * Looks at all loops again and again, and says once of each hang that it began and that it is over.
 *
 * Time is what the watching thread has lived through. Between two looks this is at most twice what is meant to be between
 * them. Where more has passed, the watching thread did not run either: the process was stopped, the machine slept, or had
 * no core to spare. Nobody is blamed for that time.
 *
 * A loop is silent since the look that first saw its last beat. That look's clock is read after the words: the beat is no
 * later. The clock of a look that blames is read before them. So a loop that is blamed was silent for `hungMs` at least.
 */
export class Watch {
  readonly #setup: WatchSetup;
  readonly #seen: Seen[];
  #livedMs = 0;
  #readMs: number;

  constructor(setup: WatchSetup) {
    this.#setup = setup;
    this.#readMs = setup.nowMs();
    this.#seen = Array.from({ length: setup.loops }, () => ({ ...NOTHING }));
  }

  look(): void {
    const beforeMs = this.#lived();
    const { words, seats, loops } = this.#setup;
    for (let loop = 0; loop < loops; loop++) {
      const seen = this.#seen[loop]!;
      const at = loop * LOOP_WORDS;
      const holder = Atomics.load(words, at + HOLDER);
      const beat = Atomics.load(words, at + BEAT);
      const isWatched = isTaken(holder) && Atomics.load(seats, loop) === holder;
      if (!isWatched || holder !== seen.holder || beat !== seen.beat) {
        this.#back(loop, seen, beforeMs);
        const atMs = this.#lived();
        this.#seen[loop] = { holder: isWatched ? holder : 0, beat, atMs, isHung: false };
      } else this.#silent(loop, seen, beforeMs);
    }
  }

  #silent(loop: number, seen: Seen, nowMs: number): void {
    const silence = this.#silenceOf(loop, seen, nowMs);
    if (silence.silentMs < this.#setup.hungMs) return;
    const { words } = this.#setup;
    Atomics.store(words, loop * LOOP_WORDS + HUNG_MS, Math.round(silence.silentMs));
    if (seen.isHung) return;
    seen.isHung = true;
    Atomics.add(words, loop * LOOP_WORDS + HANGS, 1);
    this.#setup.onHung(silence);
  }

  #back(loop: number, seen: Seen, nowMs: number): void {
    if (!seen.isHung) return;
    Atomics.store(this.#setup.words, loop * LOOP_WORDS + HUNG_MS, 0);
    this.#setup.onBack(this.#silenceOf(loop, seen, nowMs));
  }

  #silenceOf(loop: number, seen: Seen, nowMs: number): Silence {
    const threadId = Atomics.load(this.#setup.words, loop * LOOP_WORDS + THREAD);
    return { loop, threadId, silentMs: nowMs - seen.atMs };
  }

  #lived(): number {
    const nowMs = this.#setup.nowMs();
    this.#livedMs += Math.min(nowMs - this.#readMs, 2 * this.#setup.everyMs);
    this.#readMs = nowMs;
    return this.#livedMs;
  }
}

/** What the latest looks have seen of a loop. */
interface Seen {
  /** 0 where nobody held the seat. */
  readonly holder: number;
  readonly beat: number;
  /** When it was seen first, in ms lived through. */
  readonly atMs: number;
  isHung: boolean;
}

const NOTHING: Seen = { holder: 0, beat: 0, atMs: 0, isHung: false };
