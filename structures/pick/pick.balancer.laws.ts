import type { BalancerEvent } from "./pick.balancer.examination.ts";

/**
 * What a balancer promises, as pure functions over what was observed from outside. Each returns undefined, or one
 * sentence that says what broke.
 */

/** Each lease is released once, however its request ends: at every look, the counts are those of picks less releases. */
export function inFlightIsExact(events: readonly BalancerEvent[]): string | undefined {
  const counts = new Map<number, number>();
  const itemOf = new Map<number, number>();
  for (const event of events) {
    if (event.what === "picked") {
      itemOf.set(event.lease, event.item);
      counts.set(event.item, (counts.get(event.item) ?? 0) + 1);
    } else if (event.what === "released") {
      const item = itemOf.get(event.lease)!;
      counts.set(item, counts.get(item)! - 1);
    } else if (event.what === "look") {
      for (const [item, inFlight] of event.inFlight)
        if (inFlight !== (counts.get(item) ?? 0))
          return `inFlightIsExact: item ${item} counts ${inFlight} requests in flight, and has ${counts.get(item) ?? 0}`;
    }
  }
  return undefined;
}

/** Whatever is picked was added, and no drain of it has been called since. */
export function membersArePicked(events: readonly BalancerEvent[]): string | undefined {
  const members = new Set<number>();
  for (const event of events) {
    if (event.what === "added") members.add(event.item);
    else if (event.what === "drain") members.delete(event.item);
    else if (event.what === "picked" && !members.has(event.item))
      return `membersArePicked: item ${event.item} is picked, and is no member`;
  }
  return undefined;
}

/** A drain is complete once every lease from before its call is released: not earlier, and by the next look. */
export function drainsEndOnTime(events: readonly BalancerEvent[]): string | undefined {
  const held = new Map<number, Set<number>>();
  const waitsFor = new Map<number, Set<number>>();
  for (const event of events) {
    if (event.what === "picked") held.set(event.item, (held.get(event.item) ?? new Set()).add(event.lease));
    else if (event.what === "released") {
      for (const leases of [...held.values(), ...waitsFor.values()]) leases.delete(event.lease);
    } else if (event.what === "drain") waitsFor.set(event.drain, new Set(held.get(event.item)));
    else if (event.what === "drained") {
      const { size } = waitsFor.get(event.drain)!;
      if (size > 0) return `drainsEndOnTime: a drain was complete with ${size} requests in flight`;
      waitsFor.delete(event.drain);
    } else if (event.what === "look") {
      for (const { size } of waitsFor.values())
        if (size === 0) return "drainsEndOnTime: a drain was not complete, and no request was in flight";
    }
  }
  return undefined;
}

/**
 * While some member is not ejected, none is picked whose failed requests, less its served ones, have reached `failures`.
 * A change of members changes nothing about that, and a request that the caller gave up counts as neither.
 */
export function ejectedStaySpared(events: readonly BalancerEvent[], failures: number): string | undefined {
  const ahead = new Map<number, number>();
  const itemOf = new Map<number, number>();
  for (const event of events) {
    if (event.what === "added") ahead.set(event.item, 0);
    else if (event.what === "drain") ahead.delete(event.item);
    else if (event.what === "picked") {
      itemOf.set(event.lease, event.item);
      if (ahead.get(event.item) === failures && [...ahead.values()].some((other) => other < failures))
        return `ejectedStaySpared: item ${event.item} is picked, and ${failures} of its requests failed`;
    } else if (event.what === "released" && event.counts && event.failed !== undefined) {
      const item = itemOf.get(event.lease)!;
      const before = ahead.get(item)!;
      if (before < failures) ahead.set(item, Math.max(0, before + (event.failed ? 1 : -1)));
    }
  }
  return undefined;
}

/** For a picker that takes the less loaded of two: the one item that has more requests in flight than any other is not picked. */
export function busiestIsSpared(events: readonly BalancerEvent[]): string | undefined {
  const counts = new Map<number, number>();
  const itemOf = new Map<number, number>();
  for (const event of events) {
    if (event.what === "added") counts.set(event.item, 0);
    else if (event.what === "drain") counts.delete(event.item);
    else if (event.what === "picked") {
      itemOf.set(event.lease, event.item);
      const own = counts.get(event.item)!;
      const others = [...counts].filter(([item]) => item !== event.item);
      if (others.length > 0 && others.every(([, count]) => count < own))
        return `busiestIsSpared: item ${event.item} is picked, and has more requests in flight than any other`;
      counts.set(event.item, own + 1);
    } else if (event.what === "released" && event.counts) {
      const item = itemOf.get(event.lease)!;
      counts.set(item, counts.get(item)! - 1);
    }
  }
  return undefined;
}
