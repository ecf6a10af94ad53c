import { replaceAtomics } from "../memory/stand-in.ts";
import { catchErrors, EventLoop } from "./event-loop.ts";
import {
  type Bounds,
  type Exploration,
  type Found,
  type Program,
  ProgramError,
  type Watcher,
} from "./program.ts";
import { read } from "./schedule.ts";
import { Search } from "./search.ts";

/**
 * Visits every state that a few threads can bring shared memory into, one access at a time. Real threads meet rare
 * interleavings by luck; this meets them all, for as many threads and calls as fit into memory. The threads run real
 * code: nothing is transcribed. For example, two threads that take two tickets each:
 *
 *     const taker = (words: Int32Array, { note }: Self) => {
 *       for (let round = 0; round < 2; round++) note(Atomics.add(words, 0, 1));
 *     };
 *     const memory = new Int32Array(new SharedArrayBuffer(4));
 *     const { doomed } = explore({ memory, threads: [[taker], [taker]] }, {
 *       end({ threads }) {
 *         const tickets = threads.flatMap(({ notes }) => notes);
 *         assert.deepEqual(tickets.toSorted(), [0, 1, 2, 3]);
 *       },
 *     });
 *
 * How. The memory that a thread is given is a stand-in. While an exploration runs, the functions of `Atomics` recognize
 * stand-ins and pass other memory through. JavaScript cannot suspend a function. So a thread is run again for each
 * access. Earlier accesses return what they returned then, and the next one ends the run by an exception. What a thread
 * does next is a function of what its accesses returned; it is found out once for each such history and kept. Whatever
 * is private belongs in the thread's function: handles above all. This is how loom checks Rust (tokio-rs/loom), with
 * states that are stored and merged (Holzmann, SPIN) instead of schedules that are repeated.
 *
 * Which schedules. Every access, plain or atomic, is a step of its own. Accesses to words that only one thread uses, or
 * that no thread writes, join the step before: no thread can see the difference, unless this one may die. So do a thread's loads of words that
 * no other thread writes, unless `weak` is set. Such words are found by exploring. Memory is sequentially consistent,
 * as it is for Atomics, unless `weak` says otherwise of plain accesses.
 *
 * Where the ends are all that is asked for, most orders of steps that make no difference to each other are left out; see
 * reduction.ts. A watcher's `state`, `mortal`, `weak`, `preemptions` and `shortestFirst` have every state visited.
 *
 * Waiting. `wait` compares and falls asleep in one step; `notify` wakes the longest sleepers, as ECMAScript orders them
 * (25.4, WaiterList). A wait with a time limit may end at any moment.
 *
 * Spinning. A turn of a loop that a thread makes twice in a row, with the same answers, is made again and again. If the
 * thread leaves the loop by itself, it is followed turn by turn. Else it counts as endless: after the second turn the
 * thread is where it was after the first. Of a bounded loop that only looks, and more often than a few times, the first
 * looks and the last are followed. Both are tested: what comes after a loop has to come after more turns of it as well.
 * Where it does not, `unfollowed` says which thread counts its turns. loops.ts has the numbers. So what is not seen are
 * loops that end after more turns than are tried, and memories of a number of turns that is not tried.
 *
 * A state is the changed words, the sleepers in their order, and every thread's history. A thread may have several
 * parts; each remembers nothing of the earlier ones but the notes. Histories end there, and many states become one.
 *
 * Throws what a watcher or a thread throws, and an Error where a thread does not repeat itself, or where there are more
 * states than the default of `maxStates`.
 */
export function explore<Shared>(
  program: Program<Shared>,
  watcher: Watcher<Shared> = {},
  bounds: Bounds = {},
): Exploration {
  const found = exploring(() => new Search(program, watcher, bounds, { shows: false }).run());
  return orThrow(found, bounds);
}

/** The same, and says of the first failure how it comes about. */
export function search<Shared>(
  program: Program<Shared>,
  watcher: Watcher<Shared> = {},
  bounds: Bounds = {},
): Found {
  return exploring(() => new Search(program, watcher, bounds).run());
}

