/**
 * 8. Garbage is paid later.
 *
 * Lesson: allocation is cheap until the collector runs. A median of short samples leaves collections out; a mean over
 * slices that hold some does not.
 *
 * Here: slices of `copies` are long enough for two collections, and its time has them in it.
 */
const points = Array.from({ length: 100 }, (_, place) => ({ x: place, y: 2 * place, tags: ["a", "b"] }));
let moved = points;

export const move = {
  "in place": () => {
    for (const point of points) point.x = (point.x + 1) & 1023;
    return points[0]!.x;
  },
  copies: () => {
    moved = moved.map((point) => ({ ...point, x: (point.x + 1) & 1023, tags: [...point.tags] }));
    return moved[0]!.x;
  },
};
