import { type Cpu, DONE, explore, type Glimpse, type Step } from "../shared/explorer.ts";

/**
 * What the timers of a crew do to each other, as step models: every interleaving of a few workers that mean the same
 * one or two timers, one access to a shared word at a time. The explorer's header says what memory is in a model.
 *
 * A model is a transcription of its file's protocol, step for step, under the names of the file's functions. Left out
 * is what only one worker touches, lists and free places included: of these a register or a count is kept. A plain load
 * whose value a compareExchange checks is a step like Atomics.load.
 *
 * An owner, or whoever advances, ends with an advance for which it waits until all others are done; the word by which
 * they tell is the model's own.
 */
export interface TimersModel {
  readonly words: readonly number[];
  readonly registers: number;
  readonly threads: readonly (readonly Step[])[];
  readonly laws: readonly Law[];
}

export interface Law {
  readonly name: string;
  /** Returns what breaks it in this state, or undefined; the next is asked of those in which all is done. */
  readonly state?: (seen: Glimpse) => string | undefined;
  readonly end?: (seen: Glimpse) => string | undefined;
  /** What must be so when all is done, if not every time then once: else a model could be lawful by doing nothing. */
  readonly once?: (seen: Glimpse) => boolean;
}

/** Besides the laws of its own, every model can come to an end from wherever it is. */
export const EVERYBODY_FINISHES = "everyWorkerFinishes";

/**
 * Visits every state of a model; returns one sentence for each broken law, beginning with its name. With `until`, ends
 * at the first state that breaks the law of that name: a mutant may have far more states than its original.
 */
export function exploreTimers(model: TimersModel, until?: string): string[] {
  const broken = new Map<string, string>();
  const onces = new Map(
    model.laws.flatMap(({ name, once }) => (once === undefined ? [] : [[name, once] as const])),
  );
  const holdAgainst = (moment: "state" | "end", seen: Glimpse) => {
    for (const law of model.laws) {
      const what = broken.has(law.name) ? undefined : law[moment]?.(seen);
      if (what === undefined) continue;
      broken.set(law.name, `${law.name}: ${what}`);
      if (law.name === until) throw new Found();
    }
    if (moment === "end") for (const [name, once] of onces) if (once(seen)) onces.delete(name);
  };
  try {
    const { states, doomed } = explore(model, {
      state: (seen) => holdAgainst("state", seen),
      end: (seen) => holdAgainst("end", seen),
    });
    for (const name of onces.keys()) broken.set(name, `${name}: never`);
    if (doomed > 0) {
      broken.set(EVERYBODY_FINISHES, `${EVERYBODY_FINISHES}: no way out of ${doomed} of ${states} states`);
    }
  } catch (error) {
    if (!(error instanceof Found)) throw error;
  }
  return [...broken.values()];
}

/** Ends an exploration that has found what it was looking for. */
class Found extends Error {}

/** A step that names what follows it, `NEXT_STEP` for the step written below it. */
type NamedStep = (cpu: Cpu) => string | readonly string[];
type Program = Readonly<Record<string, NamedStep>>;

/** Where a part of a program leaves it for what comes after. */
const END = "end";

/** Parts one after the other, each with names of its own. */
function programOf(...parts: readonly Program[]): Step[] {
  const names = parts.flatMap((part, index) => Object.keys(part).map((name) => `${index}.${name}`));
  return parts.flatMap((part, index) => {
    const after =
      index + 1 === parts.length ? DONE : names.findIndex((name) => name.startsWith(`${index + 1}.`));
    const numberOf = (name: string) => {
      if (name === END) return after;
      const number = names.indexOf(`${index}.${name}`);
      if (number < 0) throw new Error(`there is no step ${name}`);
      return number;
    };
    return Object.values(part).map(
      (step): Step =>
        (cpu) => {
          const next = step(cpu);
          return typeof next === "string" ? numberOf(next) : next.map(numberOf);
        },
    );
  });
}

// ---------------------------------------------------------------------------------------------------- inbox-wheels

/** The states of inbox-wheels that are no handle. */
const GONE = 0;
const SHUT = -100;

/**
 * Two records, 1 and 2, whose first handles are 1 and 2, and 11 for record 1 in its next life. Words of the inbox and
 * of each record.
 */
const INBOX = 0;
const FINISHED = 1;
const stateOf = (record: number) => 4 * record - 2;
const wantedOf = (record: number) => 4 * record - 1;
const belowOf = (record: number) => 4 * record;
const lastOf = (record: number) => 4 * record + 1;
const INBOX_WORDS = 10;
const LIFE = 10;

/** Registers of who is not the owner. They are 0 between calls. */
const EXPECTED = 0;
const TOP = 1;
/** Registers of the owner. Of record 1 and 2: due of the timer in its wheel, 0 if there is none; times freed. */
const CLOCK_HERE = 0;
const RECORD = 1;
const BELOW = 2;
const SEEN = 3;
const dueIn = (record: number) => 3 + record;
const freedOf = (record: number) => 5 + record;
const HANDLE_OF_1 = 8;
const INBOX_REGISTERS = 9;

const FIRST_DUE = 1;

