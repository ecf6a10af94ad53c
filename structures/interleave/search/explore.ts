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
 * search.ts says how, which schedules those are, and what becomes of loops.
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
