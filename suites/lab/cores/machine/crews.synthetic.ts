import { defineRace } from "../../../engine/define-race.ts";
import type { WorkDone } from "../../../engine/race.ts";
import { allocateRegion, STRIDE_WORDS } from "../../../engine/words/layout.ts";
import type { Costs } from "./machine.ts";

/**
 * Races in which the simulator's own laws show. Workers read the virtual clock and report what they saw as counters; the
 * race's law judges that.
 */

/** What an access costs in these tests, in ns. Without jitter, so that times can be predicted. */
export const TEST_COSTS: Costs = {
  plain: 0.5,
  poll: 0.5,
  load: 1,
  store: 4,
  update: 5,
  travelInComplex: 40,
  travelInSocket: 100,
  travelBetweenSockets: 200,
  copyShare: 0.3,
  jitter: 0,
  snoopShare: 0.2,
  upgradeShare: 0.25,
  invalidation: 2,
  hold: 16,
  readHold: 3,
  nearestFirst: 0,
  sharedRead: 3,
  sleep: 2_000,
  notify: 60,
  doze: 100,
  wakeCall: 300,
  wakeCallSoon: 200,
  wake: 500,
  wakeSoon: 400,
  waiterList: 40,
  pause: 10,
  quantum: 10_000,
  switching: 200,
};
const NS_PER_MS = 1e6;

const now = () => performance.now() * NS_PER_MS;
const pause = (times: number) => {
  const once = Reflect.get(Atomics, "pause") as () => void;
  for (let paused = 0; paused < times; paused++) once();
};
const counted = (log: readonly number[]): Record<string, number> => Object.fromEntries(log.entries());
const logOf = ({ counters }: WorkDone): number[] => Object.values(counters);
const entriesOf = (work: readonly WorkDone[], length: number): number[][] =>
  work.flatMap((done) => {
    const log = logOf(done);
    return Array.from({ length: log.length / length }, (_, at) => log.slice(at * length, (at + 1) * length));
  });

/** Accesses of a worker to a line of its own. The law counts them. */
const ownLines = defineRace({
  scenario: "own-lines",
  competitors: { each: {}, other: {} },
  prepare: (_competitor, { workers }) => allocateRegion(workers * STRIDE_WORDS),
  attach(_competitor, _setup, memory, { index }) {
    const own = memory.subarray(index * STRIDE_WORDS);
    return {
      run() {
        own[1] = own[0]! + 1;
        Atomics.load(own, 1);
        Atomics.store(own, 2, 1);
        return Atomics.add(own, 0, 1);
      },
    };
  },
  law(_competitor, { workers }, memory, work) {
    const counted = Array.from({ length: workers }, (_, index) => memory[index * STRIDE_WORDS]!);
    return counted.every((count, index) => count === work[index]!.operations)
      ? undefined
      : `counts: ${counted} of ${work.map(({ operations }) => operations)}`;
  },
});
export const OWN_LINE_NS = 2 * TEST_COSTS.plain + TEST_COSTS.load + TEST_COSTS.store + TEST_COSTS.update;

const LOOK = 0;
const ADD = 1;
export const POLLS = 100;
/** At least so often a worker looks, and up to seven times so often. */
const LOOKS = 20;

/**
 * Workers add to a counter, and look at it until it changes or for some times. The law: it is linearizable in virtual
 * time. Of looks that saw the same, the last one's beginning and the first one's end say most.
 */
const counter = defineRace({
  scenario: "counter",
  competitors: { added: {}, other: {} },
  prepare: () => allocateRegion(2 * STRIDE_WORDS),
  attach(_competitor, _setup, memory, { index }) {
    const log: number[] = [];
    let turn = index;
    const look = (times: number) => {
      let [first, from, to] = [memory[0]!, now(), now()];
      for (let looks = 1; looks < times; looks++) {
        pause(3);
        const again = now();
        const seen = memory[0]!;
        if (seen !== first) {
          log.push(LOOK, from, to, first);
          [first, to] = [seen, now()];
          looks = times;
        }
        from = again;
      }
      log.push(LOOK, from, to, first);
    };
    return {
      run() {
        const from = now();
        const seen = Atomics.add(memory, 0, 1);
        log.push(ADD, from, now(), seen);
        look(LOOKS * (1 + (turn++ % 7)));
        return seen;
      },
      counters: () => counted(log),
    };
  },
  law: (_competitor, _setup, memory, work) => brokenOrder(memory[0]!, work),
});

/** Workers add to a counter and look at it some times, after they have polled another word for a while, in vain. */
const polled = defineRace({
  scenario: "polled",
  competitors: { again: { between: false }, between: { between: true } },
  prepare: () => allocateRegion(2 * STRIDE_WORDS),
  attach({ between }, _setup, memory) {
    const log: number[] = [];
    return {
      run() {
        for (let poll = 0; poll < POLLS; poll++) {
          pause(3);
          Atomics.load(memory, STRIDE_WORDS);
        }
        const from = now();
        const seen = Atomics.add(memory, 0, 1);
        log.push(ADD, from, now(), seen);
        for (let looks = 0; looks < LOOKS; looks++) {
          pause(3);
          // A look between two others is no poll.
          if (between) Atomics.load(memory, STRIDE_WORDS);
          const before = now();
          const value = Atomics.load(memory, 0);
          log.push(LOOK, before, now(), value);
        }
        return seen;
      },
      counters: () => counted(log),
    };
  },
  law: (_competitor, _setup, memory, work) => brokenOrder(memory[0]!, work),
});

