import type {
  Capacity,
  Ownership,
  OwnershipCompetitor,
} from "../../structures/ownership/ownership.contract.ts";
import { allocateRegion } from "../../structures/shared/layout.ts";
import type { WorkerIdentity } from "../../structures/shared/worker-identity.ts";
import {
  type Column,
  type CurvePoint,
  type Placement,
  type Runner,
  race,
  type Scenario,
  type Suite,
} from "../engine/suite.ts";
import { faultScenarios } from "./faults.ts";
import {
  capacityOf,
  HEARS_CHANGES,
  isPrivate,
  type LookupParams,
  type LookupShared,
  Lookups,
  lookupLaw,
  populate,
  prepareLookups,
  tooLarge,
} from "./population.ts";
import { surveyScenarios } from "./surveys.ts";
import {
  CLAIM_COLUMNS,
  FLOW_COLUMNS,
  Flows,
  fillWindow,
  prepareWindow,
  READER_COLUMNS,
  Reader,
  type WindowParams,
  type WindowShared,
  Writer,
  windowCapacity,
  windowLaw,
} from "./window.ts";

/**
 * Question: what does it cost to hear who claims to own what, and to say who owned it when; what do a writer and its
 *   readers cost each other; and who is blamed wrongly when reports are lost, late, doubled, or the clocks are wrong?
 * Workload and why it is realistic: `lookup` asks of 256 to 1,000,000 addresses with 1 to 32 ranges each, as a
 *   collector of flow logs does for each flow; one lookup in 8 falls on the edge of a range, where errors live, and one
 *   in no range. Apart from that mix, each kind has a race of its own, and keys are also drawn by Zipf's law. `claim`,
 *   `flow` and `one-writer` move a window of time on for ever: every address is claimed once a row, which is a minute, or
 *   8 ms where a structure with a cell per millisecond takes part; one claim in a hundred comes a row late; owners change
 *   every 128 rows, with a gap or an overlap; a trim every 16 rows keeps some 290. Lookups reach back evenly over 256
 *   rows, longer than a collector has to, so that all that is kept is asked for. `flow` is what a flow brings: a claim
 *   and a lookup, 16 of each in turn. `fault-loss` and the like, `loss`, `delay` and `skew`: see ownership.faults.ts.
 *   Surveys count bytes, and time what is too long for a slice: rebuilding from ten million claims, and trimming.
 * Not measured: the network, interning, and how a private replica would come by the claims. In `one-writer` the baseline's
 *   readers ask replicas that stand still, which flatters them beside the readers of a shared structure. From 100,000
 *   addresses on a trim falls into few slices, so that medians leave it out: a column has it.
 * How to run: npm run bench -- ownership; with --all for all sizes, kinds and faults
 */
const BASELINE = "sorted-arrays";
const MAIN_RESOURCES = 100_000;
/** Where races compare kinds of lookups with each other: trees fill these in a moment. */
const FEWER_RESOURCES = 10_000;
/** So few that the caches hold them with 32 ranges each, where what grows with the ranges is the search. */
const FEWEST_RESOURCES = 256;
/** Lookups drawn for these: one for each range or more, and so few that reading them leaves the caches to the ranges. */
const FEWER_LOOKUPS = 2 ** 16;
const FEWEST_LOOKUPS = 2 ** 13;
/** From here on a structure does not fit the nearest caches. */
const MANY_RANGES = 16_384;
/** The same of a window, which holds five ranges of each address, or a cell for each of 2,500 ms. */
const LARGE_WINDOW = 1_000;
/** So that a slice holds some trims where few addresses are claimed: of 1,000 one comes each 16,000 claims, 1 ms. */
const SLICE_MS_OF_TRIMS = 10;
/** What objects take for a range, and an interval tree with its nodes: more than was seen of any. */
const BYTES_PER_RANGE = 200;
const BYTES_PER_RANGE_OF_A_TREE = 600;
/** What a workload holds for a resource and for a lookup. */
const BYTES_PER_RESOURCE = 32;
const BYTES_PER_LOOKUP = 16;
const SMOKE: Pick<LookupParams, "resources" | "lookups"> = { resources: 64, lookups: 1024 };
const READS_A_REPLICA = "private: its readers would ask replicas that stand still";
const INFERS_NOTHING = "knows no gaps that it could bridge";
const FILLS_GAPS = "fills such gaps as soon as it hears the next claim";

