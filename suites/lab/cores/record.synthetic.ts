import { present } from "../../engine/words/present.ts";
import { COSTS, type CostName, type Machine } from "./machine/machine.ts";
import type { Simulated } from "./machine/simulated.ts";
import type { CoresCell, CoresRecord } from "./record.ts";

/** Machines, figures and records whose numbers are chosen, for tests. */

/** Each cost is 10, and may lie between 5 and 20. */
export function machineOf(name: string, coresPerComplex = 2): Machine {
  const names = Object.keys(COSTS) as CostName[];
  const parameter = { value: 10, low: 5, high: 20, source: "chosen" };
  return {
    name,
    title: `the machine ${name}`,
    sockets: 1,
    complexesPerSocket: 1,
    coresPerComplex,
    costs: Object.fromEntries(names.map((cost) => [cost, parameter])) as Machine["costs"],
  };
}

export function figuresOf(nsPerOperation: number, perWorker: readonly number[]): Simulated {
  return {
    nsPerOperation,
    p50Ns: nsPerOperation,
    p99Ns: 2 * nsPerOperation,
    p999Ns: 3 * nsPerOperation,
    maxNs: 4 * nsPerOperation,
    perWorker,
    transfersPerOperation: 1,
    accessesPerOperation: 3,
    atomicsPerOperation: 2,
    failuresPerOperation: 0.5,
    sleepsPerOperation: 0,
  };
}

interface Chosen extends Partial<Pick<CoresCell, "workers" | "machine" | "measuredNs">> {
  readonly nsPerOperation: number;
  readonly broken?: string;
}

/** A cell of pick/uniform-8, of two workers where nothing else is chosen. */
export function cellOf(competitor: string, { nsPerOperation, broken, ...chosen }: Chosen): CoresCell {
  const { workers = 2 } = chosen;
  const { perWorker, ...figures } = figuresOf(nsPerOperation, Array(workers).fill(100));
  return {
    primitive: "pick",
    scenario: "uniform-8",
    competitor,
    machine: "here",
    ...chosen,
    workers,
    nominal: { ...figures, perWorker: [...perWorker], ...present({ broken }) },
  };
}

export function recordOf(cells: CoresCell[]): CoresRecord {
  return {
    kind: "simulated",
    version: 1,
    startedAt: "2026-11-26T23:30:00.000Z",
    date: "2026-11-26",
    commit: "d83a107d",
    argv: [],
    seed: 7,
    machines: [machineOf("here"), machineOf("server", 64)],
    draws: 0,
    fitted: ["pick/uniform-8/fitted"],
    cells,
  };
}
