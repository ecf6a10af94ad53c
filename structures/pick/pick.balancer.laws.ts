import type { BalancerEvent } from "./pick.balancer.examination.ts";

/**
 * What a balancer promises, as pure functions over what was observed from outside. Each returns undefined, or one
 * sentence that says what broke.
 */

/** Each lease is released once, however its request ends: at every look, the counts are those of picks less releases. */
export function inFlightIsExact(events: readonly BalancerEvent[]): string | undefined {
  const counts = new Map<number, number>();
  const memberOf = new Map<number, number>();
  for (const event of events) {
    if (event.what === "picked") {
      memberOf.set(event.request, event.member);
      counts.set(event.member, (counts.get(event.member) ?? 0) + 1);
    } else if (event.what === "released") {
      const member = memberOf.get(event.request)!;
      counts.set(member, counts.get(member)! - 1);
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
    if (event.what === "added") members.add(event.member);
    else if (event.what === "drain") members.delete(event.member);
    else if (event.what === "picked" && !members.has(event.member))
      return `membersArePicked: item ${event.member} is picked, and is no member`;
  }
  return undefined;
}

/** A drain is complete once every lease from before its call is released: not earlier, and by the next look. */
export function drainsEndOnTime(events: readonly BalancerEvent[]): string | undefined {
  const held = new Map<number, Set<number>>();
  const waitsFor = new Map<number, Set<number>>();
  for (const event of events) {
    if (event.what === "picked")
      held.set(event.member, (held.get(event.member) ?? new Set()).add(event.request));
    else if (event.what === "released") {
      for (const leases of [...held.values(), ...waitsFor.values()]) leases.delete(event.request);
    } else if (event.what === "drain") waitsFor.set(event.drain, new Set(held.get(event.member)));
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