/** In what an inbox may differ from the honest one. */
interface InboxFlaws {
  /** Puts a record on the stack by a load and a store. */
  readonly storesTop?: boolean;
  /** Takes a record that is in the inbox already for one that is not. */
  readonly leavesTwice?: boolean;
  /** Cancels by a load and a store. */
  readonly cancelsInTwoSteps?: boolean;
  /** Does not ask whose state it finds, only whether it is live. */
  readonly ignoresGenerations?: boolean;
  /** Reports by a load and a store. */
  readonly reportsInTwoSteps?: boolean;
  /** Reports a timer that is due in the wheel, whatever its state. */
  readonly reportsMoved?: boolean;
  /** Opens a timer without having shut it, with the due read before. */
  readonly opensUnshut?: boolean;
  /** Looks for the next in the inbox after it opened this one. */
  readonly looksBelowLate?: boolean;
  /** Frees what the owner cancels at once, also where it is in the inbox. */
  readonly freesMoved?: boolean;
}

const answerTo = (cpu: Cpu, result: number): string => {
  cpu.registers.fill(0);
  if (result !== 0) cpu.record(result);
  return END;
};

/** Results: a cancel that was true, a refresh that was, and a report, each with what it was about. */
const cancelled = (handle: number) => 1000 + handle;
const refreshed = (handle: number, due: number) => 2000 + 100 * handle + due;
const reported = (handle: number, tick: number) => 4000 + 100 * handle + tick;

const recordOf = (handle: number) => ((handle - 1) % LIFE) + 1;

/** #leave and push; then `done`. */
function leave(record: number, done: string, { storesTop = false }: InboxFlaws): Program {
  return {
    "push: load top": (cpu) => {
      cpu.registers[TOP] = cpu.load(INBOX);
      return "push: below";
    },
    "push: below": (cpu) => {
      cpu.store(belowOf(record), cpu.registers[TOP]!);
      return "push: top";
    },
    "push: top": (cpu) => {
      const top = cpu.registers[TOP]!;
      if (storesTop) {
        cpu.store(INBOX, record);
        return done;
      }
      const found = cpu.compareExchange(INBOX, top, record);
      if (found === top) return done;
      cpu.registers[TOP] = found;
      return "push: below";
    },
  };
}

/** #isLive: what follows a state that was not the expected one. `again` tries with what was found. */
function isLive(cpu: Cpu, handle: number, found: number, again: string, flaws: InboxFlaws): string {
  if (found === SHUT) {
    cpu.registers[EXPECTED] = handle;
    return "isLive: last";
  }
  const isOne = flaws.ignoresGenerations === true ? found !== GONE : found === handle || found === -handle;
  if (!isOne) return answerTo(cpu, 0);
  cpu.registers[EXPECTED] = found;
  return again;
}

const last = (record: number, handle: number, again: string): NamedStep => {
  return (cpu) => (cpu.load(lastOf(record)) === handle ? again : answerTo(cpu, 0));
};

/** cancel by a worker that is not the owner. */
function foreignCancel(handle: number, flaws: InboxFlaws = {}): Program {
  const record = recordOf(handle);
  const taken = (cpu: Cpu, state: number) => {
    const isInInbox = state < 0 && flaws.leavesTwice !== true;
    return isInInbox ? answerTo(cpu, cancelled(handle)) : "push: load top";
  };
  return {
    "cancel: begin": (cpu) => {
      cpu.registers[EXPECTED] = handle;
      return flaws.cancelsInTwoSteps === true ? "cancel: load" : "cancel";
    },
    "cancel: load": (cpu) => {
      const found = cpu.load(stateOf(record));
      return found === handle ? "cancel: store" : isLive(cpu, handle, found, "cancel", flaws);
    },
    "cancel: store": (cpu) => {
      cpu.store(stateOf(record), GONE);
      return taken(cpu, handle);
    },
    cancel: (cpu) => {
      const state = cpu.registers[EXPECTED]!;
      const found = cpu.compareExchange(stateOf(record), state, GONE);
      return found === state ? taken(cpu, state) : isLive(cpu, handle, found, "cancel", flaws);
    },
    "isLive: last": last(record, handle, "cancel"),
    ...leave(record, "cancelled", flaws),
    cancelled: (cpu) => answerTo(cpu, cancelled(handle)),
  };
}

/** #refreshShared. */
function foreignRefresh(handle: number, due: number, flaws: InboxFlaws = {}): Program {
  const record = recordOf(handle);
  return {
    "refresh: begin": (cpu) => {
      cpu.registers[EXPECTED] = handle;
      return "shut";
    },
    shut: (cpu) => {
      const state = cpu.registers[EXPECTED]!;
      const found = cpu.compareExchange(stateOf(record), state, SHUT);
      return found === state ? "wanted" : isLive(cpu, handle, found, "shut", flaws);
    },
    "isLive: last": last(record, handle, "shut"),
    wanted: (cpu) => {
      cpu.store(wantedOf(record), due);
      const isInInbox = cpu.registers[EXPECTED] !== handle && flaws.leavesTwice !== true;
      return isInInbox ? "open" : "push: load top";
    },
    ...leave(record, "open", flaws),
    open: (cpu) => {
      cpu.store(stateOf(record), -handle);
      return answerTo(cpu, refreshed(handle, due));
    },
  };
}

/** Tells the owner that this worker will do no more. */
const finish: Program = {
  finish: (cpu) => {
    cpu.add(FINISHED, 1);
    return END;
  },
};

