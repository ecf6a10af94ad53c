import type { SourceClaims } from "./engine/claims.ts";

/** What the source document of pick claims, sentence by sentence, and where our tables show whether it is so. */
const SYNC_RANDOM = "locked-random";
const THREAD_STATIC = "per-worker-random";
const MODULO = "shuffled-round-robin";
const LINKED_LIST = "cas-ring";

/** A control may cost this much more with company than alone before its machine counts as disturbed. */
const INDEPENDENT = 1.1;
/** Load of the busiest backend over the mean: an order without pattern stays this close to even over the pattern's run. */
const EVEN = 1.1;

export default {
  primitive: "pick",
  source: "Randomized Round Robin (Load Balancing) as Fast as Possible",
  author: "Nicolas Portmann",
  conditions: "BenchmarkDotNet on .NET, one thread, 8 connections; no benchmark with more threads.",
  figures: {
    scenario: "uniform-8",
    unit: "ns",
    rows: [
      figure("SyncRandom", SYNC_RANDOM, "26.52", "0.1895", "0.1773", "1.00"),
      figure("ThreadStaticRandom", THREAD_STATIC, "22.61", "0.2784", "0.2605", "0.85"),
      figure("Modulo", MODULO, "13.13", "0.0464", "0.0388", "0.50"),
      figure("LinkedList", LINKED_LIST, "10.08", "0.0109", "0.0091", "0.38"),
    ],
  },
  statements: [
    {
      quote: "Even without contention on the lock, this is the slowest possible method",
      reading:
        "one worker, and nobody slower: neither among the source's four methods nor among all pickers here",
      evidence: [
        {
          kind: "slowest",
          scenario: "uniform-8",
          workers: 1,
          competitor: SYNC_RANDOM,
          among: [THREAD_STATIC, MODULO, LINKED_LIST],
        },
        { kind: "slowest", scenario: "uniform-8", workers: 1, competitor: SYNC_RANDOM },
      ],
    },
    {
      quote: "this performs independently of possible contention",
      reading: "a pick from a worker's own generator costs the same at two workers as at one",
      evidence: [
        {
          kind: "growth",
          scenario: "uniform-8",
          competitor: THREAD_STATIC,
          from: 1,
          to: 2,
          is: "at most",
          factor: INDEPENDENT,
        },
      ],
    },
    {
      quote: "This approach is significantly faster than the previous two",
      reading: "increment and modulo against both random methods, alone as in the source and contended",
      evidence: [1, 2].flatMap((workers) =>
        [SYNC_RANDOM, THREAD_STATIC].map((than) => faster("uniform-8", workers, MODULO, than)),
      ),
    },
    {
      quote: "we may be able to remove the idiv. And indeed, we are by using a linked list",
      reading:
        "the ring beats increment and modulo, also where no power of two lets the engine skip the division",
      evidence: [
        faster("uniform-8", 1, LINKED_LIST, MODULO),
        faster("uniform-7", 1, LINKED_LIST, MODULO),
        faster("uniform-8", 2, LINKED_LIST, MODULO),
      ],
    },
    {
      quote: "The runtime cost of the previous approach is mainly due to [...] the idiv",
      reading:
        "with a mask in place of the division the same round robin is faster, and 8 backends faster than 7",
      evidence: [faster("uniform-8", 1, "shuffled-round-robin-mask", "shuffled-round-robin-31-bit")],
    },
    {
      quote:
        "if contention is so high, that a majority of the threads lose the CAS-race, performance will suffer",
      reading:
        "at two workers a pick from the ring costs more than alone, and modulo, which cannot lose, is faster",
      evidence: [
        {
          kind: "growth",
          scenario: "uniform-8",
          competitor: LINKED_LIST,
          from: 1,
          to: 2,
          is: "at least",
          factor: INDEPENDENT,
        },
        faster("uniform-8", 2, MODULO, LINKED_LIST),
      ],
    },
    {
      quote:
        "the larger the list, the bigger the chances that you will see performance loss due to bad data locality",
      reading: "nodes scattered over memory are slower than packed ones, at 1000 backends",
      evidence: [faster("uniform-1000", 1, LINKED_LIST, "cas-ring-scattered")],
    },
    {
      quote: "repeating patterns that should be broken up by the load balancer",
      reading:
        "no backend is loaded over 1.1 times the mean when every P-th request is heavy, with a fixed order",
      evidence: [MODULO, LINKED_LIST].flatMap((competitor) =>
        ["load8by8", "load8by4", "load8by6", "load7by7"].map(
          (metric) => ({ kind: "metric", scenario: "resonance", competitor, metric, atMost: EVEN }) as const,
        ),
      ),
    },
  ],
} satisfies SourceClaims;

function figure(
  method: string,
  competitor: string,
  mean: string,
  error: string,
  stdDev: string,
  ratio: string,
) {
  return { method, competitor, mean, error, stdDev, ratio };
}

function faster(scenario: string, workers: number, competitor: string, than: string) {
  return { kind: "faster", scenario, workers, competitor, than } as const;
}
