/**
 * Why a simulated time misses what was measured, in a sentence or two that people write: by structure, as
 * "locks/short-section/test-and-set". The page of the simulated machines shows it beside the miss.
 */
export const EXPLANATIONS: Readonly<Record<string, string>> = {};