const free = (cpu: Cpu, record: number) => {
  cpu.registers[dueIn(record)] = 0;
  cpu.registers[freedOf(record)]!++;
};

const handleIn = (cpu: Cpu, record: number) => (record === 1 ? cpu.registers[HANDLE_OF_1]! : record);

/**
 * advance of the owner to `now`: #drain, without the look whether it is worth it; and for the timers that are due,
 * #report. The last one waits for `others`.
 */
function ownerAdvance(now: number, flaws: InboxFlaws, others?: number): Program {
  const record = (cpu: Cpu) => cpu.registers[RECORD]!;
  const nextInInbox = (cpu: Cpu) => {
    cpu.registers[RECORD] = cpu.registers[BELOW]!;
    cpu.registers[BELOW] = 0;
    cpu.registers[SEEN] = 0;
    return record(cpu) === 0 ? "report 1" : "drain: below";
  };
  const settle = (cpu: Cpu) => {
    cpu.registers[dueIn(record(cpu))] = Math.max(cpu.registers[SEEN]!, cpu.registers[CLOCK_HERE]! + 1);
    cpu.registers[SEEN] = 0;
  };
  const { opensUnshut = false, looksBelowLate = false } = flaws;
  const isDue = (cpu: Cpu, of: number) => cpu.registers[dueIn(of)]! > 0 && cpu.registers[dueIn(of)]! <= now;
  const report = (of: number, next: string): Program => ({
    [`report ${of}`]: (cpu) => {
      if (!isDue(cpu, of)) return next;
      // The loop takes it out of its slot, whatever its state.
      cpu.registers[dueIn(of)] = 0;
      const handle = cpu.load(stateOf(of));
      if (handle <= 0 && flaws.reportsMoved !== true) return next;
      return `take ${of}`;
    },
    [`take ${of}`]: (cpu) => {
      const handle = handleIn(cpu, of);
      if (flaws.reportsInTwoSteps === true || flaws.reportsMoved === true) cpu.store(stateOf(of), GONE);
      else if (cpu.compareExchange(stateOf(of), handle, GONE) !== handle) return next;
      cpu.record(reported(handle, now));
      free(cpu, of);
      return next;
    },
  });
  return {
    await: (cpu) => (others === undefined || cpu.load(FINISHED) === others ? "drain: exchange" : "await"),
    "drain: exchange": (cpu) => {
      cpu.registers[RECORD] = cpu.exchange(INBOX, 0);
      return record(cpu) === 0 ? "report 1" : "drain: below";
    },
    "drain: below": (cpu) => {
      if (looksBelowLate) return opensUnshut ? "drain: wanted" : "drain: shut";
      cpu.registers[BELOW] = cpu.load(belowOf(record(cpu)));
      return opensUnshut ? "drain: wanted" : "drain: shut";
    },
    "drain: shut": (cpu) => {
      const handle = handleIn(cpu, record(cpu));
      const state = cpu.compareExchange(stateOf(record(cpu)), -handle, opensUnshut ? handle : SHUT);
      if (state === GONE) {
        free(cpu, record(cpu));
        return looksBelowLate ? "drain: below, late" : nextInInbox(cpu);
      }
      if (state !== -handle) return opensUnshut ? "drain: wanted" : "drain: shut";
      if (!opensUnshut) return "drain: wanted";
      settle(cpu);
      return looksBelowLate ? "drain: below, late" : nextInInbox(cpu);
    },
    "drain: wanted": (cpu) => {
      cpu.registers[SEEN] = cpu.load(wantedOf(record(cpu)));
      return opensUnshut ? "drain: shut" : "drain: open";
    },
    "drain: open": (cpu) => {
      settle(cpu);
      cpu.store(stateOf(record(cpu)), handleIn(cpu, record(cpu)));
      return looksBelowLate ? "drain: below, late" : nextInInbox(cpu);
    },
    "drain: below, late": (cpu) => {
      cpu.registers[BELOW] = cpu.load(belowOf(record(cpu)));
      return nextInInbox(cpu);
    },
    ...report(1, "report 2"),
    ...report(2, "clock"),
    clock: (cpu) => {
      cpu.registers[CLOCK_HERE] = now;
      return END;
    },
  };
}

/** add of the owner: record 1 again, if it is free. */
function ownerAdd(due: number): Program {
  const handle = 1 + LIFE;
  return {
    "add: last": (cpu) => {
      if (cpu.registers[freedOf(1)] !== 1) return END;
      cpu.registers[HANDLE_OF_1] = handle;
      cpu.store(lastOf(1), handle);
      return "add: state";
    },
    "add: state": (cpu) => {
      cpu.registers[dueIn(1)] = due;
      cpu.store(stateOf(1), handle);
      return END;
    },
  };
}

/** cancel by the owner. It knows without `last` that a timer that is shut is its own. */
function ownerCancel({ freesMoved = false }: InboxFlaws): Program {
  const end = (cpu: Cpu) => {
    cpu.record(cancelled(1));
    return END;
  };
  const other = (found: number, same: string, next: string) => {
    if (found === GONE) return END;
    return found === SHUT ? same : next;
  };
  return {
    cancel: (cpu) => {
      const found = cpu.compareExchange(stateOf(1), 1, GONE);
      if (found !== 1) return other(found, "cancel", "cancel: moved");
      free(cpu, 1);
      return end(cpu);
    },
    "cancel: moved": (cpu) => {
      const found = cpu.compareExchange(stateOf(1), -1, GONE);
      if (found !== -1) return other(found, "cancel", "cancel");
      if (freesMoved) free(cpu, 1);
      return end(cpu);
    },
  };
}

