import {
  type Capacity,
  type ClaimsCompetitor,
  formatted,
  type Ownership,
  type OwnershipCompetitor,
  privateOwnership,
} from "../../structures/ownership/ownership.contract.ts";
import { claimsAreKept } from "../../structures/ownership/ownership.laws.ts";
import { allocateStream, type ClaimStream, rebuild } from "../../structures/ownership/parts/stream.ts";
import { scrambled } from "../../structures/shared/murmur3.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import { median } from "../engine/statistics.ts";
import { type Instruments, type Metric, type Scenario, survey } from "../engine/suite.ts";
import {
  capacityOf,
  HEARS_CHANGES,
  ORIGIN_MS,
  oldestEndsBy,
  populate,
  secondIsUnderWayAt,
  tooLarge,
} from "./population.ts";

/** What no slice can time or count: bytes, a rebuild from millions of claims, and a trim of everything. */
type Metrics = Readonly<Record<string, number>>;

const IDENTITY = { index: 0, workers: 1, role: "worker", seed: 1 };

interface BytesParams {
  readonly resources: number;
}

const RANGE_COUNTS = [1, 4, 32] as const;

const bytes = survey<OwnershipCompetitor, BytesParams>({
  scenario: "bytes",
  title: "bytes per range after the garbage collector, 1, 4 and 32 ranges per address",
  headline: false,
  baseline: "sorted-arrays",
  params: { full: { resources: 25_000 }, smoke: { resources: 50 } },
  metrics: Object.fromEntries(
    RANGE_COUNTS.map((count): [string, Metric] => [
      `bytes${count}`,
      { title: `${count} per address`, unit: "B/range", digits: 1 },
    ]),
  ),
  bytesPerWorker: (_competitor, { resources }) => resources * 32 * 1200,
  absent: (competitor, { resources }) => tooLarge(competitor, capacityOf({ resources, ranges: 32 })),
  run(competitor, { resources }, seed, instruments) {
    // Weighed once for nothing: what is compiled for the first time, and what a process sheds after its start, a
    // megabyte or two, would be counted as bytes of ranges.
    weigh(competitor, resources, 1, seed, instruments);
    const metrics: Record<string, number> = {};
    for (const ranges of RANGE_COUNTS) {
      const { held, told } = weigh(competitor, resources, ranges, seed, instruments);
      if (resources >= WEIGHED_RESOURCES && held < told)
        throw new Error(`it says it holds ${told} bytes, and ${held} were found`);
      metrics[`bytes${ranges}`] = held / (resources * ranges);
    }
    return metrics;
  },
  law: (_competitor, { resources }, metrics) => {
    // A start, an end and an owner; structures of one worker have no smaller way to tell ranges from each other.
    const least = RANGE_COUNTS.find((count) => metrics[`bytes${count}`]! < LEAST_BYTES_PER_RANGE);
    return least === undefined || resources < WEIGHED_RESOURCES
      ? undefined
      : `${metrics[`bytes${least}`]!.toFixed(1)} bytes cannot hold a range`;
  },
});

/** Start, end and owner in 32 bits each, but for change logs, in which an owner's end is another one's beginning. */
const LEAST_BYTES_PER_RANGE = 8;
/** With fewer the heap's own comings and goings outweigh them. */
const WEIGHED_RESOURCES = 10_000;

/**
 * What a filling holds, in bytes, and what it says it does. In a function of its own, so that nothing of one filling is
 * alive when the next is weighed.
 */
function weigh(
  competitor: OwnershipCompetitor,
  resources: number,
  ranges: number,
  seed: number,
  { heldBytes }: Instruments,
) {
  const before = heldBytes();
  const kept = fill(competitor, resources, ranges, seed);
  return { held: heldBytes() - before, told: kept.bytes?.() ?? 0 };
}

function fill(competitor: OwnershipCompetitor, resources: number, ranges: number, seed: number) {
  const capacity = capacityOf({ resources, ranges });
  const memory = formatted(competitor, capacity);
  return populate(competitor, memory, capacity, { ...IDENTITY, seed }, { resources, ranges, inEight: {} });
}

interface RebuildParams {
  readonly resources: number;
  readonly claimsPerResource: number;
}

/** Claims of a minute; a new owner after so many. */
const CLAIM_MS = 60_000;
const CLAIMS_PER_OWNER = 25;
const OWNERS = 4096;
/** Flows overlap: a claim begins this long before the one before it ends; of another owner one in four does. */
const OVERLAP_MS = 4_000;

