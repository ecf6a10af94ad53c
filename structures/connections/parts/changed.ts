import type { Loop, Watcher } from "../connections.contract.ts";

/** A watcher that does as another, but for what `change` puts in its place: for liars. */
export function changed(watcher: Watcher, change: (watcher: Watcher) => Partial<Watcher>): Watcher {
  const own: Watcher = {
    opened: (connection) => watcher.opened(connection),
    heard: (connection) => watcher.heard(connection),
    answered: (connection) => watcher.answered(connection),
    closed: (connection) => watcher.closed(connection),
    end: () => watcher.end(),
    get size() {
      return watcher.size;
    },
  };
  return Object.defineProperties(own, Object.getOwnPropertyDescriptors(change(watcher)));
}

/** The same of a loop. */
export function changedLoop(loop: Loop, change: Partial<Loop>): Loop {
  return {
    now: () => loop.now(),
    setTimeout: (callback, delayMs, argument) => loop.setTimeout(callback, delayMs, argument),
    clearTimeout: (timer) => loop.clearTimeout(timer),
    setInterval: (callback, everyMs) => loop.setInterval(callback, everyMs),
    setImmediate: (callback) => loop.setImmediate(callback),
    clearImmediate: (immediate) => loop.clearImmediate(immediate),
    ...change,
  };
}