/** refresh by the owner of a timer that nobody else has moved; what others moved it moves as they do. */
function ownerRefresh(due: number): Program {
  return {
    "refresh: state": (cpu) => {
      if (cpu.load(stateOf(1)) !== 1) return END;
      cpu.registers[dueIn(1)] = due;
      cpu.record(refreshed(1, due));
      return END;
    },
  };
}

/** The timers that the model begins with are set by the owner, in its registers, at no cost. */
const ownerBegins = (records: number): Program => ({
  begin: (cpu) => {
    cpu.registers[HANDLE_OF_1] = 1;
    for (let record = 1; record <= records; record++) cpu.registers[dueIn(record)] = FIRST_DUE;
    return END;
  },
});

const resultsOf = (seen: Glimpse) => seen.threads.flatMap(({ results }) => results);
/** What ended a handle: cancels and reports. */
const endsOf = (results: readonly number[], handle: number) =>
  results.filter(
    (result) =>
      result === cancelled(handle) || (result >= 4000 && Math.floor((result - 4000) / 100) === handle),
  ).length;

/** The last advance goes beyond every due. */
const FAR = 9;

interface InboxCast {
  /** Timers that there are. */
  readonly records: number;
  /** What each worker does that is not the owner. */
  readonly others: readonly (readonly Program[])[];
  /** What the owner does after its first advance. */
  readonly owners?: readonly Program[];
  readonly flaws?: InboxFlaws;
}

/** An owner that advances to the first due tick while the others are at work, and to the end when they are done. */
function inbox({ records, others, owners = [], flaws = {} }: InboxCast): TimersModel {
  const words = new Array<number>(INBOX_WORDS).fill(0);
  for (let record = 1; record <= records; record++) {
    words[stateOf(record)] = record;
    words[lastOf(record)] = record;
  }
  const owner = programOf(
    ownerBegins(records),
    ownerAdvance(FIRST_DUE, flaws),
    ...owners,
    ownerAdvance(FIRST_DUE + 1, flaws),
    ownerAdvance(FAR, flaws, others.length),
  );
  const handles = Array.from({ length: records }, (_, index) => index + 1);
  const reused = 1 + LIFE;
  return {
    words,
    registers: INBOX_REGISTERS,
    threads: [owner, ...others.map((programs) => programOf(...programs, finish))],
    laws: [
      {
        name: "endsOnce",
        state(seen) {
          const results = resultsOf(seen);
          const twice = [...handles, reused].find((handle) => endsOf(results, handle) > 1);
          return twice === undefined ? undefined : `${twice} was cancelled or reported more than once`;
        },
      },
      {
        name: "nothingIsLost",
        end(seen) {
          const results = resultsOf(seen);
          const wasAdded = seen.threads[0]!.registers[HANDLE_OF_1] === reused;
          const lost = [...handles, ...(wasAdded ? [reused] : [])].find(
            (handle) => endsOf(results, handle) === 0,
          );
          return lost === undefined ? undefined : `${lost} was neither cancelled nor reported`;
        },
      },
      {
        name: "placesComeBackOnce",
        state(seen) {
          const { registers } = seen.threads[0]!;
          const lives = registers[HANDLE_OF_1] === reused ? 2 : 1;
          const wrong = handles.find((record) => registers[freedOf(record)]! > (record === 1 ? lives : 1));
          return wrong === undefined ? undefined : `place ${wrong} was freed too often`;
        },
        end(seen) {
          const { registers } = seen.threads[0]!;
          const lives = registers[HANDLE_OF_1] === reused ? 2 : 1;
          const wrong = handles.find((record) => registers[freedOf(record)] !== (record === 1 ? lives : 1));
          return wrong === undefined
            ? undefined
            : `place ${wrong} was freed ${registers[freedOf(wrong)]} times`;
        },
      },
      {
        // The timer's end is the last thing that happens to it, so that every refresh that was true came before; of one
        // worker's the last counts, of several workers' the last of any.
        name: "newestDueCounts",
        end(seen) {
          for (const handle of handles) {
            const dues = seen.threads.slice(1).flatMap(({ results }) => {
              const own = results.filter((result) => Math.floor((result - 2000) / 100) === handle);
              return own.length === 0 ? [] : [own.at(-1)! - refreshed(handle, 0)];
            });
            const report = resultsOf(seen).find((result) => Math.floor((result - 4000) / 100) === handle);
            if (report === undefined || dues.length === 0) continue;
            const tick = report - reported(handle, 0);
            if (tick < Math.min(...dues))
              return `${handle} was reported at ${tick}, moved to ${dues.join(" and ")}`;
          }
          return undefined;
        },
      },
    ],
  };
}

/** One law for each result that must be seen at least once. */
function happens(model: TimersModel, ...results: readonly number[]): TimersModel {
  const laws = results.map((result): Law => {
    return { name: `result ${result}`, once: (seen) => resultsOf(seen).includes(result) };
  });
  return { ...model, laws: [...model.laws, ...laws] };
}

