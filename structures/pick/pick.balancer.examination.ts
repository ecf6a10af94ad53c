import fc from "fast-check";
import type { balancer } from "./parts/balancer.ts";
import * as laws from "./pick.balancer.laws.ts";
import type { PickCompetitor } from "./pick.contract.ts";

/** What was observed of a balancer, in its order. Items are numbered, and so are leases and drains. */
export type BalancerEvent =
  | { readonly what: "added"; readonly item: number }
  | { readonly what: "picked"; readonly lease: number; readonly item: number }
  | {
      readonly what: "released";
      readonly lease: number;
      /** Undefined where the caller gave the request up. */
      readonly failed: boolean | undefined;
      /** Whether its item has been a member ever since the pick. */
      readonly counts: boolean;
    }
  | { readonly what: "drain"; readonly drain: number; readonly item: number }
  | { readonly what: "drained"; readonly drain: number }
  /** Every promise that can be settled is. */
  | { readonly what: "look"; readonly inFlight: readonly (readonly [item: number, inFlight: number])[] };

/** One step of a random history: `of` and `at` are taken modulo what there is. */
type Step =
  | { readonly do: "take" }
  | { readonly do: "release"; readonly at: number; readonly failed: boolean }
  | { readonly do: "use"; readonly how: (typeof WAYS)[number] }
  | { readonly do: "add" | "drain"; readonly of: number };

const WAYS = ["returns", "resolves", "throws", "rejects", "aborts", "is no failure"] as const;
const ITEMS = [0, 1, 2, 3, 4] as const;
const FAILURES = 2;
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
    const stopped = { failures: FAILURES, forMs: 1, nowMs: () => 0 };
    try {
      await play(competitor, make, steps, history, stopped, events);
      await play(competitor, make, steps, history, false, peaceful);
    } catch (error) {
      broken.push(`nothingIsThrown: ${error}`);
    }
    for (const seen of [events, peaceful])
      broken.push(laws.inFlightIsExact(seen), laws.membersArePicked(seen), laws.drainsEndOnTime(seen));
    broken.push(laws.ejectedStaySpared(events, FAILURES));
    if (competitor.order === "load") broken.push(laws.busiestIsSpared(peaceful));
  }
  return broken;
}

/** Plays one history and adds what is seen to `events`, which hold what came before if it throws. */
async function play(
  competitor: PickCompetitor,
  make: typeof balancer,
  steps: readonly Step[],
  seed: number,
  eject: NonNullable<Parameters<typeof balancer>[2]>["eject"],
  events: BalancerEvent[],
): Promise<void> {
  const members = new Set<number>([0, 1]);
  for (const item of members) events.push({ what: "added", item });
  const made = make(competitor, [...members], {
    eject,
    seed,
    isFailure: (error) => error !== NO_FAILURE,
  });
  const held: { readonly lease: number; readonly item: number; release(failed: boolean): void }[] = [];
  /** Leases whose item was drained since they were picked. */
  const outdated = new Set<number>();
  const holders = new Map<number, number>();
  let leases = 0;
  let drains = 0;

  function picked(item: number): number {
    const lease = leases++;
    holders.set(lease, item);
    events.push({ what: "picked", lease, item });
    return lease;
  }
  function released(lease: number, failed: boolean | undefined): void {
    events.push({ what: "released", lease, failed, counts: !outdated.has(lease) });
    holders.delete(lease);
  }

  for (const step of steps) {
    if (step.do === "add" && !members.has(step.of)) {
      made.add(step.of);
      members.add(step.of);
      events.push({ what: "added", item: step.of });
    } else if (step.do === "drain" && members.delete(step.of)) {
      const drain = drains++;
      events.push({ what: "drain", drain, item: step.of });
      for (const [lease, item] of holders) if (item === step.of) outdated.add(lease);
      made.drain(step.of).then(() => events.push({ what: "drained", drain }));
    } else if (step.do === "take" && members.size > 0) {
      const { item, release } = made.take();
      held.push({ lease: picked(item), item, release });
    } else if (step.do === "release" && held.length > 0) {
      const [{ lease, release }] = held.splice(step.at % held.length, 1) as [(typeof held)[number]];
      released(lease, step.failed);
      release(step.failed);
    } else if (step.do === "use" && members.size > 0) {
      const aborter = new AbortController();
      await made
        .use(
          (item, signal) => {
            const lease = picked(item);
            return ended(step.how, aborter, signal, (failed) => released(lease, failed));
          },
          { signal: aborter.signal },
        )
        .catch(() => {});
    }
    // A macrotask, so that every promise that can be settled is.
    await new Promise(setImmediate);
    events.push({ what: "look", inFlight: ITEMS.map((item) => [item, made.inFlight(item)] as const) });
  }
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
    case "aborts":
      aborter.abort();
      released(undefined);
      return Promise.reject(signal!.reason);
    case "is no failure":
      released(false);
      throw NO_FAILURE;
  }
}
