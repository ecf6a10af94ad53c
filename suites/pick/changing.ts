import { UnderWay } from "../../structures/pick/parts/simulation.ts";
import type { PickCompetitor, Picker } from "../../structures/pick/pick.contract.ts";
import { makePicker, membersOf, type PickInstance } from "../../structures/pick/pick.instance.ts";
import { ticketsAreConserved } from "../../structures/pick/pick.laws.ts";
import { allocateRegion, type Region, STRIDE_WORDS } from "../../structures/shared/layout.ts";
import { MOST_TELLING, offMean } from "../../structures/shared/off-mean.ts";
import type { WorkerIdentity } from "../../structures/shared/worker-identity.ts";
import type { Runner, Setup, WorkDone } from "../engine/race.ts";

/**
 * Workers that pick while the last backend leaves and comes back, announced by one of them, the changer. A picker that has
 * `members` hears of it. Any other is rebuilt. There are two instances, one for each number of backends. The changer
 * formats the idle one and then sets an epoch that says which one is picked from. The others attach to it before their
 * next pick. An instance is idle when all have attached to the other. Of a picker by load each worker takes its requests under
 * way along, as `balancer` does, but for those at the backend that left. Those that end are reported, and all take equally long.
 */
export interface ChangingParams {
  readonly backends: number;
  /** Of the changer, from one change to the next. */
  readonly picksPerChange: number;
}

/** What the crew shares. A picker that has members uses the first instance alone. */
export interface Shared {
  readonly instances: readonly PickInstance[];
  /** Rebuilds so far, in the first word; then, from each worker's stride on, the rebuilds that it has attached for. */
  readonly epochs: Region;
}

const CHANGER = 0;
/** How long each request is said to have taken: no backend is quicker than the others. */
const LATENCY_MS = 1;

export function prepare(
  competitor: PickCompetitor,
  { params, workers, seed }: Setup<ChangingParams>,
): Shared {
  const { backends } = params;
  return {
    instances: [backends, backends - 1].map((members) =>
      makePicker(competitor, { backends: members, seed, firstTicket: 0, workers }),
    ),
    epochs: allocateRegion(attachedOf(workers)),
  };
}

/** Word of the rebuilds that this worker has attached for. */
function attachedOf(worker: number): number {
  return (1 + worker) * STRIDE_WORDS;
}

/** What a worker picks from, and how it notifies the others of a change; false where it has to be postponed. */
interface Changing {
  pick(): number;
  change(): boolean;
  /** Requests under way that were taken along, and those picked since. */
  inFlight?(): number;
}

export function attach(
  competitor: PickCompetitor,
  { params }: Setup<ChangingParams>,
  shared: Shared,
  worker: WorkerIdentity,
): Runner {
  const changing =
    competitor.members === undefined
      ? rebuilt(competitor, shared, worker)
      : notified(competitor, shared, worker, params);
  // Only the changer ever comes to a change.
  const picksPerChange = worker.index === CHANGER ? params.picksPerChange : Number.POSITIVE_INFINITY;
  let picksToChange = picksPerChange;
  let changes = 0;
  let putOff = 0;
  return {
    run(operations) {
      let sum = 0;
      for (let done = 0; done < operations; done++) {
        if (--picksToChange === 0) {
          picksToChange = picksPerChange;
          if (changing.change()) changes++;
          else putOff++;
        }
        sum = (sum + changing.pick()) | 0;
      }
      return sum;
    },
    counters: () => ({ changes, putOff, inFlight: changing.inFlight?.() ?? 0 }),
  };
}

function notified(
  competitor: PickCompetitor,
  { instances: [instance] }: Shared,
  worker: WorkerIdentity,
  { backends }: ChangingParams,
): Changing {
  const members = membersOf(competitor, instance!);
  let weight = 1;
  return {
    pick: competitor.attach(instance!.memory, instance!.setup, worker).pick,
    change() {
      weight = 1 - weight;
      members.change([[backends - 1, weight]]);
      return true;
    },
  };
}

