import { present } from "../../../engine/words/present.ts";
import { cellOf, machineOf, recordOf } from "../record.synthetic.ts";
import type { CoresCell, CoresRecord } from "../record.ts";

/**
 * A record of made-up pickers and locks on the machine that measures and two servers, for tests of pages and pictures: some
 * scale, some stay level, some fall; one was fitted, one misses, one was not measured, one is absent, one breaks a law.
 */

const COUNTS = [1, 2, 4, 8, 16, 32, 64, 128];

interface Made {
  readonly primitive: string;
  readonly scenario: string;
  /** Time of an operation with that number of workers, ns. */
  readonly nsAt: (workers: number) => number;
  /** Simulated over measured. */
  readonly ratio?: number;
  /** How far the band reaches on either side, a factor. */
  readonly spread?: number;
  readonly broken?: string;
}

const PICK = { primitive: "pick", scenario: "uniform-8" };
const LOCKS = { primitive: "locks", scenario: "short-section" };
const made: Readonly<Record<string, Made>> = {
  "per-worker-round-robin-reshuffled": { ...PICK, nsAt: () => 3, ratio: 1.02, spread: 1.05 },
  "per-worker-random": { ...PICK, nsAt: () => 3.1, ratio: 0.97, spread: 1.05 },
  "leased-tickets-16": { ...PICK, nsAt: (workers) => 2 + 0.9 * workers, ratio: 0.9, spread: 1.3 },
  "two-choices": { ...PICK, nsAt: (workers) => 30 + 8 * workers, ratio: 0.95, spread: 1.3 },
  "shuffled-round-robin": { ...PICK, nsAt: (workers) => 5 + 22 * workers, ratio: 1.01, spread: 1.25 },
  "cas-ring": { ...PICK, nsAt: (workers) => 5 + 9 * workers ** 1.7, ratio: 1.2, spread: 1.4 },
  "locked-random": { ...PICK, nsAt: (workers) => 15 + 40 * workers, ratio: 0.8, spread: 1.6 },
  "locked-random-test-and-test-and-set": {
    ...PICK,
    nsAt: (workers) => 8 + 6 * workers ** 2,
    ratio: 1.1,
    spread: 1.5,
  },
  "locked-random-mcs-spin-then-park": {
    ...PICK,
    nsAt: (workers) => 25 + 90 * workers,
    ratio: 4,
    spread: 1.5,
  },
  "ticket-hash": { ...PICK, nsAt: (workers) => 6 + 23 * workers, spread: 1.25 },
  "wasm-round-robin": { ...PICK, nsAt: (workers) => 6 + 23 * workers, ratio: 1, broken: "even: it lost 3" },
  "futex-three-state": { ...LOCKS, nsAt: (workers) => 60 + 150 * workers, ratio: 0.8, spread: 1.5 },
  "test-and-set": { ...LOCKS, nsAt: (workers) => 40 + 20 * workers ** 2, ratio: 1.3, spread: 1.5 },
  "mcs-spin-then-park": { ...LOCKS, nsAt: (workers) => 80 + 100 * workers, ratio: 1.1, spread: 1.2 },
  ticket: { ...LOCKS, nsAt: (workers) => 60 + 60 * workers ** 1.5, ratio: 1.6, spread: 1.2 },
};

const MEASURED_IN = { file: "2026-11-25-0123456-made-up.json.gz", commit: "0123456" };

function cellsOf(competitor: string, { nsAt, ratio, spread = 1, broken, ...race }: Made): CoresCell[] {
  return ["here", "server", "sockets"].flatMap((machine) =>
    COUNTS.filter((workers) => machine !== "here" || workers <= 8).map((workers): CoresCell => {
      const ns = nsAt(workers) * (machine === "sockets" && workers > 32 ? 1.5 : 1);
      const isMeasured = machine === "here" && ratio !== undefined && workers <= 2;
      const chosen = { nsPerOperation: ns, workers, machine, ...present({ broken }) };
      return {
        ...cellOf(competitor, chosen),
        ...race,
        band: { nsPerOperation: [ns / spread, ns * spread] },
        localNs: 2,
        ...(isMeasured ? { measuredNs: ns / ratio, measuredIn: MEASURED_IN } : {}),
      };
    }),
  );
}

const absent = (machine: string): CoresCell => {
  return { ...PICK, competitor: "least-loaded", machine, workers: 1, absent: "it takes messages" };
};

export const SYNTHETIC_CORES: CoresRecord = {
  ...recordOf([
    ...Object.entries(made).flatMap(([competitor, one]) => cellsOf(competitor, one)),
    ...["here", "server", "sockets"].map(absent),
  ]),
  commit: "0123456789abcdef",
  argv: ["--publish"],
  machines: [
    machineOf("here"),
    { ...machineOf("server", 8), complexesPerSocket: 12 },
    { ...machineOf("sockets", 32), sockets: 2 },
  ],
  draws: 8,
  fitted: ["pick/uniform-8/shuffled-round-robin", "pick/uniform-8/cas-ring"],
};
