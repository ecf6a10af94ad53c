import { privateTimers } from "../../../structures/timers/timers.contract.ts";
import { alone } from "../curves.ts";
import { type RequestParams, Requests, requestCapacity, requestLaw } from "../requests.ts";
import { MAIN_SIZE, otherClock } from "../sizes.ts";

/** A timeout and somewhat more, for the same reason as SETTLED_BEATS. */
const SETTLED_TIMEOUTS = 1.25;

export default alone<RequestParams>(
  {
    scenario: "requests-100k",
    title:
      "100,000 requests under way, each with a 30 s timeout: 99 of 100 are cancelled, after 5 s on average",
    headline: false,
  },
  MAIN_SIZE,
  {
    operation: "request",
    paramsOf: (requests) => ({ requests, lostOneIn: 128, settledTimeouts: SETTLED_TIMEOUTS }),
    sizeIn: ({ requests }) => requests,
    absent: otherClock,
    attach: (competitor, params, seed) =>
      new Requests(privateTimers(competitor, requestCapacity(params)), params, seed),
    law: requestLaw,
  },
);
