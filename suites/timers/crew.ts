import { allocateBytes, allocateRegion, type Region, STRIDE_WORDS } from "../../structures/shared/layout.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import type { WorkerIdentity } from "../../structures/shared/worker-identity.ts";
import {
  privateTimers,
  type TimerSet,
  type TimersCompetitor,
} from "../../structures/timers/timers.contract.ts";
import { conserved, type Totals } from "../../structures/timers/timers.laws.ts";
import type { Runner, Setup, WorkDone } from "../engine/race.ts";
import { BEAT_TICKS, Messages, START_TICK } from "./messages.ts";

/**
 * The heartbeats of a server with many workers, each with connections of its own, which share their timers or have a
 * structure each. One operation is one message. The timers due are reported, and the connection's timer is moved, or
 * set anew if it has been cancelled or has fired meanwhile. Or it is a message about a connection of another worker,
 * which cancels that one's timer: a session taken over, a client logged off.
 */
export interface CrewParams {
  /** Connections of each worker. */
  readonly connections: number;
  /** One message in this many is the last before a connection falls silent for longer than its timeout; a power of two. */
  readonly silentOneIn: number;
  /** One message in this many is about a connection of another worker; 0 for none. */
  readonly foreignOneIn: number;
}

/** What a crew shares beside the timers. */
export interface CrewShared {
  readonly memory: Region;
  /**
   * Word 0: virtual time, which each worker's messages move by their part, read by all. From the second stride on, the
   * handle of each connection's timer, worker after worker: written by its worker, read by all. All atomically.
   */
  readonly common: Region;
}

const TIMEOUT_TICKS = 30_000;
/** How long a connection stays silent after its timer should have fired. */
const GONE_TICKS = 10_000;
/** Beats that a connection which is still silent has missed at most. */
const MISSED_AT_MOST = (TIMEOUT_TICKS + GONE_TICKS) / BEAT_TICKS - 1;
const NOW = 0;
const HANDLES = STRIDE_WORDS;
const BATCH = 1024;

/**
 * A timer for each connection, and as many again for each worker as it may be about to give back. It may give back the
 * timers of a report, and timers that others have cancelled and not yet handed on.
 */
function crewCapacity(connections: number, workers: number): number {
  return workers * (connections + BATCH);
}

export function prepareCrew(
  competitor: TimersCompetitor,
  { params: { connections }, workers }: Setup<CrewParams>,
): CrewShared {
  const common = allocateRegion(HANDLES + workers * connections);
  common[NOW] = START_TICK;
  return { memory: formatShared(competitor, crewCapacity(connections, workers), workers), common };
}

/** What a crew shares of a competitor: nothing, where it has a structure for each worker. */
export function formatShared(competitor: TimersCompetitor, capacity: number, workers: number): Region {
  const memory = allocateRegion(competitor.callers === "one" ? 0 : competitor.words(capacity, workers));
  if (competitor.callers === "crew") competitor.format(memory, capacity, workers);
  return memory;
}

export class CrewMember implements Runner {
  readonly #timers: TimerSet;
  readonly #common: Region;
  readonly #identity: WorkerIdentity;
  readonly #params: CrewParams;
  readonly #messages: Messages;
  readonly #random: Random;
  /** By own connection: when its timer is due, and whether it is silent. */
  readonly #deadline: Int32Array;
  readonly #silent: Uint8Array;
  readonly #expired = new Int32Array(BATCH);
  #seen = START_TICK;
  #added = 0;
  #cancelled = 0;
  #expiredCount = 0;
  #unreported = 0;

  constructor(
    competitor: TimersCompetitor,
    { params }: Setup<CrewParams>,
    { memory, common }: CrewShared,
    identity: WorkerIdentity,
  ) {
    const { connections } = params;
    this.#timers =
      competitor.callers === "one"
        ? privateTimers(competitor, connections)
        : competitor.attach(memory, crewCapacity(connections, identity.workers), identity);
    this.#common = common;
    this.#identity = identity;
    this.#params = params;
    this.#random = new Random(identity.seed, 2);
    this.#messages = new Messages(connections, new Random(identity.seed), identity.seed, identity.workers);
    this.#deadline = allocateRegion(connections);
    this.#silent = allocateBytes(connections);
    this.#timers.advance(START_TICK, this.#expired, BATCH);
    const past = this.#messages.past(params.silentOneIn, MISSED_AT_MOST, this.#random);
    for (const { connection, missed, silentTicks } of past) {
      const left = TIMEOUT_TICKS - silentTicks;
      this.#silent[connection] = missed > 0 ? 1 : 0;
      // What has fired already has no timer; no handle is 0.
      if (left > 0) this.#connect(connection, START_TICK + left);
      else this.#deadline[connection] = START_TICK + left;
    }
  }

