/** What a `Balanced` was seen to do with pools that are played. Requests and pools are numbered. */
export type BalancedEvent =
  | { readonly what: "given"; readonly request: number; readonly pool: number }
  /** Its first byte is written. */
  | { readonly what: "started"; readonly request: number; readonly pool: number }
  /** Its pool says so. */
  | { readonly what: "ended" | "aborted"; readonly request: number; readonly pool: number }
  | { readonly what: "failed"; readonly request: number; readonly pool: number }
  /** Its handler hears so. */
  | { readonly what: "heard"; readonly request: number }
  | { readonly what: "full" | "has room"; readonly pool: number }
  /** The caller is asked to wait, or no longer. */
  | { readonly what: "waits" | "drain" }
  | { readonly what: "look"; readonly inFlight: readonly number[] };

/** What is in flight to each pool is what it was given and has not ended. */
export function leasesAreExact(events: readonly BalancedEvent[], pools: number): string | undefined {
  const inFlight = new Array<number>(pools).fill(0);
  for (const event of events) {
    if (event.what === "given") inFlight[event.pool]!++;
    else if (event.what === "ended" || event.what === "aborted" || event.what === "failed")
      inFlight[event.pool]!--;
    else if (event.what === "look" && String(event.inFlight) !== String(inFlight))
      return `leasesAreExact: ${event.inFlight} requests are counted in flight, and there are ${inFlight}`;
  }
  return undefined;
}

/** A request that was begun at a pool is given to no other. */
export function nothingIsSentTwice(events: readonly BalancedEvent[]): string | undefined {
  const begun = new Set<number>();
  for (const event of events) {
    if (event.what === "started") begun.add(event.request);
    else if (event.what === "given" && begun.has(event.request))
      return `nothingIsSentTwice: request ${event.request} is given to pool ${event.pool}, and was begun before`;
  }
  return undefined;
}

/** A full pool is given nothing while another has room. */
export function fullPoolsAreSpared(events: readonly BalancedEvent[]): string | undefined {
  const full = new Set<number>();
  for (const event of events) {
    if (event.what === "full") full.add(event.pool);
    else if (event.what === "has room") full.delete(event.pool);
    else if (event.what === "given" && full.has(event.pool))
      return `fullPoolsAreSpared: request ${event.request} is given to pool ${event.pool}, which is full`;
  }
  return undefined;
}

/** A caller that is asked to wait hears of the first pool that has room; it waits while all are full, and not otherwise. */
export function drainFollows(events: readonly BalancedEvent[], pools: number): string | undefined {
  const full = new Set<number>();
  let waits = false;
  for (const event of events) {
    if (event.what === "full") full.add(event.pool);
    else if (event.what === "has room") full.delete(event.pool);
    else if (event.what === "waits") {
      if (full.size < pools && !waits)
        return "drainFollows: the caller is asked to wait, and a pool has room";
      waits = true;
    } else if (event.what === "drain") {
      if (!waits) return "drainFollows: a drain, and the caller was not asked to wait";
      waits = false;
    } else if (event.what === "look" && waits && full.size < pools)
      return "drainFollows: the caller waits, and a pool has room";
  }
  return undefined;
}

/** By the time that all pools have ended everything, each handler has heard of its end once. */
export function eachIsHeardOnce(events: readonly BalancedEvent[], requests: number): string | undefined {
  const heard = new Array<number>(requests).fill(0);
  for (const event of events) if (event.what === "heard") heard[event.request]!++;
  const wrong = heard.findIndex((times) => times !== 1);
  return wrong === -1
    ? undefined
    : `eachIsHeardOnce: the handler of request ${wrong} heard of its end ${heard[wrong]} times`;
}

/**
 * A pool whose failed requests, less those that ended well, have reached `failures` is given nothing while another has
 * room, is not ejected, and has not failed that request before. Requests that their callers aborted count as neither.
 */
export function ejectedPoolsAreSpared(
  events: readonly BalancedEvent[],
  pools: number,
  failures: number,
): string | undefined {
  const ahead = new Array<number>(pools).fill(0);
  const full = new Set<number>();
  const failed = new Map<number, Set<number>>();
  for (const event of events) {
    if (event.what === "full") full.add(event.pool);
    else if (event.what === "has room") full.delete(event.pool);
    else if (event.what === "given") {
      const hasOther = ahead.some(
        (count, pool) => count < failures && !full.has(pool) && !failed.get(event.request)?.has(pool),
      );
      if (ahead[event.pool] === failures && hasOther)
        return `ejectedPoolsAreSpared: request ${event.request} is given to pool ${event.pool}, which is ejected`;
    } else if (event.what === "failed") {
      failed.set(event.request, (failed.get(event.request) ?? new Set()).add(event.pool));
      if (ahead[event.pool]! < failures) ahead[event.pool]!++;
    } else if (event.what === "ended" && ahead[event.pool]! > 0 && ahead[event.pool]! < failures)
      ahead[event.pool]!--;
  }
  return undefined;
}
