import type { EjectOptions } from "./parts/standing.ts";

/** What happened to the members of a roster, in its order. Members and requests are numbered. */
export type StandingEvent =
  /** `isFirst`: the roster was made with it. */
  | { readonly what: "added"; readonly member: number; readonly isFirst?: boolean }
  | { readonly what: "drain"; readonly member: number }
  | { readonly what: "picked"; readonly request: number; readonly member: number }
  /** `failed` is undefined where that says nothing about the member. */
  | { readonly what: "released"; readonly request: number; readonly failed: boolean | undefined }
  | { readonly what: "passed"; readonly ms: number }
  /** Members that the roster says are ejected, and when the next of them is due for a trial, if it says so. */
  | { readonly what: "ejected"; readonly members: readonly number[]; readonly nextMs?: number }
  /** What else is seen of a balancer. It changes nothing here. */
  | { readonly what: "drained" | "look" };

export type Rule = Required<Pick<EjectOptions, "failures" | "forMs" | "mostForMs" | "mostShare">> & {
  readonly [Name in "failures" | "forMs" | "mostForMs" | "mostShare"]: number;
};

/** What the rule says of one member, from its addition until it is drained. */
export interface Known {
  readonly member: number;
  inFlight: number;
  /** Failed requests less served ones. */
  ahead: number;
  ejection: { readonly lastsMs: number; dueMs: number; isOnTrial: boolean } | undefined;
  /** What was picked before this event says nothing new. */
  heardFrom: number;
  /** How long its last ejection was, and when a served request ended it. */
  back: { readonly lastsMs: number; readonly atMs: number } | undefined;
  /** How many requests may be in flight there; undefined where it does not come back slowly. */
  allowance: number | undefined;
  /** Since when it comes back slowly, if it ever did. */
  sinceMs: number | undefined;
}

/** The rule of standing.ts and roster.ts, gone through event by event: the oracle, slow and plain. */
export class Oracle {
  readonly #rule: Rule | undefined;
  readonly members: Known[] = [];
  nowMs = 0;
  #events = 0;
  /** Those ejected, the one that has been so for longest first. */
  #ejected: Known[] = [];
  readonly #requests = new Map<number, { readonly known: Known; readonly picked: number }>();

  constructor(rule: Rule | undefined) {
    this.#rule = rule;
  }

  knownOf(member: number): Known | undefined {
    return this.members.find((known) => known.member === member);
  }

  /** What speaks against a pick of it: nothing, that it is at its limit, or that it is ejected. */
  costOf({ ejection, inFlight, allowance }: Known): 0 | 1 | 2 {
    if (ejection !== undefined) return ejection.dueMs <= this.nowMs ? 0 : 2;
    return allowance !== undefined && inFlight >= allowance ? 1 : 0;
  }

  get ejected(): readonly number[] {
    return this.#ejected.map(({ member }) => member).sort((a, b) => a - b);
  }

  get nextMs(): number {
    return Math.min(...this.#ejected.map(({ ejection }) => ejection!.dueMs));
  }

  see(event: StandingEvent): void {
    this.#events++;
    if (event.what === "passed") this.nowMs += event.ms;
    else if (event.what === "added") this.#add(event.member, event.isFirst === true);
    else if (event.what === "drain") this.#drain(this.knownOf(event.member)!);
    else if (event.what === "picked") this.#pick(event.request, this.knownOf(event.member)!);
    else if (event.what === "released") this.#release(event.request, event.failed);
  }

  #add(member: number, isFirst: boolean): void {
    const allowance = isFirst || this.members.length === 0 ? undefined : 1;
    const sinceMs = allowance === undefined ? undefined : this.nowMs;
    const nothing = { ejection: undefined, back: undefined, sinceMs };
    this.members.push({ member, inFlight: 0, ahead: 0, heardFrom: 0, allowance, ...nothing });
  }