const SOON = FIRST_DUE + 1;
const LATE = 5;

/** Two workers that leave word of different timers at the same time. */
const twoPushers = (flaws: InboxFlaws = {}) =>
  inbox({
    records: 2,
    others: [[foreignRefresh(1, LATE, flaws)], [foreignCancel(2, flaws)]],
    flaws,
  });

/** Two workers that move the same timer, one of them twice. */
const coalescing = (flaws: InboxFlaws = {}) =>
  inbox({
    records: 1,
    others: [
      [foreignRefresh(1, SOON, flaws), foreignRefresh(1, LATE, flaws)],
      [foreignRefresh(1, LATE, flaws)],
    ],
    flaws,
  });

/** One that moves two timers one after the other, while another moves the one that it comes to. */
const crossing = (flaws: InboxFlaws = {}) =>
  inbox({
    records: 2,
    others: [
      [foreignRefresh(2, LATE, flaws), foreignRefresh(1, LATE, flaws)],
      [foreignRefresh(1, LATE, flaws)],
    ],
    flaws,
  });

/** Two that cancel a timer while it is due. */
const twoCancellers = (flaws: InboxFlaws = {}) =>
  inbox({ records: 1, others: [[foreignCancel(1, flaws)], [foreignCancel(1, flaws)]], flaws });

/** One that cancels what another moves. */
const cancelAndRefresh = (flaws: InboxFlaws = {}) =>
  inbox({ records: 1, others: [[foreignCancel(1, flaws)], [foreignRefresh(1, LATE, flaws)]], flaws });

/** One that moves a timer which its owner cancels, and one that cancels it too. */
const ownerCancels = (flaws: InboxFlaws = {}) =>
  inbox({
    records: 1,
    owners: [ownerCancel(flaws)],
    others: [[foreignRefresh(1, LATE, flaws)], [foreignCancel(1, flaws)]],
    flaws,
  });

/** One that cancels and one that moves what its owner moves with plain accesses. */
const ownerRefreshes = (flaws: InboxFlaws = {}) =>
  inbox({
    records: 1,
    owners: [ownerRefresh(LATE)],
    others: [[foreignRefresh(1, SOON, flaws)], [foreignCancel(1, flaws)]],
    flaws,
  });

/** The same as when one cancels what another moves, while the owner gives the place to a new timer as soon as it has it. */
const reuse = (flaws: InboxFlaws = {}) =>
  inbox({
    records: 1,
    owners: [ownerAdd(FAR)],
    others: [[foreignCancel(1, flaws)], [foreignRefresh(1, LATE, flaws)]],
    flaws,
  });

// ----------------------------------------------------------------------------------------------- slot-locked-wheel

/**
 * One timer, of record and handle 1, in a wheel whose slots are ticks 1 to 5. A slot's head is the record or 0, and
 * TAKEN. The bits of one word are changed each by an operation that leaves the others alone: here each is a word. One
 * worker advances, for that is behind a lock. What add does to a slot is what refresh does to the one it comes to.
 */
const CLOCK = 0;
const DUE = 2;
const HANDLE = 3;
const headOf = (slot: number) => 3 + slot;
const bitOf = (slot: number) => 8 + slot;
const SLOT_WORDS = 14;
const TAKEN = -1;
const THE_RECORD = 1;

/** Registers. */
const TICK = 0;
const FROM = 1;
const LOW = 2;
const HIGH = 3;
const CHECK = 4;
const SLOT_REGISTERS = 5;

interface SlotFlaws {
  /** Looks at the clock before it sets the bit. */
  readonly looksFirst?: boolean;
  /** Does not look at the clock again when it holds the slot. */
  readonly trustsTheClock?: boolean;
  /** Takes the slot that the timer leaves first, whichever is lower. */
  readonly takesInAnyOrder?: boolean;
  /** Does not look whether the timer is still in the slot that it waited for. */
  readonly trustsTheSlot?: boolean;
  /** Lets go of the slot that the timer leaves before it takes the one it comes to. */
  readonly holdsOneAtATime?: boolean;
  /** Lets go of the slot that the timer left before it clears its bit. */
  readonly clearsLate?: boolean;
  /** Looks at the bits before it stores the clock. */
  readonly looksBeforeItTells?: boolean;
}

/** hold: a load that may be old, and the compareExchange that finds out; what the slot held goes to `register`. */
function hold(name: string, slotOf: (cpu: Cpu) => number, register: number, next: string): Program {
  return {
    [`hold ${name}`]: (cpu) => {
      const head = cpu.load(headOf(slotOf(cpu)));
      if (head === TAKEN) return `hold ${name}`;
      cpu.registers[register] = head;
      return `hold ${name}: take`;
    },
    [`hold ${name}: take`]: (cpu) => {
      const head = cpu.registers[register]!;
      return cpu.compareExchange(headOf(slotOf(cpu)), head, TAKEN) === head ? next : `hold ${name}`;
    },
  };
}

/** isIn: two loads under the slot's lock. */
function isIn(yes: string, no: string, { trustsTheSlot = false }: SlotFlaws): Program {
  return {
    "isIn: handle": (cpu) => (cpu.load(HANDLE) === 1 ? "isIn: due" : no),
    "isIn: due": (cpu) => (cpu.load(DUE) === cpu.registers[FROM] || trustsTheSlot ? yes : no),
  };
}

