import type { Say } from "./protocol.ts";

const PROGRESS_EVERY_MS = 1_000;

/** Reports to the parent how far the fork is, seldom enough that hearing it does not disturb a measurement. */
export function progressReporter(steps: number, say: Say) {
  let done = 0;
  let saidMs = performance.now();
  const at = (share: number) => {
    if (performance.now() - saidMs < PROGRESS_EVERY_MS) return;
    saidMs = performance.now();
    say({ kind: "progress", share });
  };
  return { at, step: () => at(++done / steps) };
}
