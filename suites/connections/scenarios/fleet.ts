import type { FleetParams } from "../watched-fleet.ts";
import { watchedFleet } from "../watched-fleet.ts";

/** The source document's promise, and a beat in a third of it. */
const TIMEOUT_MS = 30_000;
const BEAT_MS = 10_000;
/** A machine that is busy elsewhere is waited for, in real ms. */
const PATIENCE_MS = 20_000;

const ALL = {
  beatMs: BEAT_MS,
  deadShare: 0.1,
  stormShare: 0.5,
} satisfies Partial<FleetParams>;

function planOf(connections: number, processes: number): FleetParams["plan"] {
  return {
    connections,
    servers: processes,
    clients: processes,
    timeoutMs: TIMEOUT_MS,
    patienceMs: PATIENCE_MS,
  };
}

const SMOKE: FleetParams = {
  ...ALL,
  plan: planOf(50, 1),
  speed: 100,
  steadyTimeouts: 1,
  deadShare: 0.2,
  pairs: { count: 0, speed: 100 },
};

const SMALL: FleetParams = {
  ...ALL,
  plan: planOf(2_000, 1),
  speed: 10,
  steadyTimeouts: 1,
  pairs: { count: 2, speed: 50 },
};

const LARGE: FleetParams = {
  ...ALL,
  plan: planOf(20_000, 2),
  speed: 5,
  steadyTimeouts: 2,
  pairs: { count: 5, speed: 10 },
};

const IN_REAL_TIME: FleetParams = {
  ...LARGE,
  speed: 1,
  steadyTimeouts: 1,
  pairs: { count: 0, speed: 10 },
};

const OF_THE_SOURCE: FleetParams = {
  ...IN_REAL_TIME,
  pairs: { count: 3, speed: 10 },
};

export default [
  watchedFleet(
    {
      scenario: "fleet-20k",
      title:
        "20,000 WebSocket connections on two server processes, five times as fast as time, so that each second has the beats and timeouts of 100,000: a beat each 10 s, a timeout of 30 s, one in ten falls silent, half reconnect at once; CPU in turns with nobody, ten times as fast",
      headline: false,
    },
    { full: LARGE, smoke: SMOKE },
  ),
  watchedFleet(
    {
      scenario: "fleet-30s",
      title:
        "20,000 WebSocket connections on two server processes, as fast as time: a beat each 10 s, a timeout of 30 s, one in ten falls silent, half reconnect at once",
      headline: false,
      baseline: "source-wheel",
      competitors: ["source-wheel", "source-wheel-mended", "hashed-wheel"],
    },
    { full: IN_REAL_TIME, smoke: SMOKE },
  ),
  watchedFleet(
    {
      scenario: "fleet-of-source",
      title:
        "What the source document compares, as fast as time: 20,000 WebSocket connections on two server processes, a beat each 10 s, a timeout of 30 s, one in ten falls silent, half reconnect at once; CPU in turns with nobody, ten times as fast",
      headline: false,
      competitors: ["nobody", "source-wheel", "object-heap-stamped"],
      // A claim is of processes: of one alone it would stay open.
      mostForks: 2,
    },
    { full: OF_THE_SOURCE, smoke: SMOKE },
  ),
  watchedFleet(
    {
      scenario: "fleet-2k",
      title:
        "2,000 WebSocket connections for 20 s, everything ten times as fast: a beat each 10 s, a timeout of 30 s, one in ten falls silent, half reconnect at once; CPU in turns with nobody, fifty times as fast, 10,000 beats a second",
      headline: true,
      // One alone, because all headline scenarios together are to take a few minutes.
      baseline: "hashed-wheel",
      competitors: ["hashed-wheel"],
    },
    { full: SMALL, smoke: SMOKE },
  ),
  watchedFleet(
    {
      scenario: "fleet-on-bun",
      title:
        "20,000 WebSocket connections on two server processes of Bun.serve, five times as fast as time; CPU in turns with nobody, ten times as fast",
      headline: false,
      runtime: "bun",
      competitors: ["nobody", "hashed-wheel", "node-set-timeout"],
    },
    { full: LARGE, smoke: SMOKE },
  ),
];