/** As many as anybody will have cores for. */
const MOST_READERS = 64;

/** One lookup in 8 at an edge, one in no range. */
const MIX: LookupParams["inEight"] = { miss: 1, boundary: 1 };

function lookups(
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
    isLarge: ({ resources }) => resources * ranges >= MANY_RANGES,
    placement: (competitor, { resources }) => placementOf(competitor, capacityOf({ resources, ranges })),
    ...(point === undefined ? {} : { point }),
    bytesPerWorker: (competitor, { resources, lookups: drawn }) =>
      bytesFor(competitor, capacityOf({ resources, ranges }), drawn),
    absent: absentFrom,
    prepare: prepareLookups,
    attach(competitor, setup, shared, worker) {
      const { memory, capacity } = shared;
      const attribution = isPrivate(competitor, capacity)
        ? populate(competitor, memory, capacity, worker, setup.params)
        : competitor.attach(memory, capacity, worker);
      return new Lookups(attribution, shared, setup.params, worker);
    },
    law: (_competitor, _setup, _shared, work) => lookupLaw(work),
  });
}

/** What has no words keeps its ranges on the engine's heap. */
function placementOf(competitor: OwnershipCompetitor, capacity: Capacity): Placement {
  return isPrivate(competitor, capacity) ? "objects" : "arena";
}

/** Why a competitor has no place among so many resources and ranges; undefined if it has. */
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

/** Of one worker at most; what a crew shares is put down to each. */
function bytesFor(competitor: OwnershipCompetitor | undefined, capacity: Capacity, drawn: number): number {
  const { resources, ranges } = capacity;
  const words = competitor?.words(capacity) ?? 0;
  const perRange = competitor?.mostRanges === undefined ? BYTES_PER_RANGE : BYTES_PER_RANGE_OF_A_TREE;
  const own = words > 0 ? words * Int32Array.BYTES_PER_ELEMENT : ranges * perRange;
  return own + resources * BYTES_PER_RESOURCE + drawn * BYTES_PER_LOOKUP;
}

interface WindowRace {
  readonly scenario: string;
  readonly title: string;
  readonly headline?: boolean;
  readonly operation: string;
  readonly full: WindowParams;
  readonly mostWorkers?: number;
  readonly point?: CurvePoint;
}

