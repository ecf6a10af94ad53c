import type { Connection, WatchSetup } from "../connections.contract.ts";
import type { Mechanism } from "./caught-up.ts";
import type { TimerWheel } from "./timer-wheel.ts";

/** Slots of the source document's wheel, and the time from one to the next. */
export const SLOTS = 60;
export const TICK_MS = 1000;

/**
 * The source document's server: a task for each connection, `delay` ticks ahead, which every message removes and adds
 * anew, closure and all.
 */
export function watchWithWheel(
  wheel: TimerWheel,
  delay: number,
  { capacity, loop, expired }: WatchSetup,
): Mechanism {
  const tasks = new Float64Array(capacity);
  const ticking = loop.setInterval(() => wheel.tick(), TICK_MS);
  const add = (connection: Connection) => {
    tasks[connection.place] = wheel.addTask(delay, () => expired(connection));
  };
  return {
    opened: add,
    renewed(connection) {
      wheel.removeTask(tasks[connection.place]!);
      add(connection);
    },
    closed(connection) {
      wheel.removeTask(tasks[connection.place]!);
    },
    end() {
      loop.clearTimeout(ticking);
    },
    get size() {
      return wheel.size;
    },
  };
}
