/**
 * What others measured on many cores, and which of its shapes a simulated machine has to show. All values are copied
 * from tables that the authors published; none is read off a picture.
 */
export interface Published {
  /** In file names and records. */
  readonly name: string;
  readonly title: string;
  /** Who published it, and where. */
  readonly citation: string;
  /** The table itself: repository, commit and file, and what was taken from it. */
  readonly table: string;
  readonly machine: string;
  /** With more threads than that some had to wait for a core. */
  readonly cores: number;
  /** What a thread did over and over. */
  readonly workload: string;
  /** Of the curves' values. The first is what one thread waits, so it grows with the threads even at equal throughput. */
  readonly unit: "ns per operation of a thread" | "operations per second of all threads";
  readonly curves: readonly PublishedCurve[];
  /** What is simulated beside it, and on which of the machines of machines.ts. */
  readonly ours: { readonly primitive: string; readonly scenario: string; readonly machine: string };
  /** In what ours is not theirs. */
  readonly differences: string;
  readonly claims: readonly Claim[];
}

export interface PublishedCurve {
  /** As the authors call it. */
  readonly series: string;
  /** Our competitor that does the same. */
  readonly competitor: string;
  /** Threads, from few to many, and the value. */
  readonly points: readonly (readonly [threads: number, value: number])[];
}

/**
 * A shape: throughput at one place of the curves over that at another, within bounds. The bounds are wider than what was
 * published, as it was another machine.
 */
