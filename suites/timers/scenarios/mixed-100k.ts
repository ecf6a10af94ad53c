import { privateTimers, type TimersCompetitor } from "../../../structures/timers/timers.contract.ts";
import { race } from "../../engine/suite.ts";
import { type HeartbeatParams, Heartbeats, heartbeatLaw } from "../heartbeats.ts";
import {
  absentFrom,
  bytesFor,
  LARGE,
  MAIN_SIZE,
  otherClock,
  placementOf,
  SMOKE_SIZE,
  slicesFor,
} from "../sizes.ts";

/** Of mixed timeouts, of which one in four is longer than these beats. */
const SETTLED_BEATS_OF_MIXED = 12;

const mixedParams = (connections: number): HeartbeatParams => ({
  connections,
  silentOneIn: 16,
  settledBeats: SETTLED_BEATS_OF_MIXED,
  moves: "refresh",
  timeouts: "mixed",
});

export default race<TimersCompetitor, HeartbeatParams, null>({
  scenario: "mixed-100k",
  title: "100,000 connections, a message each 10 s moves a timeout of 1 s to 10 min by refresh",
  headline: false,
  operation: "message",
  baseline: "hashed-wheel",
  params: { full: mixedParams(MAIN_SIZE), smoke: mixedParams(SMOKE_SIZE) },
  mostWorkers: 1,
  ...slicesFor(MAIN_SIZE),
  isLarge: ({ connections }) => connections >= LARGE,
  placement: (competitor, { connections }) => placementOf(competitor, connections),
  bytesPerWorker: (competitor, { connections }) => bytesFor(competitor, connections),
  absent: (competitor, { connections }) => absentFrom(competitor, connections) ?? otherClock(competitor),
  prepare: () => null,
  attach: (competitor, { params }, _shared, { seed }) =>
    new Heartbeats(competitor, privateTimers(competitor, params.connections), params, seed),
  law: (competitor, { params }, _shared, [work]) => heartbeatLaw(competitor, params, work!),
});
