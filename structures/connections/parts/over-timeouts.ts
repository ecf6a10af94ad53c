import { Timeouts } from "../../timers/parts/callbacks.ts";
import type { TimersCompetitor } from "../../timers/timers.contract.ts";
import type { Connection, WatchSetup } from "../connections.contract.ts";
import type { Mechanism } from "./caught-up.ts";

/** A timeout for each connection, on one set of timers with one native timer: moved by every message. */
export function watchWithTimeouts(
  timers: TimersCompetitor,
  { capacity, timeoutMs, loop, expired }: WatchSetup,
): Mechanism {
  const timeouts = timeoutsOn(timers, capacity, loop);
  const handles = new Float64Array(capacity);
  return {
    opened(connection) {
      handles[connection.place] = timeouts.set<Connection>(expired, timeoutMs, connection);
    },
    renewed(connection) {
      timeouts.refresh(handles[connection.place]!);
    },
    closed(connection) {
      timeouts.clear(handles[connection.place]!);
    },
    end() {
      timeouts.close();
    },
    get size() {
      return timeouts.size;
    },
  };
}

export function timeoutsOn(timers: TimersCompetitor, capacity: number, loop: WatchSetup["loop"]): Timeouts {
  return new Timeouts(timers, capacity, { clock: () => loop.now(), native: loop });
}
