import type { Evidence, SourceClaims } from "../engine/claims.ts";

/** At full size a fault is given fifteen million lookups: one wrong answer is one too many. */
const NEVER = 0;
/** Of the tenth that is lost, in percent of the lookups: what is filled afterwards is the greater part. */
const HALF_OF_A_TENTH = 5;
/** From 32 ranges to 1,024 the logarithm doubles. What does not grow by more is no worse than O(log n). */
const DOUBLE = 2;
/** A search among 32 ranges takes five steps more than one among one. */
const LOGARITHMIC = 6;
/** Recent: the longest flow, and as much again for its report and the holdback, in s. */
const MINUTES_S = 600;
/** 30 c7i.2xlarge of 8 vCPUs each for 5 million flows a second: the microseconds that a vCPU has for one. */
const US_PER_FLOW_AND_VCPU = (30 * 8 * 1e6) / 5e6;

/** What a remark shows is held to nothing. */
const ANY = Number.POSITIVE_INFINITY;

const ALL_FAULTS = "faults-together";
/** The rule of sorted-arrays, which the source does not have. */
const CLAIMS_KEPT = "where claims are kept as they are";

/**
 * What the ownership document says of its own rule and of its advantages, beside races and simulated faults. Its rule
 * is that of `trailing-rule`; the advantages it lists are those of keeping claims as they are, which is another rule.
 */
