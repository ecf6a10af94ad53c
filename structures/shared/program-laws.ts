import {
  type Bounds,
  explore,
  type Glimpse as GlimpseOf,
  InterleavingError,
  type Part as PartOf,
  type Program,
} from "../interleave/index.ts";
import { isBroken } from "./broken.ts";
import type { Region } from "./layout.ts";

/** Programs of the lab's models: threads that share a region. interleave-shared explores them. */
export type Part = PartOf<Region>;
export type Glimpse = GlimpseOf<Region>;
type ExploredProgram = Program<Region> & Pick<Bounds, "preemptions">;

/** A promise about the states of a program. */
export interface Law<Name extends string = string> {
  readonly name: Name;
  /** Returns what breaks it in this state, or undefined; the next is asked where all is done. */
  readonly state?: (seen: Glimpse) => string | undefined;
  readonly end?: (seen: Glimpse) => string | undefined;
  /** What must be so in some end: else a structure could keep its promises by doing nothing. */
  readonly once?: (seen: Glimpse) => boolean;
}

/** Laws that every program has. The second applies to the threads that claim it. */
export const EVERYBODY_FINISHES = "everyWorkerFinishes";
export const NOBODY_IS_HELD_UP = "nobodyIsHeldUp";

/**
 * Explores a program and returns one sentence for each broken law, beginning with its name. With `until`, ends where it
 * finds that law broken: a mutant may have far more states than its original.
 */
export function brokenLaws(program: ExploredProgram, laws: readonly Law[], until?: string): string[] {
  const broken = new Map<string, string>();
  const onces = new Map(laws.flatMap(({ name, once }) => (once === undefined ? [] : [[name, once]])));
  const note = (name: string, what: string | undefined) => {
    if (what === undefined || broken.has(name)) return;
    broken.set(name, `${name}: ${what}`);
    if (name === until) throw new Found();
  };
  const ofStates = laws.flatMap(({ name, state }) => (state === undefined ? [] : [{ name, state }]));
  const state = (seen: Glimpse) => {
    for (const { name, state } of ofStates) note(name, state(seen));
  };
  const end = (seen: Glimpse) => {
    for (const { name, end } of laws) note(name, end?.(seen));
    for (const [name, once] of onces) if (once(seen)) onces.delete(name);
  };
  let thrown: { readonly error: unknown } | undefined;
  const watcher = {
    ...(ofStates.length === 0 ? {} : { state }),
    end,
    // A mutant may throw, and break the law that it is to break somewhere else.
    thrown(error: unknown) {
      if (until === undefined) throw error;
      thrown ??= { error };
    },
  };
  const { preemptions } = program;
  try {
    const { states, ends, doomed, unfollowed } = explore(
      program,
      watcher,
      preemptions === undefined ? {} : { preemptions },
    );
    if (thrown !== undefined) throw thrown.error;
    // Of a mutant the part that was visited is enough, if a law is broken there.
    if (unfollowed !== undefined && until === undefined)
      throw new Error(`not every schedule was visited: ${unfollowed.join(", ")}`);
    for (const name of onces.keys()) note(name, `never in ${ends} ends`);
    if (preemptions !== undefined) return [...broken.values()];
    const finishing = program.mortal === undefined ? EVERYBODY_FINISHES : NOBODY_IS_HELD_UP;
    note(finishing, doomed === 0 ? undefined : `no way out of ${doomed} of ${states} states`);
  } catch (error) {
    if (!(error instanceof Found)) throw error;
  }
  return [...broken.values()];
}

/** The law of a structure that promises to be what a sequential object is. */
export const CALLS_ARE_EXPLAINED = "callsAreExplained";

/** One sentence where a check against a model finds a fault. `isMortal`: whether threads may die in it. */
export function brokenCalls(isMortal: boolean, check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof InterleavingError)) throw error;
    const finishing = isMortal ? NOBODY_IS_HELD_UP : EVERYBODY_FINISHES;
    const law = /lock$/.test(error.promise) ? finishing : CALLS_ARE_EXPLAINED;
    return [`${law}: ${error.message.split("\n")[0]}`];
  }
}

/** The sentences of one exploration after another; with `until`, up to the one that finds that law broken. */
export function brokenInTurn<One>(
  ones: readonly One[],
  explore: (one: One) => readonly string[],
  until: string | undefined,
): string[] {
  const broken: string[] = [];
  for (const one of ones) {
    broken.push(...explore(one));
    if (until !== undefined && isBroken(until, broken)) break;
  }
  return broken;
}

/** Ends an exploration that has found what it was looking for. */
class Found extends Error {}
