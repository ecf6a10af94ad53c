/**
 * Doubly linked lists threaded through an Int32Array. A head closes each list into a circle. It is a record of no
 * client, whose next is the front and whose previous is the back. Both are the head itself where the list is empty. So
 * a record is taken out without knowing whose list it is in or where, and without a branch.
 *
 * A record, and a head, is named by the index of its first word. It starts with two words; what follows is its owner's.
 *
 *     +0  next        UNLISTED while the record is in no list
 *     +1  previous
 */
export const NEXT = 0;
export const PREVIOUS = 1;
export const UNLISTED = -1;

/** Makes a record the head of an empty list. */
export function makeHead(memory: Int32Array, head: number): void {
  memory[head + NEXT] = head;
  memory[head + PREVIOUS] = head;
}

/** Puts a record in before another, or, before a head, at the back of its list. */
export function linkBefore(memory: Int32Array, record: number, next: number): void {
  const previous = memory[next + PREVIOUS]!;
  memory[record + NEXT] = next;
  memory[record + PREVIOUS] = previous;
  memory[previous + NEXT] = record;
  memory[next + PREVIOUS] = record;
}

/** Takes a record out of the list it is in. */
export function unlink(memory: Int32Array, record: number): void {
  const next = memory[record + NEXT]!;
  const previous = memory[record + PREVIOUS]!;
  memory[previous + NEXT] = next;
  memory[next + PREVIOUS] = previous;
  memory[record + NEXT] = UNLISTED;
}

/** Moves all of one list to the back of another, in their order. */
export function moveAll(memory: Int32Array, from: number, to: number): void {
  const front = memory[from + NEXT]!;
  if (front === from) return;
  const back = memory[from + PREVIOUS]!;
  const previous = memory[to + PREVIOUS]!;
  memory[previous + NEXT] = front;
  memory[front + PREVIOUS] = previous;
  memory[back + NEXT] = to;
  memory[to + PREVIOUS] = back;
  makeHead(memory, from);
}
