/**
 * 4. The loop that awaits is part of what it measures.
 *
 * Lesson: awaiting a promise takes tens of nanoseconds, which may be more than the work. A harness that adds this to
 * both sides shows two different functions as equal.
 *
 * Here: an empty async task races beside these, and ratios leave out what it takes.
 */
const pages = new Map(Array.from({ length: 1000 }, (_, place) => [`/page/${place}`, place]));
let next = 0;

function path(): string {
  next = (next + 1) % 1000;
  return `/page/${next}`;
}

export const lookup = {
  once: async () => pages.get(path()),
  "forty times": async () => {
    let sum = 0;
    for (let time = 0; time < 40; time++) sum += pages.get(path())!;
    return sum;
  },
};
