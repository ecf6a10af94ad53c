import type { PickCompetitor } from "../pick.contract.ts";

/**
 * What pickers have in common that let every worker go round the backends by itself, in whatever order: all but the
 * order. Nothing is shared, so there are no words to format or to inspect and no ticket to start from.
 */
export const ownCycles = {
  progress: "wait-free",
  order: "own-cycles",
  tickets: "none",
  /** A worker in the middle of a cycle has picked some backends once more than the others: 1 for each worker. */
  gapBound: ({ workers }) => workers,
  wrapPoints: () => [],
  dependsOnBackends: true,
  words: () => 0,
  format() {},
  inspect: () => ({}),
} satisfies Omit<PickCompetitor, "summary" | "source" | "breaksPatterns" | "attach">;
