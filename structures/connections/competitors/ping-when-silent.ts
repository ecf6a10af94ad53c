import type { ConnectionsCompetitor } from "../connections.contract.ts";
import { ASKS_AT_HALF, askFirst } from "../parts/asking.ts";
import { assertSetup } from "../parts/caught-up.ts";

/**
 * Pings a connection that has been silent for half its timeout, and closes it if it stays silent for the other half.
 *
 * Promise: never early; up to two seconds late. No client that answers a ping within half the timeout is closed.
 * Progress: wait-free for one thread.
 * Threads: one; each server process has a watcher of its own.
 * Cost: a message reads the clock and stores it. Each second a scan looks at every place that was used. Only clients that
 *   are silent for half the timeout are pinged.
 * Memory: 34 bytes for each place that was used.
 * Limits: a client must answer a ping within half the timeout.
 * Bet: where clients beat it costs what a sweep does and sends no ping. Where they do not, it sends two pings in a timeout
 *   where ping-pong sends one, but not all at once, and closes the dead up to a timeout sooner.
 * Source: RFC 6455, 5.5.2; after ssh's ServerAliveInterval, which asks only a server that is silent.
 */
export default {
  summary: "ping who is silent for half the timeout, close who stays silent for the other half",
  source: "RFC 6455, 5.5.2; ssh_config(5), ServerAliveInterval",
  ...ASKS_AT_HALF,
  watch(setup) {
    assertSetup(setup);
    return askFirst({ ...setup, pingAfterMs: setup.timeoutMs / 2, stallMs: setup.timeoutMs });
  },
} satisfies ConnectionsCompetitor;
