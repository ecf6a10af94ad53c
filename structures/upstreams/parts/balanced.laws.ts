import { Oracle, type Rule } from "../../pick/pick.standing.laws.ts";

/** What a `Balanced` was seen to do with pools that are played. Requests and pools are numbered. */
export type BalancedEvent =
  /** The pool is a member, or no longer. */
  | { readonly what: "joined" | "left"; readonly pool: number; readonly isFirst?: boolean }
  | { readonly what: "dispatched"; readonly request: number }
  | { readonly what: "given"; readonly request: number; readonly pool: number }
  /** Its first byte is written. */
  | { readonly what: "started"; readonly request: number; readonly pool: number }
  /** Its pool says so. `failed`: whether by a fault of the pool's; undefined where that says nothing of it. */
  | {
      readonly what: "ended";
      readonly request: number;
      readonly pool: number;
      readonly failed: boolean | undefined;
    }
  /** Its handler hears of its end, or the caller of an error that was thrown. */
  | { readonly what: "heard"; readonly request: number }
  | { readonly what: "full" | "has room"; readonly pool: number }
  /** The caller is asked to wait, or no longer. */
  | { readonly what: "waits" | "drain" }
  | { readonly what: "passed"; readonly ms: number }
  /** Its statistics, by pool. */
  | { readonly what: "look"; readonly pools: readonly Look[] }
  /** What its close returned has resolved. */
  | { readonly what: "closed" };

interface Look {
  readonly pool: number;
  readonly inFlight: number;
  readonly failures: number;
  readonly isEjected: boolean;
  readonly isDraining: boolean;
}

type Law = (events: readonly BalancedEvent[], rule: Rule) => string | undefined;

/** Where everything is, gone through event by event: the oracle, slow and plain. */
class Scene {
  readonly standings: Oracle;
  readonly full = new Set<number>();
  /** Those dispatched that are in flight nowhere and have not ended, the one that has been so for longest first. */
  waiting: number[] = [];
  readonly inFlight = new Map<number, number>();
  readonly failures = new Map<number, number>();
  readonly #begun = new Set<number>();
  readonly #tried = new Map<number, Set<number>>();

  constructor(rule: Rule) {
    this.standings = new Oracle(rule);
  }

  get members(): readonly number[] {
    return this.standings.members.map(({ member }) => member);
  }

  hasTried(request: number, pool: number): boolean {
    return this.#tried.get(request)?.has(pool) === true;
  }

  hasBegun(request: number): boolean {
    return this.#begun.has(request);
  }

  /** The pools that could not be reached with it, in rising order. */
  triedBy(request: number): string {
    return String([...(this.#tried.get(request) ?? [])].sort((a, b) => a - b));
  }

  /** Whether the request may go there, had the pool room. */
  permits(request: number, pool: number): boolean {
    const known = this.standings.knownOf(pool);
    if (known === undefined || this.hasTried(request, pool)) return false;
    if (this.standings.costOf(known) < 2) return true;
    const others = this.standings.members.filter(({ member }) => !this.hasTried(request, member));
    const hasFull = others.some(({ member, ejection }) => ejection === undefined && this.full.has(member));
    return (
      !hasFull && !others.some((other) => this.standings.costOf(other) < 2 && !this.full.has(other.member))
    );
  }

  see(event: BalancedEvent): void {
    if (event.what === "full") this.full.add(event.pool);
    else if (event.what === "has room") this.full.delete(event.pool);
    else if (event.what === "started") this.#begun.add(event.request);
    else if (event.what === "dispatched") this.waiting.push(event.request);
    else if (event.what === "heard") this.#stopWaiting(event.request);
    else if (event.what === "passed") this.standings.see(event);
    else if (event.what === "joined") this.standings.see({ ...event, what: "added", member: event.pool });
    else if (event.what === "left") this.standings.see({ what: "drain", member: event.pool });
    else if (event.what === "given") this.#give(event);
    else if (event.what === "ended") this.#end(event);
  }

  #give({ request, pool }: { readonly request: number; readonly pool: number }): void {
    this.#stopWaiting(request);
    this.inFlight.set(pool, (this.inFlight.get(pool) ?? 0) + 1);
    if (this.standings.knownOf(pool) !== undefined)
      this.standings.see({ what: "picked", request, member: pool });
  }

  #end({
    request,
    pool,
    failed,
  }: {
    readonly request: number;
    readonly pool: number;
    readonly failed?: boolean | undefined;
  }): void {
    this.inFlight.set(pool, this.inFlight.get(pool)! - 1);
    if (failed) this.failures.set(pool, (this.failures.get(pool) ?? 0) + 1);
    this.standings.see({ what: "released", request, failed });
    if (!failed || this.hasBegun(request)) return;
    this.#tried.set(request, (this.#tried.get(request) ?? new Set()).add(pool));
    this.waiting.push(request);
  }

  #stopWaiting(request: number): void {
    this.waiting = this.waiting.filter((other) => other !== request);
  }
}

/** The first sentence that is said of an event, by what was before it. */
function first(
  events: readonly BalancedEvent[],
  rule: Rule,
  say: (event: BalancedEvent, scene: Scene) => string | undefined,
): string | undefined {
  const scene = new Scene(rule);
  for (const event of events) {
    const sentence = say(event, scene);
    if (sentence !== undefined) return sentence;
    scene.see(event);
  }
  return undefined;
}

/** The first sentence that is said of a look at all pools. */
const atLooks =
  (say: (pools: readonly Look[], scene: Scene) => string | undefined): Law =>
  (events, rule) =>
    first(events, rule, (event, scene) => (event.what === "look" ? say(event.pools, scene) : undefined));

