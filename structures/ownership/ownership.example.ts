import { CONFLICT, Interner, NO_EVIDENCE, privateOwnership } from "hotpath-lab/ownership";
import flatSlots from "hotpath-lab/ownership/flat-slots";

/**
 * Who had an address when a flow was seen? Claims come late and in any order; where nobody claims the moment, or several
 * do, nobody is blamed. It prints:
 *
 *     1000: checkout
 *     1500: nobody is known to have had it
 *     2000: search
 *     2900: several claim to have had it
 */
const capacity = { resources: 1000, owners: 100, windowMs: 3_600_000, ranges: 4000 };
const map = privateOwnership(flatSlots, capacity);
// Addresses and owners become dense numbers; an address has one, however it is spelled.
const addresses = new Interner(capacity.resources);
const owners = new Interner(capacity.owners);

claim("10.0.0.1", "search", 2000, 3000);
claim("10.0.0.1", "checkout", 500, 1200);
claim("::ffff:10.0.0.1", "billing", 2800, 4000);
for (const at of [1000, 1500, 2000, 2900]) console.log(`${at}: ${ownerOf("10.0.0.1", at)}`);

/** From `start` until before `end`, in milliseconds. */
function claim(address: string, owner: string, start: number, end: number): void {
  map.claim(addresses.idOf(address), owners.idOf(owner), start, end);
}

function ownerOf(address: string, at: number): string {
  const owner = map.ownerAt(addresses.idOf(address), at);
  if (owner === NO_EVIDENCE) return "nobody is known to have had it";
  if (owner === CONFLICT) return "several claim to have had it";
  return owners.nameOf(owner);
}
