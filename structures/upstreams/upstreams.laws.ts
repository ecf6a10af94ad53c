/** What was observed of requests and members, in its order. Requests and origins are numbered. */
export type UpstreamsEvent =
  | { readonly what: "dispatched"; readonly request: number }
  /** An origin received it. */
  | { readonly what: "received"; readonly request: number; readonly origin: number; readonly host: string }
  /** Its handler heard of its end, or of its error. */
  | { readonly what: "ended"; readonly request: number; readonly error?: unknown }
  | { readonly what: "added" | "drain" | "drained"; readonly origin: number }
  | { readonly what: "closed" };

/** Everything that is dispatched ends once. */
export function eachEndsOnce(events: readonly UpstreamsEvent[]): string | undefined {
  const ends = new Map<number, number>();
  for (const event of events) {
    if (event.what === "dispatched") ends.set(event.request, 0);
    else if (event.what === "ended") ends.set(event.request, ends.get(event.request)! + 1);
  }
  for (const [request, times] of ends)
    if (times !== 1) return `eachEndsOnce: request ${request} ended ${times} times`;
  return undefined;
}

/** A request that ends well was received once, and one that fails at most once. */
export function eachIsSentOnce(events: readonly UpstreamsEvent[]): string | undefined {
  const times = new Map<number, number>();
  for (const event of events)
    if (event.what === "received") times.set(event.request, (times.get(event.request) ?? 0) + 1);
  for (const event of events) {
    if (event.what !== "ended") continue;
    const received = times.get(event.request) ?? 0;
    if (received > 1 || (received === 0 && event.error === undefined))
      return `eachIsSentOnce: request ${event.request} was received ${received} times`;
  }
  return undefined;
}

/** An origin receives what was dispatched while it was a member. */
export function membersAreAsked(events: readonly UpstreamsEvent[]): string | undefined {
  const members = new Set<number>();
  const membersAt = new Map<number, ReadonlySet<number>>();
  for (const event of events) {
    if (event.what === "added") members.add(event.origin);
    else if (event.what === "drain") members.delete(event.origin);
    else if (event.what === "dispatched") membersAt.set(event.request, new Set(members));
    else if (event.what === "received" && !membersAt.get(event.request)!.has(event.origin))
      return `membersAreAsked: request ${event.request} went to origin ${event.origin}, which was no member when it was dispatched`;
  }
  return undefined;
}

/** The host that a request names is the one that receives it. */
export function hostIsTheOrigins(
  events: readonly UpstreamsEvent[],
  hosts: readonly string[],
): string | undefined {
  for (const event of events)
    if (event.what === "received" && event.host !== hosts[event.origin])
      return `hostIsTheOrigins: origin ${event.origin} was asked as ${event.host}, and is ${hosts[event.origin]}`;
  return undefined;
}

/** Each of the members received something. */
export function everyMemberIsAsked(counts: readonly number[]): string | undefined {
  const idle = counts.indexOf(0);
  return idle === -1
    ? undefined
    : `everyMemberIsAsked: origin ${idle} received nothing, the others ${counts}`;
}

/** A drain ends after every request that its origin received, and in time; none of them ends in an error. */
export function drainsAsClaimed(events: readonly UpstreamsEvent[]): string | undefined {
  const underWay = new Map<number, number>();
  const pending = new Set<number>();
  for (const event of events) {
    if (event.what === "received") underWay.set(event.request, event.origin);
    else if (event.what === "ended") {
      underWay.delete(event.request);
      if (event.error !== undefined)
        return `drainsAsClaimed: while members changed, request ${event.request} ended in ${event.error}`;
    } else if (event.what === "drain") pending.add(event.origin);
    else if (event.what === "drained") {
      pending.delete(event.origin);
      const left = [...underWay.values()].filter((origin) => origin === event.origin).length;
      if (left > 0) return `drainsAsClaimed: a drain ended with ${left} requests in flight`;
    }
  }
  return pending.size === 0
    ? undefined
    : "drainsAsClaimed: a drain did not end, and no request was in flight";
}

/** One whose origins are fixed says so when it is asked to change them. `changed` is what it did all the same. */
export function fixedOnesSaySo(changed: readonly string[]): string | undefined {
  return changed.length === 0
    ? undefined
    : `fixedOnesSaySo: drains is "never", and there was no error of ${changed}`;
}

/** Of a hundred requests one after another, fewer fail while an origin refuses connections. */
export function failingAreSpared(failed: number): string | undefined {
  return failed < 10
    ? undefined
    : `failingAreSpared: ${failed} of 100 requests failed, while one origin was down`;
}

/** An origin that answers with 503 receives less than half of its share. */
export function unavailableAreSpared(
  received: number,
  requests: number,
  origins: number,
): string | undefined {
  const share = requests / origins;
  return received < share / 2
    ? undefined
    : `unavailableAreSpared: the origin that answers with 503 received ${received} of ${requests} requests, and its share is ${share}`;
}

/** An origin that does not answer receives less than half of its share. */
export function slowAreSpared(received: number, requests: number, origins: number): string | undefined {
  const share = requests / origins;
  return received < share / 2
    ? undefined
    : `slowAreSpared: the origin that does not answer received ${received} of ${requests} requests, and its share is ${share}`;
}

/** An aborted request ends with the reason of the abort. */
export function abortsEndWithTheirReason(
  events: readonly UpstreamsEvent[],
  reasons: ReadonlyMap<number, unknown>,
): string | undefined {
  for (const event of events)
    if (event.what === "ended" && reasons.has(event.request) && event.error !== reasons.get(event.request))
      return `abortsEndWithTheirReason: request ${event.request} ended in ${event.error}`;
  return undefined;
}

/** An origin whose requests were aborted receives at least a quarter of its share of those that follow. */
export function abortsAreForgiven(received: number, requests: number, origins: number): string | undefined {
  const share = requests / origins;
  return received >= share / 4
    ? undefined
    : `abortsAreForgiven: after aborts, their origin received ${received} of ${requests} requests, and its share is ${share}`;
}

/** close ends after every request. One that is dispatched after its call ends in an error, and is not sent. */
export function closeWaits(events: readonly UpstreamsEvent[], late: number): string | undefined {
  const underWay = new Set<number>();
  let isClosed = false;
  for (const event of events) {
    if (event.what === "dispatched" && event.request !== late) underWay.add(event.request);
    else if (event.what === "received" && event.request === late)
      return "closeWaits: a request that was dispatched after close was sent";
    else if (event.what === "ended") {
      underWay.delete(event.request);
      if (event.request === late && event.error === undefined)
        return "closeWaits: a request that was dispatched after close did not end in an error";
      if (event.request !== late && event.error !== undefined)
        return `closeWaits: a request that was dispatched before close ended in ${event.error}`;
    } else if (event.what === "closed") {
      isClosed = true;
      if (underWay.size > 0) return `closeWaits: close ended with ${underWay.size} requests in flight`;
    }
  }
  return isClosed ? undefined : "closeWaits: close did not end";
}

/** Wrong input is refused in one line. `accepted` is what was not. */
export function wrongInputIsRefused(accepted: readonly string[]): string | undefined {
  return accepted.length === 0
    ? undefined
    : `wrongInputIsRefused: there was no error of ${accepted.join(", ")}`;
}
