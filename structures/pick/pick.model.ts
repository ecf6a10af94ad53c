import { type Cpu, DONE, explore, type Glimpse, type Step } from "../shared/explorer.ts";

/**
 * Pickers as step models: every interleaving of a few workers that each pick a few times, one access to a shared word
 * at a time. The explorer's header says what memory is in a model.
 *
 * A model is a transcription of its file, made small: a few backends, and a fold or a period that is reached within a
 * few picks. Left out is what no other thread can see or change: private state, the lap where format alone writes it,
 * and what is computed from a ticket once it is drawn. So one model stands for all that share their words alike.
 *
 * A plain load is a step like Atomics.load. It may return an older value, but none from before the worker's own last
 * access to the word, and at every moment since then the step could have been made as well.
 */
export interface PickModel {
  /** What the words hold once formatted. */
  readonly words: readonly number[];
  /** Registers of each worker; none if absent. */
  readonly registers?: number;
  readonly workers: number;
  /** Picks of each worker. */
  readonly picks: number;
  /** One pick, which records what it got, if a law asks, in its last step, and leaves in registers what the next needs. */
  readonly pick: readonly Step[];
  /** The whole life of the thread beside the workers, if there is one. */
  readonly beside?: readonly Step[];
  readonly laws: readonly Law[];
}

/** A promise. */
export interface Law {
  readonly name: string;
  /** Returns what breaks it in this state, or undefined; the next is asked of those in which all is done. */
  readonly state?: (seen: Seen) => string | undefined;
  readonly end?: (seen: Seen) => string | undefined;
  /** What must be so when all is done, if not every time then once: else a model could keep its promises by doing nothing. */
  readonly once?: (seen: Seen) => boolean;
}

/** A state with what a law wants to know of its threads. */
export interface Seen {
  readonly words: readonly number[];
  readonly workers: readonly {
    readonly results: readonly number[];
    readonly registers: readonly number[];
    /** Whether it has begun a pick that has not returned. */
    readonly underWay: boolean;
  }[];
}

/** What an exploration found. */
export interface PickExploration {
  /** How many there are, if all were visited, and in how many of them all is done. */
  readonly states: number | undefined;
  readonly ends: number | undefined;
  /** One sentence for each broken law, beginning with its name. */
  readonly broken: readonly string[];
}

/**
 * Visits every state of a model and holds its laws against each, and then whether everybody can finish, and whether the
 * others can when one worker stops for ever. With `until`, ends at the first state that breaks the law of that name: a
 * mutant may have far more states than its original.
 */
export function explorePicks(model: PickModel, until?: string): PickExploration {
  const { words, registers = 0, laws } = model;
  const threads = threadsOf(model, model.picks);
  const broken = new Map<string, string>();
  const onces = new Map(laws.flatMap(({ name, once }) => (once === undefined ? [] : [[name, once]])));
  const holdAgainst = (moment: "state" | "end", glimpse: Glimpse) => {
    const seen = seenIn(glimpse, model);
    for (const law of laws) {
      const what = broken.has(law.name) ? undefined : law[moment]?.(seen);
      if (what === undefined) continue;
      broken.set(law.name, `${law.name}: ${what}`);
      if (law.name === until) throw new Found();
    }
    if (moment === "end") for (const [name, once] of onces) if (once(seen)) onces.delete(name);
  };
  try {
    const { states, ends, doomed } = explore(
      { words, registers, threads },
      {
        state: (glimpse) => holdAgainst("state", glimpse),
        end: (glimpse) => holdAgainst("end", glimpse),
      },
    );
    for (const name of onces.keys()) broken.set(name, `${name}: never in ${ends} ends`);
    const stuck = doomed === 0 ? [] : [`everyWorkerFinishes: no way out of ${doomed} of ${states} states`];
    return { states, ends, broken: [...broken.values(), ...stuck, ...nobodyIsHeldUp(model)] };
  } catch (error) {
    if (error instanceof Found) return { states: undefined, ends: undefined, broken: [...broken.values()] };
    throw error;
  }
}

/** Picks of each worker where one may stop: one to stop in, for the others to be held up in, and one after it. */
const PICKS_WITH_A_STOP = 2;

