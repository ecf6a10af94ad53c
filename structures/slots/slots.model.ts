import { type Cpu, DONE, explore, type Glimpse, type Step } from "../shared/explorer.ts";
import { staggeredStart } from "./slots.contract.ts";

/**
 * Slot allocators as step models: every interleaving of a few workers that each take a few slots, or give and take, one
 * access to a shared word at a time. The explorer's header says what memory is in a model.
 *
 * A model is a transcription of its file made small: two or three slots, and a fold that is reached within a few takes.
 * Left out is what no other thread can see. Which of its clients a worker lets go is left open, and followed whichever it
 * is. A plain load is a step like Atomics.load, in its place in the program.
 *
 * What this shows: in every schedule of so few workers that the models follow, the laws hold at the end; from every
 * state there is a way to an end, also where one worker has stopped for good. That is, no schedule deadlocks. It is not
 * that every schedule ends: workers that keep each other from ending by turns would not be found. Nor are plain loads
 * explored that the machine or the compiler reorders with each other, or that return what the word held before.
 */
export interface SlotsModel {
  readonly slots: number;
  /** What the words hold once formatted. */
  readonly words: readonly number[];
  /** One take, which ends by `taken`. */
  readonly take: readonly Step[];
  /** The accesses of one give, without end; none if absent. */
  readonly give?: (slot: number) => readonly ((cpu: Cpu) => void)[];
  /** By worker, how often it takes. */
  readonly takes: readonly number[];
  /** How often each worker then gives and takes again. */
  readonly replacements: number;
  /** What is claimed of the spread at rest: in filling without replacements, under churn with them. */
  readonly spread: number;
  /** The fold of the counter of tickets, where it is reached. */
  readonly fold?: number;
  /** What breaks conservation when all is done, or undefined. */
  readonly conserved?: (seen: Seen) => string | undefined;
}

/** All workers done, as laws look at it. */
export interface Seen {
  readonly words: readonly number[];
  /** By slot: takes less gives. */
  readonly loads: readonly number[];
  readonly takes: number;
  readonly gives: number;
  /** Of each worker. */
  readonly registers: readonly (readonly number[])[];
}

/**
 * Registers: the first SCRATCH are a call's own; then come those that a worker keeps from call to call, and from HELD on
 * how many clients it has in each slot.
 */
const SCRATCH = 3;
const KEPT = SCRATCH;
const KEPT_TOO = SCRATCH + 1;
const HELD = SCRATCH + 2;

/**
 * Visits every state of a model; returns one sentence for each broken law, beginning with its name. With `until`, ends at
 * the first state that breaks the law of that name: a mutant may have far more states than its original.
 */
export function exploreSlots(model: SlotsModel, until?: string): string[] {
  const { words, slots } = model;
  const registers = HELD + slots;
  const broken = new Map<string, string>();
  const note = (law: string, what: string | undefined) => {
    if (what === undefined || broken.has(law)) return;
    broken.set(law, `${law}: ${what}`);
    if (law === until) throw new Found();
  };
  const threads = model.takes.map((takes) => programOf(model, takes, model.replacements));
  try {
    const { states, doomed } = explore(
      { words, registers, threads },
      {
        end(glimpse) {
          const seen = seenIn(glimpse, slots);
          const spread = Math.max(...seen.loads) - Math.min(...seen.loads);
          const law = model.replacements === 0 ? "evenFilling" : "evenUnderChurn";
          const off = `two slots differ by ${spread} clients, claimed ${model.spread}`;
          note(law, spread > model.spread ? off : undefined);
          note("conserved", model.conserved?.(seen));
          note("foldedBack", foldedBack(model, seen));
        },
      },
    );
    note("everyWorkerFinishes", doomed === 0 ? undefined : `no way out of ${doomed} of ${states} states`);
    note("nobodyIsHeldUp", heldUp(model));
  } catch (error) {
    if (!(error instanceof Found)) throw error;
  }
  return [...broken.values()];
}

/** Ends an exploration that has found what it was looking for. */
class Found extends Error {}

