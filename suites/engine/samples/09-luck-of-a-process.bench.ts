/**
 * 9. A process repeats its luck.
 *
 * Lesson: V8 draws a seed for its hash tables when a process starts, and compiles in another thread while code runs on.
 * Both differ from start to start, and stay as they are until the end. Measuring longer in one process repeats one draw.
 * Only fresh processes show the others.
 *
 * Here: run it with `--histogram`. A map of sixteen keys finds one of them in 4 ns in some processes and 14 in others.
 */
const names = Array.from({ length: 16 }, (_, place) => `header-${place}`);
const places = new Map(names.map((name, place) => [name, place]));

export const find = {
  "in a list": () => names.indexOf("header-7"),
  "in a map": () => places.get("header-7"),
};
