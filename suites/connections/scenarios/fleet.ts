import type { Scenario } from "../../shared/vocabulary.ts";
import { type FleetParams, watchedFleet } from "../watched-fleet.ts";

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

const BEATS = "a beat each 10 s, a timeout of 30 s, one in ten falls silent, half reconnect at once";
const TWENTY_THOUSAND = "20,000 WebSocket connections on two server processes";
const TURNS = "CPU in turns with nobody, ten times as fast";

type Described = Parameters<typeof watchedFleet>[0];

function fleet(name: string, title: string, full: FleetParams, more: Partial<Described> = {}): Scenario {
  return watchedFleet({ scenario: `fleet-${name}`, title, headline: false, ...more }, { full, smoke: SMOKE });
}

export default [
  fleet(
    "20k",
    `${TWENTY_THOUSAND}, five times as fast as time, so that each second has the beats and timeouts of 100,000: ${BEATS}; ${TURNS}`,
    LARGE,
  ),
  fleet("30s", `${TWENTY_THOUSAND}, as fast as time: ${BEATS}`, IN_REAL_TIME, {
    baseline: "source-wheel",
    competitors: ["source-wheel", "source-wheel-mended", "hashed-wheel"],
  }),
  fleet(
    "of-source",
    `What the source document compares, as fast as time: ${TWENTY_THOUSAND}, ${BEATS}; ${TURNS}`,
    OF_THE_SOURCE,
    // A claim is of processes: of one alone it would stay open.
    { competitors: ["nobody", "source-wheel", "object-heap-stamped"], mostForks: 2 },
  ),
  fleet(
    "2k",
    `2,000 WebSocket connections for 20 s, everything ten times as fast: ${BEATS}; CPU in turns with nobody, fifty times as fast, 10,000 beats a second`,
    SMALL,
    // One alone, because all headline scenarios together are to take a few minutes.
    { headline: true, baseline: "hashed-wheel", competitors: ["hashed-wheel"] },
  ),
  fleet("on-bun", `${TWENTY_THOUSAND} of Bun.serve, five times as fast as time; ${TURNS}`, LARGE, {
    runtime: "bun",
    competitors: ["nobody", "hashed-wheel", "node-set-timeout"],
  }),
];
