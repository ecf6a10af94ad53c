import honest from "../competitors/hashed-wheel.ts";
import type { ConnectionsCompetitor } from "../connections.contract.ts";
import { changed, changedLoop } from "../parts/changed.ts";

/** Ends without its timers, which keep the process alive until they fire. */
export const breaks = "endsWhole";

export default {
  ...honest,
  summary: "mutant: its end leaves its timers pending",
  watch(setup) {
    let isEnded = false;
    const loop = changedLoop(setup.loop, {
      clearTimeout(timer) {
        if (!isEnded) setup.loop.clearTimeout(timer);
      },
    });
    return changed(honest.watch({ ...setup, loop }), (watcher) => ({
      end() {
        isEnded = true;
        watcher.end();
      },
    }));
  },
} satisfies ConnectionsCompetitor;