const slotCancel = (flaws: SlotFlaws = {}): Program => ({
  isCurrent: (cpu) => (cpu.load(HANDLE) === 1 ? "due" : answerTo(cpu, 0)),
  due: (cpu) => {
    cpu.registers[FROM] = cpu.load(DUE);
    return "hold from";
  },
  ...hold("from", (cpu) => cpu.registers[FROM]!, LOW, "isIn: handle"),
  ...isIn("dead", "letGo", flaws),
  letGo: (cpu) => {
    cpu.store(headOf(cpu.registers[FROM]!), cpu.registers[LOW]!);
    cpu.registers.fill(0);
    return "isCurrent";
  },
  dead: (cpu) => {
    cpu.store(HANDLE, -1);
    return "clearBit";
  },
  clearBit: (cpu) => {
    cpu.store(bitOf(cpu.registers[FROM]!), 0);
    return "letGoOf";
  },
  letGoOf: (cpu) => {
    cpu.store(headOf(cpu.registers[FROM]!), 0);
    return answerTo(cpu, cancelled(1));
  },
});

/** refresh to another slot, or within the one where the timer is: move and moveWithin. */
function slotRefresh(due: number, flaws: SlotFlaws = {}): Program {
  const { looksFirst = false, trustsTheClock = false, takesInAnyOrder = false } = flaws;
  const { holdsOneAtATime = false, clearsLate = false } = flaws;
  const from = (cpu: Cpu) => cpu.registers[FROM]!;
  const to = (cpu: Cpu) => cpu.registers[TICK]!;
  const isFromFirst = (cpu: Cpu) => takesInAnyOrder || from(cpu) < to(cpu);
  const first = (cpu: Cpu) => (isFromFirst(cpu) ? from(cpu) : to(cpu));
  const second = (cpu: Cpu) => (isFromFirst(cpu) ? to(cpu) : from(cpu));
  const come = (cpu: Cpu) => (isFromFirst(cpu) ? cpu.registers[HIGH]! : cpu.registers[LOW]!);
  const left = (cpu: Cpu) => (isFromFirst(cpu) ? cpu.registers[LOW]! : cpu.registers[HIGH]!);
  const again = (cpu: Cpu) => {
    cpu.registers.fill(0);
    return "clock";
  };
  const check = (cpu: Cpu, next: string) => {
    const clock = cpu.load(CLOCK);
    return trustsTheClock || to(cpu) > clock ? next : undefined;
  };
  return {
    clock: (cpu) => {
      cpu.registers[TICK] = Math.max(due, cpu.load(CLOCK) + 1);
      return "isCurrent";
    },
    isCurrent: (cpu) => (cpu.load(HANDLE) === 1 ? "due" : answerTo(cpu, 0)),
    due: (cpu) => {
      cpu.registers[FROM] = cpu.load(DUE);
      if (from(cpu) === to(cpu)) return "hold slot";
      return holdsOneAtATime ? "hold from" : "hold first";
    },

    // moveWithin
    ...hold("slot", from, LOW, "within: handle"),
    "within: handle": (cpu) => (cpu.load(HANDLE) === 1 ? "within: due" : "within: letGo"),
    "within: due": (cpu) => (cpu.load(DUE) === from(cpu) ? "within: clock" : "within: letGo"),
    "within: clock": (cpu) => {
      const next = check(cpu, "within: moved");
      return next ?? "within: letGo";
    },
    "within: letGo": (cpu) => {
      cpu.store(headOf(from(cpu)), cpu.registers[LOW]!);
      return again(cpu);
    },
    "within: moved": (cpu) => {
      cpu.store(headOf(from(cpu)), THE_RECORD);
      return answerTo(cpu, refreshed(1, to(cpu)));
    },

    // move
    ...hold("first", first, LOW, "hold second"),
    ...hold("second", second, HIGH, "isIn: handle"),
    ...isIn(looksFirst ? "clock, held" : "setBit", "letGo to", flaws),
    setBit: (cpu) => {
      if (come(cpu) === 0) cpu.store(bitOf(to(cpu)), 1);
      return looksFirst ? "move: due" : "clock, held";
    },
    "clock, held": (cpu) => {
      const next = check(cpu, looksFirst ? "setBit" : "move: due");
      return next ?? "clearBit";
    },
    clearBit: (cpu) => {
      if (come(cpu) === 0 && !looksFirst) cpu.store(bitOf(to(cpu)), 0);
      return "letGo to";
    },
    "letGo to": (cpu) => {
      cpu.store(headOf(to(cpu)), come(cpu));
      return "letGo from";
    },
    "letGo from": (cpu) => {
      cpu.store(headOf(from(cpu)), left(cpu));
      return again(cpu);
    },
    "move: due": (cpu) => {
      cpu.store(DUE, to(cpu));
      return "letGo to, joined";
    },
    "letGo to, joined": (cpu) => {
      cpu.store(headOf(to(cpu)), THE_RECORD);
      if (holdsOneAtATime) return "moved";
      return clearsLate ? "letGo from, parted" : "clear from";
    },
    "clear from": (cpu) => {
      cpu.store(bitOf(from(cpu)), 0);
      return clearsLate ? "moved" : "letGo from, parted";
    },
    "letGo from, parted": (cpu) => {
      cpu.store(headOf(from(cpu)), 0);
      if (holdsOneAtATime) return "hold to";
      return clearsLate ? "clear from" : "moved";
    },
    moved: (cpu) => answerTo(cpu, refreshed(1, to(cpu))),

    // Only where one is held at a time: out of the one, with the new due, and then into the other.
    ...hold("from", from, LOW, "one: handle"),
    "one: handle": (cpu) => (cpu.load(HANDLE) === 1 ? "one: due" : "letGo from, one"),
    "one: due": (cpu) => (cpu.load(DUE) === from(cpu) ? "one: move" : "letGo from, one"),
    "letGo from, one": (cpu) => {
      cpu.store(headOf(from(cpu)), cpu.registers[LOW]!);
      return again(cpu);
    },
    "one: move": (cpu) => {
      cpu.store(DUE, to(cpu));
      return "clear from";
    },
    ...hold("to", to, HIGH, "one: setBit"),
    "one: setBit": (cpu) => {
      cpu.store(bitOf(to(cpu)), 1);
      return "letGo to, joined";
    },
  };
}

