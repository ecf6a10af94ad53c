import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: what does a timeout cost that is moved at every message and hardly ever fires? And what do setting,
 *   cancelling, expiring and an empty tick cost by themselves, from a thousand timers to a million?
 * Workload: `refresh` and `renew` are a server with N connections. Each has one 30 s timer and a message every 10 s
 *   that moves it, by refresh or by the source's cancel and add. Network delay mixes the order of messages. Some
 *   connections fall silent until their timer fires and they connect again. That is what WebSocket, MQTT and proxy
 *   servers do all day. Before anything is measured 40 s of virtual time pass, where timeouts are mixed 120 s. `set`,
 *   `cancel`, `expire` and `idle` do one of these to N timers due within a minute (`idle`: within days). What keeps the
 *   population constant is not timed. `mixed`: timeouts from 1 s to 10 min. `requests`: 99 of 100 timers are cancelled.
 *   `crew`: the connections, or the requests, of several workers whose timers are shared, or not. Surveys count bytes,
 *   and time ticks; `cpu` is processor time and not a rate. `steps` counts what an operation does, on a thousand timers
 *   to a million. `tick-lengths` and `polling` tick each 10 ms, 1 s and 10 s, in virtual and in real time. `tail` times
 *   single ticks that are due on a schedule, of one worker.
 * Not measured: bursts of silence; reading the real clock and callbacks, which review 0013 has. `crew` does not look
 *   whether reports are early or late: npm test does.
 * How to run: npm run bench -- timers --all
 */
export default {
  primitive: "timers",
  order: [
    "refresh",
    "renew",
    "set",
    "cancel",
    "expire",
    "idle",
    "mixed-100k",
    "requests-100k",
    "crew-own",
    "crew-requests",
    "crew-foreign",
    "cpu-100k",
    "steps",
    "tick-lengths-100k",
    "polling-100k",
    "steady",
    "expiry-1m",
    "one-tick-100k",
    "tail",
  ],
} satisfies SuiteModule;
