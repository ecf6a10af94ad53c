import { type ByKey, isByKey } from "../../affinity/parts/by-key.ts";
import type { Key } from "../../keyed/keyed.contract.ts";
import { assertFunction, assertOptions, type OptionKinds, shown } from "../../shared/arguments.ts";
import { assertUsable } from "../../shared/instance.ts";
import { PICKER, type PickCompetitor } from "../pick.contract.ts";
import { isGatewayFailure, isGivenUp } from "./outcomes.ts";
import { type Member, Roster } from "./roster.ts";
import type { SlowStartOptions } from "./slow-start.ts";
import type { EjectOptions } from "./standing.ts";

export interface BalancerOptions {
  /** When an item is ejected whose requests fail; false where none is. By default after 3 failures, for 1 s and longer. */
  readonly eject?: EjectOptions | false | undefined;
  /**
   * For how many ms an item that is new, or back from an ejection, gets less than its share: a tenth at first, then more in
   * a straight line. Absent: it gets requests in flight slowly, and else what the picker picks.
   */
  readonly slowStart?: number | SlowStartOptions | undefined;
  /** Whole numbers from 1 to 65,535, one for each item, for a picker that goes by weight. */
  readonly weights?: readonly number[] | undefined;
  /** uint32; random if absent. */
  readonly seed?: number | undefined;
  /** Whether this error of a request is the item's fault. Every error is if absent. Not asked where the caller gave the request up. */
  readonly isFailure?: ((error: unknown) => boolean) | undefined;
  /**
   * Whether this answer, which the function returned, is the item's fault. If absent, one is whose `status` or `statusCode`
   * is 502, 503 or 504, as fetch, undici and node:http give it.
   */
  readonly isFailedAnswer?: ((answer: unknown) => boolean) | undefined;
}

export interface UseOptions {
  /**
   * Passed on to the function, which should heed it: the item is released when the function is done. A signal that the
   * function makes by itself means the same.
   */
  readonly signal?: AbortSignal | undefined;
  /** Whose request it is: a string or a safe integer. For `byKey` alone, which needs it. */
  readonly key?: Key | undefined;
}

/** An item that is in use until it is released. */
export interface Lease<Item> {
  readonly item: Item;
  /**
   * The request is done, and `failed` says whether the item was unable to serve it: not if absent; null where its caller
   * gave it up, which says nothing about the item. Throws an Error if the lease was released before, and changes nothing
   * then.
   */
  release(failed?: boolean | null): void;
}

/**
 * Spreads requests over items: URLs, clients, connections, workers. For one thread. Its methods need no `this`.
 */
export interface Balancer<Item> {
  /**
   * Picks an item, calls `fn` with it at once, and releases it when `fn` is done, whether that returned or threw. An
   * error counts against the item, unless `isFailure` says otherwise, and so does an answer of 502, 503 or 504. A
   * TimeoutError, as of AbortSignal.timeout, is an error like any other. An AbortError and the reason of `signal` mean
   * that the caller has given up, and say nothing about the item. Resolves and rejects as `fn` does. Rejects before it
   * picks if the signal has aborted, and if no items are left.
   */
  use<R>(
    fn: (item: Item, signal: AbortSignal | undefined) => R | PromiseLike<R>,
    options?: UseOptions,
  ): Promise<R>;
  /**
   * Picks an item for a request that does not fit into one function, for `byKey` by its key. Throws an Error if no items are
   * left, and a TypeError for a key that is missing or of no use.
   */
  take(key?: Key): Lease<Item>;
  /**
   * Requests may go to `item`, too. Throws a RangeError if they may already, or for a weight that is invalid or that
   * the picker does not heed. An item that is being drained may be added anew. Its earlier requests then do not count
   * as its load, and the drain is complete when they have ended.
   */
  add(item: Item, weight?: number): void;
  /**
   * No request that begins after the call goes to `item`. Resolves when the last one that went there is released. The
   * last item can be drained, too. A second call while the first is pending resolves with it. Rejects with a RangeError
   * if requests do not go there.
   */
  drain(item: Item): Promise<void>;
  /** Those that requests go to. */
  readonly items: readonly Item[];
  /** Requests of this item that are not released, those of a pending drain included. */
  inFlight(item: Item): number;
}