/** What is in flight to each pool is what it was given and has not ended. */
export const leasesAreExact = atLooks((pools, { inFlight }) => {
  const wrong = pools.find((look) => look.inFlight !== (inFlight.get(look.pool) ?? 0));
  return (
    wrong &&
    `leasesAreExact: ${wrong.inFlight} requests are counted in flight to pool ${wrong.pool}, and there are ${inFlight.get(wrong.pool) ?? 0}`
  );
});

/** Failures are those that a pool is at fault for: an abort, a refusal and an error of the request's body are none. */
export const faultsAreExact = atLooks((pools, { failures }) => {
  const wrong = pools.find((look) => look.failures !== (failures.get(look.pool) ?? 0));
  return (
    wrong &&
    `faultsAreExact: pool ${wrong.pool} has ${wrong.failures} failures, and was at fault ${failures.get(wrong.pool) ?? 0} times`
  );
});

/** Those are ejected that the rule of pick/parts/standing.ts ejects. */
export const ejectionsFollowTheRule = atLooks((pools, { standings }) => {
  const ejected = pools.filter(({ isEjected }) => isEjected).map(({ pool }) => pool);
  return String(ejected) === String(standings.ejected)
    ? undefined
    : `ejectionsFollowTheRule: pools "${ejected}" are ejected, and by the rule "${standings.ejected}"`;
});

/** A pool that is drained is known of until its last request has ended, and no longer. */
export const drainedAreKnown = atLooks((pools, { members, inFlight }) => {
  const draining = pools.filter(({ isDraining }) => isDraining).map(({ pool }) => pool);
  const expected = [...inFlight.keys()].filter((pool) => inFlight.get(pool)! > 0 && !members.includes(pool));
  return String(draining) === String(expected.sort((a, b) => a - b))
    ? undefined
    : `drainedAreKnown: pools "${draining}" are being drained, and "${expected}" have left with requests in flight`;
});

/** A request that was begun at a pool is given to no other. */
export const nothingIsSentTwice: Law = (events, rule) =>
  first(events, rule, (event, scene) =>
    event.what === "given" && scene.hasBegun(event.request)
      ? `nothingIsSentTwice: request ${event.request} is given to pool ${event.pool}, and was begun before`
      : undefined,
  );

/** A full pool is given nothing. */
export const fullPoolsAreSpared: Law = (events, rule) =>
  first(events, rule, (event, { full }) =>
    event.what === "given" && full.has(event.pool)
      ? `fullPoolsAreSpared: request ${event.request} is given to pool ${event.pool}, which is full`
      : undefined,
  );

/** A pool that is ejected and not due for a trial is given nothing that another may serve, now or when it has room. */
export const ejectedPoolsAreSpared: Law = (events, rule) =>
  first(events, rule, (event, scene) =>
    event.what === "given" && !scene.permits(event.request, event.pool)
      ? `ejectedPoolsAreSpared: request ${event.request} is given to pool ${event.pool}, which is not permitted`
      : undefined,
  );

/** Nothing waits while a pool that is permitted has room. */
export const nothingIsStranded = atLooks((_pools, scene) => {
  for (const request of scene.waiting) {
    const idle = scene.members.find((pool) => !scene.full.has(pool) && scene.permits(request, pool));
    if (idle !== undefined)
      return `nothingIsStranded: request ${request} waits, and pool ${idle} is permitted and has room`;
  }
  return undefined;
});

/** Of requests that could be sent to the same pools so far, the one that has waited longest is given first. */
export const longestWaitsFirst: Law = (events, rule) =>
  first(events, rule, (event, scene) => {
    if (event.what !== "given") return undefined;
    const { request } = event;
    const like = scene.waiting.find((other) => scene.triedBy(other) === scene.triedBy(request));
    return like === undefined || like === request
      ? undefined
      : `longestWaitsFirst: request ${request} is given to pool ${event.pool}, and ${like} has waited longer`;
  });

/** A caller that is asked to wait hears of the first pool that has room; it waits while all are full, and not otherwise. */
export const drainFollows: Law = (events, rule) => {
  let waits = false;
  return first(events, rule, (event, { full, members }) => {
    const isFull = members.every((pool) => full.has(pool));
    if (event.what === "waits") {
      if (!isFull && !waits) return "drainFollows: the caller is asked to wait, and a pool has room";
      waits = true;
    } else if (event.what === "drain") {
      if (!waits) return "drainFollows: a drain, and the caller was not asked to wait";
      waits = false;
    } else if (event.what === "look" && waits && !isFull)
      return "drainFollows: the caller waits, and a pool has room";
    return undefined;
  });
};

/** By the time that all pools have ended everything, each handler has heard of its end once. */
export const eachIsHeardOnce: Law = (events) => {
  const heard = new Map<number, number>();
  for (const event of events) {
    if (event.what === "dispatched") heard.set(event.request, 0);
    else if (event.what === "heard") heard.set(event.request, heard.get(event.request)! + 1);
  }
  const wrong = [...heard].find(([, times]) => times !== 1);
  return wrong && `eachIsHeardOnce: the handler of request ${wrong[0]} heard of its end ${wrong[1]} times`;
};

/** When every request has ended, a close ends. */
export const closeFollows: Law = (events) =>
  events.some(({ what }) => what === "closed")
    ? undefined
    : "closeFollows: every request has ended, and a close has not";

/** Reports that are older than a second decide nothing: whoever is picked then has at least a quarter of its share. */
export function oldReportsAreForgotten(picks: readonly number[]): string | undefined {
  const share = picks.reduce((sum, count) => sum + count, 0) / picks.length;
  return Math.min(...picks) >= share / 4
    ? undefined
    : `oldReportsAreForgotten: by reports of more than a second ago pools were given ${picks} requests`;
}
