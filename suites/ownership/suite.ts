import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: what does it cost to hear which owners claim what, and to say which one owned it when? What do a writer and
 *   its readers cost each other? Which owners are blamed wrongly when reports are lost, late, doubled, or the clocks
 *   are wrong?
 * Workload and why it is realistic: `lookup` asks of 256 to 1,000,000 addresses with 1 to 32 ranges each. A collector
 *   of flow logs does so for each flow. One lookup in 8 falls on the edge of a range, where errors live, and one in no
 *   range. Apart from that mix, each kind has a race of its own, and keys are also drawn by Zipf's law. `claim`, `flow`
 *   and `one-writer` move a window of time on for ever. Every address is claimed once a row, which is a minute, or 8 ms
 *   where a structure with a cell per millisecond takes part. One claim in a hundred comes a row late. Owners change
 *   every 128 rows, with a gap or an overlap; a trim every 16 rows keeps some 290. Lookups reach back evenly over 256
 *   rows, longer than a collector has to, so that all that is kept is asked for. `flow` is what a flow brings: a claim
 *   and a lookup, 16 of each in turn. `fault-loss` and the like: see faults.ts. `any-fleet`
 *   is the same in fleets with nothing chosen. `overlaps` looks at the ranges that come of claims in no order. Surveys
 *   count bytes and steps, and time what is too long for a slice: rebuilding from ten million claims.
 *   `tail`: single claims of the small `one-writer` that are due on a schedule, trims among them. `collectors-...`: the
 *   simulated cluster in one thread, and in processes of its own over NATS. collectors/README.md has what they say to
 *   each other, and how real that is.
 * Not measured: the network, interning, and how a private replica would come by the claims. In `one-writer` the baseline's
 *   readers ask replicas that stand still, which flatters them beside the readers of a shared structure. From 100,000
 *   addresses on a trim falls into few slices, so that medians leave it out: a column has it.
 * How to run: npm run bench -- ownership; with --all for all sizes, kinds and faults
 */
export default {
  primitive: "ownership",
  order: [
    "lookup",
    "claim",
    "flow",
    "one-writer",
    "steps-lookup",
    "bytes",
    "rebuild",
    "tail",
    "collectors",
    "fault",
    "faults",
    "any-fleet",
    "overlaps",
  ],
  overview: {
    title:
      "At a glance: 100,000 addresses with 4 ranges each, one worker; and all faults at once, 60 s after the reports",
    columns: [
      { title: "Lookup", unit: "ns", digits: 0, scenario: "lookup-100k", workers: 1 },
      { title: "Claim", unit: "ns", digits: 0, scenario: "claim-100k", workers: 1 },
      { title: "Flow", unit: "ns", digits: 0, scenario: "flow", workers: 1 },
      { title: "Bytes", unit: "B/range", digits: 0, scenario: "bytes", metric: "bytes4" },
      {
        title: "Misattributed",
        unit: "%",
        digits: 2,
        scenario: "faults-together",
        metric: "wrongAfterHoldback",
      },
      {
        title: "Unattributed",
        unit: "%",
        digits: 1,
        scenario: "faults-together",
        metric: "missingAfterHoldback",
      },
    ],
  },
} satisfies SuiteModule;
