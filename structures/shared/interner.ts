import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Names for dense ids 0, 1, 2 .. in the order in which they were first heard: resources and owners, for structures that
 * index arrays by them. All spellings of one address are one name; what is no address is the string as it is.
 *
 * Promise: an id is given once and never changes. An IPv4 address is four decimal parts without leading zeros, nothing
 *   looser: "10.1" or "010.0.0.1", which some readers take for addresses and no two of them for the same, are strings.
 *   An IPv6 address may be spelled in all ways of RFC 4291; one that maps an IPv4 address is that address, unless it
 *   has a zone. Zones tell addresses apart, and case counts in them, as it does in names of interfaces.
 * Progress: wait-free, as nothing is shared.
 * Threads: private; another worker needs the names told in the same order to give them the same ids.
 * Cost: O(1) for a name in its canonical spelling that is known; any other is looked at as an address first.
 * Memory: per name one entry of a Map, one element of an array and the string, on the heap. No other spelling is kept.
 * Limits: as many names as it is asked for, at most MOST_NAMES; no name is ever forgotten.
 * Source: symbol tables. Node tells what is an address, as strictly as inet_pton; npm ipaddr.js 2.5.0 writes it in the
 *   form of RFC 5952, which Node does not give. It is not asked what is one, since it takes the looser forms too.
 */
export class Interner {
  readonly #capacity: number;
  readonly #ids = new Map<string, number>();
  readonly #names: string[] = [];

  /** Throws a RangeError if `capacity` is not an integer from 0 to MOST_NAMES. */
  constructor(capacity: number) {
    if (!(Number.isInteger(capacity) && capacity >= 0 && capacity <= MOST_NAMES))
      throw new RangeError(`capacity ${capacity} is not an integer in 0 .. ${MOST_NAMES}`);
    this.#capacity = capacity;
  }

  /** How many names have an id: 0 .. size - 1. */
  get size(): number {
    return this.#names.length;
  }

  /** The id of a name, the next one if it has none. Throws a RangeError and changes nothing if there is none left. */
  idOf(name: string): number {
    const known = this.find(name);
    if (known !== undefined) return known;
    const id = this.#names.length;
    if (id === this.#capacity)
      throw new RangeError(`no id is left for the name ${JSON.stringify(name)}: all ${id} are given`);
    const canonical = canonicalName(name);
    this.#ids.set(canonical, id);
    this.#names.push(canonical);
    return id;
  }

  /** The id of a name, undefined if it has none. */
  find(name: string): number | undefined {
    // A name that is known as it stands is canonical, and needs no reading.
    return this.#ids.get(name) ?? this.#ids.get(canonicalName(name));
  }

  /** The canonical name of an id. Throws a RangeError if it was not given yet. */
  nameOf(id: number): string {
    const name = this.#names[id];
    if (name === undefined) throw new RangeError(`id ${id} is not one of the ${this.size} that are given`);
    return name;
  }
}

/** The most entries that a Map of V8 takes. */
export const MOST_NAMES = 2 ** 24;

function canonicalName(name: string): string {
  // IPv4 addresses that pass have one spelling only.
  if (isIPv4(name) || !isIPv6(name)) return name;
  // The package knows fewer names of zones than there are.
  const [spelled] = name.split("%", 1) as [string];
  const zone = name.slice(spelled.length);
  // It also takes ::10.0.0.1 for ::ffff:10.0.0.1, which is another address; behind a zero it does not.
  const address = ipaddr.IPv6.parse(/^::\d+\./.test(spelled) ? `0${spelled}` : spelled);
  if (zone !== "") return `${address}${zone}`;
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toString();
}
