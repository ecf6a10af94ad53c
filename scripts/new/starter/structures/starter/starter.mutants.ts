import { like, type Mutants, mutantAsked, mutantsIn } from "../shared/mutants.ts";
import type { StarterCompetitor } from "./starter.contract.ts";

const TABLE: Mutants<StarterCompetitor> = {
  /** Leaves out the number 7. */
  "skips-one": like("plain-counter", "numbersAddUp", (honest) => ({
    attach() {
      const { next } = honest.attach();
      return {
        next() {
          const number = next();
          return number === 7 ? next() : number;
        },
      };
    },
  })),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