/** A worker that stops anywhere, for ever, keeps nobody from finishing: what sets lock-free apart from blocking. */
function nobodyIsHeldUp(model: PickModel): string[] {
  const [program, ...others] = threadsOf(model, PICKS_WITH_A_STOP);
  const mortal = program!.map(
    (step): Step =>
      (cpu) =>
        [step(cpu), DONE].flat(),
  );
  const { words, registers = 0 } = model;
  const { states, doomed } = explore({ words, registers, threads: [mortal, ...others] });
  if (doomed === 0) return [];
  return [`nobodyIsHeldUp: one worker may stop, and there is no way out of ${doomed} of ${states} states`];
}

function threadsOf({ workers, pick, beside }: PickModel, picks: number): (readonly Step[])[] {
  const program = repeated(pick, picks);
  return [...Array.from({ length: workers }, () => program), ...(beside === undefined ? [] : [beside])];
}

/** Ends an exploration that has found what it was looking for. */
class Found extends Error {}

/** The same steps several times, one pick after the other. */
function repeated(pick: readonly Step[], times: number): Step[] {
  return Array.from({ length: times }, (_, round) => {
    const start = round * pick.length;
    const after = round === times - 1 ? DONE : start + pick.length;
    const moved = (next: number) => (next === DONE ? after : start + next);
    return pick.map(
      (step): Step =>
        (cpu) => {
          const next = step(cpu);
          return typeof next === "number" ? moved(next) : next.map(moved);
        },
    );
  }).flat();
}

function seenIn({ words, threads }: Glimpse, { workers, pick }: PickModel): Seen {
  return {
    words,
    workers: threads.slice(0, workers).map(({ step, results, registers }) => {
      return { results, registers, underWay: step !== DONE && step % pick.length !== 0 };
    }),
  };
}

/** Makes the access and goes on with `next`, whatever it saw. */
const then =
  (next: number, access: (cpu: Cpu) => void): Step =>
  (cpu) => {
    access(cpu);
    return next;
  };

/** Ends a pick: what the worker need not remember must not tell two states apart. */
function answer(cpu: Cpu, result: number): number {
  cpu.record(result);
  cpu.registers.fill(0);
  return DONE;
}

/** How the laws of tickets read what a model records. */
interface Tickets {
  /** Tickets handed out according to the words, modulo `modulo`. */
  readonly handedOut: (words: readonly number[]) => number;
  readonly modulo: number;
  /** Which ticket a result stands for, counted from the first and modulo `period`: a backend's place in its lap. */
  readonly rank: (result: number) => number;
  readonly period: number;
  /** Results that a worker holds and has not picked yet. */
  readonly held?: (registers: readonly number[]) => readonly number[];
}

function allResults({ workers }: Seen, held: Tickets["held"]): number[] {
  return workers.flatMap(({ results, registers }) => [...results, ...(held?.(registers) ?? [])]);
}

/** The words account for every pick, and every ticket up to there was handed out once: as two laws of pick.laws.ts. */
function conserved({ handedOut, modulo, rank, period, held }: Tickets): Law[] {
  return [
    {
      name: "ticketsAreConserved",
      end(seen) {
        const taken = allResults(seen, held).length;
        const lost = modulus(taken - handedOut(seen.words), modulo);
        return lost === 0 ? undefined : `${taken} tickets were taken, the words account for ${lost} fewer`;
      },
    },
    {
      name: "lapIsConserved",
      end(seen) {
        const ranks = allResults(seen, held).map(rank).sort(ascending);
        const expected = ranks.map((_, ticket) => ticket % period).sort(ascending);
        return String(ranks) === String(expected) ? undefined : `handed out were ${ranks}, not ${expected}`;
      },
    },
  ];
}

/**
 * Tickets below the highest one returned that have not been returned themselves belong to picks that are under way: a
 * pick that begins now could else get one of them. Needs a period that no exploration comes round.
 */
