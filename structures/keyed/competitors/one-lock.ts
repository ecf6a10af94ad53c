import robustFutex from "../../locks/competitors/robust-futex.ts";
import type { KeyedCompetitor } from "../keyed.contract.ts";
import { striped } from "../parts/striped.ts";

const { words, format, workerExited, attach, ...traits } = striped(robustFutex);

/**
 * One robust mutex for all keys.
 *
 * Promise: that of striped-robust-futex, and more: of all bodies one runs at a time, whichever their keys.
 * Progress: blocking. Not fair between workers.
 * Threads: those of striped-robust-futex.
 * Cost: that of striped-robust-futex without the division; every two keys contend.
 * Memory: 128 bytes.
 * Limits: a slow body delays everybody.
 * Bet: none; it shows what the table of stripes is worth.
 * Source: the textbook.
 */
export default {
  summary: "one robust mutex for all keys",
  source: "pthread_mutexattr_setrobust(3)",
  progress: "blocking",
  order: "own",
  ...traits,
  words: (setup) => words({ ...setup, stripes: 1 }),
  format: (memory, setup) => format(memory, { ...setup, stripes: 1 }),
  workerExited: (memory, setup, index) => workerExited(memory, { ...setup, stripes: 1 }, index),
  attach: (memory, setup, worker) => attach(memory, { ...setup, stripes: 1 }, worker),
} satisfies KeyedCompetitor;
