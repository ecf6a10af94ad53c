import { allocateRegion, type Region } from "../shared/layout.ts";
import { brokenLaws, EVERYBODY_FINISHES, type Glimpse, type Law, type Part } from "../shared/program-laws.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import { placeMask } from "./parts/handles.ts";
import type { TimerSet, TimersCompetitor } from "./timers.contract.ts";

/**
 * How the timers of a crew affect each other. A few workers use the same one or two timers, in every interleaving, on
 * the sets' own code. The explorer's header says what is followed. Casts of two that move are explored completely,
 * casts of three up to MOST_PREEMPTIONS. That limit leaves open whether every worker can finish. A cast has at most
 * some 10,000 states for inbox-wheels and 130,000 for locked-hashed-wheel.
 *
 * Worker 0 has set the timers before the others begin. It is their owner where timers have one, and the one that
 * advances. When all are done, one worker after the other advances past every deadline, so that whatever is not
 * reported or cancelled then is lost. Then it sets as many timers as there is room for: each place has to be given
 * once.
 */
interface Cast {
  /** Timers due at FIRST_DUE. */
  readonly timers: number;
  /** To which ticks worker 0 advances. */
  readonly advances: readonly number[];
  /** What it does after the first of these. */
  readonly owner?: readonly Act[];
  /** What each other worker does. */
  readonly others: readonly (readonly Act[])[];
}

/**
 * Cancels a timer, or moves it, or adds one, or advances as worker 0 may. Timers are numbered: the ones that were set
 * before, and behind them the ones that this worker has added.
 */
type Act =
  | { readonly does: "cancel"; readonly timer: number }
  | { readonly does: "refresh"; readonly timer: number; readonly deadline: number }
  | { readonly does: "add"; readonly deadline: number }
  | { readonly does: "advance"; readonly now: number };

const cancel = (timer: number): Act => ({ does: "cancel", timer });
const refresh = (timer: number, deadline: number): Act => ({ does: "refresh", timer, deadline });
const add = (deadline: number): Act => ({ does: "add", deadline });
const advance = (now: number): Act => ({ does: "advance", now });

const FIRST_DEADLINE = 2;
const SOON = 3;
const LATE = 5;
const FAR = 9;

export const casts: Readonly<Record<string, Cast>> = {
  "two change different timers": {
    timers: 2,
    advances: [FIRST_DEADLINE],
    others: [[refresh(0, LATE)], [cancel(1)]],
  },
  "two move the same timer": {
    timers: 1,
    advances: [FIRST_DEADLINE],
    others: [[refresh(0, SOON), refresh(0, LATE)], [refresh(0, LATE)]],
  },
  "two move two timers": {
    timers: 2,
    advances: [FIRST_DEADLINE],
    others: [[refresh(1, LATE), refresh(0, LATE)], [refresh(0, LATE)]],
  },
  "one moves it on, the other on and back": {
    timers: 1,
    advances: [],
    others: [[refresh(0, LATE)], [refresh(0, LATE), refresh(0, FIRST_DEADLINE)]],
  },
  "two cancel while it is due": { timers: 1, advances: [FIRST_DEADLINE], others: [[cancel(0)], [cancel(0)]] },
  "one cancels what another moves": {
    timers: 1,
    advances: [FIRST_DEADLINE],
    others: [[cancel(0)], [refresh(0, LATE)]],
  },
  "the owner cancels it too": {
    timers: 1,
    advances: [FIRST_DEADLINE],
    owner: [cancel(0)],
    others: [[refresh(0, LATE)], [cancel(0)]],
  },
  "the owner moves it too": {
    timers: 1,
    advances: [FIRST_DEADLINE],
    owner: [refresh(0, LATE)],
    others: [[refresh(0, SOON)], [cancel(0)]],
  },
  "the owner moves it too, and advances": {
    timers: 1,
    advances: [1, SOON],
    owner: [refresh(0, SOON)],
    others: [[refresh(0, LATE)], [cancel(0)]],
  },
  "one moves it to the tick that comes": {
    timers: 1,
    advances: [1, FIRST_DEADLINE, SOON],
    others: [[refresh(0, SOON), refresh(0, 1)]],
  },
  "another adds one for the tick that comes": {
    timers: 1,
    advances: [FIRST_DEADLINE, SOON],
    others: [[add(SOON)]],
  },
  "the place is given to a new timer meanwhile": {
    timers: 1,
    advances: [FIRST_DEADLINE],
    owner: [add(FAR)],
    others: [[cancel(0)], [refresh(0, LATE)]],
  },
  "one is moved while it is due, and the place behind it given again": {
    timers: 2,
    advances: [FIRST_DEADLINE],
    owner: [add(SOON), advance(FIRST_DEADLINE), cancel(2)],
    others: [[refresh(0, LATE)]],
  },
  "one is cancelled while it is due, and the place behind it given again": {
    timers: 2,
    advances: [FIRST_DEADLINE],
    owner: [add(SOON), advance(FIRST_DEADLINE), cancel(2)],
    others: [[cancel(0)]],
  },
};