function linearizable({ rank }: Tickets): Law {
  return {
    name: "ticketsAreLinearizable",
    state({ workers }) {
      const ranks = workers.flatMap(({ results }) => results).map(rank);
      const missing = Math.max(-1, ...ranks) + 1 - ranks.length;
      const underWay = workers.filter((worker) => worker.underWay).length;
      if (missing <= underWay) return undefined;
      return `${missing} tickets below ${Math.max(...ranks)} are not returned, ${underWay} picks are under way`;
    },
  };
}

/** No two backends differ by more than `bound` while nobody picks. */
function gapIsBounded(
  backends: number,
  backendOf: (result: number) => number,
  bound: (words: readonly number[]) => number,
): Law {
  return {
    name: "gapIsBounded",
    state({ words, workers }) {
      if (workers.some(({ underWay }) => underWay)) return undefined;
      const counts = new Array<number>(backends).fill(0);
      for (const result of workers.flatMap(({ results }) => results)) counts[backendOf(result)]!++;
      const gap = Math.max(...counts) - Math.min(...counts);
      return gap <= bound(words) ? undefined : `${gap} between backends at rest, claimed ${bound(words)}`;
    },
  };
}

function inRange(backends: number): Law {
  return {
    name: "picksAreInRange",
    state({ workers }) {
      const stray = workers.flatMap(({ results }) => results).find((place) => place < 0 || place >= backends);
      return stray === undefined ? undefined : `there is no place ${stray}`;
    },
  };
}

/** The word that workers fight for, in all models but that of two choices. */
const NEXT = 0;

/** Every pick is one add to a counter, which starts 4 short of changing its sign. */
const bareCounter: PickModel = (() => {
  const first = 2 ** 31 - 4;
  const tickets: Tickets = {
    handedOut: (words) => words[NEXT]! - first,
    modulo: 2 ** 32,
    rank: (ticket) => (ticket - first) | 0,
    period: 2 ** 32,
  };
  return {
    words: [first],
    workers: 3,
    picks: 3,
    pick: [(cpu) => answer(cpu, cpu.add(NEXT, 1))],
    laws: [...conserved(tickets), linearizable(tickets)],
  };
})();

/** How a folded counter is taken back: foldBack of pick.lap.ts, or a mutant of it. `ends` ends the pick. */
type FoldBack = (start: number, fold: number, ends: (cpu: Cpu) => number) => readonly Step[];

/** foldBack, with the value to compare with in register 1. */
const foldBack: FoldBack = (start, fold, ends) => [
  (cpu) => {
    cpu.registers[1] = cpu.load(NEXT);
    return cpu.registers[1] >= fold ? start + 1 : ends(cpu);
  },
  (cpu) => {
    const next = cpu.registers[1]!;
    const seen = cpu.compareExchange(NEXT, next, next - fold);
    cpu.registers[1] = seen;
    return seen === next || seen < fold ? ends(cpu) : start + 1;
  },
];

/** Register 0: the ticket drawn. */
function foldedCounter(
  backends: number,
  fold: number,
  first: number,
  foldingBack = foldBack,
  picks = 3,
): PickModel {
  const ends = (cpu: Cpu) => answer(cpu, cpu.registers[0]! % backends);
  const tickets: Tickets = {
    handedOut: (words) => words[NEXT]! - first,
    modulo: fold,
    rank: (place) => modulus(place - first, backends),
    period: backends,
  };
  const workers = 3;
  return {
    words: [first],
    registers: 2,
    workers,
    picks,
    pick: [
      (cpu) => {
        const ticket = cpu.add(NEXT, 1);
        cpu.registers[0] = ticket;
        return ticket >= fold ? 1 : ends(cpu);
      },
      ...foldingBack(1, fold, ends),
    ],
    laws: [
      inRange(backends),
      ...conserved(tickets),
      {
        name: "counterIsFolded",
        end: ({ words }) =>
          words[NEXT]! < fold ? undefined : `it is at ${words[NEXT]}, the fold is ${fold}`,
      },
      ...(backends >= workers * picks ? [linearizable(tickets)] : []),
    ],
  };
}

/** So many backends that 3 times 3 picks do not come round, and few enough that they cross the fold. */
const MANY = 10;
/** Folded once in the middle of the picks; and, in a lap of 2 folded every lap, several times and by several workers. */
const foldedCounters = [foldedCounter(MANY, MANY, MANY - 3), foldedCounter(2, 2, 1, foldBack, 2)];