  /** The checksum is the number of timers moved. */
  run(operations: number): number {
    const timers = this.#timers;
    const common = this.#common;
    const messages = this.#messages;
    const { silentOneIn, foreignOneIn } = this.#params;
    const { index } = this.#identity;
    const deadline = this.#deadline;
    const silent = this.#silent;
    let moved = 0;
    for (let operation = 0; operation < operations; operation++) {
      const ticks = messages.ticks();
      if (ticks !== 0) Atomics.add(common, NOW, ticks);
      const now = Atomics.load(common, NOW);
      if (now !== this.#seen) this.#expire(now);

      if (foreignOneIn !== 0 && this.#random.below(foreignOneIn) === 0) {
        this.#cancelForeign();
        continue;
      }
      const connection = messages.next();
      const gone = silent[connection] === 1;
      if (gone && ((now - deadline[connection]!) | 0) < GONE_TICKS) continue;
      silent[connection] = ((messages.bits >>> 20) & (silentOneIn - 1)) === 0 ? 1 : 0;
      const next = (now + TIMEOUT_TICKS) | 0;
      if (timers.refresh(Atomics.load(common, this.#handleAt(index, connection)), next)) {
        deadline[connection] = next;
        moved++;
        // Its timer should have been reported, or cancelled, long ago.
        if (gone) this.#unreported++;
      } else {
        this.#connect(connection, next);
      }
    }
    return moved;
  }

  counters(): Readonly<Record<string, number>> {
    return {
      added: this.#added,
      cancelled: this.#cancelled,
      expired: this.#expiredCount,
      live: this.#timers.size,
      unreported: this.#unreported,
    };
  }

  #handleAt(worker: number, connection: number): number {
    return HANDLES + worker * this.#params.connections + connection;
  }

  #connect(connection: number, deadline: number): void {
    const handle = this.#timers.add(deadline | 0);
    Atomics.store(this.#common, this.#handleAt(this.#identity.index, connection), handle);
    this.#deadline[connection] = deadline;
    this.#added++;
  }

  #cancelForeign(): void {
    const { index, workers } = this.#identity;
    const other = (index + 1 + this.#random.below(workers - 1)) % workers;
    const at = this.#handleAt(other, this.#random.below(this.#params.connections));
    if (this.#timers.cancel(Atomics.load(this.#common, at))) this.#cancelled++;
  }

  #expire(now: number): void {
    let count: number;
    do {
      count = this.#timers.advance(now, this.#expired, BATCH);
      this.#expiredCount += count;
    } while (count === BATCH);
    this.#seen = now;
  }
}

/** Over all workers, whichever added, cancelled or reported a timer: each timer has ended once or is live, and none too late. */
export function crewLaw(
  competitor: TimersCompetitor,
  { params: { connections, foreignOneIn }, workers }: Setup<CrewParams>,
  work: readonly WorkDone[],
): string | undefined {
  const unreported = totalOf(work, "unreported");
  const totals = totalsOf(competitor, work);
  const { live, cancelled } = totals;
  if (live > workers * connections) return `${live} timers for ${workers * connections} connections`;
  if (unreported > 0) return `${unreported} timers were live 10 s after they were due`;
  if (foreignOneIn > 0 && cancelled === 0) return "no worker could cancel another's timer";
  return conserved(totals);
}

/** Totals of all workers. Each counts its own acts, and the timers that are live as far as it knows. */
export function totalsOf({ callers }: TimersCompetitor, work: readonly WorkDone[]): Totals {
  return {
    added: totalOf(work, "added"),
    cancelled: totalOf(work, "cancelled"),
    expired: totalOf(work, "expired"),
    live: callers === "one" ? totalOf(work, "live") : work[0]!.counters.live!,
  };
}

function totalOf(work: readonly WorkDone[], name: string): number {
  return work.reduce((sum, { counters }) => sum + counters[name]!, 0);
}