/** A race over a window of time: of one worker that does everything, or of readers beside a writer. */
function windowRace(
  { scenario, title, headline = false, operation, full, mostWorkers, point }: WindowRace,
  columns: Readonly<Record<string, Column>>,
  runnerOf: (
    ownership: Ownership,
    shared: WindowShared,
    params: WindowParams,
    worker: WorkerIdentity,
  ) => Runner,
): Scenario {
  return race<OwnershipCompetitor, WindowParams, WindowShared>({
    scenario,
    title,
    headline,
    operation,
    baseline: BASELINE,
    params: { full, smoke: { ...SMOKE, rowMs: full.rowMs } },
    columns,
    ...(mostWorkers === undefined ? { role: roleOf } : { mostWorkers }),
    ...(full.resources < MAIN_RESOURCES ? { sliceMs: SLICE_MS_OF_TRIMS } : {}),
    isLarge: ({ resources }) => resources >= LARGE_WINDOW,
    placement: (competitor, params) => placementOf(competitor, windowCapacity(params)),
    ...(point === undefined ? {} : { point }),
    bytesPerWorker: (competitor, params) => bytesFor(competitor, windowCapacity(params), params.lookups),
    absent: (competitor, params) => {
      if (competitor.hears === "changes") return HEARS_CHANGES;
      const capacity = windowCapacity(params);
      // The baseline stands for what one has without sharing; a second such row would say what lookup-100k says.
      if (mostWorkers === undefined && isPrivate(competitor, capacity)) return READS_A_REPLICA;
      return tooLarge(competitor, capacity);
    },
    prepare(competitor, setup) {
      const shared = prepareWindow(competitor, setup);
      if (competitor.hears === "claims" && !isPrivate(competitor, shared.capacity)) {
        const worker = { index: 0, workers: setup.workers, role: "writer", seed: setup.seed };
        const ownership = competitor.attach(shared.memory, shared.capacity, worker);
        fillWindow(ownership, shared.visits, setup.params.rowMs);
      }
      return shared;
    },
    attach(competitor, { params }, shared, worker) {
      if (competitor.hears !== "claims") throw new Error(HEARS_CHANGES);
      const ownership = competitor.attach(shared.memory, shared.capacity, worker);
      if (!isPrivate(competitor, shared.capacity)) return runnerOf(ownership, shared, params, worker);
      // A private replica has a clock of its own: it knows nothing of other workers' rows.
      const clock = allocateRegion(1);
      Atomics.store(clock, 0, Atomics.load(shared.clock, 0));
      fillWindow(ownership, shared.visits, params.rowMs);
      return runnerOf(ownership, { ...shared, clock }, params, worker);
    },
    law: (competitor, _setup, _shared, work) => windowLaw(competitor, work),
  });
}

/** The last of several workers writes; one alone reads, which is what a reader beside a writer is held to. */
function roleOf(index: number, workers: number): string {
  return workers > 1 && index === workers - 1 ? "writer" : "reader";
}

function claims(label: string, resources: number): Scenario {
  return windowRace(
    {
      scenario: `claim-${label}`,
      title: `one worker hears claims of ${resources.toLocaleString("en")} addresses, a minute each, 1 % of them late`,
      operation: "claim",
      // Who only claims asks nothing.
      full: { resources, rowMs: MINUTE_MS, lookups: 1 },
      mostWorkers: 1,
      point: { curve: "claim", along: "addresses", at: resources },
    },
    CLAIM_COLUMNS,
    (ownership, shared, params) => new Writer(ownership, shared, params),
  );
}

function readersAndWriter(scenario: string, title: string, full: WindowParams, headline = false): Scenario {
  return windowRace(
    { scenario, title, headline, operation: "lookup or claim", full },
    READER_COLUMNS,
    (ownership, shared, params, worker) =>
      worker.role === "writer"
        ? new Writer(ownership, shared, params)
        : new Reader(ownership, shared, params, Math.floor((params.lookups * worker.index) / worker.workers)),
  );
}

const MINUTE_MS = 60_000;
/** Of a row where a structure with a cell per millisecond takes part. */
const SHORT_ROW_MS = 8;

const flows = windowRace(
  {
    scenario: "flow",
    title: "one worker hears a claim and answers a lookup in turn, 100,000 addresses",
    headline: true,
    operation: "claim and lookup",
    full: { resources: MAIN_RESOURCES, rowMs: MINUTE_MS, lookups: 2 ** 18 },
    mostWorkers: 1,
  },
  FLOW_COLUMNS,
  (ownership, shared, params) =>
    new Flows(new Writer(ownership, shared, params), new Reader(ownership, shared, params, 0)),
);

/** A point of the curve over addresses, with 4 ranges each, or of the one over ranges. */
function sized(label: string, resources: number, ranges: number, curve: "addresses" | "ranges"): Scenario {
  return lookups(
    `lookup-${label}`,
    `lookups among ${resources.toLocaleString("en")} addresses with ${ranges} ${ranges === 1 ? "range" : "ranges"} each`,
    { ...MAIN, resources, ranges, lookups: resources > MAIN_RESOURCES ? 2 ** 20 : FEWEST_LOOKUPS },
    {
      point:
        curve === "addresses"
          ? { curve: "lookup-by-addresses", along: "addresses", at: resources }
          : { curve: "lookup-by-ranges", along: "ranges per address", at: ranges },
    },
  );
}