const rebuilding = survey<OwnershipCompetitor, RebuildParams>({
  scenario: "rebuild",
  title:
    "ten million claims of 100,000 addresses, as they arrived and shuffled, until a replica that knew nothing knows all",
  headline: false,
  baseline: "sorted-arrays",
  params: {
    full: { resources: 100_000, claimsPerResource: 100 },
    smoke: { resources: 20, claimsPerResource: 60 },
  },
  // The slowest take a minute and a half for the three orders.
  mostForks: 2,
  metrics: {
    arrivalSeconds: { title: "In order of arrival", unit: "s", digits: 2 },
    shuffledSeconds: { title: "Shuffled", unit: "s", digits: 2 },
    sortedSeconds: { title: "Shuffled, and sorted first", unit: "s", digits: 2 },
    ranges: { title: "Ranges made", unit: "", digits: 0 },
    differing: { title: "Addresses that differ", unit: "", digits: 0 },
    accepted: { title: "Claims accepted", unit: "", digits: 0 },
  },
  // The stream and its order, and the largest of three replicas with the ranges that a shuffle makes in passing.
  bytesPerWorker: (_competitor, { resources, claimsPerResource }) => resources * claimsPerResource * 150,
  absent: (competitor, params) => {
    if (competitor.hears === "changes") return HEARS_CHANGES;
    if (competitor.rule !== "evidence") return "makes something else of another order";
    return tooLarge(competitor, rebuildCapacity(params));
  },
  run: surveyRebuild,
  law: (_competitor, { resources, claimsPerResource }, { differing, accepted, ranges }) =>
    claimsAreKept(3 * resources * claimsPerResource, accepted!) ??
    (differing === 0 ? undefined : `${differing} addresses differ by the order of the claims`) ??
    (ranges! >= resources * Math.floor(claimsPerResource / CLAIMS_PER_OWNER)
      ? undefined
      : `${ranges} ranges of ${resources} addresses`),
});

function rebuildCapacity({ resources, claimsPerResource }: RebuildParams): Capacity {
  return {
    resources,
    owners: OWNERS,
    windowMs: (claimsPerResource + 2) * CLAIM_MS,
    // Of shuffled claims every second one may stand alone for a while.
    ranges: resources * Math.ceil(claimsPerResource / 2),
  };
}

function surveyRebuild(
  competitor: OwnershipCompetitor,
  params: RebuildParams,
  seed: number,
  { nowNs }: Instruments,
): Metrics {
  if (competitor.hears !== "claims") throw new Error(HEARS_CHANGES);
  const { resources } = params;
  const capacity = rebuildCapacity(params);
  const stream = drawStream(params);
  let accepted = 0;
  const timed = (make: (ownership: Ownership) => number) => {
    const ownership = open(competitor, capacity);
    const begunNs = nowNs();
    accepted += make(ownership);
    return { ownership, seconds: (nowNs() - begunNs) / 1e9 };
  };
  const arrival = timed((ownership) => claimInTurn(ownership, stream));
  shuffle(stream, new Random(seed));
  const others = [
    timed((ownership) => claimInTurn(ownership, stream)),
    timed((ownership) => rebuild(ownership, capacity, stream)),
  ];
  let ranges = 0;
  let differing = 0;
  for (let resource = 0; resource < resources; resource++) {
    const known = arrival.ownership.rangesOf(resource);
    ranges += known.length;
    const text = JSON.stringify(known);
    if (others.some(({ ownership }) => JSON.stringify(ownership.rangesOf(resource)) !== text)) differing++;
  }
  const [shuffled, sorted] = others;
  return {
    arrivalSeconds: arrival.seconds,
    shuffledSeconds: shuffled!.seconds,
    sortedSeconds: sorted!.seconds,
    ranges,
    differing,
    accepted,
  };
}

function open(competitor: ClaimsCompetitor, capacity: Capacity): Ownership {
  const ownership = privateOwnership(competitor, capacity);
  ownership.trim(ORIGIN_MS);
  return ownership;
}

