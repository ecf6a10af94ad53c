import type { Place, SourceClaims } from "../engine/claims.ts";

/** What the source document of pick claims, sentence by sentence, and where our tables show whether it is so. */
const SYNC_RANDOM = "locked-random";
const THREAD_STATIC = "per-worker-random";
const MODULO = "shuffled-round-robin";
const LINKED_LIST = "cas-ring";
const RESHUFFLED = "background-reshuffle";

/** What costs up to this many times as much with company does not depend on it: what the control is allowed, too. */
const INDEPENDENT = 1.1;
/** A part that costs less than this share of the whole is not what the whole is mainly due to. */
const MAINLY = 1.1;
const A_TENTH_LESS = 0.9;
/** The source's nanosecond less of the fourteen that a pick cost without the local variable. */
const A_NANOSECOND_LESS = 0.93;
const ALONE = { scenario: "uniform-8", workers: 1 } as const;
const TWO = { scenario: "uniform-8", workers: 2 } as const;
/** A pick as the small part of a program that the source's is: after a microsecond of other work, and from a cold cache. */
const IN_PROGRAM = { scenario: "uniform-8-after-1us", workers: 2 } as const;
const COLD = { scenario: "uniform-8-cold", workers: 2 } as const;
/** Where the engine cannot take the number of backends for a constant, and has to divide by it. */
const DIVIDING = { scenario: "uniform-7-of-two", workers: 1 } as const;

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
      quote: "Even without contention on the `lock`, this is the slowest possible method",
      reading: "one worker, and none of the source's other three methods is slower",
      evidence: [
        { kind: "slowest", ...ALONE, competitor: SYNC_RANDOM, among: [THREAD_STATIC, MODULO, LINKED_LIST] },
      ],
      beyond: [{ kind: "slowest", ...ALONE, competitor: SYNC_RANDOM }],
    },
    {
      quote: "Doing so yields *consistently* better results",
      reading:
        "a worker's own generator is faster than the shared one under its lock, alone and at two workers",
      evidence: [faster(ALONE, THREAD_STATIC, SYNC_RANDOM), faster(TWO, THREAD_STATIC, SYNC_RANDOM)],
      beyond: [faster(IN_PROGRAM, THREAD_STATIC, SYNC_RANDOM), faster(COLD, THREAD_STATIC, SYNC_RANDOM)],
    },
    {
      quote: "this performs independently of possible contention",
      reading: "a pick from a worker's own generator costs the same at two workers as at one",
      evidence: [
        {
          kind: "growth",
          competitor: THREAD_STATIC,
          from: ALONE,
          to: TWO,
          is: "at most",
          factor: INDEPENDENT,
        },
      ],
    },
    {
      quote: "This approach is significantly faster than the previous two",
      reading: "increment and modulo against both random methods, alone as in the source",
      evidence: [faster(ALONE, MODULO, SYNC_RANDOM), faster(ALONE, MODULO, THREAD_STATIC)],
      beyond: [
        ...[faster(TWO, MODULO, SYNC_RANDOM), faster(TWO, MODULO, THREAD_STATIC)],
        ...[faster(IN_PROGRAM, MODULO, SYNC_RANDOM), faster(IN_PROGRAM, MODULO, THREAD_STATIC)],
        ...[faster(COLD, MODULO, SYNC_RANDOM), faster(COLD, MODULO, THREAD_STATIC)],
      ],
    },
    {
      quote:
        "As a simple yet effective optimization, we copy the `_connections` reference to a local variable `connections` which produces slightly better (-1 ns) code.",
      reading:
        "alone, a picker that copies the field of its array to a local variable costs less than one that reads the field for the element and for the length, by as much as 1 ns is of the 14.13 that it was without",
      evidence: [
        faster(ALONE, "shuffled-round-robin-local", "shuffled-round-robin-field"),
        {
          ...faster(ALONE, "shuffled-round-robin-local", "shuffled-round-robin-field"),
          atMost: A_NANOSECOND_LESS,
        },
      ],
      beyond: [faster(TWO, "shuffled-round-robin-local", "shuffled-round-robin-field")],
    },
    {
      quote: "The `Interlocked` operation ensuring thread-safety",
      reading:
        "named among three things that the cost is mainly due to: alone, a round robin of each worker's own, without the atomic operation, costs a tenth less or better",
      evidence: [{ ...faster(ALONE, "per-worker-round-robin-offset", MODULO), atMost: A_TENTH_LESS }],
    },
    {
      quote:
        "The bounds-check the runtime does when accessing the array (although the modulo provides safe reads)",
      reading:
        "named among three things that the cost is mainly due to: alone, the same round robin without the array, so without the check of its bounds and without the element too, costs a tenth less or better",
      evidence: [{ ...faster(ALONE, "round-robin-without-array", MODULO), atMost: A_TENTH_LESS }],
      note: "That takes away more than the check. If it costs no tenth, the check alone does not either.",
    },
    {
      quote:
        "The `idiv` emitted by the module operation ensuring we always read within the bounds of the array",
      reading:
        "named among three things that the cost is mainly due to: the same round robin costs a tenth more where it divides, by 7, than by 8, where it need not",
      evidence: [
        { kind: "growth", competitor: MODULO, from: ALONE, to: DIVIDING, is: "at least", factor: MAINLY },
      ],
      beyond: [
        {
          kind: "growth",
          competitor: MODULO,
          from: ALONE,
          to: { scenario: "uniform-7", workers: 1 },
          is: "at least",
          factor: MAINLY,
        },
        faster(ALONE, "shuffled-round-robin-mask", MODULO),
      ],
    },
    {
      quote:
        "But we may be able to remove the `idiv`. And indeed, we are by using a linked list of all things.",
      reading:
        "so the ring beats increment and modulo: at 8 backends as in the source, and at 7 where there is an idiv",
      evidence: [faster(ALONE, LINKED_LIST, MODULO), faster(DIVIDING, LINKED_LIST, MODULO)],
      beyond: [
        faster({ scenario: "uniform-7", workers: 1 }, LINKED_LIST, MODULO),
        faster(ALONE, "wasm-cas-ring", "wasm-round-robin"),
        faster(TWO, LINKED_LIST, MODULO),
        faster(IN_PROGRAM, LINKED_LIST, MODULO),
        faster(COLD, LINKED_LIST, MODULO),
      ],
    },
    {
      quote:
        "if contention is so high, that a majority of the threads lose the CAS-race, performance will suffer",
      reading: "where more attempts fail than succeed, a pick from the ring costs more than alone",
      condition: { kind: "counted", ...TWO, competitor: LINKED_LIST, column: "casFailures", atLeast: 1 },
      evidence: [
        {
          kind: "growth",
          competitor: LINKED_LIST,
          from: ALONE,
          to: TWO,
          is: "at least",
          factor: INDEPENDENT,
        },
      ],
      beyond: [faster(TWO, MODULO, LINKED_LIST)],
    },
    {
      quote:
        "the larger the list, the bigger the chances that you will see performance loss due to bad data locality",
      reading: "packed nodes are faster than scattered ones, at 1000 backends",
      evidence: [faster({ scenario: "uniform-1000", workers: 1 }, LINKED_LIST, "cas-ring-scattered")],
      beyond: [faster(ALONE, LINKED_LIST, "cas-ring-scattered")],
    },
  ],
  remarks: [
    {
      text: `The source requires that repeating patterns of requests be broken up, and shuffles its order once. With every P-th request heavy, the load of the busiest backend over the mean is as follows. What the source offers where "only shuffling once isn't enough", a thread that scrambles the array in the background, is background-reshuffle: here it does so once in 65,536 picks, and between two changes the pattern stays.`,
      seen: [
        ...[
          load(MODULO, "load8by8"),
          load(MODULO, "load8by4"),
          load(MODULO, "load8by6"),
          load(MODULO, "load7by7"),
        ],
        ...[load(LINKED_LIST, "load8by8"), load(SYNC_RANDOM, "load8by8"), load(THREAD_STATIC, "load8by8")],
        ...[load(RESHUFFLED, "load8by8"), load("rotating-round-robin", "load8by8")],
      ],
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

function faster(place: Place, competitor: string, than: string) {
  return { kind: "faster", ...place, competitor, than } as const;
}

/** Held to nothing. */
function load(competitor: string, metric: string) {
  return {
    kind: "metric",
    scenario: "resonance",
    competitor,
    metric,
    atMost: Number.POSITIVE_INFINITY,
  } as const;
}