/** At rest the counter stands at its fold at most: a draw that begins below it may end there. */
function foldedBack({ fold }: SlotsModel, { words }: Seen): string | undefined {
  return fold === undefined || words[NEXT]! <= fold
    ? undefined
    : `the counter of tickets stands at ${words[NEXT]}, and is to be folded back at ${fold}`;
}

/** A worker that stops anywhere, for ever, leaves the others a way to finish, which a holder of a lock would not. */
function heldUp(model: SlotsModel): string | undefined {
  const { words, slots } = model;
  const [mortal, ...others] = model.takes.map((takes) =>
    programOf(model, takes, Math.min(1, model.replacements)),
  );
  const stopping = mortal!.map(
    (step): Step =>
      (cpu) =>
        [step(cpu), DONE].flat(),
  );
  const { states, doomed } = explore({ words, registers: HELD + slots, threads: [stopping, ...others] });
  return doomed === 0
    ? undefined
    : `one worker may stop, and there is no way out of ${doomed} of ${states} states`;
}

/** Sizes of models, all so that their spread is reached: other numbers of takes may leave the slots more even. */
type Size = Pick<SlotsModel, "slots" | "takes" | "replacements" | "spread">;
const filling = (slots: number, takes: readonly number[], spread: number): Size => {
  return { slots, takes, replacements: 0, spread };
};
const churning = (slots: number, takes: readonly number[], replacements: number, spread: number): Size => {
  return { slots, takes, replacements, spread };
};
const UNBOUNDED = Number.POSITIVE_INFINITY;

function programOf(model: SlotsModel, takes: number, replacements: number): Step[] {
  const giving = givingOf(model);
  const calls = [
    ...new Array<readonly Step[]>(takes).fill(model.take),
    ...Array.from({ length: replacements }, () => [giving, model.take]).flat(),
  ];
  const steps: Step[] = [];
  for (const [index, call] of calls.entries()) {
    const start = steps.length;
    const after = index === calls.length - 1 ? DONE : start + call.length;
    steps.push(...call.map((step) => moved(step, start, after)));
  }
  return steps;
}

/** Gives one of the slots that the worker has: any of them. */
function givingOf({ slots, give = () => [] }: SlotsModel): Step[] {
  const ways = Array.from({ length: slots }, (_, slot): Step[] => {
    const accesses = [...give(slot), () => {}];
    return accesses.map((access, index) => (cpu) => {
      access(cpu);
      if (index < accesses.length - 1) return index + 1;
      cpu.registers[HELD + slot]!--;
      cpu.record(~slot);
      return DONE;
    });
  });
  const starts = ways.map((_, slot) => 1 + ways.slice(0, slot).flat().length);
  const choose: Step = ({ registers }) => starts.filter((_, slot) => registers[HELD + slot]! > 0);
  return [choose, ...ways.flatMap((way, slot) => way.map((step) => moved(step, starts[slot]!, DONE)))];
}

/** The same step in a longer program: `start` is where its own begins there, `after` what follows where its own ends. */
function moved(step: Step, start: number, after: number): Step {
  const move = (next: number) => (next === DONE ? after : start + next);
  return (cpu) => {
    const next = step(cpu);
    return typeof next === "number" ? move(next) : next.map(move);
  };
}

function seenIn({ words, threads }: Glimpse, slots: number): Seen {
  const results = threads.flatMap((thread) => thread.results);
  const loads = new Array<number>(slots).fill(0);
  for (const result of results) {
    if (result >= 0) loads[result]!++;
    else loads[~result]!--;
  }
  const takes = results.filter((result) => result >= 0).length;
  return {
    words,
    loads,
    takes,
    gives: results.length - takes,
    registers: threads.map(({ registers }) => registers),
  };
}

/** Ends a take: what the worker need not remember must not tell two states apart. */
function taken(cpu: Cpu, slot: number): number {
  cpu.record(slot);
  cpu.registers[HELD + slot]!++;
  cpu.registers.fill(0, 0, SCRATCH);
  return DONE;
}