  #drain(known: Known): void {
    this.members.splice(this.members.indexOf(known), 1);
    this.#ejected = this.#ejected.filter((other) => other !== known);
    this.#makeRoom();
  }

  #pick(request: number, known: Known): void {
    this.#requests.set(request, { known, picked: this.#events });
    known.inFlight++;
    const { ejection } = known;
    if (ejection === undefined || ejection.dueMs > this.nowMs) return;
    ejection.isOnTrial = true;
    ejection.dueMs = this.nowMs + ejection.lastsMs;
  }

  #release(request: number, failed: boolean | undefined): void {
    const { known, picked } = this.#requests.get(request)!;
    known.inFlight--;
    if (!this.members.includes(known)) return;
    if (this.#rule !== undefined && picked > known.heardFrom) this.#hear(known, failed, this.#rule);
    if (failed === false && known.allowance !== undefined) {
      const allowance = known.allowance + 1;
      const others = this.members.filter((other) => other !== known);
      known.allowance = others.every(({ inFlight }) => inFlight < allowance) ? undefined : allowance;
    }
  }

  #hear(known: Known, failed: boolean | undefined, { failures }: Rule): void {
    const { ejection } = known;
    if (ejection === undefined) {
      if (failed !== undefined) known.ahead = Math.max(0, known.ahead + (failed ? 1 : -1));
      if (known.ahead === failures) this.#eject(known, this.#lengthAfter(known.back));
    } else if (failed === false) {
      this.#readmit(known, 0);
      known.back = { lastsMs: ejection.lastsMs, atMs: this.nowMs };
    } else if (ejection.isOnTrial) {
      if (failed) this.#eject(known, Math.min(2 * ejection.lastsMs, this.#rule!.mostForMs));
      else ejection.dueMs = this.nowMs;
    }
  }

  #lengthAfter(back: Known["back"]): number {
    const { forMs, mostForMs } = this.#rule!;
    const isInRow = back !== undefined && this.nowMs - back.atMs < back.lastsMs;
    return isInRow ? Math.min(2 * back.lastsMs, mostForMs) : forMs;
  }

  #eject(known: Known, lastsMs: number): void {
    known.ejection = { lastsMs, dueMs: this.nowMs + lastsMs, isOnTrial: false };
    known.heardFrom = this.#events;
    this.#ejected = [...this.#ejected.filter((other) => other !== known), known];
    this.#makeRoom();
  }

  #readmit(known: Known, ahead: number): void {
    this.#ejected = this.#ejected.filter((other) => other !== known);
    known.ejection = undefined;
    known.ahead = ahead;
    known.allowance = 1;
    known.sinceMs = this.nowMs;
  }

  #makeRoom(): void {
    while (this.#ejected.length > mostEjected(this.members.length, this.#rule?.mostShare ?? 1)) {
      const [longest] = this.#ejected as [Known];
      this.#readmit(longest, this.#rule!.failures - 1);
      longest.back = undefined;
    }
  }
}

/** How many of so many members may be ejected at once. */
export function mostEjected(members: number, share: number): number {
  if (members < 2) return 0;
  return Math.max(1, Math.min(members - 1, Math.floor(share * members)));
}

/** Those are ejected that the rule ejects. */
export function ejectionsFollowTheRule(events: readonly StandingEvent[], rule: Rule): string | undefined {
  const oracle = new Oracle(rule);
  for (const event of events) {
    if (event.what === "ejected") {
      const { members, nextMs = oracle.nextMs } = event;
      if (String(members) !== String(oracle.ejected))
        return `ejectionsFollowTheRule: ${namesOf(members)} ejected, and by the rule ${namesOf(oracle.ejected)}`;
      if (nextMs !== oracle.nextMs)
        return `ejectionsFollowTheRule: a trial is due at ${nextMs} ms, and by the rule at ${oracle.nextMs} ms`;
    }
    oracle.see(event);
  }
  return undefined;
}

/** No more are ejected than `mostShare` allows. */
export function shareIsKept(events: readonly StandingEvent[], { mostShare }: Rule): string | undefined {
  const oracle = new Oracle(undefined);
  for (const event of events) {
    oracle.see(event);
    const { length } = oracle.members;
    if (event.what === "ejected" && event.members.length > mostEjected(length, mostShare))
      return `shareIsKept: ${namesOf(event.members)} ejected of ${length}, more than a share of ${mostShare}`;
  }
  return undefined;
}

