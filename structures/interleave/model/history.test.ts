import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { drawn } from "../search/draws.ts";
import { explanationOf } from "./history.ts";
import { pictureOf } from "./picture.ts";
import { type Call, ORDERS, type Order, WAITS } from "./promised.ts";

const queue = {
  items: [] as number[],
  put(value: number) {
    if (this.items.length === 2) return false;
    this.items.push(value);
    return true;
  },
  take(): unknown {
    return this.items.shift();
  },
  wait(): unknown {
    return this.items.length === 0 ? WAITS : this.items.shift();
  },
};

const vain = (name: string, value: unknown) => name === "wait" && value === "timed-out";

interface Interval extends Omit<Call, "before"> {
  readonly begin: number;
  readonly end: number;
}

/** Two or three threads with calls at random times, each with a result at random: most of these histories are wrong. */
function randomHistory(random: Iterator<number, never>): Interval[] {
  const draw = (below: number) => random.next().value % below;
  return Array.from({ length: 2 + draw(2) }, (_, thread) => {
    const times = Array.from({ length: 4 }, () => draw(1000)).sort((one, other) => one - other);
    return [0, 2].map((at): Interval => {
      const name = ["put", "take", "wait"][draw(3)]!;
      const value =
        name === "put" ? draw(8) > 0 : [1, 2, undefined, "timed-out"][draw(name === "wait" ? 4 : 3)];
      const died = at === 2 && draw(6) === 0;
      const returned = died ? {} : { returned: { value } };
      const [begin, end] = [times[at]!, died ? 1000 : times[at + 1]!];
      return { thread, name, given: name === "put" ? [1 + draw(2)] : [], ...returned, begin, end };
    });
  }).flat();
}

/** How the threads themselves saw it. A thread that died has told nobody what it saw before its last call. */
function seenIn(history: readonly Interval[], order: Order): Call[] {
  return history.map(({ begin, end: _, ...call }) => {
    const isTold = order !== "sequentially consistent" && call.returned !== undefined;
    const hasEnded = ({ thread, end, returned }: Interval) =>
      returned !== undefined && end < begin && (isTold || thread === call.thread);
    const before = [0, 1, 2].map((of) => history.filter((one) => one.thread === of && hasEnded(one)).length);
    return { ...call, before };
  });
}

/** Whether some order of all calls explains them: each is tried on a new queue from its beginning. */
function isExplained(history: readonly Interval[], order: Order): boolean {
  const isEarlier = (one: Interval, other: Interval) => {
    if (order === "sequentially consistent") return one.thread === other.thread && one.begin < other.begin;
    const tellsNothing = (call: Interval) => call.returned === undefined && call.thread !== one.thread;
    if (order === "linearizable") return one.end < other.begin && !tellsNothing(other);
    const isPast = (call: Interval, at: number) => call.end < at;
    const quiet = history
      .map(({ begin }) => begin)
      .filter((at) =>
        history.every((call) => {
          if (isPast(call, at) || call.begin < at) return isPast(call, at);
          // What had ended when a thread began its last call died with it, but for its own calls.
          return (
            call.returned !== undefined ||
            history.every((past) => !isPast(past, at) || past.thread === call.thread)
          );
        }),
      );
    return quiet.some((at) => one.end < at && other.begin >= at);
  };
  const fits = (order: readonly Interval[]) => {
    const fresh = { ...queue, items: [] };
    for (const { name, given, returned } of order) {
      if (returned !== undefined && vain(name, returned.value)) continue;
      const value = (fresh as unknown as Record<string, (...given: unknown[]) => unknown>)[name]!(...given);
      if (returned === undefined ? value === WAITS : value !== returned.value) return false;
    }
    return order.every((call, at) => order.slice(at + 1).every((later) => !isEarlier(later, call)));
  };
  const dead = history.filter(({ returned }) => returned === undefined);
  const without = (left: readonly Interval[]) => history.filter((call) => !left.includes(call));
  return subsets(dead).some((left) => permutations(without(left)).some(fits));
}

const subsets = <One>([first, ...rest]: readonly One[]): One[][] =>
  first === undefined ? [[]] : subsets(rest).flatMap((some) => [some, [first, ...some]]);
const permutations = <One>(all: readonly One[]): One[][] =>
  all.length === 0
    ? [[]]
    : all.flatMap((one, at) => permutations(all.toSpliced(at, 1)).map((rest) => [one, ...rest]));

describe("the search for an order of calls", () => {
  for (const order of ORDERS)
    it(`finds one in random histories just where some order of all is ${order}`, () => {
      const random = drawn(7);
      const counts = { true: 0, false: 0 };
      for (let history = 0; history < 400; history++) {
        const calls = randomHistory(random);
        const expected = isExplained(calls, order);
        const { isWhole } = explanationOf(seenIn(calls, order), queue, order, vain);
        assert.equal(isWhole, expected, pictureOf(seenIn(calls, order)).join("\n"));
        counts[`${expected}`]++;
      }
      assert.ok(Math.min(counts.true, counts.false) > 40, JSON.stringify(counts));
    });

  it("takes one of the calls at most in which a thread may have died", () => {
    const before = [0, 0];
    const puts = [1, 2].map((value) => ({ thread: 0, name: "put", given: [value], before }));
    const takes = (...values: readonly number[]) =>
      values.map((value, at) => ({
        thread: 1,
        name: "take",
        given: [],
        returned: { value },
        before: [0, at],
      }));
    const isWhole = (...values: readonly number[]) =>
      explanationOf([...puts, ...takes(...values)], queue, "linearizable", vain).isWhole;
    assert.deepEqual([isWhole(1), isWhole(2), isWhole(1, 2)], [true, true, false]);
  });

  it("says how far an order goes, and what the model returns then", () => {
    const before = (one: number, other: number) => ({ before: [one, other] });
    const calls = [
      { thread: 0, name: "put", given: [1], returned: { value: true }, ...before(0, 0) },
      { thread: 1, name: "take", given: [], returned: { value: 2 }, ...before(1, 0) },
    ];
    const { isWhole, explained, next } = explanationOf(calls, queue, "linearizable", vain);
    assert.deepEqual([isWhole, explained, next], [false, [calls[0]], [{ call: calls[1], expected: 1 }]]);
  });
});
