import { keyOf, shown } from "../check/results.ts";
import { drawn } from "../search/draws.ts";
import { ProgramError } from "../search/program.ts";
import { called, copyOf, stateOf } from "./history.ts";
import { type Promised, WAITS } from "./promised.ts";

/** A call that a thread is to make. */
export interface Planned {
  readonly name: string;
  readonly given: readonly unknown[];
}

/** By thread: its calls in order. */
export type Scenario = readonly (readonly Planned[])[];

type Plan = Pick<Promised<never>, "model" | "operations" | "threads" | "calls" | "dies">;

/** Draws of a scenario in which, as the model has it, some thread might wait for ever. */
const MOST_DRAWS = 50;

/**
 * The scenario of a number: the same for the same seed. The first ones have few threads with few calls. In none does a
 * thread wait for ever, whatever the order of the calls, if the model is kept. Undefined where none was drawn.
 */
export function scenarioOf(plan: Plan, seed: number, number: number): Scenario | undefined {
  const sizes = sizesOf(plan);
  const [threads, calls] = sizes[number % sizes.length]!;
  const random = drawn(seed ^ Math.imul(number, 0x9e3779b9));
  for (let draws = 0; draws < MOST_DRAWS; draws++) {
    const scenario = drawnScenario(plan, threads, calls, random);
    if (!mayWaitForEver(plan, scenario)) return scenario;
  }
  return undefined;
}

/** Numbers of threads and of calls of each, the smallest first. */
function sizesOf({ threads, calls }: Plan): (readonly [threads: number, calls: number])[] {
  const sizes: (readonly [number, number])[] = [];
  for (let some = Math.min(2, threads); some <= threads; some++)
    for (let each = 1; each <= calls; each++) sizes.push([some, each]);
  return sizes.sort(([some, each], [others, more]) => some * each - others * more);
}

function drawnScenario(
  { operations }: Plan,
  threads: number,
  calls: number,
  random: Generator<number, never>,
): Scenario {
  const draw = (below: number) => random.next().value % below;
  let nth = 0;
  return Array.from({ length: threads }, (_, thread) => {
    const own = Object.entries(operations).filter(
      ([, { by }]) => by === undefined || [by].flat().includes(thread),
    );
    if (own.length === 0) throw new ProgramError(`no operation is one of thread ${thread}: name it in by`);
    return Array.from({ length: calls }, () => {
      const [name, { args }] = own[draw(own.length)]!;
      return { name, given: args?.({ nth: ++nth, draw, thread }) ?? [] };
    });
  });
}

export function textOf(scenario: Scenario): string {
  return scenario
    .map((calls) => calls.map(({ name, given }) => `${name}(${given.map(shown)})`).join("; "))
    .join(" | ");
}

/** Whether some order of the calls leads to where a thread that does not die has to wait and nobody can go on. */
function mayWaitForEver({ model, operations, dies }: Plan, scenario: Scenario): boolean {
  const givesUp = (name: string) => (operations[name]!.inVain ?? []).length > 0;
  const mortal = [dies ?? []].flat();
  const seen = new Set<string>();
  const isStuck = (done: readonly number[], state: object): boolean => {
    const key = `${done} ${stateOf(state)}`;
    if (seen.has(key)) return false;
    seen.add(key);
    let goOn = 0;
    let left = 0;
    for (const [thread, calls] of scenario.entries()) {
      const call = calls[done[thread]!];
      if (call === undefined) continue;
      const isMortal = mortal.includes(thread);
      if (!isMortal) left++;
      const after = copyOf(state);
      if (called(after, call.name, call.given) === WAITS && !givesUp(call.name)) continue;
      if (!isMortal) goOn++;
      if (isStuck(done.with(thread, done[thread]! + 1), after)) return true;
    }
    return left > 0 && goOn === 0;
  };
  return isStuck(
    scenario.map(() => 0),
    model,
  );
}

/** Throws a ProgramError where two copies of the model do not return the same for the same calls. */
export function refuseHiddenState(model: object, scenario: Scenario): void {
  const calls = scenario.flat();
  const run = () => {
    const copy = copyOf(model);
    return calls.map(({ name, given }) => {
      const value = called(copy, name, given);
      return value === WAITS ? "waits" : keyOf(value);
    });
  };
  const [first, second] = [run(), run()];
  const at = first.findIndex((value, place) => value !== second[place]);
  if (at < 0) return;
  throw new ProgramError(
    `${calls[at]!.name} of the model returned ${first[at]} and then ${second[at]} in a copy of the model: keep all that ` +
      "it remembers in its own properties",
  );
}