/** The law of a counter that is linearizable: each entry says which kind, from when, until when, and what was seen. */
function brokenOrder(count: number, work: readonly WorkDone[]): string | undefined {
  const entries = entriesOf(work, 4) as [number, number, number, number][];
  const adds = entries.filter(([kind]) => kind === ADD).sort((a, b) => a[3] - b[3]);
  if (adds.some(([, , , seen], at) => seen !== at) || adds.length !== count)
    return "conserved: two workers added to the same count";
  const byEnd = adds.toSorted((a, b) => a[2] - b[2]);
  let [ended, least] = [0, 0];
  for (const [kind, from, to, seen] of entries.sort((a, b) => a[1] - b[1])) {
    for (; ended < byEnd.length && byEnd[ended]![2] < from - PRECISION_NS; ended++)
      least = Math.max(least, byEnd[ended]![3] + 1);
    if (seen < least)
      return `inOrder: ${NAMES[kind]} from ${from} on saw ${seen}, but ${least} had been added`;
    const last = adds[seen - 1];
    if (last !== undefined && last[1] > to + PRECISION_NS)
      return `inOrder: ${NAMES[kind]} until ${to} saw ${seen}, which was added from ${last[1]} on`;
  }
  return undefined;
}
const NAMES = ["a look", "an add"];
const PRECISION_NS = 1e-3;

/** Worker 0 changes a word now and then; the others poll it, without end. */
const signal = defineRace({
  scenario: "signal",
  competitors: { plain: { pauses: 0 }, pausing: { pauses: 1 } },
  prepare: () => allocateRegion(1),
  attach({ pauses }, _setup, memory, { index }) {
    let last = 0;
    return {
      run() {
        if (index === 0) {
          pause(40 + ((last * 67) % 400));
          return Atomics.store(memory, 0, ++last);
        }
        for (const before = last; ; ) {
          last = pauses === 0 ? memory[0]! : Atomics.load(memory, 0);
          if (last !== before) return last;
          pause(pauses);
        }
      },
    };
  },
});

/** Worker 0 polls in vain a fixed number of times, then goes on. */
const bounded = defineRace({
  scenario: "bounded",
  competitors: { polled: {}, other: {} },
  prepare: (_competitor, { workers }) => allocateRegion((1 + workers) * STRIDE_WORDS),
  role: (index) => (index === 0 ? "poller" : "other"),
  attach(_competitor, _setup, memory, { index }) {
    const own = memory.subarray((1 + index) * STRIDE_WORDS);
    return {
      run() {
        if (index === 0) for (let poll = 0; poll < POLLS; poll++) Atomics.load(memory, 0);
        return Atomics.add(own, 0, 1);
      },
    };
  },
});

/** Worker 0 wakes the others one by one. They sleep on one word, for a while at most. */
const sleepers = defineRace({
  scenario: "sleepers",
  competitors: { asleep: { pauses: 2_000 }, falling: { pauses: 20 } },
  prepare: () => allocateRegion(2 * STRIDE_WORDS),
  attach({ pauses }, { workers }, memory, { index }) {
    const log: number[] = [];
    return {
      run() {
        if (index > 0) {
          const place = Atomics.add(memory, STRIDE_WORDS, 1);
          const from = now();
          const isWoken = Atomics.wait(memory, 0, 0, LIMIT_MS) === "ok";
          log.push(place, isWoken ? 1 : 0, from, now());
          return 0;
        }
        for (let sleeper = 1; sleeper < workers; sleeper++) {
          pause(pauses);
          log.push(Atomics.notify(memory, 0, 1));
        }
        return 0;
      },
      counters: () => counted(log),
    };
  },
  law(_competitor, _setup, _memory, [waker, ...others]) {
    const waits = entriesOf(others, 4)
      .map(([place, isWoken, from, to]) => ({ place, isWoken: isWoken === 1, from: from!, to: to! }))
      .sort((a, b) => a.place! - b.place!);
    const woken = waits.filter(({ isWoken }) => isWoken);
    const notified = logOf(waker!).reduce((sum, one) => sum + one, 0);
    if (woken.length !== notified) return `conserved: ${notified} were notified, and ${woken.length} awoke`;
    for (const { from, to, isWoken } of waits) {
      const took = to - from;
      if (isWoken && took > LIMIT_NS + TEST_COSTS.wake)
        return `woken: one slept ${took} ns although it was woken`;
      if (!isWoken && Math.abs(took - LIMIT_NS - TEST_COSTS.wake) > MOST_QUEUEING_NS)
        return `timeLimit: a wait of ${LIMIT_NS} ns took ${took}`;
    }
    for (const [at, { to }] of waits.entries()) {
      // One that is notified as it falls asleep goes on sooner than one that slept when it was notified.
      const overtaking = woken.find(
        (later) => later.place! > waits[at]!.place! && later.to + LEAST_APART_NS < to,
      );
      if (overtaking)
        return `fifo: number ${overtaking.place} went at ${overtaking.to}, number ${at} at ${to}`;
    }
    return undefined;
  },
});
const LIMIT_MS = 0.05;
const LIMIT_NS = LIMIT_MS * NS_PER_MS;
/** Several loads of a line, one after the other. */
const MOST_QUEUEING_NS = 100;
const LEAST_APART_NS = TEST_COSTS.wake + MOST_QUEUEING_NS;

