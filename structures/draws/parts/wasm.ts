import { codeIn, type Instantiate } from "../../shared/wasm.ts";
import { assertServed, type DrawsCompetitor } from "../draws.contract.ts";
import CODE from "./draws.wasm.ts";

/** The functions of draws.wasm, whose text (draws.wat) says what they do for the bound that they were instantiated for. */
export interface DrawsCode {
  /** Below 0 where the word is rejected. */
  mapWord(word: number): number;
}

export const drawsCode = codeIn<DrawsCode>(CODE);

/** Draws of lemire with the mapping in `code`. */
export function mappingIn(code: Instantiate<DrawsCode>): DrawsCompetitor["attach"] {
  return (nextWord, bound) => {
    assertServed(bound, undefined);
    const { mapWord } = code({ draws: { bound } });
    return {
      draw() {
        let value = mapWord(nextWord());
        while (value < 0) value = mapWord(nextWord());
        return value;
      },
    };
  };
}