export interface Claim {
  readonly of: Place;
  readonly over: Place;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Place {
  readonly competitor: string;
  readonly threads: number;
  /** Workers of the simulation, where they are not as many: there too some have to wait for a core, or none. */
  readonly workers?: number;
}

/** Operations per second of all threads, as published. Throws an Error if that was not. */
export function publishedThroughput(
  { name, curves, unit }: Published,
  { competitor, threads }: Place,
): number {
  const curve = curves.find((curve) => curve.competitor === competitor);
  const point = curve?.points.find(([at]) => at === threads);
  if (point === undefined) throw new Error(`${name} has no ${competitor} at ${threads} threads`);
  return unit === "ns per operation of a thread" ? (threads * 1e9) / point[1] : point[1];
}

/** `throughput` in any unit. Undefined where it has none for one of the two places. */
export function claimedRatio(
  { of, over }: Claim,
  throughput: (place: Place) => number | undefined,
): number | undefined {
  const [one, other] = [throughput(of), throughput(over)];
  return one === undefined || other === undefined ? undefined : one / other;
}

export function holds({ atLeast = 0, atMost = Number.POSITIVE_INFINITY }: Claim, ratio: number): boolean {
  return atLeast <= ratio && ratio <= atMost;
}

/** One sentence, without its full stop: "at 64 threads `a` has at least 2 times the throughput of `b`". */
export function said({ of, over, atLeast, atMost }: Claim): string {
  const bounds = [
    ...(atLeast === undefined ? [] : [`at least ${atLeast}`]),
    ...(atMost === undefined ? [] : [`at most ${atMost}`]),
  ].join(" and ");
  if (of.threads === over.threads)
    return `at ${of.threads} threads \`${of.competitor}\` has ${bounds} times the throughput of \`${over.competitor}\``;
  return `\`${of.competitor}\` has with ${of.threads} threads ${bounds} times its throughput with ${over.threads}`;
}

const at = (competitor: string, threads: number, workers?: number): Place =>
  workers === undefined ? { competitor, threads } : { competitor, threads, workers };

const DOWNS =
  "T. Downs, A Concurrency Cost Hierarchy (2020), travisdowns.github.io/blog/2020/07/06/concurrency-costs.html";
const downsTable = (folder: string) =>
  `travisdowns/concurrency-hierarchy-bench at commit 1b3f7f8 (2021), results/${folder}/combined.csv: Nanos/Op, median of 15 trials`;
const GRAVITON = "AWS Graviton 2, 16 cores, one socket, a mesh";
const COUNTING =
  "One word is raised by 1, by a fetch-and-add or by a loop of compare-exchanges that goes on from the value it found; or each thread raises a word of its own";
const COUNTING_DIFFERS =
  "A pick draws a ticket from one word as they do, and then reads the backend in that place: some ns of work between two accesses. The ring's compare-exchange also reads the node that comes next";

export const ADDS_GRAVITON: Published = {
  name: "adds-graviton",
  title: "Fetch-and-add against compare-exchange on one word, 16 cores",
  citation: DOWNS,
  table: downsTable("g2-16"),
  machine: GRAVITON,
  cores: 16,
  workload: COUNTING,
  unit: "ns per operation of a thread",
  curves: [
    {
      series: "atomic add",
      competitor: "shuffled-round-robin",
      points: [
        [1, 5.3],
        [2, 17],
        [4, 34.7],
        [8, 75.5],
        [16, 150.3],
      ],
    },
    {
      series: "cas add",
      competitor: "cas-ring",
      points: [
        [1, 8.4],
        [2, 52.2],
        [4, 116.5],
        [8, 323.3],
        [16, 638.7],
      ],
    },
    {
      series: "tls add",
      competitor: "per-worker-round-robin-offset",
      points: [
        [1, 3.2],
        [2, 3.2],
        [4, 3.2],
        [8, 3.2],
        [16, 3.2],
      ],
    },
  ],
  ours: { primitive: "pick", scenario: "uniform-8", machine: "xeon-ice-lake" },
  differences: `${COUNTING_DIFFERS}. Theirs is an Arm processor, which adds where the line is; ours brings the line to the core, so only the shape can agree`,
  claims: [
    { of: at("shuffled-round-robin", 4), over: at("cas-ring", 4), atLeast: 1.5 },
    { of: at("shuffled-round-robin", 16), over: at("cas-ring", 16), atLeast: 1.5 },
    { of: at("shuffled-round-robin", 2), over: at("shuffled-round-robin", 1), atMost: 0.8 },
    { of: at("shuffled-round-robin", 16), over: at("shuffled-round-robin", 2), atLeast: 0.5, atMost: 2 },
    { of: at("cas-ring", 16), over: at("cas-ring", 1), atMost: 0.5 },
    {
      of: at("per-worker-round-robin-offset", 16),
      over: at("per-worker-round-robin-offset", 1),
      atLeast: 12,
    },
  ],
};

export const ADDS_ICE_LAKE: Published = {
  name: "adds-ice-lake",
  title: "Fetch-and-add against compare-exchange on one word, 4 cores",
  citation: DOWNS,
  table: downsTable("icl"),
  machine: "Intel Ice Lake, 4 cores",
  cores: 4,
  workload: COUNTING,
  unit: "ns per operation of a thread",
  curves: [
    {
      series: "atomic add",
      competitor: "shuffled-round-robin",
      points: [
        [1, 6.1],
        [2, 32.8],
        [4, 69.5],
      ],
    },
    {
      series: "cas add",
      competitor: "cas-ring",
      points: [
        [1, 11],
        [2, 103.1],
        [4, 266.6],
      ],
    },
    {
      series: "tls add",
      competitor: "per-worker-round-robin-offset",
      points: [
        [1, 1.2],
        [2, 1.2],
        [4, 1.3],
      ],
    },
  ],
  ours: { primitive: "pick", scenario: "uniform-8", machine: "xeon-ice-lake" },
  differences: `${COUNTING_DIFFERS}. Theirs is a processor of four cores, ours a mesh of 32 in a socket`,
  claims: [
    { of: at("shuffled-round-robin", 4), over: at("cas-ring", 4), atLeast: 1.5 },
    { of: at("shuffled-round-robin", 2), over: at("shuffled-round-robin", 1), atMost: 0.8 },
    { of: at("shuffled-round-robin", 4), over: at("shuffled-round-robin", 2), atLeast: 0.5, atMost: 2 },
    { of: at("cas-ring", 4), over: at("cas-ring", 1), atMost: 0.5 },
  ],
};

export const LOCKED_ADD: Published = {
  name: "locked-add-graviton",
  title: "A futex against spinning, 16 cores and up to 18 threads",
  citation: DOWNS,
  table: downsTable("g2-16"),
  machine: GRAVITON,
  cores: 16,
  workload:
    "A lock is taken, one word raised by 1 and the lock released, with no work between two acquisitions",
  unit: "ns per operation of a thread",
  curves: [
    {
      series: "pure spin",
      competitor: "test-and-test-and-set",
      points: [
        [1, 13.9],
        [2, 101.8],
        [4, 329.7],
        [8, 1027.5],
        [16, 3169.4],
        [17, 4474.6],
        [18, 5241.6],
      ],
    },
    {
      series: "ticket spin",
      competitor: "ticket",
      points: [
        [1, 12.2],
        [2, 265.7],
        [4, 681.7],
        [8, 1995.6],
        [16, 6841.2],
        [17, 1_931_023.7],
        [18, 5_172_176.1],
      ],
    },
    {
      series: "mutex3, after Drepper",
      competitor: "futex-three-state",
      points: [
        [1, 16.2],
        [2, 427.1],
        [4, 551.2],
        [8, 982.9],
        [16, 1670.3],
        [17, 2111.3],
        [18, 2226.8],
      ],
    },
  ],
  ours: { primitive: "locks", scenario: "short-section", machine: "xeon-ice-lake" },
  differences:
    "Our section is 128 increments long, and each worker thinks for about as long before it comes back. Our ticket lock sleeps for 0.05 ms at a time after 20,000 polls; theirs never does. Our futex is that of V8, where all waiters of the process share one list. 18 threads on 16 cores stand beside 128 workers on 64",
  claims: [
    { of: at("test-and-test-and-set", 2), over: at("futex-three-state", 2), atLeast: 1.5 },
    { of: at("futex-three-state", 16), over: at("test-and-test-and-set", 16), atLeast: 1.2 },
    { of: at("ticket", 16), over: at("ticket", 2), atMost: 0.6 },
    { of: at("test-and-test-and-set", 16), over: at("test-and-test-and-set", 2), atMost: 0.6 },
    { of: at("futex-three-state", 16), over: at("futex-three-state", 2), atLeast: 0.7 },
    { of: at("ticket", 18, 128), over: at("ticket", 16, 64), atMost: 0.2 },
    { of: at("test-and-test-and-set", 18, 128), over: at("test-and-test-and-set", 16, 64), atLeast: 0.3 },
    { of: at("futex-three-state", 18, 128), over: at("futex-three-state", 16, 64), atLeast: 0.3 },
  ],
};

export const DATABASE_LOCK: Published = {
  name: "database-lock-opteron",
  title: "Queue locks against test-and-set, tickets and a futex, 64 cores",
  citation:
    "H. Guiroux, R. Lachaize, V. Quéma, Multicore Locks: The Case Is Not Closed Yet, USENIX ATC 2016; R. Guerraoui, H. Guiroux, R. Lachaize, V. Quéma, V. Trigonakis, Lock-Unlock: Is That All?, ACM TOCS 36 (2019), doi 10.1145/3301501",
  table:
    "multicore-locks/litl at commit 916469c (2018), paper/journal/datasets/A64.csv: kyotocabinet, median of 5 to 8 runs; 8 threads for each node in use",
  machine: "4 AMD Opteron 6272, 64 cores in 8 nodes",
  cores: 64,
  workload:
    "kyotocabinet, a database whose Pthread mutexes are replaced by the lock; threads are not pinned (A64-pinning.csv has those that are)",
  unit: "operations per second of all threads",
  curves: [
    {
      series: "spinlock",
      competitor: "test-and-set",
      points: [
        [8, 259_721],
        [16, 149_336],
        [32, 71_965],
        [48, 26_597],
        [64, 15_454],
      ],
    },
    {
      series: "ttas",
      competitor: "test-and-test-and-set",
      points: [
        [8, 304_344],
        [16, 148_356],
        [32, 91_541],
        [48, 60_673],
        [64, 46_936],
      ],
    },
    {
      series: "ticket",
      competitor: "ticket",
      points: [
        [8, 291_744],
        [16, 201_549],
        [32, 133_291],
        [48, 116_831],
        [64, 104_494],
      ],
    },
    {
      series: "mcs_spin",
      competitor: "mcs-spinning",
      points: [
        [8, 347_753],
        [16, 330_749],
        [32, 303_775],
        [48, 276_891],
        [64, 255_888],
      ],
    },
    {
      series: "mcs_stp",
      competitor: "mcs-spin-then-park",
      points: [
        [8, 89_194],
        [16, 80_063],
        [32, 75_693],
        [48, 66_423],
        [64, 57_741],
      ],
    },
    {
      series: "pthread",
      competitor: "futex-three-state",
      points: [
        [8, 235_702],
        [16, 201_876],
        [32, 121_633],
        [48, 86_355],
        [64, 64_284],
      ],
    },
  ],
  ours: { primitive: "locks", scenario: "short-section", machine: "epyc-milan-x" },
  differences:
    "Their operation is a database's and takes some microseconds; ours is 128 increments inside the lock and about as long outside. Their nodes and our complexes have 8 cores each. Their spinners pause between two polls",
  claims: [
    { of: at("mcs-spinning", 8), over: at("test-and-set", 8), atMost: 2 },
    { of: at("mcs-spinning", 64), over: at("ticket", 64), atLeast: 1.5 },
    { of: at("ticket", 64), over: at("test-and-test-and-set", 64), atLeast: 1.2 },
    { of: at("test-and-test-and-set", 64), over: at("test-and-set", 64), atLeast: 1.5 },
    { of: at("mcs-spinning", 64), over: at("mcs-spinning", 8), atLeast: 0.5 },
    { of: at("ticket", 64), over: at("ticket", 8), atMost: 0.7 },
    { of: at("test-and-set", 64), over: at("test-and-set", 8), atMost: 0.25 },
    { of: at("mcs-spin-then-park", 64), over: at("mcs-spinning", 64), atMost: 0.5 },
    { of: at("futex-three-state", 8), over: at("test-and-set", 8), atMost: 1.2 },
    { of: at("futex-three-state", 64), over: at("test-and-set", 64), atLeast: 1.5 },
    { of: at("futex-three-state", 64), over: at("mcs-spinning", 64), atMost: 0.7 },
  ],
};

export const PUBLISHED: readonly Published[] = [ADDS_GRAVITON, ADDS_ICE_LAKE, LOCKED_ADD, DATABASE_LOCK];