/** The word of tickets, where there are any. */
const NEXT = 0;

function ticketsAreConserved(
  { words, takes }: Seen,
  first: number,
  modulo: number,
  held = 0,
): string | undefined {
  const lost = takes + held - (words[NEXT]! - first);
  return lost % modulo === 0 ? undefined : `${takes} tickets were used, the word accounts for ${lost} fewer`;
}

/** drawTickets of slots.tickets.ts, one ticket at a time, from two below the fold. Register 0: the ticket; 1: the word. */
function ticket(
  slots: number,
  fold: number,
  draw: readonly Step[],
  { takes = [2, 2, 1], folds = true } = {},
): SlotsModel {
  const first = fold - 2;
  return {
    slots,
    words: [first],
    takes,
    replacements: 0,
    spread: 1,
    fold,
    take: [
      ...draw,
      (cpu) => {
        cpu.registers[1] = cpu.load(NEXT);
        return folds && cpu.registers[1] >= fold ? draw.length + 1 : taken(cpu, cpu.registers[0]! % slots);
      },
      (cpu) => {
        const next = cpu.registers[1]!;
        const seen = cpu.compareExchange(NEXT, next, next - fold);
        cpu.registers[1] = seen;
        return seen === next || seen < fold ? taken(cpu, cpu.registers[0]! % slots) : draw.length + 1;
      },
    ],
    conserved: (seen) => ticketsAreConserved(seen, first, fold),
  };
}

const addTicket = (slots: number, fold: number): Step[] => [
  (cpu) => {
    cpu.registers[0] = cpu.add(NEXT, 1);
    return cpu.registers[0] >= fold ? 1 : taken(cpu, cpu.registers[0] % slots);
  },
];

const sharedTicket: readonly SlotsModel[] = [ticket(3, 6, addTicket(3, 6)), ticket(2, 4, addTicket(2, 4))];

/** Leases of two. KEPT: the next ticket held; KEPT_TOO: how many there are. */
function leases(size: Size): SlotsModel {
  return {
    ...size,
    words: [0],
    take: [
      (cpu) => {
        if (cpu.registers[KEPT_TOO] === 0) {
          cpu.registers[KEPT] = cpu.add(NEXT, 2);
          cpu.registers[KEPT_TOO] = 2;
        }
        cpu.registers[KEPT_TOO]!--;
        return taken(cpu, cpu.registers[KEPT]!++ % size.slots);
      },
    ],
    conserved(seen) {
      const held = seen.registers.reduce((sum, registers) => sum + registers[KEPT_TOO]!, 0);
      return ticketsAreConserved(seen, 0, 2 ** 32, held);
    },
  };
}

/** How a search ends: with what it found in registers 0, the slot, and 1, its load. */
type Claim = (cpu: Cpu) => number;

const countWhatever: Claim = (cpu) => {
  cpu.add(cpu.registers[0]!, 1);
  return taken(cpu, cpu.registers[0]!);
};

const countIfUnchanged: Claim = (cpu) => {
  const [slot, load] = cpu.registers;
  if (cpu.compareExchange(slot!, load!, load! + 1) === load) return taken(cpu, slot!);
  cpu.registers.fill(0, 0, SCRATCH);
  return 0;
};

const countersAreConserved = ({ words, loads }: Seen) =>
  String(words) === String(loads) ? undefined : `the slots have ${loads} clients, the counters say ${words}`;

/** The search of slots.counters.ts, each worker from a start of its own. */
function leastLoaded(claim: readonly Claim[], sizes: Size): SlotsModel {
  const { slots } = sizes;
  const workers = sizes.takes.length;
  const looks = Array.from({ length: slots }, (_, index): Step => {
    return (cpu) => {
      const slot = (staggeredStart(slots, { index: cpu.thread, workers }) + index) % slots;
      const load = cpu.load(slot);
      if (index === 0 || load < cpu.registers[1]!) cpu.registers.set([slot, load]);
      return index + 1;
    };
  });
  return {
    ...sizes,
    words: new Array<number>(slots).fill(0),
    take: [...looks, ...claim],
    give: (slot) => [(cpu) => cpu.sub(slot, 1)],
    conserved: countersAreConserved,
  };
}

