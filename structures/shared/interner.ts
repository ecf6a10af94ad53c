import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { assertInteger } from "./arguments.ts";

/**
 * Names for small ids: resources and owners, for structures that index arrays by them. Ids are given in the order 0, 1,
 * 2 .. in which names were first heard. The ids of forgotten names are given again first. All spellings of one address
 * are one name; any other name is the string as it is.
 *
 * Promise: an id is one name's at a time, and a name keeps it until it is forgotten. An IPv4 address is four decimal
 *   parts without leading zeros. "10.1" and "010.0.0.1" are strings: some readers take them for addresses, but they
 *   disagree on which. An IPv6 address may be spelled in all ways of RFC 4291. One that maps an IPv4 address is that
 *   address, unless it has a zone. Zones distinguish addresses and are case-sensitive, as names of interfaces are.
 * Progress: wait-free, as nothing is shared.
 * Threads: private. One thread gives ids; each other that needs them has a NameTable and receives messages, see below.
 * Cost: O(1) for a known name in its canonical spelling. Any other name is first read as an address. To forget looks at
 *   every id.
 * Memory: per name one entry of a Map, two elements of arrays and the string, on the heap. No other spelling is kept.
 * Limits: as many names at a time as it is asked for, at most MOST_NAMES. A name without an end is never forgotten.
 * Source: symbol tables. Node decides what is an address, as strictly as inet_pton. npm ipaddr.js 2.5.0 writes it in
 *   the form of RFC 5952, which Node does not produce. It does not decide what an address is, since it takes the looser
 *   forms too.
 *
 * How ids end. A map that hears claims forgets all before its watermark. An id whose claims all end by then is no
 * longer in it. Give each claim's end to `idOf`, and after each `trim(watermark)` of the map
 * `reuse(forget(watermark))`. A log of changes, and the rule `trailing`, remember the last owner for ever, so a name
 * has no end there.
 *
 * How threads agree. The thread that claims gives the ids. Before it makes the first claim of an id it posts id and
 * name to the others. They `learn` them into a NameTable of their own. It posts what `forget` returned, too; they
 * `unlearn` that and answer, and when all have answered it may be reused. So an id that a lookup returned is valid in a
 * thread until that thread handles its next message. An id that the thread has not received has no name there.
 */
export class Interner {
  readonly #capacity: number;
  readonly #table: NameTable;
  /** By id: when its last known use ends. */
  readonly #ends: number[] = [];
  /** Ids that may be given again. */
  readonly #free: number[] = [];
  /** Ids that were forgotten and may not be given again yet. */
  readonly #forgotten = new Set<number>();

  /** Throws a RangeError if `capacity` is not an integer from 0 to MOST_NAMES. */
  constructor(capacity: number) {
    this.#table = new NameTable(capacity);
    this.#capacity = capacity;
  }

  /** How many names have an id. */
  get size(): number {
    return this.#table.size;
  }

  /**
   * The id of a name; an unused one if it has none. It is in use until `end`, in the map's ms, or the latest end given
   * so far: for ever if absent. Throws a RangeError and changes nothing if no id is left, or `end` is NaN.
   */
  idOf(name: string, end = Number.POSITIVE_INFINITY): number {
    if (Number.isNaN(end)) throw new RangeError("end NaN is no time: leave it out for a name that is kept");
    const known = this.find(name);
    if (known !== undefined) {
      if (end > this.#ends[known]!) this.#ends[known] = end;
      return known;
    }
    const id = this.#free.at(-1) ?? this.#ends.length;
    if (id === this.#capacity) {
      const waiting = this.#forgotten.size === 0 ? "" : `, ${this.#forgotten.size} of them to be reused`;
      throw new RangeError(
        `no id is left for the name ${JSON.stringify(name)}: all ${id} are given${waiting}`,
      );
    }
    this.#free.pop();
    this.#ends[id] = end;
    this.#table.learn(id, name);
    return id;
  }

  /** The id of a name, undefined if it has none. */
  find(name: string): number | undefined {
    return this.#table.find(name);
  }

  /** The canonical name of an id. Throws a RangeError if it has none. */
  nameOf(id: number): string {
    return this.#table.nameOf(id);
  }

  /**
   * Forgets the names whose use ended at or before `watermark`, and returns their ids, which no name gets before they are
   * given to `reuse`.
   */
  forget(watermark: number): number[] {
    const ended: number[] = [];
    for (const [id, end] of this.#ends.entries()) if (end <= watermark) ended.push(id);
    this.#table.unlearn(ended);
    for (const id of ended) {
      this.#ends[id] = Number.POSITIVE_INFINITY;
      this.#forgotten.add(id);
    }
    return ended;
  }

  /**
   * These ids, which `forget` returned, may be given again. Throws a RangeError at the first that `forget` did not
   * return, or that is reused already.
   */
  reuse(ids: Iterable<number>): void {
    for (const id of ids) {
      if (!this.#forgotten.delete(id))
        throw new RangeError(`id ${id} is none that was forgotten, or is reused already`);
      this.#free.push(id);
    }
  }
}

/** The names that an Interner gave ids to, as known to a thread that learnt them. Private to that thread. */
export class NameTable {
  readonly #capacity: number;
  readonly #ids = new Map<string, number>();
  /** By id; undefined where no name has it. */
  readonly #names: (string | undefined)[] = [];

  /** Throws a RangeError if `capacity` is not an integer from 0 to MOST_NAMES. */
  constructor(capacity: number) {
    assertInteger("capacity", capacity, 0, MOST_NAMES);
    this.#capacity = capacity;
  }

  /** How many names have an id. */
  get size(): number {
    return this.#ids.size;
  }

  /** The id of a name, undefined if it has none. */
  find(name: string): number | undefined {
    // A name that is known as it stands is canonical, and needs no reading.
    return this.#ids.get(name) ?? this.#ids.get(canonicalName(name));
  }

  /** The canonical name of an id. Throws a RangeError if it has none. */
  nameOf(id: number): string {
    const name = this.#names[id];
    if (name === undefined) throw new RangeError(`id ${id} is not one of the ${this.size} that are given`);
    return name;
  }

  /**
   * Gives a name an id; repeating it is harmless. Throws a RangeError and changes nothing if the id is not an integer
   * in 0 .. capacity - 1. The same holds if the name has another id, or the id another name.
   */
  learn(id: number, name: string): void {
    assertInteger("id", id, 0, this.#capacity - 1);
    const canonical = canonicalName(name);
    const [known, called] = [this.#ids.get(canonical), this.#names[id]];
    if ((known ?? id) !== id || (called ?? canonical) !== canonical)
      throw new RangeError(`${JSON.stringify(name)} cannot have id ${id}: unlearn what had either before`);
    this.#ids.set(canonical, id);
    this.#names[id] = canonical;
  }

  /** These ids have no name any more. */
  unlearn(ids: Iterable<number>): void {
    for (const id of ids) {
      const name = this.#names[id];
      if (name !== undefined) this.#ids.delete(name);
      this.#names[id] = undefined;
    }
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
