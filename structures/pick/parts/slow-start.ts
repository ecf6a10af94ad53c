import { assertInteger, assertOptions, type OptionKinds, shown } from "../../shared/arguments.ts";
import type { Standing } from "./standing.ts";

/** How a member that is new, or back from an ejection, gets more and more requests. */
export interface SlowStartOptions {
  /** Until it gets its full share, in ms: 1 to 2^28. */
  readonly forMs: number;
  /** 1, if absent: its share grows in a straight line. More: faster at first. Less: slower. From 0.01 to 100. */
  readonly aggression?: number | undefined;
  /** A clock in ms from any beginning; if absent one that no change of the date moves. */
  readonly nowMs?: (() => number) | undefined;
}

const KINDS: OptionKinds<SlowStartOptions> = { forMs: "any", aggression: "any", nowMs: "function" };
const MOST_MS = 2 ** 28;
/** The part of its share that a member has at once: otherwise it would never be tried. */
const LEAST_RAMP = 0.1;
/** With less, an order in which it comes up once in a rotation would waste a part of what it earns. */
const MOST_CREDIT = 2;

/** A member in its slow start, from `sinceMs` on. */
export interface Ramp {
  readonly sinceMs: number;
  /** Of requests that it may get, 2 at most. */
  credit: number;
}

interface Ramping {
  readonly standing: Standing;
  readonly weight: number | undefined;
}

/**
 * A member in its slow start gets no more than the **ramp**, a part of its fair share that grows with time. With each pick
 * of any member it earns the ramp's part of a request, and a request costs it one. It saves up two at most. So over any
 * time it gets no more requests than it earned then and two, and since its start no more than it earned and one.
 *
 * Source: Envoy's slow_start_config, from which the ramp, its aggression and its least part are; gRPC's A100. There the
 * ramp is a factor of a weight, which a policy by load does not heed: asked for in traefik#11854 and envoy#11050.
 */
export class SlowStart {
  readonly #rule: {
    readonly [Name in keyof Required<SlowStartOptions>]: NonNullable<SlowStartOptions[Name]>;
  };
  #isAnyOn = false;

  /** A number is `forMs`. Throws a TypeError or a RangeError, in one line, for options that are wrong. */
  constructor(given: number | SlowStartOptions) {
    const options = typeof given === "number" ? { forMs: given } : given;
    assertOptions("slowStart", options, KINDS);
    const { forMs, aggression = 1, nowMs = () => performance.now() } = options;
    assertInteger("slowStart.forMs", forMs, 1, MOST_MS);
    if (!(aggression >= 0.01 && aggression <= 100))
      throw new RangeError(`slowStart.aggression ${shown(aggression)} is not from 0.01 to 100`);
    this.#rule = { forMs, aggression, nowMs };
  }

  /** `credit`: below 1, at random. So of many processes some try it at once, and all together keep to the ramp. */
  begin(standing: Standing, credit: number): void {
    standing.ramp = { sinceMs: this.#rule.nowMs(), credit };
    this.#isAnyOn = true;
  }

  /** One of these is about to be picked. */
  earn(members: readonly Ramping[]): void {
    if (!this.#isAnyOn) return;
    const nowMs = this.#rule.nowMs();
    const all = members.reduce((sum, { weight = 1 }) => sum + weight, 0);
    this.#isAnyOn = false;
    for (const { standing, weight = 1 } of members) {
      const { ramp } = standing;
      if (ramp === undefined) continue;
      const part = this.#partAfter(nowMs - ramp.sinceMs);
      if (part >= 1) standing.ramp = undefined;
      else {
        ramp.credit = Math.min(MOST_CREDIT, ramp.credit + (part * weight) / all);
        this.#isAnyOn = true;
      }
    }
  }

  #partAfter(ms: number): number {
    const { forMs, aggression } = this.#rule;
    return Math.max(LEAST_RAMP, (ms / forMs) ** (1 / aggression));
  }
}

/** Whether a request may go there. */
export function mayStart({ ramp }: Standing): boolean {
  return ramp === undefined || ramp.credit >= 1;
}

/** A request goes there. */
export function spend({ ramp }: Standing): void {
  if (ramp !== undefined) ramp.credit = Math.max(0, ramp.credit - 1);
}
