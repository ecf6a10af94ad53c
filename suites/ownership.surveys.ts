import type {
  Capacity,
  ClaimsCompetitor,
  Ownership,
  OwnershipCompetitor,
} from "../structures/ownership/ownership.contract.ts";
import { claimsAreKept } from "../structures/ownership/ownership.laws.ts";
import { allocateStream, type ClaimStream, rebuild } from "../structures/ownership/ownership.stream.ts";
import { allocateRegion } from "../structures/shared/layout.ts";
import { scrambled } from "../structures/shared/murmur3.ts";
import { Random } from "../structures/shared/sfc32.ts";
import { type Instruments, type Metric, type Scenario, survey } from "./engine/suite.ts";
import { capacityOf, oldestEndsBy, populate } from "./ownership.population.ts";

/** What no slice can time or count: bytes, a rebuild from millions of claims, and a trim of everything. */
type Metrics = Readonly<Record<string, number>>;

const SEAT = { index: 0, workers: 1, role: "worker", seed: 1 };
const HEARS_CHANGES = "hears changes, not claims";

interface BytesParams {
  readonly resources: number;
}

const RANGE_COUNTS = [1, 4, 32] as const;

const bytes = survey<OwnershipCompetitor, BytesParams>({
  scenario: "bytes",
  title: "bytes per range after the garbage collector, 1, 4 and 32 ranges per address",
  headline: false,
  baseline: "sorted-arrays",
  params: { full: { resources: 50_000 }, smoke: { resources: 50 } },
  metrics: Object.fromEntries(
    RANGE_COUNTS.map((count): [string, Metric] => [
      `bytes${count}`,
      { title: `${count} per address`, unit: "B/range", digits: 1 },
    ]),
  ),
  bytesPerWorker: (_competitor, { resources }) => resources * 32 * 1200,
  absent: (competitor, { resources }) => tooLarge(competitor, capacityOf({ resources, ranges: 32 })),
  run(competitor, { resources }, seed, { heldBytes }) {
    const held: Record<string, number> = {};
    // Code that is compiled for the first time is not counted as bytes of ranges.
    fill(competitor, 100, 4, seed);
    for (const ranges of RANGE_COUNTS) {
      const before = heldBytes();
      const kept = fill(competitor, resources, ranges, seed);
      held[`bytes${ranges}`] = (heldBytes() - before) / (resources * ranges);
      // Asked once more, so that it is not garbage before it is weighed.
      kept.ownerAt(0, 0);
    }
    return held;
  },
  law: () => undefined,
});

function fill(competitor: OwnershipCompetitor, resources: number, ranges: number, seed: number) {
  const capacity = capacityOf({ resources, ranges });
  const memory = allocateRegion(competitor.words(capacity));
  competitor.format(memory, capacity);
  return populate(competitor, memory, capacity, { ...SEAT, seed }, { resources, ranges, inEight: {} });
}

function tooLarge(competitor: OwnershipCompetitor, capacity: Capacity): string | undefined {
  const words = competitor.words(capacity);
  return words > 2 ** 28 ? `would take ${Math.ceil(words / 2 ** 28)} GiB` : undefined;
}

interface RebuildParams {
  readonly resources: number;
  readonly claimsPerResource: number;
}

/** Claims of a minute; a new owner after so many. */
const CLAIM_MS = 60_000;
const CLAIMS_PER_OWNER = 25;
const OWNERS = 4096;
/** Flows overlap: a claim begins this long before the one before it ends. */
const OVERLAP_MS = 10_000;
const ORIGIN_MS = 1_750_000_000_000;

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
  metrics: {
    arrivalSeconds: { title: "In order of arrival", unit: "s", digits: 2 },
    shuffledSeconds: { title: "Shuffled", unit: "s", digits: 2 },
    perClaim: { title: "In order of arrival", unit: "ns/claim", digits: 0 },
    ranges: { title: "Ranges made", unit: "", digits: 0 },
    differing: { title: "Addresses that differ", unit: "", digits: 0 },
    accepted: { title: "Claims accepted", unit: "", digits: 0 },
  },
  bytesPerWorker: (_competitor, { resources, claimsPerResource }) =>
    resources * claimsPerResource * 40 + resources * 8 * 2 * 600,
  absent: (competitor, params) => {
    if (competitor.hears === "changes") return HEARS_CHANGES;
    if (competitor.rule !== "evidence") return "makes something else of another order";
    return tooLarge(competitor, rebuildCapacity(params));
  },
  run: surveyRebuild,
  law: (_competitor, { resources, claimsPerResource }, { differing, accepted, ranges }) =>
    claimsAreKept(2 * resources * claimsPerResource, accepted!) ??
    (differing === 0 ? undefined : `${differing} addresses differ by the order of arrival`) ??
    (ranges! >= resources ? undefined : `${ranges} ranges of ${resources} addresses`),
});

