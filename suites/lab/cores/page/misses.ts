/**
 * Why a simulated time misses what was measured, in a sentence or two that people write: by structure, as
 * "locks/short-section/test-and-set". The page of the simulated machines shows it beside the miss.
 */
export const EXPLANATIONS: Readonly<Record<string, string>> = {
  "locks/short-section/test-and-set":
    "Its processes measured two times, 0.41 and 1.5 of the baseline's. The simulated time lies between them, and is compared with the lower one.",
  "ownership/one-writer-small/wasm-seqlock-slots":
    "It reads whole slots. The model charges each line in turn, while a processor fetches several at once.",
  "pick/uniform-8/locked-random-mcs-spin-then-park":
    "Eight lines travel for a pick, each charged in turn. A processor goes on past a store that waits for its line. Its processes also measured two times, 2 and 14 of the baseline's.",
  "slots/connect-600/two-choices":
    "It loads words that others write, in no order. A likely cause is that loads which a processor made too early are undone when their line goes: no model of lines has that.",
};
