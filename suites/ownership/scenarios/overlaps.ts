import type { OwnershipCompetitor } from "../../../structures/ownership/ownership.contract.ts";
import { type Metric, simulation } from "../../shared/vocabulary.ts";
import { FLEET, MINUTE_MS } from "../faults.ts";
import { capacityOf, type OverlapParams, overlapsOf } from "../overlaps.ts";
import { HEARS_CHANGES, tooLarge } from "../population.ts";

const counted = (title: string): Metric => ({ title, unit: "", digits: 0 });
const share = (title: string): Metric => ({ title, unit: "%", digits: 3 });

export default simulation<OwnershipCompetitor, OverlapParams>({
  scenario: "overlaps",
  title:
    "all claims of a fleet in no order, by clocks that are right, and by clocks that are wrong by up to 1 s: ranges of an address that overlap, and time that several owners claim",
  headline: false,
  baseline: "sorted-arrays",
  seeds: 20,
  params: {
    full: { fleet: { ...FLEET, resources: 200, owners: 65, horizonMs: 20 * MINUTE_MS }, skewMsMost: 1_000 },
    smoke: { fleet: { ...FLEET, resources: 20, owners: 8, horizonMs: 6 * MINUTE_MS }, skewMsMost: 1_000 },
  },
  metrics: {
    overlapping: counted("Ranges that overlap"),
    conflicting: share("Claimed by several"),
    overlappingSkewed: counted("Ranges that overlap, clocks wrong"),
    conflictingSkewed: share("Claimed by several, clocks wrong"),
    claims: counted("Claims"),
  },
  absent: (competitor, params) =>
    competitor.hears === "changes" ? HEARS_CHANGES : tooLarge(competitor, capacityOf(params)),

  run(competitor, params, seed) {
    if (competitor.hears === "changes") throw new Error(HEARS_CHANGES);
    const { right, wrong, claims } = overlapsOf(competitor, params, seed);
    return {
      metrics: {
        ...right,
        overlappingSkewed: wrong.overlapping,
        conflictingSkewed: wrong.conflicting,
        claims,
      },
      series: {},
    };
  },

  law({ rule }, _params, { metrics: { overlapping, overlappingSkewed, conflicting } }) {
    const overlaps = overlapping! + overlappingSkewed!;
    if (overlaps > 0) return `${overlaps} ranges of an address overlap another`;
    if (rule === "evidence" && conflicting! > 0)
      return "several owners claim an instant, though all claims are true";
    return undefined;
  },
});
