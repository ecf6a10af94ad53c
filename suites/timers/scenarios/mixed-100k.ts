import { privateTimers } from "../../../structures/timers/timers.contract.ts";
import { alone } from "../curves.ts";
import { type HeartbeatParams, Heartbeats, heartbeatLaw } from "../heartbeats.ts";
import { MAIN_SIZE, otherClock } from "../sizes.ts";

/** Of mixed timeouts, one in four is longer than these beats. */
const SETTLED_BEATS_OF_MIXED = 12;

export default alone<HeartbeatParams>(
  {
    scenario: "mixed-100k",
    title: "100,000 connections, a message each 10 s moves a timeout of 1 s to 10 min by refresh",
    headline: false,
  },
  MAIN_SIZE,
  {
    operation: "message",
    paramsOf: (connections) => ({
      connections,
      silentOneIn: 16,
      settledBeats: SETTLED_BEATS_OF_MIXED,
      moves: "refresh",
      timeouts: "mixed",
    }),
    sizeIn: ({ connections }) => connections,
    absent: otherClock,
    attach: (competitor, params, seed) =>
      new Heartbeats(competitor, privateTimers(competitor, params.connections), params, seed),
    law: heartbeatLaw,
  },
);
