import { privateTimers, type TimersCompetitor } from "../../../structures/timers/timers.contract.ts";
import { race } from "../../engine/suite.ts";
import { type RequestParams, Requests, requestCapacity, requestLaw } from "../requests.ts";
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

/** A timeout and somewhat more, for the same reason as SETTLED_BEATS. */
const SETTLED_TIMEOUTS = 1.25;

const requestParams = (requests: number): RequestParams => ({
  requests,
  lostOneIn: 128,
  settledTimeouts: SETTLED_TIMEOUTS,
});

export default race<TimersCompetitor, RequestParams, null>({
  scenario: "requests-100k",
  title:
    "100,000 requests under way, each with a 30 s timeout: 99 of 100 are cancelled, after 5 s on average",
  headline: false,
  operation: "request",
  baseline: "hashed-wheel",
  params: { full: requestParams(MAIN_SIZE), smoke: requestParams(SMOKE_SIZE) },
  mostWorkers: 1,
  ...slicesFor(MAIN_SIZE),
  isLarge: ({ requests }) => requests >= LARGE,
  placement: (competitor, { requests }) => placementOf(competitor, requests),
  bytesPerWorker: (competitor, { requests }) => bytesFor(competitor, requests),
  absent: (competitor, { requests }) => absentFrom(competitor, requests) ?? otherClock(competitor),
  prepare: () => null,
  attach: (competitor, { params }, _shared, { seed }) =>
    new Requests(privateTimers(competitor, requestCapacity(params)), params, seed),
  law: (competitor, { params }, _shared, [work]) => requestLaw(competitor, params, work!),
});
