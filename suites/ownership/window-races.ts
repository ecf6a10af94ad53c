import type { Ownership, OwnershipCompetitor } from "../../structures/ownership/ownership.contract.ts";
import { allocateRegion } from "../../structures/shared/layout.ts";
import type { WorkerIdentity } from "../../structures/shared/worker-identity.ts";
import { type Column, type CurvePoint, type Race, type Runner, race } from "../engine/race.ts";
import { present } from "../engine/words/present.ts";
import { HEARS_CHANGES, isPrivate, tooLarge } from "./population.ts";
import { BASELINE, bytesFor, MAIN_RESOURCES, placementOf, SMOKE } from "./sizes.ts";
import {
  fillWindow,
  prepareWindow,
  READER_COLUMNS,
  Reader,
  type WindowParams,
  type WindowShared,
  Writer,
  windowCapacity,
  windowLaw,
} from "./window.ts";

/** From here on a window, of five ranges of each address or a cell for each of 2,500 ms, does not fit the nearest caches. */
const LARGE_WINDOW = 1_000;
/** So that a slice holds some trims where few addresses are claimed: of 1,000 one comes each 16,000 claims, 1 ms. */
const SLICE_MS_OF_TRIMS = 10;
const READS_A_REPLICA = "private: its readers would ask replicas that stand still";
export const MINUTE_MS = 60_000;
/** Of a row where a structure with a cell per millisecond takes part. */
export const SHORT_ROW_MS = 8;

interface WindowRace {
  readonly scenario: string;
  readonly title: string;
  readonly headline?: boolean;
  readonly operation: string;
  readonly full: WindowParams;
  readonly mostWorkers?: number;
  readonly point?: CurvePoint;
}

/** A race over a window of time: of one worker that does everything, or of readers beside a writer. */
export function windowRace(
  { scenario, title, headline = false, operation, full, mostWorkers, point }: WindowRace,
  columns: Readonly<Record<string, Column>>,
  runnerOf: (
    ownership: Ownership,
    shared: WindowShared,
    params: WindowParams,
    worker: WorkerIdentity,
  ) => Runner,
): Race<unknown, unknown, unknown> {
  return race<OwnershipCompetitor, WindowParams, WindowShared>({
    scenario,
    title,
    headline,
    operation,
    baseline: BASELINE,
    params: { full, smoke: { ...SMOKE, rowMs: full.rowMs } },
    columns,
    ...(mostWorkers === undefined ? { role: roleOf } : { mostWorkers }),
    ...(full.resources < MAIN_RESOURCES ? { sliceMs: SLICE_MS_OF_TRIMS } : {}),
    isLarge: ({ resources }) => resources >= LARGE_WINDOW,
    placement: (competitor, params) => placementOf(competitor, windowCapacity(params)),
    ...present({ point }),
    bytesPerWorker: (competitor, params) => bytesFor(competitor, windowCapacity(params), params.lookups),
    absent: (competitor, params) => {
      if (competitor.hears === "changes") return HEARS_CHANGES;
      const capacity = windowCapacity(params);
      // The baseline stands for what one has without sharing; a second such row would say what lookup-100k says.
      if (mostWorkers === undefined && isPrivate(competitor, capacity)) return READS_A_REPLICA;
      return tooLarge(competitor, capacity);
    },
    prepare(competitor, setup) {
      const shared = prepareWindow(competitor, setup);
      const { memory, linear, capacity } = shared;
      if (competitor.hears === "claims" && !isPrivate(competitor, capacity)) {
        const worker = { index: 0, workers: setup.workers, role: "writer", seed: setup.seed };
        const ownership = competitor.attach(memory, capacity, worker, linear);
        fillWindow(ownership, shared.visits, setup.params.rowMs);
      }
      return shared;
    },
    attach(competitor, { params }, shared, worker) {
      if (competitor.hears !== "claims") throw new Error(HEARS_CHANGES);
      const { memory, linear, capacity } = shared;
      const ownership = competitor.attach(memory, capacity, worker, linear);
      if (!isPrivate(competitor, capacity)) return runnerOf(ownership, shared, params, worker);
      // A private replica has a clock of its own and does not see other workers' rows.
      const clock = allocateRegion(1);
      Atomics.store(clock, 0, Atomics.load(shared.clock, 0));
      fillWindow(ownership, shared.visits, params.rowMs);
      return runnerOf(ownership, { ...shared, clock }, params, worker);
    },
    law: (competitor, _setup, _shared, work) => windowLaw(competitor, work),
  });
}

/** The last of several workers writes; one alone reads, which is what a reader beside a writer is held to. */
function roleOf(index: number, workers: number): string {
  return workers > 1 && index === workers - 1 ? "writer" : "reader";
}

export function readersAndWriter(
  scenario: string,
  title: string,
  full: WindowParams,
  headline = false,
): Race<unknown, unknown, unknown> {
  return windowRace(
    { scenario, title, headline, operation: "lookup or claim", full },
    READER_COLUMNS,
    (ownership, shared, params, worker) =>
      worker.role === "writer"
        ? new Writer(ownership, shared, params)
        : readerOf(ownership, shared, params, worker),
  );
}

/** Readers begin apart from one another. */
export function readerOf(
  ownership: Ownership,
  shared: WindowShared,
  params: WindowParams,
  { index, workers }: WorkerIdentity,
): Reader {
  return new Reader(ownership, shared, params, Math.floor((params.lookups * index) / workers));
}
