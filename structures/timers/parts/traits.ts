/** What sets of one thread claim alike: each call ends in a bounded number of steps, and none is late. */
export const ofOneThread = {
  progress: "wait-free",
  expiry: "advance",
  callers: "one",
  lateness: () => 0,
} as const;

/** The same of those that keep nothing in the region. */
export const privateToThread = {
  ...ofOneThread,
  words: () => 0,
  format() {},
} as const;
