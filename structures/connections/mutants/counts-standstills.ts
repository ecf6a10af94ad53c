import fourAryHeap from "../../timers/competitors/four-ary-heap.ts";
import honest from "../competitors/four-ary-heap.ts";
import type { ConnectionsCompetitor } from "../connections.contract.ts";
import { onceCaughtUp } from "../parts/caught-up.ts";
import { changedLoop } from "../parts/changed.ts";
import { watchWithTimeouts } from "../parts/over-timeouts.ts";

/** Polls before it expires anybody, but does not notice that the loop stood still. */
export const breaks = "noneClosedUnread";

export default {
  ...honest,
  summary: "mutant: a clock that jumps closes all",
  watch: (setup) =>
    onceCaughtUp({ ...setup, loop: changedLoop(setup.loop, { now: () => 0 }) }, "messages", ({ expired }) =>
      watchWithTimeouts(fourAryHeap, { ...setup, expired }),
    ),
} satisfies ConnectionsCompetitor;
