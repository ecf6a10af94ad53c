import { type Lane, LONG, longOf, partOf, type Value, WORD, withPart } from "../memory/access.ts";

/**
 * Plain accesses as weak as ECMAScript allows, in part (ECMA-262, 29 Memory Model). A plain load or store of a word that
 * other threads use is a data race unless something orders the two (29.9), and then:
 *
 * - A plain store becomes visible later: at any moment up to the thread's next Atomics operation that writes, wakes or
 *   waits. Stores to different words become visible in any order.
 * - A plain load returns any value that its word has had since the thread last read by Atomics, or since its own last
 *   store there became visible: the value now, or an older one.
 * - A plain access to 64 bits is two accesses to 32 bits (29.7.3, Tear Free Reads, excludes it).
 *
 * Every execution that this allows is valid: no load returns a value that happens-before order hides from it (29.7.2,
 * Coherent Reads), and atomic accesses keep their one order (29.7.4, Sequentially Consistent Atomics). The reverse does
 * not hold. A load never returns what is stored only later in the schedule, an atomic load orders all later loads
 * whatever it returned, and an atomic load never misses a plain store that is visible to others. So a fault found is a
 * fault; that none is found says so of this part of the model only.
 */
export interface Weak {
  /** Plain stores that other threads do not see yet, in order: thread, word, lane, value. */
  readonly buffered: number[];
  /** What plain loads may still return, in no order that matters: thread, word, older value of the whole word. */
  readonly older: number[];
}

const BUFFERED = 4;
const OLDER = 3;

export const strong = (): Weak => ({ buffered: [], older: [] });

export const copyOfWeak = ({ buffered, older }: Weak): Weak => ({
  buffered: [...buffered],
  older: [...older],
});

/** Keeps a plain store to a word, or to a part of one, back. */
export function keepBack({ buffered }: Weak, thread: number, word: number, lane: Lane, value: number): void {
  buffered.push(thread, word, lane, value);
}

/** The places of the stores that may become visible next: of each thread the first to each word. */
export function* arrivable({ buffered }: Weak): Generator<{ readonly thread: number; readonly at: number }> {
  for (let at = 0; at < buffered.length; at += BUFFERED) {
    const thread = buffered[at]!;
    let isFirst = true;
    for (let before = 0; before < at; before += BUFFERED)
      if (buffered[before] === thread && buffered[before + 1] === buffered[at + 1]) isFirst = false;
    if (isFirst) yield { thread, at };
  }
}

/** Takes the store at this place out. */
export function taken({ buffered }: Weak, at: number): { word: number; lane: Lane; value: number } {
  const [, word, lane, value] = buffered.splice(at, BUFFERED) as [number, number, number, number];
  return { word, lane, value };
}

/** The first store of this thread that is kept back, to this word if one is given; -1 if there is none. */
export function firstOf({ buffered }: Weak, thread: number, word?: number): number {
  for (let at = 0; at < buffered.length; at += BUFFERED)
    if (buffered[at] === thread && (word === undefined || buffered[at + 1] === word)) return at;
  return -1;
}

/** That a word held this value before, for a thread that may still load it. */
export function remember({ older }: Weak, thread: number, word: number, value: number): void {
  for (let at = 0; at < older.length; at += OLDER)
    if (older[at] === thread && older[at + 1] === word && older[at + 2] === value) return;
  older.push(thread, word, value);
}

/** From now on a thread's loads see what is visible, of this word or of all. */
export function forget({ older }: Weak, thread: number, word?: number): void {
  for (let at = older.length - OLDER; at >= 0; at -= OLDER)
    if (older[at] === thread && (word === undefined || older[at + 1] === word)) older.splice(at, OLDER);
}

/** The same entries in one order. */
export function sortedOlder({ older }: Weak): number[] {
  const entries: [number, number, number][] = [];
  for (let at = 0; at < older.length; at += OLDER) entries.push([older[at]!, older[at + 1]!, older[at + 2]!]);
  return entries.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]).flat();
}

/** What a plain load of a thread may return, the visible value first. `visible` gives the words as they are. */
export function loadable(
  weak: Weak,
  thread: number,
  word: number,
  lane: Lane,
  visible: (word: number) => number,
): Value[] {
  if (lane === LONG) {
    const highs = wordsOfLoads(weak, thread, word + 1, visible);
    return wordsOfLoads(weak, thread, word, visible).flatMap((low) => highs.map((high) => longOf(low, high)));
  }
  const whole = wordsOfLoads(weak, thread, word, visible);
  return lane === WORD ? whole : [...new Set(whole.map((value) => partOf(value, lane)))];
}

function wordsOfLoads(
  { buffered, older }: Weak,
  thread: number,
  word: number,
  visible: (word: number) => number,
): number[] {
  let own: number | undefined;
  for (let at = 0; at < buffered.length; at += BUFFERED) {
    if (buffered[at] !== thread || buffered[at + 1] !== word) continue;
    const [lane, value] = [buffered[at + 2]!, buffered[at + 3]!];
    own = lane === WORD ? value : withPart(own ?? visible(word), lane, value);
  }
  if (own !== undefined) return [own];
  const now = visible(word);
  const values: number[] = [];
  for (let at = 0; at < older.length; at += OLDER)
    if (older[at] === thread && older[at + 1] === word && older[at + 2] !== now) values.push(older[at + 2]!);
  return [now, ...values.sort((a, b) => a - b)];
}
