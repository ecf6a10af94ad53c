/** What pickers claim alike that share nothing: nothing counts their picks, and each may have any gap. */
export const sharesNothing = {
  progress: "wait-free",
  breaksPatterns: true,
  tickets: "none",
  gapBound: () => Number.POSITIVE_INFINITY,
  wrapPoints: () => [],
  dependsOnBackends: false,
  words: () => 0,
  format() {},
} as const;
