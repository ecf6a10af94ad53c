import { keyOf } from "../check/results.ts";
import { type Call, type Order, WAITS } from "./promised.ts";

/** What a call may return at any time, having changed nothing, by the name of its operation. */
export type Vain = (name: string, value: unknown) => boolean;

/** Whether an order explains the calls; if none does, the most that one explains. */
export interface Explanation {
  readonly isWhole: boolean;
  readonly explained: readonly Call[];
  /** Calls that might come next, with what the model returns for them. */
  readonly next: readonly { readonly call: Call; readonly expected: unknown }[];
}

/**
 * Looks for an order that explains what the calls returned, by the search of Wing and Gong (1993): it takes one call
 * after another that may come next and returns what the model returns. A set of calls that has led to the same state of
 * the model before is not tried again (Lowe, 2017).
 */
export function explanationOf(calls: readonly Call[], model: object, order: Order, vain: Vain): Explanation {
  const earlier = earlierCalls(calls, order);
  const mustCome = maskOf(calls.map(({ returned }) => returned !== undefined));
  const tried = new Set<string>();
  let best: Explanation = { isWhole: false, explained: [], next: [] };
  const way: Call[] = [];
  const search = (taken: number, state: object): boolean => {
    if ((taken & mustCome) === mustCome) return true;
    const key = `${taken} ${stateOf(state)}`;
    if (tried.has(key)) return false;
    tried.add(key);
    const next: { call: Call; expected: unknown }[] = [];
    for (const [at, call] of calls.entries()) {
      if ((taken & (1 << at)) !== 0 || (earlier[at]! & ~taken) !== 0) continue;
      for (const { after, value } of outcomesOf(state, call, vain)) {
        if (after === undefined) {
          next.push({ call, expected: value });
          continue;
        }
        way.push(call);
        if (search(taken | (1 << at) | othersOf(calls, at), after)) return true;
        way.pop();
      }
    }
    if (next.length > 0 && (best.next.length === 0 || way.length > best.explained.length))
      best = { isWhole: false, explained: [...way], next };
    return false;
  };
  return search(0, model) ? { isWhole: true, explained: way, next: [] } : best;
}

/** The states after a call that returned what the model returns; without one, what it returns instead. */
function* outcomesOf(
  state: object,
  { name, given, returned }: Call,
  vain: Vain,
): Generator<{ readonly after?: object; readonly value?: unknown }> {
  if (returned !== undefined && vain(name, returned.value)) yield { after: state };
  const after = copyOf(state);
  const value = called(after, name, given);
  if (value !== WAITS && (returned === undefined || keyOf(value) === keyOf(returned.value))) yield { after };
  else if (returned !== undefined) yield { value };
}

/** The other calls that may be the last of a thread that died: one at most has happened. */
function othersOf(calls: readonly Call[], at: number): number {
  const { thread, returned } = calls[at]!;
  if (returned !== undefined) return 0;
  return maskOf(calls.map((other) => other.returned === undefined && other.thread === thread));
}

/** By call: the calls that have to come before it. */
export function earlierCalls(calls: readonly Call[], order: Order): number[] {
  const ended = calls.map((call, at) => {
    const nth = calls.slice(0, at).filter(({ thread }) => thread === call.thread).length;
    return (other: Call) => nth < other.before[call.thread]!;
  });
  if (order !== "quiescently consistent")
    return calls.map((call) => maskOf(ended.map((hasEnded) => hasEnded(call))));
  // The calls that had ended when some call began, where none was under way.
  const pauses = calls
    .map((first) => ended.map((hasEnded) => hasEnded(first)))
    .filter((past) => calls.every((call, at) => past[at] || past.every((is, of) => !is || ended[of]!(call))));
  return calls.map((_, at) => pauses.reduce((mask, past) => (past[at] ? mask : mask | maskOf(past)), 0));
}

function maskOf(flags: readonly boolean[]): number {
  return flags.reduce((mask, flag, at) => (flag ? mask | (1 << at) : mask), 0);
}

/** What a method of the model returns; it may change the model, unless that is WAITS. */
export function called(model: object, name: string, given: readonly unknown[]): unknown {
  return (model as Record<string, (...given: readonly unknown[]) => unknown>)[name]!(...given);
}

/** The state of a model as a text, the same for equal states only. */
export function stateOf(model: object): string {
  return keyOf(
    Object.entries(model).map(([name, value]) => {
      if (typeof value === "function") return [name];
      return [name, value instanceof Map || value instanceof Set ? [...(value as Iterable<unknown>)] : value];
    }),
  );
}

/** Another model in the same state. */
export function copyOf(model: object): object {
  const copy = Object.create(Object.getPrototypeOf(model)) as Record<string, unknown>;
  for (const [name, value] of Object.entries(model))
    copy[name] = typeof value === "function" ? value : structuredClone(value);
  return copy;
}
