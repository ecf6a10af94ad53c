import fc from "fast-check";
import { Random } from "../shared/sfc32.ts";
import type { balancer, Lease } from "./parts/balancer.ts";
import * as laws from "./pick.balancer.laws.ts";
import type { PickCompetitor } from "./pick.contract.ts";
import {
  busiestIsSpared,
  ejectedStaySpared,
  noneIsFlooded,
  rampIsKept,
  type StandingEvent,
} from "./pick.standing.laws.ts";

/** What was observed of a balancer, in its order. Its items are numbers; requests and drains are numbered. */
export type BalancerEvent =
  | Exclude<StandingEvent, { what: "drain" | "drained" | "look" }>
  | { readonly what: "drain"; readonly drain: number; readonly member: number }
  | { readonly what: "drained"; readonly drain: number }
  /** Every promise that can be settled is. */
  | { readonly what: "look"; readonly inFlight: readonly (readonly [item: number, inFlight: number])[] };

/** One step of a random history: `of` and `at` are taken modulo what there is. */
type Step =
  | { readonly do: "take" }
  | { readonly do: "release"; readonly at: number; readonly failed: boolean }
  | { readonly do: "use"; readonly how: (typeof WAYS)[number] }
  | { readonly do: "add" | "drain"; readonly of: number }
  | { readonly do: "pass"; readonly ms: number };

const WAYS = [
  ...(["returns", "resolves", "throws", "rejects", "is unavailable", "is no failure"] as const),
  // By the signal that was given, or by one of the function's own.
  ...(["aborts", "aborts by itself", "times out", "times out by itself"] as const),
];
const ITEMS = [0, 1, 2, 3, 4] as const;
const RULE = { failures: 2, forMs: 10, mostForMs: 40, mostShare: 0.75 };
/** Two of them are as long as the first ejection. */
const MOST_PASS_MS = 5;
const HISTORIES = 40;
const STEPS = 40;
const SEED = 20_261_126;

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: "take" } as const) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("release" as const), at: fc.nat(), failed: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("use" as const), how: fc.constantFrom(...WAYS) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom("add", "drain"), of: fc.nat(ITEMS.length - 1) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: MOST_PASS_MS }) }),
  },
);

/** The sentences of all laws that random histories of this balancer break; a fixed seed draws the histories. */
export async function balancerLaws(
  competitor: PickCompetitor,
  make: typeof balancer,
): Promise<(string | undefined)[]> {
  const broken: (string | undefined)[] = [];
  const histories = fc.sample(fc.array(step, { minLength: STEPS, maxLength: STEPS }), {
    seed: SEED,
    numRuns: HISTORIES,
  });
  for (const [history, steps] of histories.entries()) {
    const events: BalancerEvent[] = [];
    const peaceful: BalancerEvent[] = [];
    try {
      await play(competitor, make, steps, history, RULE, events);
      await play(competitor, make, steps, history, false, peaceful);
    } catch (error) {
      broken.push(`nothingIsThrown: ${error}`);
    }
    for (const seen of [events, peaceful])
      broken.push(laws.inFlightIsExact(seen), laws.membersArePicked(seen), laws.drainsEndOnTime(seen));
    broken.push(ejectedStaySpared(events, RULE), noneIsFlooded(events, RULE), noneIsFlooded(peaceful));
    if (competitor.order === "load" && competitor.latencies === undefined)
      broken.push(busiestIsSpared(peaceful));
  }
  try {
    broken.push(rampIsKept(slowStarts(competitor, make), RULE, SLOW_START));
  } catch (error) {
    broken.push(`nothingIsThrown: ${error}`);
  }
  return broken;
}

const SLOW_START = { forMs: 100, aggression: 0.5 };
/** One a quarter of a ms, so that a slow start is of 400 of them. */
const REQUESTS = 4_000;
/** From one change to the next: an item comes, fails for a while, and goes. */
const REQUESTS_PER_CHANGE = 250;
const STILL_FOR = 180;
const MOST_IN_FLIGHT = 12;

