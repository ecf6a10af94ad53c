import type { Capacity, Ownership } from "./ownership.contract.ts";

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

/** All that a structure knows, as the fewest claims that say so, resource by resource in the order of time. */
export function exportClaims(ownership: Ownership, { resources }: Pick<Capacity, "resources">): ClaimStream {
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
 * Makes all claims of a stream, in any order of arrival, resource by resource in the order of time: claims in order are
 * what structures are quick at, and a resource's ranges stay in the cache. Returns how many were accepted. Throws the
 * RangeError of the first bad claim; those before it, in that order, have been made then, and as claims may be repeated,
 * the whole stream can be given again.
 */
export function rebuild(
  ownership: Ownership,
  capacity: Pick<Capacity, "resources">,
  stream: ClaimStream,
): number {
  const { resources, owners, starts, ends } = stream;
  let accepted = 0;
  for (const at of byResourceAndStart(stream, capacity.resources))
    if (ownership.claim(resources[at]!, owners[at]!, starts[at]!, ends[at]!)) accepted++;
  return accepted;
}

/** The indices of a stream's claims, grouped by resource, each group in the order of start. */
function byResourceAndStart({ resources, starts }: ClaimStream, count: number): Int32Array {
  // The group past the last is for resources that do not exist, which claim will refuse.
  const groupOf = (at: number) => {
    const resource = resources[at]!;
    return resource >= 0 && resource < count ? resource : count;
  };
  const ends = new Int32Array(count + 1);
  for (let at = 0; at < resources.length; at++) ends[groupOf(at)]!++;
  for (let group = 1; group <= count; group++) ends[group]! += ends[group - 1]!;
  const order = new Int32Array(resources.length);
  // From the back, so that each group's end becomes its beginning and claims keep their order of arrival.
  for (let at = resources.length - 1; at >= 0; at--) order[--ends[groupOf(at)]!] = at;
  for (let group = 0; group <= count; group++) {
    const past = ends[group + 1] ?? order.length;
    sortByStart(order, ends[group]!, past, starts);
  }
  return order;
}

/** Groups up to this long are sorted by insertion, which also finds in one pass that a group is in order already. */
const SHORT_GROUP = 32;

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