/** Register 0: the node that the head was seen at. A node's number is its place; its link is known to all. */
function ring(backends: number): PickModel {
  const tickets: Tickets = {
    handedOut: (words) => words[NEXT]!,
    modulo: backends,
    rank: (place) => place,
    period: backends,
  };
  return {
    words: [0],
    registers: 1,
    workers: 3,
    picks: 3,
    pick: [
      then(1, (cpu) => {
        cpu.registers[0] = cpu.load(NEXT);
      }),
      (cpu) => {
        const node = cpu.registers[0]!;
        if (cpu.compareExchange(NEXT, node, (node + 1) % backends) === node) return answer(cpu, node);
        cpu.registers[0] = 0;
        return 0;
      },
    ],
    laws: [...conserved(tickets), ...(backends >= 9 ? [linearizable(tickets)] : [])],
  };
}

/** One in whose order every pick can be told, and one small enough to be gone round three times (ABA). */
const rings = [ring(MANY), ring(3)];

/** A generator of 16 states that visits all of them, in place of one of 2^32. Register 0: the state seen last. */
const casRandom: PickModel = (() => {
  const after = (state: number) => (5 * state + 3) % 16;
  const sequence = [7];
  while (sequence.length < 16) sequence.push(after(sequence.at(-1)!));
  const tickets: Tickets = {
    handedOut: (words) => sequence.indexOf(words[NEXT]!),
    modulo: 16,
    rank: (state) => sequence.indexOf(state),
    period: 16,
  };
  return {
    words: [sequence[0]!],
    registers: 1,
    workers: 3,
    picks: 2,
    pick: [
      then(1, (cpu) => {
        cpu.registers[0] = cpu.load(NEXT);
      }),
      (cpu) => {
        const state = cpu.registers[0]!;
        const seen = cpu.compareExchange(NEXT, state, after(state));
        if (seen === state) return answer(cpu, state);
        cpu.registers[0] = seen;
        return 1;
      },
    ],
    laws: [...conserved(tickets), linearizable(tickets)],
  };
})();

/**
 * Leases of 2 tickets, handed out by `handOut` of them; 3 workers that pick 3 times, so that each holds 1 at the end.
 * Register 2: the place picked next. Register 3: places left. Both outlive the pick.
 */
function leases(handOut = 2): PickModel & { readonly tickets: Tickets } {
  const lease = 2;
  const backends = 12;
  // Not a multiple of the lease away from the fold, so that a lease goes across it.
  const first = 7;
  const fold = backends;
  const pickHeld = (cpu: Cpu) => {
    const [, , position, left] = cpu.registers;
    cpu.record(position! % backends);
    cpu.registers.set(left === 1 ? [0, 0, 0, 0] : [0, 0, position! + 1, left! - 1]);
    return DONE;
  };
  const begins = (cpu: Cpu) => {
    cpu.registers.set([0, 0, cpu.registers[0]! % backends, handOut]);
    return pickHeld(cpu);
  };
  const tickets: Tickets = {
    handedOut: (words) => words[NEXT]! - first,
    modulo: fold,
    rank: (place) => modulus(place - first, backends),
    period: backends,
    held: ([, , position, left]) => Array.from({ length: left! }, (_, at) => (position! + at) % backends),
  };
  return {
    tickets,
    words: [first],
    registers: 4,
    workers: 3,
    picks: 3,
    pick: [
      (cpu) => {
        if (cpu.registers[3]! > 0) return pickHeld(cpu);
        const ticket = cpu.add(NEXT, lease);
        cpu.registers[0] = ticket;
        return ticket >= fold ? 1 : begins(cpu);
      },
      ...foldBack(1, fold, begins),
    ],
    laws: conserved(tickets),
  };
}

const leased = leases();

/**
 * 2 backends of weights 2 and 1: of every 4 turns the last is let pass. Register 0: the turn drawn. Records the turn
 * itself; the fold is far enough off that none comes twice.
 */