/** Row after row of all addresses, as a fleet reports. */
function drawStream({ resources, claimsPerResource }: RebuildParams): ClaimStream {
  const stream = allocateStream(resources * claimsPerResource);
  for (let row = 0, at = 0; row < claimsPerResource; row++) {
    for (let resource = 0; resource < resources; resource++, at++) {
      const age = row + (scrambled(resource) & 15);
      const isFirst = age % CLAIMS_PER_OWNER === 0;
      const overlapMs = isFirst && (scrambled(resource + row) & 3) !== 0 ? 0 : OVERLAP_MS;
      stream.resources[at] = resource;
      stream.owners[at] = (resource + Math.floor(age / CLAIMS_PER_OWNER)) % OWNERS;
      stream.starts[at] = ORIGIN_MS + (row + 1) * CLAIM_MS - overlapMs;
      stream.ends[at] = ORIGIN_MS + (row + 2) * CLAIM_MS;
    }
  }
  return stream;
}

function claimInTurn(ownership: Ownership, { resources, owners, starts, ends }: ClaimStream): number {
  let accepted = 0;
  for (let at = 0; at < resources.length; at++)
    if (ownership.claim(resources[at]!, owners[at]!, starts[at]!, ends[at]!)) accepted++;
  return accepted;
}

function shuffle({ resources, owners, starts, ends }: ClaimStream, random: Random): void {
  for (let at = resources.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    for (const column of [resources, owners, starts, ends]) {
      const moved = column[at]!;
      column[at] = column[other]!;
      column[other] = moved;
    }
  }
}

interface TrimParams {
  readonly resources: number;
  readonly ranges: number;
}

const trimming = survey<OwnershipCompetitor, TrimParams>({
  scenario: "trim",
  title: "trims of 100,000 addresses with 4 ranges each: the oldest range of each, then nothing, then all",
  headline: false,
  baseline: "sorted-arrays",
  params: { full: { resources: 100_000, ranges: 4 }, smoke: { resources: 50, ranges: 4 } },
  metrics: {
    oldest: { title: "The oldest of four", unit: "ns/address", digits: 1 },
    nothing: { title: "Nothing", unit: "ns/address", digits: 1 },
    all: { title: "All that is left", unit: "ns/address", digits: 1 },
    forgotten: { title: "Lost by the first two", unit: "", digits: 0 },
    remembered: { title: "Found afterwards", unit: "", digits: 0 },
  },
  bytesPerWorker: (_competitor, { resources, ranges }) => resources * ranges * 1200,
  absent: (competitor, params) => tooLarge(competitor, capacityOf(params)),
  run(competitor, { resources, ranges }, seed, { nowNs }) {
    const end = oldestEndsBy();
    const { windowMs } = capacityOf({ resources, ranges });
    const taken: Record<"oldest" | "nothing" | "all", number[]> = { oldest: [], nothing: [], all: [] };
    let forgotten = 0;
    let remembered = 0;
    for (let turn = 0; turn < TRIM_TURNS; turn++) {
      const attribution = fill(competitor, resources, ranges, seed);
      const count = (t: number) => {
        let owned = 0;
        for (let resource = 0; resource < resources; resource++)
          if (attribution.ownerAt(resource, t) >= 0) owned++;
        return owned;
      };
      const trim = (step: keyof typeof taken, watermark: number) => {
        const begunNs = nowNs();
        attribution.trim(watermark);
        if (turn >= UNCOUNTED_TURNS) taken[step].push((nowNs() - begunNs) / resources);
      };
      const kept = count(secondIsUnderWayAt());
      trim("oldest", end);
      trim("nothing", end + 1);
      forgotten += kept - count(secondIsUnderWayAt());
      trim("all", ORIGIN_MS + windowMs);
      remembered += count(secondIsUnderWayAt());
      if (kept !== resources) throw new Error(`${kept} of ${resources} addresses had an owner to begin with`);
    }
    return {
      oldest: median(taken.oldest),
      nothing: median(taken.nothing),
      all: median(taken.all),
      forgotten,
      remembered,
    };
  },
  law: (_competitor, _params, { forgotten, remembered }) =>
    (forgotten === 0 ? undefined : `${forgotten} addresses lost an owner after the watermark`) ??
    (remembered === 0 ? undefined : `${remembered} addresses still had an owner before the watermark`),
});

/** The first turns are for the compiler. */
const TRIM_TURNS = 7;
const UNCOUNTED_TURNS = 2;

export const surveyScenarios: readonly Scenario[] = [bytes, rebuilding, trimming];
