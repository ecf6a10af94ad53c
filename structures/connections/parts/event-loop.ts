import type { Loop } from "../connections.contract.ts";

/**
 * The runtime's own clock and timers, at `speed` times their pace. At 10, a delay of 30,000 ms takes three seconds, and
 * the clock counts them as 30,000. A tick of the runtime's timers, a millisecond, is then `speed` ms of this clock.
 */
export function eventLoop(speed = 1): Loop {
  const real = (ms: number) => Math.ceil(ms / speed);
  return {
    now: speed === 1 ? () => performance.now() : () => performance.now() * speed,
    setTimeout: (callback, delayMs, argument?) =>
      setTimeout(callback as (argument: unknown) => void, real(delayMs), argument),
    clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
    setInterval: (callback, everyMs) => setInterval(callback, real(everyMs)),
    setImmediate: (callback) => setImmediate(callback),
    clearImmediate: (immediate) => clearImmediate(immediate as NodeJS.Immediate),
  };
}
