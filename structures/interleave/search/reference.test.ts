import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Bounds,
  type Exploration,
  explore,
  exploreAsync,
  type Program,
  replay,
  search,
  type Watcher,
} from "../index.ts";
import { interpret, type Outcomes, type Terms } from "./reference.ts";
import {
  asyncFunctionOf,
  drawnProgram,
  functionOf,
  outcomeOf,
  shownProgram,
  type Thread,
  WORDS,
} from "./small-programs.ts";

/** Programs of a quick run. A longer one is made by hand: HOTPATH_PROGRAMS=20000 node --test reference.test.ts */
const PROGRAMS = Number(process.env.HOTPATH_PROGRAMS ?? 1_000);
/** Larger ones are left out. */
const MOST_STATES = 1_500;
/** Of a hundred programs, at most, the explorer may leave something out and say so. */
const MOST_CUT = 5;

type Threads = readonly Thread[];
/** What the explorer has met. */
interface Met extends Pick<Exploration, "doomed" | "cut"> {
  readonly stuck: number;
  readonly ends: ReadonlySet<string>;
  readonly deadlocks: ReadonlySet<string>;
}

const programOf = (threads: Threads, { mortal, obituary }: Terms): Program<Int32Array> => ({
  memory: new Int32Array(new SharedArrayBuffer(4 * WORDS)),
  threads: threads.map((parts) => parts.map(functionOf)),
  ...(mortal && { mortal }),
  ...(obituary && { obituary: functionOf(obituary) }),
});

/** Keeps the outcomes that it is shown. */
function watching() {
  const ends = new Set<string>();
  const deadlocks = new Set<string>();
  const watcher: Watcher<Int32Array> = {
    state({ memory, threads }) {
      const cannotGoOn = threads.every(({ done, isAsleep }) => done || isAsleep);
      if (cannotGoOn && threads.some(({ isAsleep }) => isAsleep)) deadlocks.add(outcomeOf(memory, threads));
    },
    end: ({ memory, threads }) => ends.add(outcomeOf(memory, threads)),
  };
  const met = ({ deadlocks: stuck, doomed, cut }: Exploration): Met => ({
    ends,
    deadlocks,
    stuck,
    doomed,
    ...(cut && { cut }),
  });
  return { watcher, met };
}

function explored(threads: Threads, terms: Looking): Met {
  const { watcher, met } = watching();
  const { end } = watcher;
  return met(explore(programOf(threads, terms), terms.onlyEnds ? { end: end! } : watcher, boundsOf(terms)));
}

/** Whether no watcher looks at states but ends: then orders that make no difference may be left out. */
type Looking = Terms & { readonly onlyEnds?: boolean };

const boundsOf = ({ weak = false }: Terms): Bounds => ({ weak, maxStates: 4 * MOST_STATES });

/** In what the explorer differs from the reference. It may leave out what it says it has left out. */
function differencesOf(wanted: Outcomes, met: Met, terms: Looking): string[] {
  const isWhole = met.cut === undefined;
  // A thread whose stores are not visible yet, or that may die, does not wait for ever where it sleeps.
  const areShown = terms.weak !== true && terms.mortal === undefined && terms.onlyEnds !== true;
  const pairs = [
    [wanted.ends, met.ends] as const,
    ...(areShown ? [[wanted.deadlocks, met.deadlocks] as const] : []),
  ];
  return [
    ...pairs.flatMap(([all, some]) => (isWhole ? without(all, some) : [])).map((one) => `missing: ${one}`),
    ...pairs.flatMap(([all, some]) => without(some, all)).map((one) => `too many: ${one}`),
    ...(isWhole && met.doomed > 0 !== wanted.isDoomed ? [`doomed: ${met.doomed} states`] : []),
    ...(isWhole && met.stuck > 0 !== wanted.deadlocks.size > 0 ? [`deadlocks: ${met.stuck} states`] : []),
  ];
}

const without = (these: ReadonlySet<string>, those: ReadonlySet<string>): string[] =>
  [...these].filter((one) => !those.has(one));

/** A smaller program that differs in the same way: without statements that it can do without. */
function shortened(threads: Threads, differs: (threads: Threads) => boolean): Threads {
  for (const [thread, parts] of threads.entries())
    for (const [part, statements] of parts.entries())
      for (const at of statements.keys()) {
        const less = threads.with(thread, parts.with(part, statements.toSpliced(at, 1)));
        if (differs(less)) return shortened(less, differs);
      }
  return threads;
}

