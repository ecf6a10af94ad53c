import type { FleetParams } from "../watched-fleet.ts";
import { watchedFleet } from "../watched-fleet.ts";

/** The source document's promise, and a beat in a third of it. */
const TIMEOUT_MS = 30_000;
const BEAT_MS = 10_000;
/** A machine that is busy elsewhere is waited for, in real ms. */
const PATIENCE_MS = 20_000;

const SMOKE: FleetParams = {
  plan: {
    connections: 50,
    servers: 2,
    clients: 2,
    timeoutMs: TIMEOUT_MS,
    patienceMs: PATIENCE_MS,
  },
  beatMs: BEAT_MS,
  speed: 50,
  steadyTimeouts: 1,
  deadShare: 0.2,
  stormShare: 0.5,
  pairs: { count: 2, speed: 100 },
};

const SMALL: FleetParams = {
  plan: {
    connections: 2_000,
    servers: 1,
    clients: 1,
    timeoutMs: TIMEOUT_MS,
    patienceMs: PATIENCE_MS,
  },
  beatMs: BEAT_MS,
  speed: 10,
  steadyTimeouts: 2,
  deadShare: 0.1,
  stormShare: 0.5,
  pairs: { count: 6, speed: 50 },
};

const LARGE: FleetParams = {
  plan: {
    connections: 20_000,
    servers: 2,
    clients: 2,
    timeoutMs: TIMEOUT_MS,
    patienceMs: PATIENCE_MS,
  },
  beatMs: BEAT_MS,
  speed: 1,
  steadyTimeouts: 3,
  deadShare: 0.1,
  stormShare: 0.5,
  pairs: { count: 6, speed: 5 },
};

export default [
  watchedFleet(
    {
      scenario: "fleet-2k",
      title:
        "2,000 WebSocket connections, everything ten times as fast: a beat each 10 s, a timeout of 30 s, one in ten falls silent, half reconnect at once; CPU in turns with nobody, fifty times as fast, 10,000 beats a second",
      headline: true,
    },
    { full: SMALL, smoke: SMOKE },
  ),
  watchedFleet(
    {
      scenario: "fleet-20k",
      title:
        "20,000 WebSocket connections on two server processes: a beat each 10 s, a timeout of 30 s, one in ten falls silent, half reconnect at once; CPU in turns with nobody, five times as fast, so that each second has the beats and timeouts of 100,000",
      headline: false,
    },
    { full: LARGE, smoke: SMOKE },
  ),
];
