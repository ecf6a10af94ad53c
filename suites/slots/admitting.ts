import {
  type Allocation,
  allocateFor,
  allocateRegion,
  type Region,
  wholeStrides,
} from "../../structures/shared/layout.ts";
import type { WorkerIdentity } from "../../structures/shared/worker-identity.ts";
import { Clients } from "../../structures/slots/parts/clients.ts";
import type { SlotsCompetitor } from "../../structures/slots/slots.contract.ts";
import {
  conserved,
  dispersionOf,
  foldedBack,
  loadsOf,
  type SlotsWork,
  slotsAreInRange,
  spreadOf,
  type WorkerSlots,
} from "../../structures/slots/slots.laws.ts";
import { type Column, CPU_TIME, type Runner, race, type Setup, type WorkDone } from "../engine/race.ts";

interface Params {
  /** Seconds of the heartbeat interval. */
  readonly slots: number;
  /** Clients of all workers together. */
  readonly clients: number;
}

interface Shared extends Allocation {
  /**
   * By worker, a stride apart, and slot: its takes less its gives, written plainly by that worker. Others read them
   * while the crew is at rest. It reached that state by atomic accesses after the last write, so no stale value can be
   * seen.
   */
  readonly notes: Region;
}

const FLEET = { full: { slots: 600, clients: 10_000 }, smoke: { slots: 60, clients: 1_000 } };

const SPREAD = { title: "Spread", unit: "clients, at the end of a fork", reduce: "level" } as const;
const DISPERSION = { title: "Variance", unit: "of the mean, at the end of a fork", reduce: "level" } as const;
const PEAK = { title: "Fullest slot", unit: "of the mean, at the end of a fork", reduce: "level" } as const;
const LOW = { title: "Emptiest slot", unit: "of the mean, at the end of a fork", reduce: "level" } as const;
export const EVENNESS = { spread: SPREAD, peakOverMean: PEAK, lowOverMean: LOW, dispersion: DISPERSION };
export const CONTENTION = {
  casFailures: { title: "CAS failures", unit: "per op", reduce: "per-op" },
  parks: { title: "Parks", unit: "per op", reduce: "per-op" },
  cpu: CPU_TIME,
} as const;

interface Described {
  readonly scenario: string;
  readonly title: string;
  readonly operation: string;
  readonly headline: boolean;
  readonly columns: Readonly<Record<string, Column>>;
  /** `own`: the worker's part of the fleet. */
  begin(clients: Clients, own: number): void;
  /** One operation; returns a slot. */
  run(clients: Clients, own: number): number;
  /** Whether a worker's notes cover that number of operations. */
  isNoted(noted: Pick<WorkerSlots, "takes" | "gives">, operations: number, own: number): boolean;
  laws(competitor: SlotsCompetitor, workers: number, loads: readonly number[]): string | undefined;
}

/** Workers that admit clients, each those of its part of the fleet. */
export function admitting({ begin, run, isNoted, laws, ...described }: Described) {
  return race<SlotsCompetitor, Params, Shared>({
    ...described,
    params: FLEET,
    // The heartbeat document's own placement, shared by all workers: what all others here try to improve on.
    baseline: "shared-ticket",

    prepare(competitor, { params: { slots }, workers, seed }) {
      const allocation = allocateFor(competitor, competitor.words(slots, workers));
      competitor.format(allocation.memory, slots, workers, seed);
      return { ...allocation, notes: allocateRegion(workers * wholeStrides(slots)) };
    },

    attach(competitor, { params, workers }, { memory, linear, notes }, worker): Runner {
      const { slots } = params;
      const own = ownOf(params, workers);
      const allocator = competitor.attach(memory, slots, worker, linear);
      const clients = new Clients(allocator, notesOf(worker, notes, slots), 2 * own, worker.seed);
      begin(clients, own);
      return {
        run(operations) {
          let sum = 0;
          for (let done = 0; done < operations; done++) sum = (sum + run(clients, own)) | 0;
          return sum;
        },
        counters() {
          const { takes, gives, strays, counters } = clients;
          return {
            ...counters,
            takes,
            gives,
            strays,
            ...evenness(loadsOf(notesOfAll(workers, notes, slots))),
          };
        },
      };
    },

    law(competitor, setup, shared, work) {
      const seen = seenIn(competitor, setup, shared, work);
      const own = ownOf(setup.params, setup.workers);
      const astray = seen.perWorker.findIndex(
        (noted, index) => !isNoted(noted, work[index]!.operations, own),
      );
      return (
        slotsAreInRange(seen) ??
        (astray === -1
          ? undefined
          : `isNoted: worker ${astray} has notes of other calls than its operations`) ??
        conserved(seen) ??
        foldedBack(seen.state) ??
        laws(competitor, setup.workers, loadsOf(seen.perWorker))
      );
    },
  });
}

/** The fleet as it is before clients leave. */
export function fill(clients: Clients, own: number): void {
  for (let count = 0; count < own; count++) clients.arrive();
}

/** Each worker's part of the fleet. */
function ownOf({ clients }: Params, workers: number): number {
  return Math.floor(clients / workers);
}

function notesOf({ index }: Pick<WorkerIdentity, "index">, notes: Region, slots: number): Int32Array {
  const at = index * wholeStrides(slots);
  return notes.subarray(at, at + slots);
}

function notesOfAll(workers: number, notes: Region, slots: number): { readonly loads: Int32Array }[] {
  return Array.from({ length: workers }, (_, index) => ({ loads: notesOf({ index }, notes, slots) }));
}

/** The figures of the columns; 0 where there is no client yet. */
function evenness(loads: readonly number[]): Record<string, number> {
  const clients = loads.reduce((sum, load) => sum + load, 0);
  const mean = Math.max(1, clients) / loads.length;
  return {
    spread: spreadOf(loads),
    dispersion: dispersionOf(loads),
    peakOverMean: Math.max(...loads) / mean,
    lowOverMean: Math.min(...loads) / mean,
  };
}

function seenIn(
  competitor: SlotsCompetitor,
  { params: { slots }, workers, seed }: Setup<Params>,
  { memory, notes }: Shared,
  work: readonly WorkDone[],
): SlotsWork {
  return {
    state: competitor.inspect(memory, slots, workers, seed),
    perWorker: work.map(({ counters }, index) => ({
      takes: counters.takes!,
      gives: counters.gives!,
      strays: counters.strays!,
      loads: notesOf({ index }, notes, slots),
      counters,
    })),
  };
}
