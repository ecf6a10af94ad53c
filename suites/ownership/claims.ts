import type { Evidence, SourceClaims } from "../engine/claims.ts";

/** At full size a fault is given ten million lookups: one wrong answer is one too many. */
const NEVER = 0;
/** What is left without an owner when all retries are over, in percent of the lookups. */
const HEALED_PERCENT = 3;
/** A search among 32 ranges takes five steps more than one among one. */
const LOGARITHMIC = 6;
/** The longest flow, and as much again for its report and the holdback, in s. */
const MINUTES_S = 600;
const REBUILT_S = 5;

const ALL_FAULTS = "faults-together";

/**
 * What the ownership document says of its own rule and of its advantages, beside races and simulated faults. Its rule
 * is that of `trailing-rule`; the advantages it lists are those of keeping claims as they are, which is another rule.
 */
export default {
  primitive: "ownership",
  source: "the heartbeat-based ownership document",
  author: "unnamed (a page of a design wiki, after Netflix's FlowCollector)",
  conditions:
    "Nothing is measured there. Whoever keeps claims as they are is represented by sorted-arrays, which is what one writes first: all structures of that rule give the same answers.",
  statements: [
    {
      quote:
        "Each heartbeat either extends the current trailing range (same owner, bumps t_end) or starts a new range (different owner; previous range's t_end is frozen at last heartbeat).",
      reading:
        "a map that is kept so blames no wrong owner, also where all that was claimed between two spells of one owner is lost",
      evidence: [wrong("fault-return-lost", "trailing-rule")],
      beyond: [wrong("fault-return-lost", "sorted-arrays"), wrong("fault-none", "trailing-rule")],
      note: "If all that B claimed is lost, the rule takes A's next claim for an extension of A's range, over the time in which B was the owner. Keeping only what was claimed leaves a gap there. The rule is wrong even where nothing fails, because agents report in batches, and a batch of the old owner may come after one of the new.",
    },
    {
      quote:
        "Self-healing. A delayed or lost heartbeat at time t leaves a gap in the range; a subsequent heartbeat fills or extends the map without any compensating event.",
      reading:
        "with 10 % of the claims lost, no lookup is answered wrongly, and 360 s after its report at most 3 % are without an answer",
      evidence: [
        wrong("fault-loss", "sorted-arrays"),
        metric("fault-loss", "sorted-arrays", "missingAtLast", HEALED_PERCENT),
      ],
      beyond: [
        metric("fault-delay-60s", "sorted-arrays", "missingAtLast", HEALED_PERCENT),
        metric("fault-delay-300s", "sorted-arrays", "missingAtLast", HEALED_PERCENT),
        metric("fault-loss", "event-time-log", "missingAtLast", HEALED_PERCENT),
        wrong("fault-loss", "event-time-log"),
        wrong("fault-loss", "trailing-rule"),
      ],
    },
    {
      quote:
        "No ordering dependency. Heartbeats can arrive out of order; the map remains correct because each heartbeat is a self-contained (owner, t_start, t_end) statement, not a delta.",
      reading: "under the source's own trailing rule, which looks at the order of arrival",
      evidence: [wrong("fault-reordering", "trailing-rule"), wrong("fault-delay-60s", "trailing-rule")],
    },
    {
      quote:
        "No ordering dependency. Heartbeats can arrive out of order; the map remains correct because each heartbeat is a self-contained (owner, t_start, t_end) statement, not a delta.",
      reading: "where claims are kept as they are",
      evidence: [
        wrong("fault-reordering", "sorted-arrays"),
        wrong("fault-delay-60s", "sorted-arrays"),
        wrong("fault-delay-300s", "sorted-arrays"),
        wrong("fault-duplicates", "sorted-arrays"),
        wrong("fault-heavy-tail", "sorted-arrays"),
      ],
      beyond: [wrong("fault-reordering", "event-time-log"), wrong("fault-delay-300s", "event-time-log")],
      note: "A log of changes sorted by when they happened needs no order of arrival either: what falsifies it is what has not arrived at all, or not yet.",
    },
    {
      quote:
        "Disposable state. A new consumer can rebuild the map purely from recent heartbeats — no need to replay history from durable storage.",
      reading:
        "after a restart with nothing, 99 % of the answers are right again within ten minutes; and ten million claims take at most 5 s, shuffled",
      evidence: [
        metric("fault-restart", "sorted-arrays", "rebuilt", MINUTES_S),
        {
          kind: "surveyed",
          scenario: "rebuild",
          competitor: "flat-sorted-arrays",
          metric: "sortedSeconds",
          atMost: REBUILT_S,
        },
      ],
      beyond: [
        wrong("fault-restart", "sorted-arrays"),
        metric("fault-restart", "event-time-log", "rebuilt", MINUTES_S),
        {
          kind: "surveyed",
          scenario: "rebuild",
          competitor: "flat-sorted-arrays",
          metric: "shuffledSeconds",
          atMost: REBUILT_S,
        },
      ],
    },
    {
      quote:
        "Graceful degradation. Missed heartbeats produce unattributed results, not misattributed ones — the resource is marked uncertain rather than incorrectly assigned.",
      reading:
        "with everything wrong at once but the clocks, no lookup is answered wrongly, where claims are kept as they are",
      evidence: [wrong(ALL_FAULTS, "sorted-arrays"), wrong(ALL_FAULTS, "seqlock-slots")],
      beyond: [
        wrong(ALL_FAULTS, "trailing-rule"),
        wrong(ALL_FAULTS, "first-claim"),
        wrong(ALL_FAULTS, "last-claim"),
        wrong(ALL_FAULTS, "event-time-log"),
        wrong("fault-skew", "sorted-arrays"),
        wrong("fault-step", "sorted-arrays"),
      ],
      note: "A clock that is wrong makes claims wrong: then only a contradiction can show it, and where nobody contradicts, the wrong owner is blamed. No structure can mend that.",
    },
    {
      quote: "The list is sorted ascending by t_start for O(log n) lookup.",
      reading:
        "among 32 ranges of an address a lookup costs at most 1 + log2(32) times what it costs with one, where the caches hold all of them",
      evidence: [logarithmic("sorted-arrays")],
      beyond: [logarithmic("flat-sorted-arrays"), logarithmic("flat-slots")],
      note: "The flat slots look at every range there is, and stay below that too: up to 32 ranges no time tells a search from a scan, and whether the growth is logarithmic would show only at hundreds. What a lookup costs beyond the caches is another question, which lookup-1m and lookup-100k answer.",
    },
  ],
} satisfies SourceClaims;

/** No lookup of a simulation is answered with an owner that did not have it. */
function wrong(scenario: string, competitor: string): Evidence {
  return metric(scenario, competitor, "wrong", NEVER);
}

function metric(scenario: string, competitor: string, name: string, atMost: number): Evidence {
  return { kind: "metric", scenario, competitor, metric: name, atMost };
}

function logarithmic(competitor: string): Evidence {
  return {
    kind: "growth",
    competitor,
    from: { scenario: "lookup-1-range", workers: 1 },
    to: { scenario: "lookup-32-ranges", workers: 1 },
    is: "at most",
    factor: LOGARITHMIC,
  };
}