function rebuildCapacity({ resources, claimsPerResource }: RebuildParams): Capacity {
  return {
    resources,
    owners: OWNERS,
    windowMs: (claimsPerResource + 1) * CLAIM_MS,
    ranges: resources * (Math.ceil(claimsPerResource / CLAIMS_PER_OWNER) + 1),
  };
}

function surveyRebuild(
  competitor: OwnershipCompetitor,
  params: RebuildParams,
  seed: number,
  { nowNs }: Instruments,
): Metrics {
  if (competitor.hears !== "claims") throw new Error(HEARS_CHANGES);
  const { resources, claimsPerResource } = params;
  const capacity = rebuildCapacity(params);
  const stream = drawStream(params);
  const inOrder = open(competitor, capacity);
  const begunNs = nowNs();
  let accepted = claimInTurn(inOrder, stream);
  const arrivalNs = nowNs() - begunNs;
  shuffle(stream, new Random(seed));
  const shuffled = open(competitor, capacity);
  const shuffledBegunNs = nowNs();
  accepted += rebuild(shuffled, capacity, stream);
  const shuffledNs = nowNs() - shuffledBegunNs;
  let ranges = 0;
  let differing = 0;
  for (let resource = 0; resource < resources; resource++) {
    const one = inOrder.rangesOf(resource);
    ranges += one.length;
    if (JSON.stringify(one) !== JSON.stringify(shuffled.rangesOf(resource))) differing++;
  }
  return {
    arrivalSeconds: arrivalNs / 1e9,
    shuffledSeconds: shuffledNs / 1e9,
    perClaim: arrivalNs / (resources * claimsPerResource),
    ranges,
    differing,
    accepted,
  };
}

function open(competitor: ClaimsCompetitor, capacity: Capacity): Ownership {
  const memory = allocateRegion(competitor.words(capacity));
  competitor.format(memory, capacity);
  const ownership = competitor.attach(memory, capacity, SEAT);
  ownership.trim(ORIGIN_MS);
  return ownership;
}

/** Row after row of all addresses, as a fleet reports. */
function drawStream({ resources, claimsPerResource }: RebuildParams): ClaimStream {
  const stream = allocateStream(resources * claimsPerResource);
  for (let row = 0, at = 0; row < claimsPerResource; row++) {
    for (let resource = 0; resource < resources; resource++, at++) {
      const turn = Math.floor((row + (scrambled(resource) & 15)) / CLAIMS_PER_OWNER);
      const isFirst = (row + (scrambled(resource) & 15)) % CLAIMS_PER_OWNER === 0;
      stream.resources[at] = resource;
      stream.owners[at] = (resource + turn) % OWNERS;
      stream.starts[at] = ORIGIN_MS + row * CLAIM_MS + (isFirst ? 0 : CLAIM_MS / 10 - OVERLAP_MS);
      stream.ends[at] = ORIGIN_MS + (row + 1) * CLAIM_MS;
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
    remembered: { title: "Found afterwards", unit: "", digits: 0 },
  },
  bytesPerWorker: (_competitor, { resources, ranges }) => resources * ranges * 1200,
  absent: (competitor, params) => tooLarge(competitor, capacityOf(params)),
  run(competitor, { resources, ranges }, seed, { nowNs }) {
    // The second time counts: the first is for the compiler.
    let metrics: Metrics = {};
    for (let turn = 0; turn < 2; turn++) {
      const attribution = fill(competitor, resources, ranges, seed);
      const end = oldestEndsBy();
      const trimNs = (watermark: number) => {
        const begunNs = nowNs();
        attribution.trim(watermark);
        return (nowNs() - begunNs) / resources;
      };
      const oldest = trimNs(end);
      const nothing = trimNs(end + 1);
      const all = trimNs(end + 2 ** 30);
      let remembered = 0;
      for (let resource = 0; resource < resources; resource++)
        if (attribution.ownerAt(resource, end) >= 0) remembered++;
      metrics = { oldest, nothing, all, remembered };
    }
    return metrics;
  },
  law: (_competitor, _params, { remembered }) =>
    remembered === 0 ? undefined : `${remembered} addresses still had an owner before the watermark`,
});

export const surveyScenarios: readonly Scenario[] = [bytes, rebuilding, trimming];
