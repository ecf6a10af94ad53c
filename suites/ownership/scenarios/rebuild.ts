import {
  type Capacity,
  type ClaimsCompetitor,
  type Ownership,
  type OwnershipCompetitor,
  privateOwnership,
} from "../../../structures/ownership/ownership.contract.ts";
import { claimsAreKept } from "../../../structures/ownership/ownership.laws.ts";
import { allocateStream, type ClaimStream, rebuild } from "../../../structures/ownership/parts/stream.ts";
import { scrambled } from "../../../structures/shared/murmur3.ts";
import { Random } from "../../../structures/shared/sfc32.ts";
import { type Instruments, survey } from "../../shared/vocabulary.ts";
import { HEARS_CHANGES, ORIGIN_MS, tooLarge } from "../population.ts";

interface RebuildParams {
  readonly resources: number;
  readonly claimsPerResource: number;
}

/** Claims of a minute; a new owner after this number of them. */
const CLAIM_MS = 60_000;
const CLAIMS_PER_OWNER = 25;
const OWNERS = 4096;
/** Flows overlap: a claim begins this long before the one before it ends; of another owner one in four does. */
const OVERLAP_MS = 4_000;

export default survey<OwnershipCompetitor, RebuildParams>({
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
): Readonly<Record<string, number>> {
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
  const ownership = privateOwnership(competitor, capacity, 0);
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