const staticStride: PickModel = (() => {
  const fold = 16;
  const first = 13;
  const isTaken = (turn: number) => turn % 4 !== 3;
  const ends = (cpu: Cpu) => {
    const turn = cpu.registers[0]!;
    if (isTaken(turn)) return answer(cpu, turn % fold);
    cpu.registers.fill(0);
    return 0;
  };
  return {
    words: [first],
    registers: 2,
    workers: 3,
    picks: 2,
    pick: [
      (cpu) => {
        const turn = cpu.add(NEXT, 1);
        cpu.registers[0] = turn;
        return turn >= fold ? 1 : ends(cpu);
      },
      ...foldBack(1, fold, ends),
    ],
    laws: [
      {
        name: "ticketsAreConserved",
        end(seen) {
          const turns = Array.from(
            { length: modulus(seen.words[NEXT]! - first, fold) },
            (_, at) => first + at,
          );
          const expected = turns.filter(isTaken).map((turn) => turn % fold);
          const picked = allResults(seen, undefined).sort(ascending);
          if (String(picked) === String(expected.sort(ascending))) return undefined;
          return `turns ${picked} were picked, those taken are ${expected}`;
        },
      },
    ],
  };
})();

/**
 * 3 backends. What a worker saw of two of them may be out of date, so that its choice is anybody's: it takes any. A
 * pick goes on until its request is released. Register 0: 1 more than the backend that has the request.
 */
function twoChoices(forgets = false): PickModel {
  const backends = [0, 1, 2];
  const sendTo = (cpu: Cpu, backend: number) => {
    cpu.registers[0] = backend + 1;
  };
  const release = 1 + 2 * backends.length;
  return {
    words: backends.map(() => 0),
    registers: 1,
    workers: 3,
    picks: 2,
    pick: [
      () => (forgets ? [1, 2, 3, 4, 5, 6] : [1, 2, 3]),
      ...backends.map((backend) =>
        then(release, (cpu) => {
          cpu.add(backend, 1);
          sendTo(cpu, backend);
        }),
      ),
      // Only for those who forget to count.
      ...backends.map((backend) => then(release, (cpu) => sendTo(cpu, backend))),
      (cpu) => {
        const backend = cpu.registers[0]! - 1;
        cpu.sub(backend, 1);
        cpu.registers.fill(0);
        return DONE;
      },
    ],
    laws: [
      {
        name: "inFlightIsConserved",
        state({ words, workers }) {
          const sent = backends.map(
            (at) => workers.filter(({ registers }) => registers[0] === at + 1).length,
          );
          return String(words) === String(sent) ? undefined : `in flight are ${sent}, the words say ${words}`;
        },
      },
    ],
  };
}

/** The words of background-reshuffle with 2 workers and 2 backends; the control word is as there. */
const CONTROL = 0;
const REQUESTS = 1;
const RESHUFFLES = 2;
const SEEN = [3, 4];
const LAPS = [5, 7];
const EPOCH_SHIFT = 30;
const TICKET_MASK = 2 ** EPOCH_SHIFT - 1;

/** In what a reshuffle may differ from the honest one. */
interface Reshuffle {
  /** Whether workers tell that they have seen an epoch. */
  readonly tells?: boolean;
  /** Whether it waits until every worker has seen the epoch. */
  readonly waits?: boolean;
  /** Whether it shuffles the lap that is in use, and begins no epoch. */
  readonly inPlace?: boolean;
  readonly picks?: number;
}

/**
 * Begins in epoch 1, so that the 3 changes that are asked for, one by every other pick, take the epoch round to 0; the
 * fold comes after 2 picks. The thread always swaps the two backends, which is the change that shows most, and it goes
 * away when nobody asks: had it slept instead, it could have come that much later. Notifying and sleeping are left out
 * with that.
 *
 * A worker's registers. 0: what the add returned. 1: by how much the epoch seen is past the first, which outlives the
 * pick. 2: for the fold. The thread's. 0: requests served. 1: the epoch. 2, 3: the backends in hand. A result is
 * epoch * 100 + place * 10 + backend.
 */
