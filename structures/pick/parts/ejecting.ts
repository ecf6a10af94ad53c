import { assertInteger, assertOptions, type OptionKinds } from "../../shared/arguments.ts";
import { crewClockAt } from "../../shared/crew-clock.ts";
import { assertUsable } from "../../shared/instance.ts";
import { type Region, STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";
import { Random } from "../../shared/sfc32.ts";
import {
  type EjectionClaims,
  PICKER,
  type PickCompetitor,
  type Picker,
  type PickSetup,
  type PickState,
} from "../pick.contract.ts";
import { assertBackend } from "./weights.ts";

/** When a backend is ejected, and for how long. */
export interface EjectionOptions {
  /** Failed requests less served ones that eject a backend: 1 to 2^20, 5 if absent. */
  readonly failures?: number;
  /** Milliseconds: 1 to 2^28, 10,000 if absent. */
  readonly forMs?: number;
  /**
   * A clock in ms from any beginning, the same for all threads; if absent, that of the process, which no change of the
   * date moves.
   */
  readonly nowMs?: () => number;
}

/** A picker of the kind given that also hears which requests failed. */
export type Ejecting<Competitor extends PickCompetitor> = Omit<
  Competitor,
  "attach" | "ejects" | "inspect"
> & {
  readonly ejects: EjectionClaims;
  attach(...given: Parameters<PickCompetitor["attach"]>): ReturnType<Competitor["attach"]> & EjectingPicker;
  inspect(
    ...given: Parameters<PickCompetitor["inspect"]>
  ): ReturnType<Competitor["inspect"]> & Required<Pick<PickState, "ejected">>;
};

export type EjectingPicker = Required<Pick<Picker, "release">>;

/**
 * Any picker, with ejection of backends whose requests fail: see EjectionClaims for the rule. A pick is the picker's
 * own. Only where that is of an ejected backend, the picker picks again; what it picked before counts as released.
 *
 * A picker that goes by load finds ejected backends idle and picks little else when few are left. After a few
 * unsuccessful picks, another backend is drawn at random and the picker counts the request there by `take`. A picker
 * without `take` picks again until another has almost certainly come up: the order, the weights and the members stay
 * its own.
 *
 * What is promised of tickets, gaps and shares holds until a backend is ejected; a pick that is made again uses up a ticket.
 * Throws a RangeError for options outside their ranges. For all threads, which must give the same options.
 *
 * The picker's words come first, in whole strides, so that its other threads find them where they look for them:
 *
 *     then         clock     the latest reading, as an int64        every worker, atomically; only where clocks of threads differ
 *     then         records   by backend: see below                  every worker: written atomically, read plainly by picks
 *
 * One word is all that is known of a backend, so that a worker that ends at any access leaves nothing half done:
 *
 *     0 or more    failed requests less served ones, below `failures`
 *     bit 31       ejected, bit 30: on trial; bits 29 .. 0: until when, in ms modulo 2^30
 */
export function ejecting<Competitor extends PickCompetitor>(
  competitor: Competitor,
  options: EjectionOptions = {},
): Ejecting<Competitor> {
  assertUsable(competitor, PICKER);
  const rule = ejectionRule(options);
  const { nowMs } = options;
  const clockAt = (setup: PickSetup) => wholeStrides(competitor.words(setup));
  const recordsAt = (setup: PickSetup) => clockAt(setup) + STRIDE_WORDS;
  return {
    ...competitor,
    summary: `${competitor.summary}; ejects backends whose requests fail`,
    ejects: { ...rule, byClock: (clock) => ejecting(competitor, { ...rule, nowMs: clock }) },

    words: (setup) => recordsAt(setup) + wholeStrides(setup.backends),

    format(memory, setup) {
      competitor.format(memory, setup);
      memory.fill(0, clockAt(setup), recordsAt(setup));
      for (let backend = 0; backend < setup.backends; backend++)
        Atomics.store(memory, recordsAt(setup) + backend, 0);
    },

    attach(memory, setup, worker) {
      const picker = competitor.attach(memory, setup, worker) as ReturnType<Competitor["attach"]>;
      const records = memory.subarray(recordsAt(setup), recordsAt(setup) + setup.backends);
      const clock = nowMs ?? crewClockAt(memory, clockAt(setup));
      return ejectingPicker(picker, new Ejections(records, rule, clock), records, new Random(worker.seed));
    },

    inspect: (memory, setup) => ({
      ...(competitor.inspect(memory, setup) as ReturnType<Competitor["inspect"]>),
      ejected: [...memory.subarray(recordsAt(setup), recordsAt(setup) + setup.backends)].flatMap(
        (record, backend) => (record < 0 ? [backend] : []),
      ),
    }),
  };
}

/** The rule that these options ask for. Throws a RangeError for options outside their ranges. */
export function ejectionRule(options: EjectionOptions): EjectionRule {
  assertOptions("eject", options, EJECTION_OPTIONS);
  const { failures = 5, forMs = 10_000 } = options;
  assertInteger("failures", failures, 1, MOST_FAILURES);
  assertInteger("forMs", forMs, 1, MOST_MS);
  return { failures, forMs };
}

type EjectionRule = Pick<EjectionClaims, "failures" | "forMs">;

/** Unsuccessful picks of a picker with `take` before another backend is drawn. */
const PICKS_BEFORE_DRAW = 8;
/**
 * For each backend, the unsuccessful picks of a picker without `take`. Of independent draws among equal backends, one
 * that is not ejected is missed by all of them once in e^16 times.
 */
const PICKS_PER_BACKEND = 16;

/** The picker with ejection. Its members are numbered as the `records` are. For one thread. */
export function ejectingPicker<Inner extends Picker>(
  picker: Inner,
  ejections: Ejections,
  records: Region,
  random: Random,
): Inner & EjectingPicker {
  const backends = records.length;
  const repicks = picker.take === undefined ? PICKS_PER_BACKEND * backends : PICKS_BEFORE_DRAW;

  /** Another than the ejected backend that was picked first, unless all are ejected. */
  function instead(first: number): number {
    const nowMs = ejections.readMs();
    if (!ejections.isAnyOpen(nowMs)) return first;
    // As many more as are drawn. Otherwise an order whose members are all ejected would be left at the same one each
    // time.
    const most = repicks + random.below(backends);
    let picked = first;
    for (let repick = 0; !ejections.admits(picked, nowMs); repick++) {
      if (repick === most) return picker.take === undefined ? picked : drawn(picked, nowMs);
      picker.release?.(picked);
      picked = picker.pick();
    }
    return picked;
  }

  /** One of the backends that are not ejected, each as likely. The request counts there, and no longer at `picked`. */
  function drawn(picked: number, nowMs: number): number {
    const open = Int32Array.from({ length: backends }, (_, backend) => backend).filter((backend) =>
      ejections.isOpen(backend, nowMs),
    );
    // Another worker may have taken the trial of the one that is drawn.
    const backend = random.shuffle(open).find((other) => ejections.admits(other, nowMs));
    if (backend === undefined) return picked;
    picker.release?.(picked);
    picker.take?.(backend);
    return backend;
  }

  return {
    ...picker,
    pick() {
      const backend = picker.pick();
      // A plain load. A stale one sends a request to a backend that was ejected while it was picked, as if it had been
      // picked a moment before. Or it picks again although the backend is back.
      return records[backend]! >= 0 ? backend : instead(backend);
    },
    release(backend: number, failed: boolean | null = false) {
      if (picker.release === undefined) assertBackend(backend, backends);
      else picker.release(backend, failed);
      ejections.tell(backend, failed);
    },
  };
}

/** What is known of each backend, as one worker reads and writes it. */
export class Ejections {
  readonly readMs: () => number;
  readonly #records: Region;
  readonly #failures: number;
  readonly #forMs: number;

  constructor(records: Region, { failures, forMs }: EjectionRule, nowMs: () => number) {
    this.#records = records;
    this.#failures = failures;
    this.#forMs = forMs;
    this.readMs = nowMs;
  }

  /** Whether a pick may go there: it is not ejected, or due for a trial. */
  isOpen(backend: number, nowMs: number): boolean {
    const record = Atomics.load(this.#records, backend);
    return record >= 0 || isOver(record, nowMs);
  }

  isAnyOpen(nowMs: number): boolean {
    for (let backend = 0; backend < this.#records.length; backend++)
      if (this.isOpen(backend, nowMs)) return true;
    return false;
  }

  /** Whether any is not ejected at all. */
  #isAnyIn(): boolean {
    for (let backend = 0; backend < this.#records.length; backend++)
      if (Atomics.load(this.#records, backend) >= 0) return true;
    return false;
  }

  /** The same as isOpen for a pick that will go there: among the picks that find a trial due, one is admitted. */
  admits(backend: number, nowMs: number): boolean {
    const record = Atomics.load(this.#records, backend);
    if (record >= 0) return true;
    if (!isOver(record, nowMs)) return false;
    const onTrial = EJECTED | ON_TRIAL | timeOf(nowMs + this.#forMs);
    return Atomics.compareExchange(this.#records, backend, record, onTrial) === record;
  }

  /** How a request ended; null where its caller gave it up. */
  tell(backend: number, failed: boolean | null): void {
    for (;;) {
      const record = Atomics.load(this.#records, backend);
      const next = this.#after(record, failed);
      if (next === record || Atomics.compareExchange(this.#records, backend, record, next) === record) return;
    }
  }

  #after(record: number, failed: boolean | null): number {
    if (failed === null) return isOnTrial(record) ? EJECTED | timeOf(this.readMs()) : record;
    return failed ? this.#afterFailure(record) : this.#afterSuccess(record);
  }

  #afterSuccess(record: number): number {
    // A request that was in flight when it was ejected says nothing new, unless all are: then any may be the one that serves.
    if (isEjected(record)) return this.#isAnyIn() ? record : 0;
    return record > 0 ? record - 1 : 0;
  }

  #afterFailure(record: number): number {
    // Requests that were in flight when it was ejected say nothing new.
    if (isEjected(record)) return record;
    if (record >= 0 && record + 1 < this.#failures) return record + 1;
    return EJECTED | timeOf(this.readMs() + this.#forMs);
  }
}

/** A time as a record has it. */
function timeOf(ms: number): number {
  return Math.floor(ms) % MOST_UNTIL;
}

/** Whether it is ejected and not on trial. */
function isEjected(record: number): boolean {
  return record < 0 && (record & ON_TRIAL) === 0;
}

function isOnTrial(record: number): boolean {
  return record < 0 && (record & ON_TRIAL) !== 0;
}

/** Whether the time of a record that is not of a backend in use is over. Right for half of the range of its bits. */
function isOver(record: number, nowMs: number): boolean {
  const pastMs = (Math.floor(nowMs) % MOST_UNTIL) - (record & (MOST_UNTIL - 1));
  return ((pastMs + MOST_UNTIL) & (MOST_UNTIL - 1)) < MOST_UNTIL / 2;
}

const EJECTED = 1 << 31;
const ON_TRIAL = 1 << 30;
/** Milliseconds, 12 days: times are unambiguous over half of it. A power of two, so that it is a mask as well. */
const MOST_UNTIL = 2 ** 30;
const MOST_MS = 2 ** 28;
const MOST_FAILURES = 2 ** 20;

const EJECTION_OPTIONS: OptionKinds<EjectionOptions> = { failures: "any", forMs: "any", nowMs: "function" };