export default {
  primitive: "ownership",
  source: "the heartbeat-based ownership document",
  author: "unnamed (a page of a design wiki, after Netflix's FlowCollector)",
  conditions:
    "Nothing is measured there. A structure that keeps claims as they are is represented by sorted-arrays, which is what one writes first: all structures of that rule give the same answers.",
  statements: [
    {
      quote: "A resource cannot belong to two owners at the same moment → non-overlapping intervals.",
      reading:
        "of all claims of a fleet, heard in no order, no two ranges that a map makes for an address overlap, by clocks that are right and by clocks that are wrong",
      evidence: [
        metric("overlaps", "trailing-rule", "overlapping", NEVER),
        metric("overlaps", "trailing-rule", "overlappingSkewed", NEVER),
      ],
      otherwise: {
        rule: CLAIMS_KEPT,
        evidence: [
          metric("overlaps", "sorted-arrays", "overlapping", NEVER),
          metric("overlaps", "sorted-arrays", "overlappingSkewed", NEVER),
        ],
      },
      beyond: [
        metric("overlaps", "sorted-arrays", "conflicting", NEVER),
        metric("overlaps", "sorted-arrays", "conflictingSkewed", NEVER),
      ],
      note: "That a resource has one owner at a time does not make claims agree: where clocks are wrong several claim the same moment. A structure that keeps claims keeps those moments apart, as ranges that belong to nobody; the source's list of owner, start and end has no word for that, and its rule gives them to the owner that was heard of first.",
    },
    {
      quote:
        "Self-healing. A delayed or lost heartbeat at time t leaves a gap in the range; a subsequent heartbeat fills or extends the map without any compensating event.",
      reading:
        "with 10 % of the claims lost, or all of them late by 60 s on average, no lookup is answered wrongly; and in fleets of which nothing was chosen, 360 s after its report at most 5 % are without an answer, half of what was lost",
      evidence: healing("trailing-rule"),
      otherwise: { rule: CLAIMS_KEPT, evidence: healing("sorted-arrays") },
      beyond: [
        metric("fault-loss", "sorted-arrays", "missingAtLast", HALF_OF_A_TENTH),
        metric("fault-delay-300s", "sorted-arrays", "missingAtLast", HALF_OF_A_TENTH),
        metric("any-fleet-loss", "event-time-log", "missingAtLast", HALF_OF_A_TENTH),
        metric("any-fleet-loss", "event-time-log", "wrongAtLast", NEVER),
        wrong("fault-loss", "event-time-log"),
      ],
      note: "How much is filled rests on how many flows cover a moment, of which the source says nothing: each of the hundred fleets has another number of flows, another share of long ones and other lives of owners. The fleets of fault-loss are three of one plan, chosen in view of a share that was reported elsewhere.",
    },
    {
      quote:
        "No ordering dependency. Heartbeats can arrive out of order; the map remains correct because each heartbeat is a self-contained (owner, t_start, t_end) statement, not a delta.",
      reading: "no lookup is answered wrongly where heartbeats arrive out of order or late",
      evidence: [wrong("fault-reordering", "trailing-rule"), wrong("fault-delay-60s", "trailing-rule")],
      otherwise: {
        rule: CLAIMS_KEPT,
        evidence: [wrong("fault-reordering", "sorted-arrays"), wrong("fault-delay-60s", "sorted-arrays")],
      },
      beyond: [
        wrong("any-fleet-reordering", "trailing-rule"),
        wrong("any-fleet-reordering", "sorted-arrays"),
        wrong("fault-delay-300s", "sorted-arrays"),
        wrong("fault-duplicates", "sorted-arrays"),
        wrong("fault-heavy-tail", "sorted-arrays"),
        wrong("fault-reordering", "event-time-log"),
        wrong("fault-delay-300s", "event-time-log"),
      ],
      note: "A log of changes sorted by when they happened needs no order of arrival either: what falsifies it is what has not arrived at all, or not yet.",
    },
    {
      quote:
        "Disposable state. A new consumer can rebuild the map purely from recent heartbeats — no need to replay history from durable storage.",
      reading:
        "after a restart with nothing, in fleets of which nothing was chosen, 99 % of the answers are right again within ten minutes, from what is heard then",
      evidence: [metric("any-fleet-restart", "trailing-rule", "rebuilt", MINUTES_S)],
      otherwise: {
        rule: CLAIMS_KEPT,
        evidence: [metric("any-fleet-restart", "sorted-arrays", "rebuilt", MINUTES_S)],
      },
      beyond: [
        metric("fault-restart", "sorted-arrays", "rebuilt", MINUTES_S),
        wrong("fault-restart", "sorted-arrays"),
        metric("any-fleet-restart", "event-time-log", "rebuilt", MINUTES_S),
      ],
      note: "How long it takes to hear ten million claims again the source does not say; the remark below does, shuffled, and sorted first, which is another way to do it.",
    },
    {
      quote:
        "Canonical payoff: systems/netflix-flowcollector runs on 30 instances with no persistent storage.",
      reading: "that system keeps its map in memory alone",
      evidence: [],
      note: "It is a statement about a system of others, which the lab cannot look into.",
    },
    {
      quote:
        "Graceful degradation. Missed heartbeats produce unattributed results, not misattributed ones — the resource is marked uncertain rather than incorrectly assigned.",
      reading: "with everything wrong at once but the clocks, no lookup is answered wrongly",
      evidence: [wrong(ALL_FAULTS, "trailing-rule"), wrong("any-fleet-together", "trailing-rule")],
      otherwise: {
        rule: CLAIMS_KEPT,
        evidence: [
          wrong(ALL_FAULTS, "sorted-arrays"),
          wrong(ALL_FAULTS, "seqlock-slots"),
          wrong("any-fleet-together", "sorted-arrays"),
        ],
      },
      beyond: [
        metric("any-fleet-together", "event-time-log", "wrongAtLast", NEVER),
        metric("any-fleet-skew", "sorted-arrays", "wrongAtLast", NEVER),
        metric("any-fleet-skew", "event-time-log", "wrongAtLast", NEVER),
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
        "from 32 ranges of an address to 1,024, a lookup takes at most twice as many steps, as log n does",
      evidence: [searching("sorted-arrays")],
      beyond: [
        ...[searching("flat-sorted-arrays"), searching("flat-slots")],
        ...[logarithmic("sorted-arrays"), logarithmic("flat-sorted-arrays"), logarithmic("flat-slots")],
      ],
      note: "Steps are rounds of loops, comparisons, and elements and fields touched. Times from 1 range to 32, where the caches hold all of them, stand beside it: up to there no time distinguishes a search from a scan, as the flat slots show, which look at every range there is. What a lookup costs beyond the caches is another question, which lookup-1m and lookup-100k answer.",
    },
  ],
  remarks: [
    {
      text: "The source defines its rule: a heartbeat of the same owner extends the range, and one of another begins a new one. If all that B claimed is lost, the rule takes A's next claim for an extension of A's range, over the time in which B was the owner. It is wrong even where nothing fails, because agents report in batches, and a batch of the old owner may come after one of the new.",
      seen: [
        metric("fault-return-lost", "trailing-rule", "wrong", ANY),
        metric("fault-return-lost", "sorted-arrays", "wrong", ANY),
        metric("fault-none", "trailing-rule", "wrong", ANY),
      ],
    },
    {
      text: "A map that is rebuilt from ten million claims in no order takes this long, claim by claim; and this long if they are sorted before, which a consumer that has them all at hand can do.",
      seen: [rebuilding("shuffledSeconds"), rebuilding("sortedSeconds")],
    },
    {
      text: `The system behind the document, Netflix' FlowCollector, was reported to take 5 million flows a second on 30 machines of 8 vCPUs (April 2025), ${US_PER_FLOW_AND_VCPU} us of a vCPU for a flow. That is not the same work and no claim of this document: theirs receives flows over the network, decodes them, shares claims through Kafka and sends flows on. What a flow costs the map alone, a claim and a lookup among 100,000 addresses in one thread, is a part of that so small that the map is not what such a system spends its machines on.`,
      seen: [flow("sorted-arrays"), flow("flat-slots"), flow("seqlock-slots")],
    },
  ],
} satisfies SourceClaims;

function rebuilding(metric: string): Evidence {
  return {
    kind: "surveyed",
    scenario: "rebuild",
    competitor: "flat-sorted-arrays",
    metric,
    atMost: ANY,
  };
}

function flow(competitor: string): Evidence {
  return { kind: "costs", scenario: "flow", workers: 1, competitor, atMostNs: ANY };
}

/** No lookup of a simulation is answered with an owner that did not have it. */
function wrong(scenario: string, competitor: string): Evidence {
  return metric(scenario, competitor, "wrong", NEVER);
}

/** A gap does no harm, and most of it is filled afterwards. */
function healing(competitor: string): [Evidence, ...Evidence[]] {
  return [
    wrong("fault-loss", competitor),
    wrong("fault-delay-60s", competitor),
    metric("any-fleet-loss", competitor, "missingAtLast", HALF_OF_A_TENTH),
    metric("any-fleet-delay-60s", competitor, "missingAtLast", HALF_OF_A_TENTH),
  ];
}

function metric(scenario: string, competitor: string, name: string, atMost: number): Evidence {
  return { kind: "metric", scenario, competitor, metric: name, atMost };
}

/** Steps counted. */
function searching(competitor: string): Evidence {
  return {
    kind: "surveyed",
    scenario: "steps-lookup",
    competitor,
    metric: "steps1024",
    thanMetric: "steps32",
    atMost: DOUBLE,
  };
}

/** Times. */
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
