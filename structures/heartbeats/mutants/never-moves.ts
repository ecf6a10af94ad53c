import honest from "../competitors/least-loaded-scan.ts";
import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";

/** Promises to even out who is left when others have gone for good, and places arrivals only. */
export default {
  ...honest,
  summary: "mutant: leaves the holes of departures as they are",
  spreadOfSurvivors: 1,
} satisfies HeartbeatCompetitor;

export const breaks = "levelForSurvivors";
