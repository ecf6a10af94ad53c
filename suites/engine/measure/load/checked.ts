import { messageOf, ProcessSpoilt } from "../plan/failures.ts";
import { assertBuiltins } from "./builtins.ts";

/**
 * Throws ProcessSpoilt where a builtin of this thread is not what it was, although no competitor is at work in it: one has
 * left something behind, and nobody knows which.
 */
export function assertUnspoilt(): void {
  try {
    assertBuiltins();
  } catch (error) {
    throw new ProcessSpoilt(messageOf(error));
  }
}

/**
 * A competitor as a process's main thread uses it, to prepare its structure and to check its law. The builtins are looked at
 * after each call of a method, so that none bends what its law does next. Such a call throws an Error with one line.
 */
export function checked<Competitor>(competitor: Competitor): Competitor {
  if (typeof competitor !== "object" || competitor === null) return competitor;
  const seen: object = new Proxy(likeness(competitor), {
    get(_likeness, key) {
      const value: unknown = Reflect.get(competitor, key);
      if (typeof value !== "function") return value;
      return function (this: unknown, ...given: unknown[]): unknown {
        try {
          return Reflect.apply(value, this === seen ? competitor : this, given);
        } finally {
          assertBuiltins();
        }
      };
    },
  });
  return seen as Competitor;
}

/** An object with the same keys, none of which is fixed: a proxy may not answer otherwise for one that is. */
function likeness(competitor: object): object {
  const properties = Object.getOwnPropertyDescriptors(competitor) as Record<PropertyKey, PropertyDescriptor>;
  for (const key of Reflect.ownKeys(properties)) properties[key] = { ...properties[key], configurable: true };
  return Object.create(Object.getPrototypeOf(competitor) as object | null, properties) as object;
}
