/**
 * 6. Two words of one cache line are shared as if they were one.
 *
 * Lesson: a core fetches a line of 64 bytes, or two. Two workers that count in neighbouring words of one line wait for
 * each other as if they used one word.
 *
 * Here: with one worker both are the same. With two, `a line each` is several times faster.
 */
const WORDS_APART = 32;

interface Worker {
  readonly index: number;
}

export const workers = {
  counts: [1, 2],
  shared: () => new Int32Array(new SharedArrayBuffer(4 * WORDS_APART * 4)),
  law(words: Int32Array, work: readonly { readonly operations: number }[]) {
    const done = work.reduce((sum, { operations }) => (sum + operations) | 0, 0);
    const counted = words.reduce((sum, count) => (sum + count) | 0, 0);
    return counted === done ? undefined : `${(done - counted) | 0} increments are lost`;
  },
};

export const count = {
  neighbours:
    (words: Int32Array, { index }: Worker) =>
    () =>
      Atomics.add(words, index, 1),
  "a line each":
    (words: Int32Array, { index }: Worker) =>
    () =>
      Atomics.add(words, index * WORDS_APART, 1),
};