/** Cores on which the crowd is to run. */
export const CROWD_CORES = 2;
const STEP_PAUSES = 100;
const NAP_MS = 0.001;
/** More workers than cores compute, and now and then sleep. They say when each must have had a core. */
const crowd = defineRace({
  scenario: "crowd",
  competitors: {
    computing: { napEvery: 1, nappers: 0 },
    napping: { napEvery: 3, nappers: 64 },
    mixed: { napEvery: 1, nappers: 1 },
  },
  role: (index, workers) => (index === workers - 1 ? "last" : "worker"),
  prepare: (_competitor, { workers }) => allocateRegion(workers * STRIDE_WORDS),
  attach({ napEvery, nappers }, { workers }, memory, { index }) {
    const own = memory.subarray(index * STRIDE_WORDS);
    const log: number[] = [];
    let turn = index;
    return {
      run() {
        const from = now();
        pause(STEP_PAUSES);
        log.push(from, now());
        if (index >= workers - nappers && ++turn % napEvery === 0) {
          const awakeFrom = now();
          Atomics.wait(own, 1, 0, NAP_MS);
          log.push(awakeFrom, awakeFrom + TEST_COSTS.load + TEST_COSTS.waiterList + TEST_COSTS.sleep);
        }
        return Atomics.add(own, 0, 1);
      },
      counters: () => counted(log),
    };
  },
  law(_competitor, _setup, _memory, work) {
    const changes = entriesOf(work, 2).flatMap(([from, to]) => [
      { at: from! + PRECISION_NS, by: 1 },
      { at: to! - PRECISION_NS, by: -1 },
    ]);
    let [running, most] = [0, 0];
    for (const { by } of changes.sort((a, b) => a.at - b.at)) {
      running += by;
      most = Math.max(most, running);
    }
    return most <= CROWD_CORES ? undefined : `oneAtOnce: ${most} workers had one of ${CROWD_CORES} cores`;
  },
});

/** Workers sleep, and then use a line of their own. The law: it is where they left it. */
const naps = defineRace({
  scenario: "naps",
  competitors: { each: {}, other: {} },
  prepare: (_competitor, { workers }) => allocateRegion(workers * STRIDE_WORDS),
  attach(_competitor, _setup, memory, { index }) {
    const own = memory.subarray(index * STRIDE_WORDS);
    let longestNs = 0;
    return {
      run() {
        Atomics.wait(own, 1, 0, NAP_MS * (1 + (index % 2)));
        const from = now();
        const seen = Atomics.add(own, 0, 1);
        longestNs = Math.max(longestNs, now() - from);
        return seen;
      },
      counters: () => ({ longestNs }),
    };
  },
  law(_competitor, _setup, _memory, work) {
    const longestNs = Math.max(...work.map(({ counters }) => counters.longestNs!));
    return longestNs < TEST_COSTS.update + PRECISION_NS
      ? undefined
      : `ownCore: a worker's own line came to it in ${longestNs} ns`;
  },
});

/** All sleep until another one wakes them. On their way out they unlock. */
const stuck = defineRace({
  scenario: "stuck",
  competitors: { asleep: {}, other: {} },
  prepare: () => allocateRegion(2 * STRIDE_WORDS),
  attach(_competitor, _setup, memory) {
    return {
      run() {
        try {
          Atomics.wait(memory, 0, 0);
        } finally {
          Atomics.store(memory, STRIDE_WORDS, 0);
        }
        return 0;
      },
    };
  },
});

/** The second worker's thread ends amid its first operation. */
const leaving = defineRace({
  scenario: "leaving",
  competitors: { each: {}, other: {} },
  attach: (_competitor, _setup, _shared, { index }) => ({
    run() {
      if (index === 1) process.exit();
      return 0;
    },
  }),
});

/** Two workers compare and exchange one word without end, and change it in turn: see machines.ts. */
const handover = defineRace({
  scenario: "handover",
  competitors: { ping: {}, other: {} },
  prepare: () => allocateRegion(1),
  attach(_competitor, _setup, memory, { index }) {
    return {
      run() {
        while (Atomics.compareExchange(memory, 0, index, 1 - index) !== index);
        return 0;
      },
    };
  },
});

export default [ownLines, counter, polled, signal, bounded, sleepers, crowd, naps, stuck, leaving, handover];
