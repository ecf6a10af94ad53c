import type { HolderWords } from "./holder-words.ts";

/**
 * What every competitor says of itself, whatever its primitive. A trait is a promise that a law, a test or a review can
 * verify. Leaving one out is a type error.
 */
export interface Traits {
  /** What it is, in one line, for the shelf. Ends without a full stop. */
  readonly summary: string;
  /** Where the idea comes from: paper, project or document. */
  readonly source: string;
  readonly progress: Progress;
  /** Name that records made before it was renamed have it under; no other competitor of the primitive has had it. */
  readonly formerly?: string;
  /**
   * Name of the competitor that this one varies in a detail: a constant, a layout, whose heap. A variant races where
   * it is asked for (--all, or a filter that names the scenario), so that a look at a primitive stays short.
   */
  readonly variantOf?: string;
  /**
   * Name of the competitor in JavaScript whose steps this one takes in WebAssembly. How far apart the two are is how far
   * JavaScript is from what the machine can do; the primitive's page says it.
   */
  readonly yardstickOf?: string;
  /**
   * Does too little to be useful, and races to show what remains when the work is taken away. Tables set it apart from
   * the competitors.
   */
  readonly lowerBound?: true;
  /** Set where its memory must view a WebAssembly.Memory, which each worker is given beside it as it attaches. */
  readonly needsLinear?: true;
  /**
   * The word of its memory on which workers sleep until another wakes one of them; absent where none does. One that is
   * terminated as it is woken takes the wake-up along: so freeing its seat wakes all (`freeSeat`).
   */
  readonly sleepWord?: number;
  /**
   * Its words that name the worker that holds them; absent where none do. Freeing the seat of a worker that was
   * terminated frees the words that it held (`freeSeat`).
   */
  readonly holderWords?: HolderWords;
  /**
   * Why this runtime cannot run it, in a few words; undefined, or absent, where it can. Whatever hands out a structure
   * refuses it with this reason.
   */
  unavailable?(): string | undefined;
}

/**
 * Progress guarantee of the operations, in the standard sense (Herlihy & Shavit, The Art of Multiprocessor
 * Programming, ch. 3): wait-free, every call ends in a bounded number of steps; lock-free, some call always does;
 * blocking, a thread that stops inside an operation can stop the others.
 */
export type Progress = "wait-free" | "lock-free" | "blocking";