/** Why a set cannot be explored, or undefined. */
export function unexplored({ callers }: TimersCompetitor): string | undefined {
  return callers === "one" ? "one worker uses it" : undefined;
}

/** Of casts of three that advance: two are enough for each of the changes that the tests make. */
const MOST_PREEMPTIONS = 2;

/** Places for each worker: one more than are in use, so that a list of free ones can be cut short. */
const PLACES = 3;

/** A note is one of these and what it is about. */
const CANCELLED = 1;
const REFRESHED = 2;
const ADDED = 3;
const REPORTED = 4;

interface Event {
  readonly what: number;
  readonly handle: number;
  /** Of a refresh the deadline; of a report where the clock went. */
  readonly tick: number;
}

export const timersLaws = [
  ...["endsOnce", "nothingIsLost", "placesComeBackOnce", "newestDeadlineCounts", "everythingHappens"],
  EVERYBODY_FINISHES,
] as const;
export type TimersLaw = (typeof timersLaws)[number];

/** One sentence for each law that is broken in this cast. */
export function exploreTimers(competitor: TimersCompetitor, cast: Cast, until?: TimersLaw): string[] {
  const play = new Play(competitor, cast);
  const isBounded = play.workers > 2 && cast.advances.length > 0;
  const program = { memory: play.memory, threads: play.threads() };
  const bound = isBounded ? { preemptions: MOST_PREEMPTIONS } : {};
  return brokenLaws({ ...program, ...bound }, lawsOf(play), until);
}

type Note = (...results: number[]) => void;

/** A cast with its set, in which its first timers are. */
class Play {
  readonly workers: number;
  readonly memory: Region;
  /** Of the timers that are there from the beginning. */
  readonly handles: readonly number[];
  readonly #competitor: TimersCompetitor;
  readonly #cast: Cast;
  readonly #capacity: number;
  readonly #out: Int32Array;

