/** What a program needs to draw numbers; the mappings are modules of their own, `hotpath-lab/draws/<name>`. */
export { type Draws, type DrawsCompetitor, LARGEST_BOUND, type NextWord } from "./draws.contract.ts";
export { randomWords } from "./parts/words.ts";