/** While some member is not ejected, or due for a trial, none is picked that is ejected and not due. */
export function ejectedStaySpared(events: readonly StandingEvent[], rule: Rule): string | undefined {
  return firstPick(events, rule, (oracle, known) =>
    oracle.costOf(known) === 2 && oracle.members.some((other) => oracle.costOf(other) < 2)
      ? `ejectedStaySpared: ${known.member} is picked, and is ejected`
      : undefined,
  );
}

/**
 * While another is welcome, none is picked that was added to others or ejected, and has as many requests in flight as it
 * may. It may have one, and one more for each that it served since, until that is more than any other has.
 */
export function noneIsFlooded(events: readonly StandingEvent[], rule?: Rule): string | undefined {
  return firstPick(events, rule, (oracle, known) =>
    oracle.costOf(known) === 1 && oracle.members.some((other) => oracle.costOf(other) === 0)
      ? `noneIsFlooded: ${known.member} is picked, comes back slowly, and has ${known.inFlight} requests in flight`
      : undefined,
  );
}

/**
 * One that was added to others, or ejected, gets no more than its slow start: since then no more than one request beyond a
 * fair share of the picks times the ramp, and over no time more than two. Where all others are ejected, are in their
 * slow start, or at their limit, what it gets does not count.
 */
export function rampIsKept(
  events: readonly StandingEvent[],
  rule: Rule,
  ramp: { readonly forMs: number; readonly aggression: number },
): string | undefined {
  /** Requests that each has beyond its earnings since its start, and the least that this ever was. */
  const beyond = new Map<Known, { sinceMs: number; now: number; least: number }>();
  return firstPick(events, rule, (oracle, picked) => {
    const partOf = ({ sinceMs = Number.NEGATIVE_INFINITY }: Known) =>
      Math.max(0.1, ((oracle.nowMs - sinceMs) / ramp.forMs) ** (1 / ramp.aggression));
    const ramping = oracle.members.filter((known) => partOf(known) < 1);
    for (const known of ramping) {
      const sinceMs = known.sinceMs!;
      const before = beyond.get(known);
      const its = before?.sinceMs === sinceMs ? before : { sinceMs, now: 0, least: 0 };
      beyond.set(known, its);
      its.now -= partOf(known) / oracle.members.length;
      its.least = Math.min(its.least, its.now);
    }
    const isOtherWelcome = oracle.members.some(
      (other) => other !== picked && !ramping.includes(other) && oracle.costOf(other) === 0,
    );
    if (!ramping.includes(picked) || !isOtherWelcome) return undefined;
    const its = beyond.get(picked)!;
    its.now++;
    return its.now <= Math.min(1, its.least + 2) + ROUNDING
      ? undefined
      : `rampIsKept: ${picked.member} has ${its.now.toFixed(2)} requests more than it may since its start, and ${(its.now - its.least).toFixed(2)} more than over some time since`;
  });
}

/** Of sums of parts. */
const ROUNDING = 1e-6;

/** For a picker that takes the less loaded of two: while another is welcome, the one that is busier than all others is not picked. */
export function busiestIsSpared(events: readonly StandingEvent[]): string | undefined {
  return firstPick(events, undefined, (oracle, known) => {
    const others = oracle.members.filter((other) => other !== known);
    const isOtherWelcome = others.some((other) => oracle.costOf(other) === 0);
    return isOtherWelcome && others.every(({ inFlight }) => inFlight < known.inFlight)
      ? `busiestIsSpared: ${known.member} is picked, and has more requests in flight than any other`
      : undefined;
  });
}

/** What is wrong with the first pick with which something is. */
function firstPick(
  events: readonly StandingEvent[],
  rule: Rule | undefined,
  wrongWith: (oracle: Oracle, known: Known) => string | undefined,
): string | undefined {
  const oracle = new Oracle(rule);
  for (const event of events) {
    if (event.what === "picked") {
      const known = oracle.knownOf(event.member);
      // Another law tells of a pick that is of no member.
      const wrong = known === undefined ? undefined : wrongWith(oracle, known);
      if (known === undefined || wrong !== undefined) return wrong;
    }
    oracle.see(event);
  }
  return undefined;
}

function namesOf(members: readonly number[]): string {
  return members.length === 0 ? "none are" : `members ${members.join(", ")} are`;
}
