/**
 * Stands for what a stand-in does not have: results of a measurement that was none, assertions. It can be called, constructed,
 * iterated and converted, and each of its properties is itself. As a number it is NaN, and it has no elements: `done` is true.
 */
// biome-ignore lint/suspicious/noExplicitAny: it is whatever a file takes it for.
export const madeUp: any = new Proxy(anything, {
  get(_target, key) {
    if (key === Symbol.toPrimitive) return () => Number.NaN;
    // To be awaited, it is a value.
    return key === "then" ? undefined : madeUp;
  },
  apply: () => madeUp,
  construct: () => madeUp,
});

/** Has what `own` has; all else is made up. */
export function orMadeUp<T extends object>(own: T): T {
  return new Proxy(own, { get: (_target, key) => Reflect.get(own, key) ?? madeUp[key] });
}

function anything(): void {}