const MAIN: LookupParams = {
  resources: MAIN_RESOURCES,
  ranges: 4,
  lookups: 2 ** 18,
  keys: "uniform",
  inEight: MIX,
};

/** Lookups of one kind alone. */
function ofKind(kind: "hit" | "miss" | "boundary" | "bridged", where: string): Scenario {
  const inEight = kind === "hit" ? {} : { [kind]: 8 };
  return lookups(`lookup-${kind}`, `lookups ${where}, 10,000 addresses with 4 ranges each`, {
    ...MAIN,
    resources: FEWER_RESOURCES,
    lookups: FEWER_LOOKUPS,
    inEight,
  });
}

export default {
  primitive: "ownership",
  overview: {
    title:
      "At a glance: 100,000 addresses with 4 ranges each, one worker; and all faults at once, 60 s after the reports",
    columns: [
      { title: "Lookup", unit: "ns", digits: 0, scenario: "lookup-100k", workers: 1 },
      { title: "Claim", unit: "ns", digits: 0, scenario: "claim-100k", workers: 1 },
      { title: "Flow", unit: "ns", digits: 0, scenario: "flow", workers: 1 },
      { title: "Bytes", unit: "B/range", digits: 0, scenario: "bytes", metric: "bytes4" },
      {
        title: "Misattributed",
        unit: "%",
        digits: 2,
        scenario: "faults-together",
        metric: "wrongAfterHoldback",
      },
      {
        title: "Unattributed",
        unit: "%",
        digits: 1,
        scenario: "faults-together",
        metric: "missingAfterHoldback",
      },
    ],
  },
  scenarios: [
    lookups("lookup-100k", "lookups among 100,000 addresses with 4 ranges each", MAIN, {
      // Whether readers hinder each other is asked here; the other races are about the structure.
      mostWorkers: MOST_READERS,
      point: { curve: "lookup-by-addresses", along: "addresses", at: MAIN_RESOURCES },
    }),
    sized("1k", 1_000, 4, "addresses"),
    sized("1m", 1_000_000, 4, "addresses"),
    sized("1-range", FEWEST_RESOURCES, 1, "ranges"),
    sized("4-ranges", FEWEST_RESOURCES, 4, "ranges"),
    sized("32-ranges", FEWEST_RESOURCES, 32, "ranges"),
    ofKind("hit", "that all find a range"),
    ofKind("miss", "that all fall in no range"),
    ofKind("boundary", "at the edges of ranges"),
    ofKind("bridged", "in gaps that are bridged"),
    lookups("lookup-zipf", "lookups by Zipf's law among 10,000 addresses with 4 ranges each", {
      ...MAIN,
      resources: FEWER_RESOURCES,
      lookups: FEWER_LOOKUPS,
      keys: "zipf",
    }),
    claims("1k", 1_000),
    claims("100k", MAIN_RESOURCES),
    claims("1m", 1_000_000),
    flows,
    readersAndWriter(
      "one-writer",
      "readers, from two workers on beside one that claims, 100,000 addresses; the baseline's are replicas that stand still",
      { resources: MAIN_RESOURCES, rowMs: MINUTE_MS, lookups: 2 ** 18 },
      true,
    ),
    readersAndWriter(
      "one-writer-small",
      "readers, from two workers on beside one that claims, 1,024 addresses; the baseline's are replicas that stand still",
      {
        resources: 1024,
        rowMs: SHORT_ROW_MS,
        lookups: 2 ** 14,
      },
    ),
    ...surveyScenarios,
    ...faultScenarios,
  ],
} satisfies Suite;
