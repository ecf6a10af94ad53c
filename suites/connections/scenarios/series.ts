import fixedInterval from "../../../structures/heartbeats/competitors/fixed-interval.ts";
import jitter15 from "../../../structures/heartbeats/competitors/jitter-15.ts";
import leastLoaded from "../../../structures/heartbeats/competitors/least-loaded.ts";
import { messageSeries, type SeriesParams } from "../series.ts";

/** A machine that is busy elsewhere is waited for. */
const PATIENCE_MS = 20_000;
const TIMEOUT_MS = 120_000;

const FULL: SeriesParams = {
  plan: {
    connections: 20_000,
    servers: 2,
    clients: 2,
    timeoutMs: TIMEOUT_MS,
    patienceMs: PATIENCE_MS,
  },
  interval: 30,
  intervals: 4,
  secondMs: 1000,
};
const SMOKE: SeriesParams = {
  plan: { connections: 50, servers: 2, clients: 2, timeoutMs: TIMEOUT_MS, patienceMs: PATIENCE_MS },
  interval: 5,
  intervals: 3,
  secondMs: 50,
};

const title = (schedule: string) =>
  `20,000 WebSocket connections that beat each 30 s, all from the same second on, for 2 minutes: ${schedule}`;

export default [
  messageSeries(
    { scenario: "series-fixed", title: title("at a fixed interval") },
    { name: "fixed-interval", scheduler: fixedInterval, askedBy: "clients" },
    { full: FULL, smoke: SMOKE },
  ),
  messageSeries(
    { scenario: "series-jitter", title: title("with up to 15 s of jitter") },
    { name: "jitter-15", scheduler: jitter15, askedBy: "clients" },
    { full: FULL, smoke: SMOKE },
  ),
  messageSeries(
    { scenario: "series-slots", title: title("in the least loaded slot, which the server gives out") },
    { name: "least-loaded", scheduler: leastLoaded, askedBy: "servers" },
    { full: FULL, smoke: SMOKE },
  ),
];