/** One turn of advance's loop: the clock to `tick`, and #sweep of that tick's slot, with #visit. */
function slotAdvance(tick: number, { looksBeforeItTells = false }: SlotFlaws = {}, others?: number): Program {
  const isAwaited = (cpu: Cpu) => others === undefined || cpu.load(FINISHED) === others;
  const tell: Program = {
    clock: (cpu) => {
      cpu.store(CLOCK, tick);
      if (!looksBeforeItTells) return "bits";
      const isSet = cpu.registers[CHECK] === 1;
      cpu.registers[CHECK] = 0;
      return isSet ? "hold slot" : END;
    },
  };
  const look: Program = {
    bits: (cpu) => {
      const bit = cpu.load(bitOf(tick));
      if (!looksBeforeItTells) return bit === 1 ? "hold slot" : END;
      cpu.registers[CHECK] = bit;
      return "clock";
    },
  };
  return {
    await: (cpu) => {
      if (!isAwaited(cpu)) return "await";
      return looksBeforeItTells ? "bits" : "clock";
    },
    ...tell,
    ...look,
    ...hold("slot", () => tick, LOW, "visit"),
    visit: (cpu) => {
      if (cpu.registers[LOW] === 0) {
        cpu.store(headOf(tick), 0);
        cpu.registers.fill(0);
        return END;
      }
      // A timer of another lap stays; in one lap the slot's timers are due.
      return cpu.load(DUE) <= tick ? "report" : "keep";
    },
    keep: (cpu) => {
      cpu.store(headOf(tick), cpu.registers[LOW]!);
      cpu.registers.fill(0);
      return END;
    },
    report: (cpu) => {
      cpu.record(reported(1, tick));
      cpu.store(HANDLE, -1);
      return "clearBit";
    },
    clearBit: (cpu) => {
      cpu.store(bitOf(tick), 0);
      return "letGoOf";
    },
    letGoOf: (cpu) => {
      cpu.store(headOf(tick), 0);
      cpu.registers.fill(0);
      return END;
    },
  };
}

interface SlotCast {
  readonly others: readonly (readonly Program[])[];
  readonly flaws?: SlotFlaws;
}

const SLOTS = [1, 2, 3, 4, 5];

/** A timer due at tick 2, a worker that advances to tick 2 while others are at work, and later to 5. */
function slots({ others, flaws = {} }: SlotCast): TimersModel {
  const words = new Array<number>(SLOT_WORDS).fill(0);
  words[DUE] = 2;
  words[HANDLE] = 1;
  words[headOf(2)] = THE_RECORD;
  words[bitOf(2)] = 1;
  const advancing = programOf(
    slotAdvance(1, flaws),
    slotAdvance(2, flaws),
    slotAdvance(3, flaws),
    slotAdvance(4, flaws, others.length),
    slotAdvance(5, flaws),
  );
  return {
    words,
    registers: SLOT_REGISTERS,
    threads: [advancing, ...others.map((programs) => programOf(...programs, finish))],
    laws: [
      {
        name: "endsOnce",
        state: (seen) =>
          endsOf(resultsOf(seen), 1) > 1 ? "the timer was cancelled or reported more than once" : undefined,
      },
      {
        // After tick 5, where every due was.
        name: "nothingIsLost",
        end: (seen) =>
          endsOf(resultsOf(seen), 1) === 0 ? "it was neither cancelled nor reported" : undefined,
      },
      {
        name: "slotsAreWhole",
        end({ words: after }) {
          const wrong = SLOTS.find((slot) => after[headOf(slot)] !== 0 || after[bitOf(slot)] !== 0);
          return wrong === undefined ? undefined : `slot ${wrong} is not empty, but all timers have ended`;
        },
      },
      {
        name: "newestDueCounts",
        end(seen) {
          const report = resultsOf(seen).find((result) => result >= 4000);
          const dues = seen.threads.flatMap(({ results }) => {
            const own = results.filter((result) => result >= 2000 && result < 4000);
            return own.length === 0 ? [] : [own.at(-1)! - refreshed(1, 0)];
          });
          if (report === undefined || dues.length === 0) return undefined;
          const tick = report - reported(1, 0);
          return tick < Math.min(...dues)
            ? `it was reported at ${tick}, moved to ${dues.join(" and ")}`
            : undefined;
        },
      },
    ],
  };
}

