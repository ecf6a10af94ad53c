import type { OwnershipCompetitor } from "../../structures/ownership/ownership.contract.ts";
import { type CurvePoint, race } from "../engine/race.ts";
import { present } from "../engine/words/present.ts";
import type { Scenario } from "../shared/vocabulary.ts";
import {
  capacityOf,
  isPrivate,
  type LookupParams,
  type LookupShared,
  Lookups,
  lookupLaw,
  populate,
  prepareLookups,
  tooLarge,
} from "./population.ts";
import { BASELINE, bytesFor, MAIN_RESOURCES, placementOf, SMOKE } from "./sizes.ts";

/**
 * From this number of addresses on, what is drawn and the objects of a map, 130 kB and more, do not fit the nearest caches. In short
 * slices the baseline, which runs in every second one, was 1.2 to 1.9 times as fast as its equal.
 */
const LARGE_MAP = 256;
const INFERS_NOTHING = "knows no gaps that it could bridge";
const FILLS_GAPS = "fills such gaps as soon as it hears the next claim";

/** Where races compare kinds of lookups with each other: trees fill these in a moment. */
export const FEWER_RESOURCES = 10_000;
/** Lookups drawn for these: one for each range or more, and so few that reading them leaves the caches to the ranges. */
export const FEWER_LOOKUPS = 2 ** 16;

/** One lookup in 8 at an edge, one in no range. */
const MIX: LookupParams["inEight"] = { miss: 1, boundary: 1 };
export const MAIN: LookupParams = {
  resources: MAIN_RESOURCES,
  ranges: 4,
  lookups: 2 ** 18,
  keys: "uniform",
  inEight: MIX,
};

export function lookups(
  scenario: string,
  title: string,
  params: LookupParams,
  { mostWorkers = 1, point }: { mostWorkers?: number; point?: CurvePoint } = {},
): Scenario {
  const { ranges, keys, inEight } = params;
  return race<OwnershipCompetitor, LookupParams, LookupShared>({
    scenario,
    title,
    headline: false,
    operation: "lookup",
    baseline: BASELINE,
    params: { full: params, smoke: { ...SMOKE, ranges, keys, inEight } },
    mostWorkers,
    isLarge: ({ resources }) => resources >= LARGE_MAP,
    placement: (competitor, { resources }) => placementOf(competitor, capacityOf({ resources, ranges })),
    ...present({ point }),
    bytesPerWorker: (competitor, { resources, lookups: drawn }) =>
      bytesFor(competitor, capacityOf({ resources, ranges }), drawn),
    absent: absentFrom,
    prepare: prepareLookups,
    attach(competitor, setup, shared, worker) {
      const { memory, linear, capacity } = shared;
      const attribution = isPrivate(competitor, capacity)
        ? populate(competitor, shared, capacity, worker, setup.params)
        : competitor.attach(memory, capacity, worker, linear);
      return new Lookups(attribution, shared, setup.params, worker);
    },
    law: (_competitor, _setup, _shared, work) => lookupLaw(work),
  });
}

/** Why a competitor cannot hold these numbers of resources and ranges; undefined if it can. */
function absentFrom(
  competitor: OwnershipCompetitor,
  params: Pick<LookupParams, "resources" | "ranges" | "inEight">,
): string | undefined {
  const reason = tooLarge(competitor, capacityOf(params));
  if (reason !== undefined) return reason;
  if (params.inEight.bridged === undefined) return undefined;
  if (competitor.hears === "changes") return INFERS_NOTHING;
  return competitor.rule === "trailing" ? FILLS_GAPS : undefined;
}

/** Lookups of one kind alone. */
export function ofKind(kind: "hit" | "miss" | "boundary" | "bridged", where: string): Scenario {
  const inEight = kind === "hit" ? {} : { [kind]: 8 };
  return lookups(`lookup-${kind}`, `lookups ${where}, 10,000 addresses with 4 ranges each`, {
    ...MAIN,
    resources: FEWER_RESOURCES,
    lookups: FEWER_LOOKUPS,
    inEight,
  });
}
