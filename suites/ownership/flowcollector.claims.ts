import type { Evidence, SourceClaims } from "../engine/claims.ts";

/** 30 c7i.2xlarge of 8 vCPUs each, for 5 million flows a second: a vCPU has this long for one. */
const NS_PER_FLOW_AND_VCPU = (30 * 8 * 1e9) / 5e6;

/** What the published system behind the ownership document does at its scale, beside one core of ours. */
export default {
  primitive: "ownership",
  source: '"How Netflix Accurately Attributes eBPF Flow Logs" (April 2025)',
  author: "Cheng Xie, Bryan Shultz and Christine Xu (Netflix Technology Blog)",
  conditions:
    "The production system, on 30 c7i.2xlarge instances of 8 vCPUs, all state in memory: 167,000 flows a second for an instance, 21,000 for a vCPU.",
  statements: [
    {
      quote: "On average, 5 million records are produced per second.",
      reading:
        "a flow, which is a claim and a lookup, takes a vCPU at most 48 us; ours is the structure's part of that, by one worker over 100,000 addresses",
      evidence: [flow("sorted-arrays"), flow("flat-slots"), flow("seqlock-slots")],
      note: "Not the same work: theirs receives flows over the network, decodes them, shares claims with its peers through Kafka, attributes the far end across regions, and sends flows on; and nothing is said of how busy its instances are. Ours is one thread that has the numbers in memory. What the comparison says is that the map of who owned what is not what such a system spends its machines on.",
    },
  ],
} satisfies SourceClaims;

function flow(competitor: string): Evidence {
  return { kind: "costs", scenario: "flow", workers: 1, competitor, atMostNs: NS_PER_FLOW_AND_VCPU };
}
