import type { TimersCompetitor } from "../../../structures/timers/timers.contract.ts";
import { conserved } from "../../../structures/timers/timers.laws.ts";
import { CPU_TIME, race } from "../../engine/race.ts";
import { type CrewShared, totalsOf } from "../crew.ts";
import { ALONE } from "../crew-races.ts";
import { type CrewRequestParams, CrewRequests, prepareRequests, requestsOfWorker } from "../crew-requests.ts";
import { bytesFor, LARGE, MAIN_SIZE, placementOf, SMOKE_SIZE, slicesFor } from "../sizes.ts";

/** 100 requests of each worker in a tick: 6.25 slow ones, for 5 s each. */
const SLOW = 31_250;

const paramsOf = (slow: number): CrewRequestParams => ({ slow, slowOneIn: 16, lostOneIn: 128 });

export default race<TimersCompetitor, CrewRequestParams, CrewShared>({
  scenario: "crew-requests",
  title:
    "100 requests per worker in a tick, each with a timeout of 10 to 30 s: 15 of 16 are cancelled after 16 more, the others after 5 s",
  headline: false,
  operation: "request",
  baseline: "hashed-wheel",
  params: { full: paramsOf(SLOW), smoke: paramsOf(SMOKE_SIZE) },
  ...slicesFor(MAIN_SIZE),
  isLarge: ({ slow }) => slow >= LARGE,
  placement: (competitor, { slow }) => placementOf(competitor, slow),
  columns: {
    cpu: CPU_TIME,
    expired: { title: "Expired", unit: "per request", reduce: "per-op" },
  },
  bytesPerWorker: (competitor, params) => bytesFor(competitor, requestsOfWorker(params, 1)),
  absent: ({ callers }) => (callers === "crew" ? undefined : ALONE),
  prepare: prepareRequests,
  attach: (competitor, setup, shared, worker) => new CrewRequests(competitor, setup, shared, worker),
  law: (competitor, _setup, _shared, work) => conserved(totalsOf(competitor, work)),
});