/** One moves the timer away from the tick that comes, another cancels it. */
const refreshAndCancel = (flaws: SlotFlaws = {}) =>
  slots({ others: [[slotRefresh(4, flaws)], [slotCancel(flaws)]], flaws });

/** One moves it on, another back: each wants the slot that the other holds. */
const twoRefreshers = (flaws: SlotFlaws = {}) =>
  slots({ others: [[slotRefresh(4, flaws)], [slotRefresh(4, flaws), slotRefresh(2, flaws)]], flaws });

/** One moves it to the tick that comes: it must not get there behind the clock. */
const refreshInFront = (flaws: SlotFlaws = {}) =>
  slots({ others: [[slotRefresh(3, flaws), slotRefresh(1, flaws)]], flaws });

/** The models of each competitor, by the name of its file. */
export const models: Readonly<Record<string, Readonly<Record<string, TimersModel>>>> = {
  "inbox-wheels": {
    "two leave word of different timers": happens(twoPushers(), cancelled(2), refreshed(1, LATE)),
    "two move the same timer": happens(coalescing(), reported(1, SOON), reported(1, FAR)),
    "two move two timers": happens(
      crossing(),
      refreshed(1, LATE),
      refreshed(2, LATE),
      reported(1, FIRST_DUE),
    ),
    "two cancel while it is due": happens(twoCancellers(), cancelled(1), reported(1, FIRST_DUE)),
    "one cancels what another moves": happens(
      cancelAndRefresh(),
      cancelled(1),
      refreshed(1, LATE),
      reported(1, FIRST_DUE),
    ),
    "the owner cancels it too": happens(ownerCancels(), cancelled(1), refreshed(1, LATE)),
    "the owner moves it too": happens(
      ownerRefreshes(),
      cancelled(1),
      reported(1, FIRST_DUE),
      reported(1, SOON),
      refreshed(1, LATE),
    ),
    "the place is given to a new timer meanwhile": happens(reuse(), cancelled(1), reported(1 + LIFE, FAR)),
  },
  "slot-locked-wheel": {
    "one cancels what another moves": happens(
      refreshAndCancel(),
      cancelled(1),
      refreshed(1, 4),
      reported(1, 2),
    ),
    "two move it": happens(twoRefreshers(), reported(1, 2), reported(1, 4)),
    "one moves it to the tick that comes": happens(
      refreshInFront(),
      ...[1, 2, 3, 4].map((tick) => reported(1, tick)),
    ),
  },
};

/** Crew competitors without a model, each with the reason why it needs none. */
export const unmodelled: Readonly<Record<string, string>> = {
  "locked-hashed-wheel": "every access is behind a lock that locks.model.ts has",
  "locked-four-ary-heap": "every access is behind a lock that locks.model.ts has",
};

/** A model that is wrong in one place, and the law that has to find it. */
export interface Mutant {
  readonly breaks: string;
  readonly model: TimersModel;
}

export const mutants: Readonly<Record<string, Mutant>> = {
  "inbox: pushes by load and store": { breaks: "nothingIsLost", model: twoPushers({ storesTop: true }) },
  "inbox: leaves word twice": {
    breaks: "placesComeBackOnce",
    model: cancelAndRefresh({ leavesTwice: true }),
  },
  "inbox: cancels in two steps": { breaks: "endsOnce", model: twoCancellers({ cancelsInTwoSteps: true }) },
  "inbox: reports in two steps": { breaks: "endsOnce", model: twoCancellers({ reportsInTwoSteps: true }) },
  "inbox: reports what was moved": { breaks: "newestDueCounts", model: coalescing({ reportsMoved: true }) },
  "inbox: opens what it did not shut": {
    breaks: "newestDueCounts",
    model: coalescing({ opensUnshut: true }),
  },
  "inbox: looks below too late": { breaks: "nothingIsLost", model: crossing({ looksBelowLate: true }) },
  "inbox: frees what is in it": { breaks: "placesComeBackOnce", model: ownerCancels({ freesMoved: true }) },
  "inbox: ignores generations": { breaks: "endsOnce", model: reuse({ ignoresGenerations: true }) },

  "slots: looks at the clock before the bit": {
    breaks: "nothingIsLost",
    model: refreshInFront({ looksFirst: true }),
  },
  "slots: trusts the clock": { breaks: "nothingIsLost", model: refreshInFront({ trustsTheClock: true }) },
  "slots: looks at the bits before the clock": {
    breaks: "nothingIsLost",
    model: refreshInFront({ looksBeforeItTells: true }),
  },
  "slots: takes slots in any order": {
    breaks: EVERYBODY_FINISHES,
    model: twoRefreshers({ takesInAnyOrder: true }),
  },
  "slots: trusts the slot": { breaks: "endsOnce", model: refreshAndCancel({ trustsTheSlot: true }) },
  "slots: holds one at a time": { breaks: "endsOnce", model: refreshAndCancel({ holdsOneAtATime: true }) },
  "slots: clears a bit of a slot let go": {
    breaks: "slotsAreWhole",
    model: twoRefreshers({ clearsLate: true }),
  },
};