/** Two items stay, and another comes, fails, is back, and goes, all with a slow start. */
function slowStarts(competitor: PickCompetitor, make: typeof balancer): StandingEvent[] {
  const random = new Random(SEED);
  let nowMs = 0;
  const clock = () => nowMs;
  const made = make(competitor, [0, 1], {
    eject: { ...RULE, nowMs: clock },
    slowStart: { ...SLOW_START, nowMs: clock },
    seed: SEED,
  });
  const events: StandingEvent[] = [0, 1].map((member) => ({ what: "added", member, isFirst: true }));
  const held: (Lease<number> & { readonly request: number })[] = [];
  let change = 0;
  for (let request = 0; request < REQUESTS; request++) {
    if (request % REQUESTS_PER_CHANGE === 0) {
      change = (request / REQUESTS_PER_CHANGE) % 4;
      if (change === 1) {
        made.add(2);
        events.push({ what: "added", member: 2 });
      } else if (change === 0 && request > 0) {
        made.drain(2);
        events.push({ what: "drain", member: 2 });
      }
    }
    nowMs += 0.25;
    events.push({ what: "passed", ms: 0.25 });
    const lease = made.take();
    events.push({ what: "picked", request, member: lease.item });
    held.push({ ...lease, request });
    for (let most = random.below(MOST_IN_FLIGHT); held.length > most; ) {
      const at = random.below(held.length);
      // At first it stands still for a while, and earns what it cannot use.
      if (change === 1 && held[at]!.item === 2 && request % REQUESTS_PER_CHANGE < STILL_FOR) break;
      const [ended] = held.splice(at, 1) as [(typeof held)[number]];
      const failed = change === 2 && ended.item === 2;
      events.push({ what: "released", request: ended.request, failed });
      ended.release(failed);
    }
  }
  return events;
}

/** Plays one history and adds what is seen to `events`, which hold what came before if it throws. */
async function play(
  competitor: PickCompetitor,
  make: typeof balancer,
  steps: readonly Step[],
  seed: number,
  rule: typeof RULE | false,
  events: BalancerEvent[],
): Promise<void> {
  const members = new Set<number>([0, 1]);
  for (const member of members) events.push({ what: "added", member, isFirst: true });
  let nowMs = 0;
  const made = make(competitor, [...members], {
    eject: rule && { ...rule, nowMs: () => nowMs },
    seed,
    isFailure: (error) => error !== NO_FAILURE,
  });
  const held: { readonly request: number; release(failed: boolean): void }[] = [];
  let requests = 0;
  let drains = 0;

  function picked(member: number): number {
    events.push({ what: "picked", request: requests, member });
    return requests++;
  }
  function released(request: number, failed: boolean | undefined): void {
    events.push({ what: "released", request, failed });
  }

  for (const step of steps) {
    if (step.do === "add" && !members.has(step.of)) {
      made.add(step.of);
      members.add(step.of);
      events.push({ what: "added", member: step.of });
    } else if (step.do === "drain" && members.delete(step.of)) {
      const drain = drains++;
      events.push({ what: "drain", drain, member: step.of });
      made.drain(step.of).then(() => events.push({ what: "drained", drain }));
    } else if (step.do === "take" && members.size > 0) {
      const { item, release } = made.take();
      held.push({ request: picked(item), release });
    } else if (step.do === "release" && held.length > 0) {
      const [{ request, release }] = held.splice(step.at % held.length, 1) as [(typeof held)[number]];
      released(request, step.failed);
      release(step.failed);
    } else if (step.do === "use" && members.size > 0) {
      const aborter = new AbortController();
      await made
        .use(
          (item, signal) => {
            const request = picked(item);
            return ended(step.how, aborter, signal, (failed) => released(request, failed));
          },
          { signal: aborter.signal },
        )
        .catch(() => {});
    } else if (step.do === "pass") {
      nowMs += step.ms;
      events.push({ what: "passed", ms: step.ms });
    }
    // A macrotask, so that every promise that can be settled is.
    await new Promise(setImmediate);
    events.push({ what: "look", inFlight: ITEMS.map((item) => [item, made.inFlight(item)] as const) });
  }
}

/** That of AbortSignal.timeout. */
function timeoutError(): DOMException {
  return new DOMException("The operation was aborted due to timeout", "TimeoutError");
}

const NO_FAILURE = new Error("not the item's fault");

function ended(
  how: (typeof WAYS)[number],
  aborter: AbortController,
  signal: AbortSignal | undefined,
  released: (failed: boolean | undefined) => void,
): unknown {
  switch (how) {
    case "returns":
      released(false);
      return 1;
    case "resolves":
      return Promise.resolve().then(() => released(false));
    case "throws":
      released(true);
      throw new Error(how);
    case "rejects":
      return Promise.resolve().then(() => {
        released(true);
        throw new Error(how);
      });
    case "is unavailable":
      released(true);
      return Promise.resolve({ status: 503 });
    case "aborts":
      aborter.abort();
      released(undefined);
      return Promise.reject(signal!.reason);
    case "aborts by itself":
      released(undefined);
      return Promise.reject(AbortSignal.abort().reason);
    case "times out":
      aborter.abort(timeoutError());
      released(true);
      return Promise.reject(signal!.reason);
    case "times out by itself":
      released(true);
      return Promise.reject(timeoutError());
    case "is no failure":
      released(false);
      throw NO_FAILURE;
  }
}
