/**
 * 5. Broken code is fast.
 *
 * Lesson: a counter without atomics loses increments, and is faster for it. Nothing shows that but a law: a check that
 * the work was done.
 *
 * Here: with two workers `plain` has no number, and a line says how many increments it lost.
 */
export const workers = {
  counts: [1, 2],
  shared: () => new Int32Array(new SharedArrayBuffer(4)),
  law(words: Int32Array, work: readonly { readonly operations: number }[]) {
    const done = work.reduce((sum, { operations }) => (sum + operations) | 0, 0);
    return words[0] === done ? undefined : `${(done - words[0]!) | 0} increments are lost`;
  },
};

export const increment = {
  atomic: (words: Int32Array) => () => Atomics.add(words, 0, 1),
  plain: (words: Int32Array) => () => words[0]!++,
};