  constructor(competitor: TimersCompetitor, cast: Cast) {
    this.#competitor = competitor;
    this.#cast = cast;
    this.workers = 1 + cast.others.length;
    this.#capacity = this.workers * PLACES;
    this.#out = new Int32Array(this.#capacity);
    this.memory = allocateRegion(competitor.words(this.#capacity, this.workers));
    competitor.format(this.memory, this.#capacity, this.workers);
    const first = this.#attach(this.memory, 0);
    this.handles = Array.from({ length: cast.timers }, () => first.add(FIRST_DEADLINE));
  }

  threads(): Part[][] {
    const { advances, owner = [], others } = this.#cast;
    const owns: Part = (words, { note }) => {
      const set = this.#attach(words, 0);
      for (const [index, now] of advances.entries()) {
        this.#advance(set, now, note);
        if (index === 0) this.#act(set, owner, note);
      }
    };
    const lives = others.map((acts, index): Part[] => [
      (words, { note }) => this.#act(this.#attach(words, 1 + index), acts, note),
    ]);
    return [[owns], ...lives];
  }

  /** What must be seen in some end, as notes of a worker: each change of a timer that it may make, and each report. */
  mustHappen(): Set<string> {
    const { timers, advances, owner = [], others } = this.#cast;
    const reports = advances.length > 0 ? this.handles.map((handle) => `0 ${REPORTED} ${handle}`) : [];
    const changes = [owner, ...others].flatMap((acts, index) =>
      acts.flatMap((does) => {
        if (!("timer" in does) || does.timer >= timers) return [];
        return [`${index} ${does.does === "cancel" ? CANCELLED : REFRESHED} ${this.handles[does.timer]}`];
      }),
    );
    return new Set([...reports, ...changes]);
  }

  /** What is reported when all go on one after the other, and how often each place is given to a timer then. */
  afterwards(words: Region): { reports: Event[]; given: number[] } {
    return ending(() => {
      const sets = Array.from({ length: this.workers }, (_, index) => this.#attach(words, index));
      const reports: Event[] = [];
      const note: Note = (what, handle, tick) => reports.push({ what: what!, handle: handle!, tick: tick! });
      for (let now = FIRST_DEADLINE; now <= FAR; now++) for (const set of sets) this.#advance(set, now, note);
      const given = new Array<number>(this.#capacity).fill(0);
      for (const set of sets)
        for (let added = 0; added < PLACES; added++) given[set.add(FAR + 2) & placeMask(this.#capacity)]!++;
      return { reports, given };
    });
  }

  /** Nothing where that cannot be found out, which is another law's. */
  reportedAfter({ memory }: Glimpse): Event[] {
    try {
      return this.afterwards(memory).reports;
    } catch {
      return [];
    }
  }

  #attach(words: Region, index: number): TimerSet {
    return this.#competitor.attach(words, this.#capacity, workerIdentity(index, this.workers, 1));
  }

  #act(set: TimerSet, acts: readonly Act[], note: Note): void {
    const known = [...this.handles];
    for (const does of acts) {
      if (does.does === "add") {
        const handle = set.add(does.deadline);
        known.push(handle);
        note(ADDED, handle, does.deadline);
      } else if (does.does === "advance") {
        this.#advance(set, does.now, note);
      } else if (does.does === "cancel") {
        if (set.cancel(known[does.timer]!)) note(CANCELLED, known[does.timer]!, 0);
      } else if (set.refresh(known[does.timer]!, does.deadline))
        note(REFRESHED, known[does.timer]!, does.deadline);
    }
  }

  #advance(set: TimerSet, now: number, note: Note): void {
    const count = set.advance(now, this.#out, this.#capacity);
    for (const handle of this.#out.subarray(0, count)) note(REPORTED, handle, now);
  }
}

function lawsOf(play: Play): Law<TimersLaw>[] {
  const missing = play.mustHappen();
  return [
    {
      name: "endsOnce",
      state(seen) {
        const events = seen.threads.flatMap(eventsOf);
        const twice = events.find(({ handle }) => endsOf(events, handle) > 1);
        return twice && `${twice.handle} was cancelled or reported more than once`;
      },
    },
    { name: "nothingIsLost", end: (seen) => lostIn(play, seen) },
    {
      name: "placesComeBackOnce",
      end(seen) {
        try {
          const { given } = play.afterwards(seen.memory);
          const wrong = given.findIndex((times) => times !== 1);
          return wrong < 0 ? undefined : `place ${wrong} was given to ${given[wrong]} timers at once`;
        } catch (error) {
          return `afterwards ${error}`;
        }
      },
    },
    { name: "newestDeadlineCounts", end: (seen) => tooEarlyIn(play, seen) },
    {
      name: "everythingHappens",
      once({ threads }) {
        for (const [index, thread] of threads.entries())
          for (const { what, handle } of eventsOf(thread)) missing.delete(`${index} ${what} ${handle}`);
        return missing.size === 0;
      },
    },
  ];
}

/** How often a timer was cancelled or reported. */
function endsOf(events: readonly Event[], handle: number): number {
  const isEnd = ({ what }: Event) => what === CANCELLED || what === REPORTED;
  return events.filter((event) => event.handle === handle && isEnd(event)).length;
}

function lostIn(play: Play, seen: Glimpse): string | undefined {
  const events = [...seen.threads.flatMap(eventsOf), ...play.reportedAfter(seen)];
  const added = events.filter(({ what }) => what === ADDED).map(({ handle }) => handle);
  const wrong = [...play.handles, ...added].find((handle) => endsOf(events, handle) !== 1);
  return wrong === undefined
    ? undefined
    : `${wrong} was cancelled or reported ${endsOf(events, wrong)} times`;
}

/**
 * The timer's end is the last that happens to it, so that every refresh that was true came before. Of one worker's the
 * last counts, of several workers' the last of any.
 */
function tooEarlyIn(play: Play, seen: Glimpse): string | undefined {
  const perWorker = seen.threads.map(eventsOf);
  for (const { what, handle, tick } of [...perWorker.flat(), ...play.reportedAfter(seen)]) {
    if (what !== REPORTED) continue;
    const deadlines = perWorker.flatMap((own) => {
      const last = own.findLast((event) => event.what === REFRESHED && event.handle === handle);
      return last === undefined ? [] : [last.tick];
    });
    if (deadlines.length > 0 && tick < Math.min(...deadlines))
      return `${handle} was reported at ${tick}, moved to ${deadlines}`;
  }
  return undefined;
}

/** More than any set makes that is whole. */
const MOST_EXCHANGES = 2 ** 16;

/** Throws an Error where `what` goes on for ever: a fault may leave a list in a circle. */
function ending<Result>(what: () => Result): Result {
  const { compareExchange } = Atomics;
  let left = MOST_EXCHANGES;
  Atomics.compareExchange = ((words: Region, index: number, expected: number, next: number) => {
    if (left-- === 0) throw new Error("it goes on for ever");
    return compareExchange(words, index, expected, next);
  }) as typeof Atomics.compareExchange;
  try {
    return what();
  } finally {
    Atomics.compareExchange = compareExchange;
  }
}

function eventsOf({ notes }: Glimpse["threads"][number]): Event[] {
  return Array.from({ length: notes.length / 3 }, (_, at) => ({
    what: notes[3 * at]!,
    handle: notes[3 * at + 1]!,
    tick: notes[3 * at + 2]!,
  }));
}