function backgroundReshuffle({
  tells = true,
  waits = true,
  inPlace = false,
  picks = 3,
}: Reshuffle = {}): PickModel {
  const fold = 4;
  const first = 2;
  const firstEpoch = 1;
  const pastFirst = (control: number) => (epochOf(control) - firstEpoch) & 3;
  const epochOf = (control: number) => control >>> EPOCH_SHIFT;
  const ticketOf = (control: number) => control & TICKET_MASK;
  const [STORE_SEEN, FOLD, FOLD_AGAIN, ASK, READ] = [1, 2, 3, 4, 5];
  const afterFold = (cpu: Cpu) => (ticketOf(cpu.registers[0]!) % 2 === 0 ? ASK : READ);
  const afterSeen = (cpu: Cpu) => (ticketOf(cpu.registers[0]!) >= fold ? FOLD : afterFold(cpu));
  const lapOf = (epoch: number) => LAPS[epoch & 1]!;
  const again = (cpu: Cpu) => {
    cpu.registers.fill(0, 1);
    return 0;
  };
  const [, SEEN_0, SEEN_1, LAST, OTHER, SET_LAST, SET_OTHER, COUNT, BEGIN] = [0, 2, 3, 4, 5, 6, 7, 8, 9];
  const idle = (cpu: Cpu) => lapOf(cpu.registers[1]! + (inPlace ? 0 : 1));
  return {
    words: [(firstEpoch << EPOCH_SHIFT) + first, 0, 0, firstEpoch, firstEpoch, 0, 1, 1, 0],
    registers: 4,
    workers: 2,
    picks,
    pick: [
      (cpu) => {
        const control = cpu.add(CONTROL, 1);
        cpu.registers[0] = control;
        return pastFirst(control) === cpu.registers[1] ? afterSeen(cpu) : STORE_SEEN!;
      },
      (cpu) => {
        cpu.registers[1] = pastFirst(cpu.registers[0]!);
        if (tells) cpu.store(SEEN[cpu.thread]!, epochOf(cpu.registers[0]!));
        return afterSeen(cpu);
      },
      (cpu) => {
        cpu.registers[2] = cpu.load(CONTROL);
        return ticketOf(cpu.registers[2]) >= fold ? FOLD_AGAIN! : afterFold(cpu);
      },
      (cpu) => {
        const control = cpu.registers[2]!;
        const found = cpu.compareExchange(CONTROL, control, control - fold);
        cpu.registers[2] = found;
        return found === control || ticketOf(found) < fold ? afterFold(cpu) : FOLD_AGAIN!;
      },
      then(READ!, (cpu) => cpu.add(REQUESTS, 1)),
      (cpu) => {
        const control = cpu.registers[0]!;
        const epoch = epochOf(control);
        const place = ticketOf(control) % 2;
        cpu.record(epoch * 100 + place * 10 + cpu.load(lapOf(epoch) + place));
        cpu.registers.set([0, pastFirst(control), 0, 0]);
        return DONE;
      },
    ],
    beside: [
      (cpu) => {
        const requests = cpu.load(REQUESTS);
        if (requests === cpu.registers[0]) return DONE;
        cpu.registers[0] = requests;
        return 1;
      },
      (cpu) => {
        cpu.registers[1] = epochOf(cpu.load(CONTROL));
        return waits ? SEEN_0! : LAST!;
      },
      (cpu) => (cpu.load(SEEN[0]!) === cpu.registers[1] ? SEEN_1! : again(cpu)),
      (cpu) => (cpu.load(SEEN[1]!) === cpu.registers[1] ? LAST! : again(cpu)),
      then(OTHER!, (cpu) => {
        cpu.registers[2] = cpu.load(idle(cpu) + 1);
      }),
      then(SET_LAST!, (cpu) => {
        cpu.registers[3] = cpu.load(idle(cpu));
      }),
      then(SET_OTHER!, (cpu) => cpu.store(idle(cpu) + 1, cpu.registers[3]!)),
      then(COUNT!, (cpu) => cpu.store(idle(cpu), cpu.registers[2]!)),
      (cpu) => {
        cpu.add(RESHUFFLES, 1);
        return inPlace ? again(cpu) : BEGIN!;
      },
      (cpu) => {
        cpu.add(CONTROL, 1 << EPOCH_SHIFT);
        return again(cpu);
      },
    ],
    laws: [
      ...conserved({
        handedOut: (words) => ticketOf(words[CONTROL]!) - first,
        modulo: fold,
        rank: (result) => Math.floor(result / 10) % 10,
        period: 2,
      }),
      {
        // Each lap is swapped whenever its turn comes: those of epochs 1 and 2 are the other way round.
        name: "epochsKeepTheirLap",
        state({ workers }) {
          for (const result of workers.flatMap(({ results }) => results)) {
            const [epoch, place, backend] = [
              Math.floor(result / 100),
              Math.floor(result / 10) % 10,
              result % 10,
            ];
            const isSwapped = epoch === 1 || epoch === 2;
            if (backend !== (isSwapped ? 1 - place : place))
              return `place ${place} of epoch ${epoch} had backend ${backend}`;
          }
          return undefined;
        },
      },
      { name: "orderChanges", once: ({ words }) => words[RESHUFFLES] === picks },
      gapIsBounded(
        2,
        (result) => result % 10,
        (words) => 1 + words[RESHUFFLES]!,
      ),
    ],
  };
}

