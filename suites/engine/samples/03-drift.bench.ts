/**
 * 3. Work that grows has no price.
 *
 * Lesson: an operation that leaves something behind is another operation the next time. `unbounded` says more about how
 * long it was measured than about the queue. Keep the state as a server would: take out as much as you put in.
 *
 * Here: look at the interval of `unbounded`. No two processes have measured the same queue.
 */
const growing: number[] = [];
const steady: number[] = Array.from({ length: 100 }, (_, place) => place);

export const insert = {
  steady: () => {
    steady.splice(50, 0, steady.length);
    return steady.shift();
  },
  unbounded: () => growing.splice(growing.length >>> 1, 0, growing.length),
};
