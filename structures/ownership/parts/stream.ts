import { assertInteger, shown } from "../../shared/arguments.ts";
import { type Capacity, MOST_COUNTED, type Ownership } from "../ownership.contract.ts";

/**
 * Claims one after another, in columns: what a structure can be written out as, and made from again. Columns rather
 * than objects, because a replica that joins hears tens of millions of them.
 */
export interface ClaimStream {
  readonly resources: Int32Array;
  /** An owner, or CONFLICT. */
  readonly owners: Int32Array;
  /** Integer ms, as float64: times since the epoch need 41 bits. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
}

export function allocateStream(claims: number): ClaimStream {
  return {
    resources: new Int32Array(claims),
    owners: new Int32Array(claims),
    starts: new Float64Array(claims),
    ends: new Float64Array(claims),
  };
}

/**
 * All that a structure knows, as disjoint claims, resource by resource in the order of time. Where ranges of several
 * owners overlap, these are more than the ranges: up to twice as many.
 */
export function exportClaims(ownership: Ownership, capacity: Pick<Capacity, "resources">): ClaimStream {
  assertMap("exportClaims", ownership, capacity);
  const { resources } = capacity;
  const lists = Array.from({ length: resources }, (_, resource) => ownership.rangesOf(resource));
  const stream = allocateStream(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const [resource, ranges] of lists.entries()) {
    for (const { start, end, owner } of ranges) {
      stream.resources[at] = resource;
      stream.owners[at] = owner;
      stream.starts[at] = start;
      stream.ends[at++] = end;
    }
  }
  return stream;
}

/**
 * Makes all claims of a stream, in any order of arrival, resource by resource in the order of time. Structures are
 * quick at claims in order, and a resource's ranges stay in the cache. Returns how many were accepted. Throws the
 * RangeError of the first bad claim; the claims before it, in that order, have been made then. As claims may be
 * repeated, the whole stream can be given again. Takes a second copy of the stream while it runs.
 */
export function rebuild(
  ownership: Ownership,
  capacity: Pick<Capacity, "resources">,
  stream: ClaimStream,
): number {
  assertMap("rebuild", ownership, capacity);
  if (!(stream?.resources instanceof Int32Array))
    throw new TypeError(`rebuild: ${shown(stream)} is no stream: give what exportClaims returned`);
  let accepted = 0;
  for (const { first, claims } of inBuckets(stream, capacity.resources)) {
    const { resources, owners, starts, ends } = claims;
    for (const at of byResourceAndStart(claims, first))
      if (ownership.claim(resources[at]!, owners[at]!, starts[at]!, ends[at]!)) accepted++;
  }
  return accepted;
}

function assertMap(door: string, ownership: Ownership, capacity: Pick<Capacity, "resources">): void {
  if (typeof ownership?.claim !== "function")
    throw new TypeError(
      `${door}: ${shown(ownership)} is no ownership map: give what privateOwnership or attachOwnership returned`,
    );
  assertInteger(`${door}: resources`, capacity?.resources, 1, MOST_COUNTED);
}

/** The claims of this number of resources fit a core's cache, where putting them in order is cheap. */
const RESOURCES_PER_BUCKET = 256;

/** Claims of some resources that follow each other, from `first` on. */
interface Bucket {
  readonly first: number;
  readonly claims: ClaimStream;
}

/** A stream cut by resource, each part in the order of arrival. The last holds resources that do not exist. */
function inBuckets(stream: ClaimStream, count: number): Bucket[] {
  const { resources, owners, starts, ends } = stream;
  const last = Math.ceil(count / RESOURCES_PER_BUCKET);
  const bucketOf = (resource: number) =>
    resource >= 0 && resource < count ? Math.floor(resource / RESOURCES_PER_BUCKET) : last;
  const past = new Int32Array(last + 1);
  for (const resource of resources) past[bucketOf(resource)]!++;
  for (let bucket = 1; bucket <= last; bucket++) past[bucket]! += past[bucket - 1]!;
  const begin = Int32Array.from(past, (_, bucket) => past[bucket - 1] ?? 0);
  const moved = allocateStream(resources.length);
  const next = begin.slice();
  for (let from = 0; from < resources.length; from++) {
    const at = next[bucketOf(resources[from]!)]!++;
    moved.resources[at] = resources[from]!;
    moved.owners[at] = owners[from]!;
    moved.starts[at] = starts[from]!;
    moved.ends[at] = ends[from]!;
  }
  return Array.from(begin, (from, bucket) => ({
    first: bucket * RESOURCES_PER_BUCKET,
    claims: {
      resources: moved.resources.subarray(from, past[bucket]),
      owners: moved.owners.subarray(from, past[bucket]),
      starts: moved.starts.subarray(from, past[bucket]),
      ends: moved.ends.subarray(from, past[bucket]),
    },
  }));
}

/** The indices of a bucket's claims, grouped by resource, each group in the order of start. */
function byResourceAndStart({ resources, starts }: ClaimStream, first: number): Int32Array {
  // Resources that do not exist may be any; they are one group, and claim will refuse the first.
  const groupOf = (at: number) => Math.max(0, Math.min(resources[at]! - first, RESOURCES_PER_BUCKET - 1));
  const begin = new Int32Array(RESOURCES_PER_BUCKET + 1);
  for (let at = 0; at < resources.length; at++) begin[groupOf(at)]!++;
  for (let group = 1; group <= RESOURCES_PER_BUCKET; group++) begin[group]! += begin[group - 1]!;
  const order = new Int32Array(resources.length);
  // From the back, so that each group's end becomes its beginning and claims keep their order of arrival.
  for (let at = resources.length - 1; at >= 0; at--) order[--begin[groupOf(at)]!] = at;
  for (let group = 0; group < RESOURCES_PER_BUCKET; group++)
    sortByStart(order, begin[group]!, begin[group + 1]!, starts);
  return order;
}

/** Groups up to this long are sorted by insertion, which also finds in one pass that a group is in order already. */
const SHORT_GROUP = 256;

function sortByStart(order: Int32Array, from: number, past: number, starts: Float64Array): void {
  if (past - from > SHORT_GROUP) {
    order.subarray(from, past).sort((a, b) => starts[a]! - starts[b]!);
    return;
  }
  for (let place = from + 1; place < past; place++) {
    const at = order[place]!;
    const start = starts[at]!;
    let hole = place;
    for (; hole > from && starts[order[hole - 1]!]! > start; hole--) order[hole] = order[hole - 1]!;
    order[hole] = at;
  }
}
