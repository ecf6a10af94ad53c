import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { explore } from "../index.ts";
import {
  drawnProgram,
  functionOf,
  interpret,
  outcomeOf,
  shownProgram,
  type Thread,
  WORDS,
} from "./reference.ts";

/** So many are quick. A longer run is made by hand: HOTPATH_PROGRAMS=20000 node --test reference.test.ts */
const PROGRAMS = Number(process.env.HOTPATH_PROGRAMS ?? 3_000);
/** Larger ones are left out. */
const MOST_STATES = 20_000;

/** In what the explorer differs from the reference. It may leave out what it says it has left out. */
function differencesOf(threads: readonly Thread[], weak: boolean): string[] {
  const expected = interpret(threads, MOST_STATES, weak);
  if (expected === undefined) return [];
  const ends = new Set<string>();
  const deadlocks = new Set<string>();
  const {
    cut,
    doomed,
    deadlocks: stuck,
  } = explore(
    {
      memory: new Int32Array(new SharedArrayBuffer(4 * WORDS)),
      threads: threads.map((parts) => parts.map(functionOf)),
    },
    {
      state({ memory, threads: seen }) {
        const cannotGoOn = seen.every(({ done, isAsleep }) => done || isAsleep);
        if (cannotGoOn && seen.some(({ isAsleep }) => isAsleep)) deadlocks.add(outcomeOf(memory, seen));
      },
      end: ({ memory, threads: seen }) => ends.add(outcomeOf(memory, seen)),
    },
    { weak },
  );
  const isWhole = cut === undefined;
  // Where plain accesses are weak, stores may still become visible when all threads sleep.
  const pairs = weak
    ? [[expected.ends, ends]]
    : [
        [expected.ends, ends],
        [expected.deadlocks, deadlocks],
      ];
  return [
    ...pairs
      .flatMap(([wanted, met]) => (isWhole ? without(wanted!, met!) : []))
      .map((one) => `missing: ${one}`),
    ...pairs.flatMap(([wanted, met]) => without(met!, wanted!)).map((one) => `too many: ${one}`),
    ...(isWhole && doomed > 0 !== expected.isDoomed ? [`doomed: ${doomed} states`] : []),
    ...(isWhole && stuck > 0 !== expected.deadlocks.size > 0 ? [`deadlocks: ${stuck} states`] : []),
  ];
}

const without = (these: ReadonlySet<string>, those: ReadonlySet<string>): string[] =>
  [...these].filter((one) => !those.has(one));

/** A smaller program that differs in the same way: without statements that it can do without. */
function shortened(threads: readonly Thread[], weak: boolean, way: string): readonly Thread[] {
  for (const [thread, parts] of threads.entries())
    for (const [part, statements] of parts.entries())
      for (const at of statements.keys()) {
        const less = threads.with(thread, parts.with(part, statements.toSpliced(at, 1)));
        if (differencesOf(less, weak).some((difference) => difference.startsWith(way)))
          return shortened(less, weak, way);
      }
  return threads;
}

/** Fails where the explorer differs on one of these programs, with a few of the smallest that it differs on. */
function agreesOn(programs: readonly (readonly Thread[])[], weak = false): void {
  const differing = programs.flatMap((threads) => {
    const [difference] = differencesOf(threads, weak);
    if (difference === undefined) return [];
    const way = difference.slice(0, difference.indexOf(":"));
    const smallest = shortened(threads, weak, way);
    return [
      `${differencesOf(smallest, weak).find((one) => one.startsWith(way))} in\n${shownProgram(smallest)}`,
    ];
  });
  const few = differing.toSorted((one, other) => one.length - other.length).slice(0, 5);
  assert.equal(
    differing.length,
    0,
    `${differing.length} programs of ${programs.length}:\n${few.join("\n\n")}`,
  );
}

const isStraight = (threads: readonly Thread[]): boolean =>
  threads.flat(3).every(({ op }) => op !== "repeat");

describe("the explorer, beside an interpreter that was written without it", () => {
  const programs = Array.from({ length: PROGRAMS }, (_, seed) => drawnProgram(seed));

  it("visits the ends and the deadlocks of random programs, and no other", () => {
    agreesOn(programs.filter(isStraight));
  });

  it("visits the ends that weak plain accesses have", () => {
    const plain = Array.from({ length: PROGRAMS / 2 }, (_, seed) => drawnProgram(seed, { isPlain: true }));
    agreesOn(plain.filter(isStraight), true);
  });

  it("visits those of programs with bounded loops", () => {
    agreesOn(programs.filter((threads) => !isStraight(threads)));
  });
});
