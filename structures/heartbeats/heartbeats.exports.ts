/** What a program needs to schedule heartbeats; the schedulers are modules of their own, `hotpath-lab/heartbeats/<name>`. */
export {
  type Deviation,
  type HeartbeatCompetitor,
  type HeartbeatScheduler,
  LONGEST_INTERVAL,
  MOST_CLIENTS,
} from "./heartbeats.contract.ts";