/**
 * The models of each competitor, by the name of its file. Those that share an entry make the same accesses to their
 * words and differ in what they do with what they got.
 */
export const models: Readonly<Record<string, readonly PickModel[]>> = {
  "shuffled-round-robin": foldedCounters,
  "wasm-round-robin": foldedCounters,
  "rotating-round-robin": foldedCounters,

  "random-start": [bareCounter],
  "shuffled-round-robin-31-bit": [bareCounter],
  "shuffled-round-robin-mask": [bareCounter],
  "ticket-hash": [bareCounter],
  "wasm-fetch-and-add-loop": [bareCounter],

  "cas-ring": rings,
  "cas-ring-padded": rings,
  "cas-ring-plain-load": rings,
  "cas-ring-scattered": rings,
  "wasm-cas-ring": rings,

  "cas-random": [casRandom],
  "leased-tickets-4": [leased],
  "leased-tickets-16": [leased],
  "leased-tickets-64": [leased],
  "static-stride": [staticStride],
  "two-choices": [twoChoices()],
  "background-reshuffle": [backgroundReshuffle()],
};

/** Competitors that share words without a lock and have no model, each with the reason why it needs none. */
export const unmodelled: Readonly<Record<string, string>> = {};

/** A model that is wrong in one place, and the law that has to find it. */
export interface Mutant {
  readonly breaks: string;
  readonly model: PickModel;
}

/** Does not try again: enough unless others draw a whole fold of tickets meanwhile, as they can in the smallest laps. */
const foldOnce: FoldBack = (start, fold, ends) => {
  const [read] = foldBack(start, fold, ends);
  return [
    read!,
    (cpu) => {
      cpu.compareExchange(NEXT, cpu.registers[1]!, cpu.registers[1]! - fold);
      return ends(cpu);
    },
  ];
};

/** A counter whose tickets are the results. Register 0: the ticket read. */
const oneLap = (pick: readonly Step[], workers = 2, first = 0): PickModel => {
  const tickets: Tickets = {
    handedOut: (words) => words[NEXT]! - first,
    modulo: 2 ** 32,
    rank: (ticket) => ticket - first,
    period: 2 ** 32,
  };
  return {
    words: [first],
    registers: 1,
    workers,
    picks: 2,
    pick,
    laws: [inRange(2 ** 31), ...conserved(tickets)],
  };
};

const load = then(1, (cpu) => {
  cpu.registers[0] = cpu.load(NEXT);
});

const loadThenStore = oneLap([
  load,
  (cpu) => {
    const ticket = cpu.registers[0]!;
    cpu.store(NEXT, ticket + 1);
    return answer(cpu, ticket);
  },
]);

/** Takes the fold off without asking whether somebody has. */
const foldWithoutCompare: FoldBack = (_start, fold, ends) => [
  (cpu) => {
    cpu.sub(NEXT, fold);
    return ends(cpu);
  },
];

/**
 * A ring of 3 nodes whose links another thread turns round, all at once: word 1 says which way they lead. Registers 0
 * and 1: the head seen, the node after it.
 */
