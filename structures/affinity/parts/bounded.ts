import type { Key } from "../../keyed/keyed.contract.ts";
import { shown } from "../../shared/arguments.ts";
import {
  type Affinity,
  type AffinityCompetitor,
  type AffinityMember,
  type Avoid,
  NONE,
} from "../affinity.contract.ts";

/**
 * The same placement with bounded loads: no member has more than `bound` times the average of what this handle has in flight,
 * rounded up and by weight. A key whose member is there goes to the next in its order that is not. What is in flight stays
 * where it is: the paper's balls move when bins come and go, requests do not.
 *
 * Source: Mirrokni, Thorup & Zadimoghaddam, "Consistent hashing with bounded loads", SODA 2018. With less than 1 there would not
 * be room for all, and with 1 each pick could go through all members.
 */
export function bounded(of: AffinityCompetitor, bound: number): AffinityCompetitor {
  assertBound(bound);
  return {
    ...of,
    summary: `${of.summary}, none above ${bound} times the average load`,
    source: `${of.source}; Mirrokni, Thorup & Zadimoghaddam, SODA 2018`,
    bound,
    create: (members) => new Bounded(of.create(members), members, bound),
  };
}

/** Throws a RangeError. */
export function assertBound(bound: unknown): void {
  if (!(typeof bound === "number" && bound > 1 && bound <= MOST_BOUND))
    throw new RangeError(`bound ${shown(bound)} is not a number above 1, ${MOST_BOUND} at most: try 1.25`);
}

const MOST_BOUND = 1e6;

class Bounded implements Affinity {
  readonly #of: Affinity;
  readonly #loads: Float64Array;
  /** What a member may have for each request in flight. */
  readonly #parts: readonly number[];
  #inFlight = 0;
  #avoid: Avoid | undefined;

  constructor(of: Affinity, members: readonly AffinityMember[], bound: number) {
    const total = members.reduce((sum, { weight = 1 }) => sum + weight, 0);
    this.#of = of;
    this.#loads = new Float64Array(members.length);
    this.#parts = members.map(({ weight = 1 }) => (bound * weight) / total);
  }

  pick(key: Key, avoid?: Avoid): number {
    this.#avoid = avoid;
    const withRoom = this.#of.pick(key, this.#hasNoRoom);
    // Where the others are avoided, the bound gives way.
    const member = withRoom === NONE ? this.#of.pick(key, avoid) : withRoom;
    if (member !== NONE) this.take(member);
    return member;
  }

  readonly #hasNoRoom = (member: number): boolean =>
    this.#loads[member]! >= Math.ceil(this.#parts[member]! * (this.#inFlight + 1)) ||
    this.#avoid?.(member) === true;

  take(member: number): void {
    this.#loads[member]!++;
    this.#inFlight++;
  }

  release(member: number): void {
    this.#loads[member]!--;
    this.#inFlight--;
  }
}
