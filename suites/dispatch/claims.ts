import type { Evidence, SourceClaims } from "../engine/claims.ts";

const TWICE = 2;
const A_TWENTIETH = 0.05;
/** Ten times as many clients take ten times as many steps, or half of that where a part does not grow; and no more. */
const LINEAR = { atLeast: 5, atMost: 11 } as const;
/** What a growth in memory, and none in work, is allowed to cost. */
const FLAT = 3;

/** What the heartbeat-smoothing document says of the list from which it takes the clients that are due. */
export default {
  primitive: "dispatch",
  source: "the heartbeat-smoothing document",
  author: "unnamed (a blog post on spreading the heartbeats of a server's clients)",
  conditions: "Nothing is measured there; a linked list, 10,000 clients, an interval of 600 s.",
  statements: [
    {
      quote:
        "Fixing this requires the clients to be added to the list in order which is an O(n) operation, but is only done on the client connection so is not as bad as it could be.",
      reading:
        "to be entered in order for any second takes steps in proportion to the clients, from 1,000 to 10,000 of them; but with six beats for each reconnect, a beat and its share of a reconnect cost at most twice what they cost where nothing is O(n)",
      evidence: [steps("sorted-list"), cheaper("churn-10k", "sorted-list", "ring-of-slots", TWICE)],
      beyond: [
        steps("ring-of-slots"),
        cheaper("reconnect-10k", "ring-of-slots", "sorted-list", A_TWENTIETH),
        cheaper("churn-10k", "ring-of-slots", "sorted-list", A_TWENTIETH),
        cheaper("beat-10k", "ring-of-slots", "sorted-list", A_TWENTIETH),
        flat("ring-of-slots"),
        flat("sorted-list"),
      ],
      note: "A beat alone, an interval after the last, finds its place at the back of the sorted list at once: there the ring has nothing to gain.",
    },
  ],
} satisfies SourceClaims;

function cheaper(scenario: string, competitor: string, than: string, atMost: number): Evidence {
  return { kind: "faster", scenario, workers: 1, competitor, than, atMost };
}

function steps(competitor: string): Evidence {
  return {
    kind: "surveyed",
    scenario: "steps-reconnect",
    competitor,
    metric: "steps10k",
    thanMetric: "steps1k",
    ...LINEAR,
  };
}

/** A beat costs as much among a million clients as among ten thousand. */
function flat(competitor: string): Evidence {
  return {
    kind: "growth",
    competitor,
    from: { scenario: "beat-10k", workers: 1 },
    to: { scenario: "beat-1m", workers: 1 },
    is: "at most",
    factor: FLAT,
  };
}
