/**
 * 1. A result that nobody uses costs nothing.
 *
 * Lesson: V8 leaves out work whose result is not used, and computes once what cannot change. Return the result, and
 * feed each call with another argument. A loop of your own around `unused` prints a fraction of a nanosecond.
 *
 * Here: `unused` and `constant` are too short to compare. `varied` has the price of the work.
 */
const inputs = Float64Array.from({ length: 1024 }, (_, place) => place + 0.5);
let next = 0;

export const root = {
  varied: () => {
    next = (next + 1) & 1023;
    return Math.cbrt(Math.sin(inputs[next]!));
  },
  constant: () => Math.cbrt(Math.sin(0.5)),
  unused: () => {
    void Math.cbrt(Math.sin(0.5));
  },
};