function rebuilt(
  competitor: PickCompetitor,
  { instances, epochs }: Shared,
  worker: WorkerIdentity,
): Changing {
  let picker: Picker;
  let epoch = -1;
  let backends = 0;
  const underWay = new UnderWay();

  function attachAnew(latest: number): void {
    const { memory, setup } = instances[latest & 1]!;
    picker = competitor.attach(memory, setup, worker);
    ({ backends } = setup);
    for (const backend of underWay.backends) if (backend < backends) picker.take!(backend);
    epoch = latest;
    Atomics.store(epochs, attachedOf(worker.index), latest);
  }

  function pick(): number {
    const latest = Atomics.load(epochs, 0);
    if (latest !== epoch) attachAnew(latest);
    return picker.pick();
  }

  function pickByLoad(): number {
    const backend = pick();
    const done = underWay.exchange(backend);
    if (done !== undefined && done < backends) {
      picker.release!(done);
      picker.latencies?.report(done, LATENCY_MS);
    }
    return backend;
  }

  attachAnew(0);
  return {
    pick: competitor.order === "load" ? pickByLoad : pick,
    inFlight: () => underWay.backends.filter((backend) => backend < backends).length,
    change() {
      const latest = Atomics.load(epochs, 0);
      for (let other = 0; other < worker.workers; other++)
        if (Atomics.load(epochs, attachedOf(other)) !== latest) return false;
      const { memory, setup } = instances[(latest + 1) & 1]!;
      competitor.format(memory, setup);
      Atomics.store(epochs, 0, latest + 1);
      return true;
    },
  };
}

/** Every change was made, no ticket or request was lost over one, and backends had about as much as there were of them. */
export function lawBroken(
  competitor: PickCompetitor,
  { params }: Setup<ChangingParams>,
  shared: Shared,
  work: readonly WorkDone[],
): string | undefined {
  const instance = shared.instances[0]!;
  return (
    changesAreMade(params, work[CHANGER]!) ??
    picksAddUp(params, work) ??
    (competitor.order === "load" ? requestsAreKept(competitor, shared, work) : undefined) ??
    (competitor.members === undefined
      ? undefined
      : ticketsAreConserved({
          setup: instance.setup,
          state: competitor.inspect(instance.memory, instance.setup),
          perWorker: work.map(({ operations, checksum }) => ({ picks: operations, checksum, counters: {} })),
        }))
  );
}

/** The instance that is picked from has the requests under way of all workers, once all have attached to it. */
function requestsAreKept(
  competitor: PickCompetitor,
  { instances, epochs }: Shared,
  work: readonly WorkDone[],
): string | undefined {
  const latest = Atomics.load(epochs, 0);
  if (work.some((_, worker) => Atomics.load(epochs, attachedOf(worker)) !== latest)) return undefined;
  const { memory, setup } = instances[latest & 1]!;
  const had = competitor.inspect(memory, setup).inFlight!.reduce((sum, count) => sum + count, 0);
  const own = work.reduce((sum, { counters }) => sum + counters.inFlight!, 0);
  return had === own ? undefined : `requestsAreKept: ${had} requests are counted, ${own} are under way`;
}

function changesAreMade(
  { picksPerChange }: ChangingParams,
  { operations, counters: { changes = 0, putOff = 0 } }: WorkDone,
): string | undefined {
  const due = Math.floor(operations / picksPerChange);
  return changes + putOff === due
    ? undefined
    : `changesAreMade: ${changes} changes were made and ${putOff} put off, ${due} were due`;
}

/**
 * The mean backend is between that of all and that of all but the last, which are a half apart. A change cuts a
 * rotation of each worker at most, and what is cut off is less than a rotation adds up to.
 */
function picksAddUp({ backends }: ChangingParams, work: readonly WorkDone[]): string | undefined {
  const picks = work.reduce((sum, { operations }) => sum + operations, 0);
  const checksum = work.reduce((sum, worker) => sum + worker.checksum, 0);
  const rotations = work.length * (1 + (work[CHANGER]!.counters.changes ?? 0));
  const allowed = picks / 4 + rotations * backends * backends;
  if (allowed >= MOST_TELLING) return undefined;
  const off = offMean(checksum, picks, { top: 2 * backends - 3, over: 4 });
  return Math.abs(off) <= allowed
    ? undefined
    : `picksAddUp: the sum of ${picks} picks is off by ${off.toFixed(0)}, changes allow ${allowed.toFixed(0)}`;
}
