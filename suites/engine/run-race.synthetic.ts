import { type DefinedRace, defineRace } from "./define-race.ts";
import { allocateRegion, type Region } from "./words/layout.ts";

/** Adds to a word that all workers share. */
type Count = (word: Region, operations: number) => void;

const add: Count = (word, operations) => {
  for (let done = 0; done < operations; done++) Atomics.add(word, 0, 1);
};

/** Leaves out the first addition of each batch. */
export const forgets: Count = (word, operations) => add(word, operations - 1);

const throws: Count = () => {
  throw new Error("not today");
};

const absent = Object.assign(add.bind(undefined), { unavailable: () => "it has no use here" });

/** A race whose law sees each addition. */
export function counting(scenario: string, competitors: Readonly<Record<string, Count>>): DefinedRace {
  return defineRace<Count, undefined, Region>({
    scenario,
    operation: "addition",
    competitors,
    prepare: () => allocateRegion(1),
    attach: (count, _setup, word) => ({
      run(operations) {
        count(word, operations);
        return operations;
      },
    }),
    law(_count, _setup, word, work) {
      const done = work.reduce((sum, { operations }) => (sum + operations) | 0, 0);
      return word[0] === done ? undefined : "countsAll: additions are missing";
    },
  });
}

export default [
  counting("good-and-bad", { add, "add-again": add, forgets, throws, absent }),
  counting("honest", { add, "add-again": add }),
];