/** Two slots, of which either may be drawn first. Register 0: the load of the first; 2: the one chosen. */
const twoChoices: SlotsModel = {
  slots: 2,
  words: [0, 0],
  takes: [2, 2],
  replacements: 1,
  spread: UNBOUNDED,
  take: [
    () => [1, 3],
    ...[0, 1].flatMap((first): Step[] => [
      (cpu) => {
        cpu.registers[0] = cpu.load(first);
        return 2 + 2 * first;
      },
      (cpu) => {
        const chosen = cpu.load(1 - first) < cpu.registers[0]! ? 1 - first : first;
        cpu.registers.set([0, 0, chosen]);
        return 5;
      },
    ]),
    (cpu) => {
      cpu.add(cpu.registers[2]!, 1);
      return taken(cpu, cpu.registers[2]!);
    },
  ],
  give: (slot) => [(cpu) => cpu.sub(slot, 1)],
  conserved: countersAreConserved,
};

const VACANT = 1;
const HOLES = 2;

/** ticket-shared-holes, away from the fold. Registers 0: vacant; 1: holes; KEPT: where the search is. */
function sharedHoles(sizes: Size, { holeFirst = true, claims = true, claimsHoles = true } = {}): SlotsModel {
  const { slots } = sizes;
  const goOn = (cpu: Cpu) => {
    cpu.registers[1] = 0;
    cpu.registers[KEPT] = (cpu.registers[KEPT]! + 1) % slots;
    return 2;
  };
  return {
    ...sizes,
    words: [0, 0, ...new Array<number>(slots).fill(0)],
    take: [
      (cpu) => {
        cpu.registers[0] = cpu.load(VACANT);
        return cpu.registers[0] > 0 ? 1 : 4;
      },
      (cpu) => {
        const vacant = cpu.registers[0]!;
        if (!claims) {
          cpu.store(VACANT, vacant - 1);
          return 2;
        }
        const seen = cpu.compareExchange(VACANT, vacant, vacant - 1);
        cpu.registers[0] = seen;
        return seen === vacant ? 2 : seen > 0 ? 1 : 4;
      },
      (cpu) => {
        cpu.registers[1] = cpu.load(HOLES + cpu.registers[KEPT]!);
        return cpu.registers[1] > 0 ? 3 : goOn(cpu);
      },
      (cpu) => {
        const holes = cpu.registers[1]!;
        const at = cpu.registers[KEPT]!;
        if (!claimsHoles) {
          cpu.store(HOLES + at, holes - 1);
          return taken(cpu, at);
        }
        const seen = cpu.compareExchange(HOLES + at, holes, holes - 1);
        if (seen === holes) return taken(cpu, at);
        cpu.registers[1] = seen;
        return seen > 0 ? 3 : goOn(cpu);
      },
      (cpu) => taken(cpu, cpu.add(NEXT, 1) % slots),
    ],
    give(slot) {
      const hole = (cpu: Cpu) => {
        cpu.add(HOLES + slot, 1);
        cpu.registers[KEPT] = slot;
      };
      const vacant = (cpu: Cpu) => {
        cpu.add(VACANT, 1);
      };
      return holeFirst ? [hole, vacant] : [vacant, hole];
    },
    conserved({ words, takes, gives }) {
      const holes = words.slice(HOLES).reduce((sum, count) => sum + count, 0);
      const reused = takes - words[NEXT]!;
      return holes === gives - reused && holes === words[VACANT]
        ? undefined
        : `${gives} given, ${reused} reused, ${holes} holes, of which ${words[VACANT]} are vacant`;
    },
  };
}

const leasedTickets = [leases(filling(2, [1, 3, 1], 3)), leases(filling(3, [1, 5], 2))];

