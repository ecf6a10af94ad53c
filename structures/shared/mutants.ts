import type { Entry } from "../catalog.ts";
import { faultsIn } from "./faults.ts";
import { mutated, mutatedIn } from "./mutated.ts";

/** A planted broken competitor: an honest one with a fault that a law has to catch. It never races. */
export interface Mutant<Competitor, Law extends string = string> {
  /** Name of the competitor that it is but for the fault. */
  readonly of: string;
  readonly breaks: Law;
  /** Honest where workers take turns: it may pass an examination by chance, and on one core it hardly meets another. */
  readonly isRacy: boolean;
  /** `urlOf` is where the competitors of its primitive are, by name. */
  make(urlOf: (name: string) => string): Promise<Competitor>;
}

/** The mutants of a primitive, by names that say what is wrong with them. */
export type Mutants<Competitor> = Readonly<Record<string, Mutant<Competitor>>>;

/** The faults of a file, as `faultsIn` has them, by name. A fault that is `racy: yes` is so. */
export function writtenIn<Competitor, Law extends string = string, Field extends string = never>(file: URL) {
  const mutants = faultsIn<Law, Field | "racy">(file).map((fault) => {
    const { of = "", edits } = fault;
    const mutant: Mutant<Competitor, Law> = {
      of,
      breaks: fault.breaks,
      isRacy: fault.racy === "yes",
      make: (urlOf) =>
        fault.in === undefined ? mutated(urlOf(of), ...edits) : mutatedIn(fault.in, urlOf(of), ...edits),
    };
    return [fault.name, { ...fault, ...mutant }] as const;
  });
  return Object.fromEntries(mutants);
}

/** The competitor `of` with other values in some of its fields. */
export function like<Competitor>(
  of: string,
  breaks: string,
  otherwise: (
    honest: NoInfer<Competitor>,
  ) => Partial<NoInfer<Competitor>> | Promise<Partial<NoInfer<Competitor>>>,
): Mutant<Competitor> {
  return {
    of,
    breaks,
    isRacy: false,
    async make(urlOf) {
      const { default: honest } = (await import(urlOf(of))) as { default: Competitor };
      return { ...honest, ...(await otherwise(honest)) };
    },
  };
}

/** What a competitor hands out, with other methods in place of some. */
export function changed<Handle extends object>(handle: Handle, otherwise: Partial<Handle>): Handle {
  return new Proxy(handle, {
    get(own, name) {
      if (name in otherwise) return Reflect.get(otherwise, name);
      const value: unknown = Reflect.get(own, name);
      return typeof value === "function" ? value.bind(own) : value;
    },
  });
}

export function racy<Competitor>(mutant: Mutant<Competitor>): Mutant<Competitor> {
  return { ...mutant, isRacy: true };
}

export interface MutantEntry extends Entry {
  readonly breaks: string;
  readonly isRacy: boolean;
}

/** The entries of a table in the module at `url`: that module with a mutant's name as its query is the mutant. */
export function mutantsIn(mutants: Mutants<unknown>, url: string): MutantEntry[] {
  const [file] = url.split("?");
  return Object.entries(mutants).map(([name, { breaks, isRacy }]) => {
    return { name, url: `${file}?${name}`, breaks, isRacy };
  });
}

/** The mutant that the module at `url` was imported for, if any. */
export async function mutantAsked(mutants: Mutants<unknown>, url: string): Promise<unknown> {
  const name = new URL(url).search.slice(1);
  return await mutants[name]?.make((of) => new URL(`competitors/${of}.ts`, url).href);
}