/** Repeats the schedule of a failure, each access a step of its own. Throws an Error where it does not fit the program. */
export function replay<Shared>(
  program: Program<Shared>,
  schedule: string,
  watcher: Watcher<Shared> = {},
  { weak = false }: Pick<Bounds, "weak"> = {},
): Found {
  const choices = read(schedule);
  return exploring(() => new Search(program, watcher, { weak }).repeat(choices));
}

/**
 * The same for threads that return promises, and wait with Atomics.waitAsync. A thread whose promises cannot be resolved
 * waits for other threads. Promises are resolved in the order of notification, each when nothing else is left for the
 * thread to do, as event loops do it.
 *
 * A thread is done when the promise that it returned is settled. Promises that its code has dropped go on even then, and an
 * end is where none of them will be resolved any more.
 *
 * The code of a thread may await what such promises lead to, and nothing else: a timer or I/O throws an Error. An error
 * that no code of a thread handles ends the exploration, as it would end the thread. One at a time in a JavaScript
 * thread: another throws an Error. Until it is over, code that waits on other memory is answered as explored code is.
 */
export async function exploreAsync<Shared>(
  program: Program<Shared>,
  watcher: Watcher<Shared> = {},
  bounds: Bounds = {},
): Promise<Exploration> {
  const found = await exploringAsync(
    (eventLoop) => new Search(program, watcher, bounds, { shows: false, eventLoop }),
    (search) => search.runAsync(),
  );
  return orThrow(found, bounds);
}

function orThrow({ exploration, failure }: Found, { maxStates }: Bounds): Exploration {
  if (failure?.kind === "thrown") throw failure.error;
  if (exploration.cut === "states" && maxStates === undefined)
    throw new ProgramError(`the program has more than ${exploration.states} states`);
  return exploration;
}

/** `search` for threads that return promises. */
export function searchAsync<Shared>(
  program: Program<Shared>,
  watcher: Watcher<Shared> = {},
  bounds: Bounds = {},
): Promise<Found> {
  return exploringAsync(
    (eventLoop) => new Search(program, watcher, bounds, { eventLoop }),
    (search) => search.runAsync(),
  );
}

/** `replay` for threads that return promises. */
export async function replayAsync<Shared>(
  program: Program<Shared>,
  schedule: string,
  watcher: Watcher<Shared> = {},
  { weak = false }: Pick<Bounds, "weak"> = {},
): Promise<Found> {
  const choices = read(schedule);
  return exploringAsync(
    (eventLoop) => new Search(program, watcher, { weak }, { eventLoop }),
    (search) => search.repeatAsync(choices),
  );
}

let isAwaited = false;

async function exploringAsync<Shared>(
  make: (eventLoop: EventLoop) => Search<Shared>,
  explored: (search: Search<Shared>) => Promise<Found>,
): Promise<Found> {
  if (isAwaited)
    throw new ProgramError("this thread awaits another exploration: await them one after the other");
  const eventLoop = new EventLoop();
  const search = make(eventLoop);
  const { threads } = search;
  isAwaited = true;
  const undo = replaceAtomics({
    waitElsewhere,
    waitAsync: (word, lane, expected, limitMs) => threads.waitAsync(word, lane, expected, limitMs),
  });
  const uncatch = catchErrors((error) => threads.takes(error));
  try {
    return await explored(search);
  } finally {
    uncatch();
    undo();
    eventLoop.close();
    isAwaited = false;
  }
}

function exploring<Result>(explored: () => Result): Result {
  const undo = replaceAtomics({ waitElsewhere });
  try {
    return explored();
  } finally {
    undo();
  }
}

/** A wait on memory that no other thread knows. */
function waitElsewhere(
  view: Int32Array | BigInt64Array,
  index: number,
  expected: number | bigint,
  limitMs: number,
) {
  if (view[index] !== expected) return "not-equal";
  if (limitMs === Number.POSITIVE_INFINITY) throw new Error("a thread that is alone would sleep for ever");
  return "timed-out";
}