/**
 * Items by a picker of the lab: `balancer(twoChoices, [a, b])`, or by keys: `balancer(byKey(rendezvous), [a, b])`. Items are told apart by identity. Throws a RangeError for
 * an item that is given twice, and for options outside their ranges. Throws a TypeError for a picker that ejects on its
 * own.
 *
 * A change of members takes as many steps as there are items and requests in flight. Ejections stay across changes, and
 * so do the counts of pickers that go by load. Orders that rotate begin anew at a place drawn by the seed.
 */
export function balancer<Item>(
  competitor: PickCompetitor | ByKey<Item>,
  items: readonly Item[],
  options: BalancerOptions = {},
): Balancer<Item> {
  assertGiven(competitor, items, options);
  const {
    eject = {},
    slowStart,
    weights,
    seed,
    isFailure = () => true,
    isFailedAnswer = isUnavailable,
  } = options;
  const roster = new Roster(competitor, items, weights, { eject, slowStart, seed });
  const memberOf = (item: Item) => roster.members.find((member) => member.item === item);

  function picked(key: Key | undefined): Member<Item> {
    if (key !== undefined && !isByKey(competitor))
      throw new TypeError(`this picker goes by no key ${shown(key)}: leave it out, or take byKey`);
    const member = roster.pick(undefined, false, key);
    if (member === undefined) throw new Error("no items are left to pick from: add one");
    return member;
  }

  return {
    async use(fn, options = {}) {
      assertFunction("use", "fn", fn);
      assertOptions("use", options, USE_OPTIONS);
      const { signal, key } = options;
      signal?.throwIfAborted();
      const member = picked(key);
      const { round } = member.standing;
      const pickedMs = roster.nowMs;
      // Stands if isFailure or isFailedAnswer throws.
      let failed: boolean | undefined = true;
      let isAnswered = false;
      try {
        const answer = await fn(member.item, signal);
        isAnswered = true;
        failed = isFailedAnswer(answer);
        return answer;
      } catch (error) {
        if (!isAnswered) failed = isGivenUp(signal, error) ? undefined : isFailure(error);
        throw error;
      } finally {
        roster.release(member, failed, round, pickedMs);
      }
    },

    take(key) {
      return leased(roster, picked(key));
    },

    add(item, weight) {
      if (memberOf(item) !== undefined)
        throw new RangeError("this item is there already: to change its weight, drain it and add it anew");
      roster.add(item, weight);
    },

    async drain(item) {
      const member = memberOf(item);
      if (member !== undefined) return roster.drain(member);
      const leaving = [...roster.leaving].filter((other) => other.item === item);
      if (leaving.length === 0) throw new RangeError("this item is not there: nothing is to be drained");
      await Promise.all(leaving.map(({ drained }) => drained));
    },

    get items() {
      return roster.members.map(({ item }) => item);
    },

    inFlight(item) {
      let requests = memberOf(item)?.inFlight ?? 0;
      for (const member of roster.leaving) if (member.item === item) requests += member.inFlight;
      return requests;
    },
  };
}

function assertGiven(
  competitor: PickCompetitor | ByKey<never>,
  items: readonly unknown[],
  options: BalancerOptions,
): void {
  if (!isByKey(competitor)) assertUsable(competitor, PICKER);
  assertOptions("balancer", options, BALANCER_OPTIONS);
  if (!Array.isArray(items))
    throw new TypeError(`balancer: items ${shown(items)} are no array: give balancer(picker, [a, b])`);
  if (new Set(items).size < items.length) throw new RangeError("an item is there twice: give each once");
}

function leased<Item>(roster: Roster<Item>, member: Member<Item>): Lease<Item> {
  const { round } = member.standing;
  const pickedMs = roster.nowMs;
  let isReleased = false;
  return {
    item: member.item,
    release(failed = false) {
      if (isReleased) throw new Error("this lease was released before: release each once");
      isReleased = true;
      roster.release(member, failed ?? undefined, round, pickedMs);
    },
  };
}

const BALANCER_OPTIONS: OptionKinds<BalancerOptions> = {
  eject: "any",
  slowStart: "any",
  weights: "array",
  seed: "any",
  isFailure: "function",
  isFailedAnswer: "function",
};
const USE_OPTIONS: OptionKinds<UseOptions> = { signal: "signal", key: "any" };

function isUnavailable(answer: unknown): boolean {
  const { status, statusCode = status } = Object(answer) as Readonly<Record<string, unknown>>;
  return isGatewayFailure(statusCode);
}
