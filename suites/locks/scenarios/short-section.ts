import { contended, MOST_THINKING_STEPS, SHORT_PASSES, SHORT_TITLE } from "../contending.ts";

/**
 * The plainest lock of each kind: locks that sleep, locks that spin and locks that do both. Also what the machine and
 * V8 offer.
 */
const CONTENDERS = [
  "futex-three-state",
  "robust-futex",
  "spin-100-then-park",
  "spin-1000-then-park",
  "mcs-spin-then-park",
  "test-and-set",
  "test-and-test-and-set",
  "ticket",
  "wasm-ticket",
  "wasm-futex-three-state",
  "v8-atomics-mutex",
];

export default {
  ...contended("short-section", SHORT_TITLE, {
    passes: SHORT_PASSES,
    mostThinkingSteps: MOST_THINKING_STEPS,
  }),
  contenders: CONTENDERS,
};