const relinkedRing: PickModel = {
  words: [0, 1],
  registers: 2,
  workers: 2,
  picks: 4,
  pick: [
    load,
    then(2, (cpu) => {
      cpu.registers[1] = (cpu.registers[0]! + cpu.load(1)) % 3;
    }),
    (cpu) => {
      const [node, next] = cpu.registers;
      if (cpu.compareExchange(NEXT, node!, next!) === node) return answer(cpu, node!);
      cpu.registers.fill(0);
      return 0;
    },
  ],
  beside: [then(DONE, (cpu) => cpu.store(1, 2))],
  // The picks before the change follow one ring and those after it another: 1 for each.
  laws: [
    gapIsBounded(
      3,
      (node) => node,
      ([, direction]) => direction!,
    ),
  ],
};

/** Mutants, by name; where a mutant has the same name, its mistake, made in the model of the honest one. */
export const mutants: Readonly<Record<string, Mutant>> = {
  "plain-increment": { breaks: "ticketsAreConserved", model: loadThenStore },
  // Atomic accesses, and the same mistake.
  "get-then-increment": { breaks: "ticketsAreConserved", model: loadThenStore },

  // The counter ends where it should, which is all that its total can tell.
  "loads-then-adds": {
    breaks: "lapIsConserved",
    model: oneLap([
      load,
      (cpu) => {
        cpu.add(NEXT, 1);
        return answer(cpu, cpu.registers[0]!);
      },
    ]),
  },

  "adds-then-loads": {
    breaks: "lapIsConserved",
    model: oneLap([then(1, (cpu) => cpu.add(NEXT, 1)), (cpu) => answer(cpu, cpu.load(NEXT) - 1)]),
  },

  "retries-what-it-saw": {
    breaks: "everyWorkerFinishes",
    model: oneLap([
      load,
      (cpu) => {
        const ticket = cpu.registers[0]!;
        return cpu.compareExchange(NEXT, ticket, ticket + 1) === ticket ? answer(cpu, ticket) : 1;
      },
    ]),
  },

  // Right in every other way: word 1 is a lock.
  "takes-a-lock": {
    breaks: "nobodyIsHeldUp",
    model: {
      ...oneLap([
        (cpu) => (cpu.exchange(1, 1) === 0 ? 1 : 0),
        then(2, (cpu) => {
          cpu.registers[0] = cpu.load(NEXT);
        }),
        then(3, (cpu) => cpu.store(NEXT, cpu.registers[0]! + 1)),
        (cpu) => {
          cpu.store(1, 0);
          return answer(cpu, cpu.registers[0]!);
        },
      ]),
      words: [0, 0],
    },
  },

  "signed-overflow": {
    breaks: "picksAreInRange",
    model: oneLap([(cpu) => answer(cpu, cpu.add(NEXT, 1))], 2, 2 ** 31 - 3),
  },

  "folds-without-compare": {
    breaks: "picksAreInRange",
    model: foldedCounter(MANY, MANY, MANY - 3, foldWithoutCompare),
  },

  "folds-once": { breaks: "counterIsFolded", model: foldedCounter(2, 2, 1, foldOnce, 2) },
  "lease-off-by-one": { breaks: "ticketsAreConserved", model: leases(1) },
  "lease-off-by-one-more": { breaks: "lapIsConserved", model: leases(3) },
  "leased-order": {
    breaks: "ticketsAreLinearizable",
    model: { ...leased, laws: [...leased.laws, linearizable(leased.tickets)] },
  },

  "relinked-ring": { breaks: "gapIsBounded", model: relinkedRing },
  "forgets-ties": { breaks: "inFlightIsConserved", model: twoChoices(true) },
  "reshuffles-in-place": {
    breaks: "gapIsBounded",
    model: backgroundReshuffle({ waits: false, inPlace: true }),
  },
  "reshuffles-without-waiting": {
    breaks: "epochsKeepTheirLap",
    model: backgroundReshuffle({ waits: false }),
  },
  "never-tells-what-it-saw": {
    breaks: "orderChanges",
    model: backgroundReshuffle({ tells: false, picks: 2 }),
  },
};

function modulus(value: number, by: number): number {
  return ((value % by) + by) % by;
}

function ascending(a: number, b: number): number {
  return a - b;
}