function drawnPrograms(count: number, options: Parameters<typeof drawnProgram>[1] = {}): Threads[] {
  return Array.from({ length: count }, (_, seed) => drawnProgram(seed, options));
}

/** Fails where the explorer differs on one of these programs, with a few of the smallest that it differs on. */
function agreesOn(programs: readonly Threads[], terms: Looking = {}): void {
  const found: string[] = [];
  let cut = 0;
  const differences = (threads: Threads) =>
    differencesOf(interpret(threads, MOST_STATES, terms)!, explored(threads, terms), terms);
  for (const threads of programs) {
    const wanted = interpret(threads, MOST_STATES, terms);
    if (wanted === undefined) continue;
    const met = explored(threads, terms);
    cut += Number(met.cut !== undefined);
    const [difference] = differencesOf(wanted, met, terms);
    if (difference === undefined) continue;
    const way = difference.slice(0, difference.indexOf(":"));
    const alike = (less: Threads) => differences(less).find((one) => one.startsWith(way));
    const smallest = shortened(threads, (less) => alike(less) !== undefined);
    found.push(`${alike(smallest)} in\n${shownProgram(smallest)}`);
  }
  const few = found.toSorted((one, other) => one.length - other.length).slice(0, 5);
  assert.equal(found.length, 0, `${found.length} of ${programs.length} programs:\n${few.join("\n\n")}`);
  assert.ok(cut <= (programs.length * MOST_CUT) / 100, `${cut} of ${programs.length} programs are cut`);
}

describe("the explorer, beside an interpreter that was written without it", () => {
  it("visits the ends and the deadlocks of random programs, and no other", () => {
    agreesOn(drawnPrograms(PROGRAMS));
  });

  it("visits these ends where orders are left out that make no difference", () => {
    agreesOn(drawnPrograms(PROGRAMS / 2), { onlyEnds: true });
    agreesOn(drawnPrograms(PROGRAMS / 8, { hasParts: true }), { onlyEnds: true });
    agreesOn(drawnPrograms(PROGRAMS / 8, { isSleepy: true }), { onlyEnds: true });
  });

  it("visits those of programs whose loops have no bound", () => {
    agreesOn(drawnPrograms(PROGRAMS / 4, { isUnbounded: true }));
  });

  it("visits those of programs in which several threads sleep", () => {
    agreesOn(drawnPrograms(PROGRAMS / 4, { isSleepy: true }));
  });

  it("visits those of programs with bytes, halves and 64-bit words", () => {
    agreesOn(drawnPrograms(PROGRAMS / 4, { hasParts: true }));
  });

  it("visits the ends that weak plain accesses have", () => {
    agreesOn(drawnPrograms(PROGRAMS / 4, { isPlain: true }), { weak: true });
  });

  it("visits the ends of programs whose threads may die", () => {
    const [, [obituary]] = drawnProgram(7) as [Thread, Thread];
    agreesOn(drawnPrograms(PROGRAMS / 8), { mortal: [1], obituary: obituary! });
    agreesOn(drawnPrograms(PROGRAMS / 8), { mortal: [0, 1] });
  });

  it("visits the ends of programs that await instead of blocking", async () => {
    for (const threads of drawnPrograms(PROGRAMS / 10)) {
      const wanted = interpret(threads, MOST_STATES);
      if (wanted === undefined) continue;
      const { watcher, met } = watching();
      const program = {
        ...programOf(threads, {}),
        threads: threads.map((parts) => parts.map(asyncFunctionOf)),
      };
      const found = met(await exploreAsync(program, watcher, { maxStates: 300 }));
      assert.deepEqual(differencesOf(wanted, found, {}), [], shownProgram(threads));
    }
  });

  it("shows a schedule for each of these ends, which leads there when it is repeated", () => {
    for (const weak of [false, true])
      for (const threads of drawnPrograms(PROGRAMS / 40, { isPlain: weak, hasParts: !weak })) {
        const program = programOf(threads, {});
        for (const end of [...explored(threads, { weak }).ends].slice(0, 4)) {
          const watcher: Watcher<Int32Array> = {
            end: (seen) => assert.notEqual(outcomeOf(seen.memory, seen.threads), end),
          };
          const { failure } = search(program, watcher, boundsOf({ weak }));
          const again = replay(program, failure!.schedule, watcher, { weak });
          assert.equal(String(again.failure?.error), String(failure!.error), shownProgram(threads));
        }
      }
  });
});