/** The models of each competitor, by the name of its file. */
export const models: Readonly<Record<string, readonly SlotsModel[]>> = {
  "shared-ticket": sharedTicket,
  // What it does besides, and the next but one, is private: in churn they make no access at all.
  "ticket-private-free-list": sharedTicket,
  "leased-tickets-16": leasedTickets,
  "leased-tickets-private-free-list": leasedTickets,
  "least-loaded-counters": [
    leastLoaded([countWhatever], filling(2, [1, 2, 2], 3)),
    leastLoaded([countWhatever], filling(3, [3, 3], 2)),
    leastLoaded([countWhatever], churning(2, [2, 2], 2, UNBOUNDED)),
  ],
  "least-loaded-counters-claimed": [
    leastLoaded([countIfUnchanged], filling(2, [2, 2, 1], 1)),
    leastLoaded([countIfUnchanged], filling(3, [3, 2], 1)),
    leastLoaded([countIfUnchanged], churning(2, [2, 2], 2, UNBOUNDED)),
  ],
  "two-choices": [twoChoices],
  "ticket-shared-holes": [
    sharedHoles(filling(2, [2, 2, 1], 1)),
    sharedHoles(churning(2, [2, 1], 2, 1)),
    sharedHoles(churning(3, [1, 1], 2, 1)),
    sharedHoles(churning(1, [1, 1, 1], 1, 0)),
  ],
};

/** A model that is wrong in one place, and the law that has to find it. */
export interface Mutant {
  readonly breaks: string;
  readonly model: SlotsModel;
}

/** Mutants, by name; where a mutant has the same name, its mistake. */
export const mutants: Readonly<Record<string, Mutant>> = {
  "plain-ticket": {
    breaks: "evenFilling",
    model: ticket(
      3,
      6,
      [
        (cpu) => {
          cpu.registers[0] = cpu.load(NEXT);
          return 1;
        },
        (cpu) => {
          cpu.store(NEXT, cpu.registers[0]! + 1);
          return 2;
        },
      ],
      { takes: [2, 2] },
    ),
  },

  // Goes by the tickets that it has drawn as it should, and never takes the fold off.
  "never-folds": {
    breaks: "foldedBack",
    model: ticket(2, 4, addTicket(2, 4), { folds: false }),
  },

  "plain-counters": {
    breaks: "conserved",
    model: leastLoaded(
      [
        (cpu) => {
          cpu.registers[1] = cpu.load(cpu.registers[0]!);
          return 3;
        },
        (cpu) => {
          cpu.store(cpu.registers[0]!, cpu.registers[1]! + 1);
          return taken(cpu, cpu.registers[0]!);
        },
      ],
      filling(2, [2, 2], UNBOUNDED),
    ),
  },

  // Why filling is claimed to within the number of workers only, and not to within one less.
  "counts-whatever-it-saw": {
    breaks: "evenFilling",
    model: leastLoaded([countWhatever], filling(2, [2, 2], 1)),
  },

  // Why nothing is claimed of the claimed counters in churn: it would be no more than this if it were as in filling.
  "claims-without-a-snapshot": {
    breaks: "evenUnderChurn",
    model: leastLoaded([countIfUnchanged], churning(3, [3, 3], 2, 1)),
  },

  "claims-nothing": {
    breaks: "conserved",
    model: sharedHoles(churning(2, [1, 1], 2, UNBOUNDED), { claims: false }),
  },

  "finds-without-claiming": {
    breaks: "conserved",
    model: sharedHoles(churning(1, [1, 1], 1, UNBOUNDED), { claimsHoles: false }),
  },

  // A take may claim what is not there yet, and search for ever if the giver stops.
  "vacant-before-hole": {
    breaks: "nobodyIsHeldUp",
    model: sharedHoles(churning(2, [1, 1], 1, 1), { holeFirst: false }),
  },

  // Both are claimed and there is one hole: the second search never ends.
  "two-claims-for-one-hole": {
    breaks: "everyWorkerFinishes",
    model: sharedHoles(churning(2, [1, 1], 1, 1), { claims: false }),
  },
};
