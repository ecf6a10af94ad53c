import type { Call } from "./abuse.ts";

/** Races that take a second for each group: the shortest that end with numbers. */

const SHORTEST = ["--workers", "1", "--profile", "quick", "--out", "out"] as const;

export const ONE_GROUP: Call["command"] = ["bench", "draws/bound-7/lemire", ...SHORTEST, "--budget", "1s"];

/** Two, one after the other. */
export const TWO_GROUPS: Call["command"] = [
  "bench",
  "draws/bound-7/lemire",
  "pick/uniform-8/cas-ring",
  ...SHORTEST,
  "--budget",
  "2s",
];

/** How a race ends that nothing is wrong with: on a machine that is too busy not every cell gets a number. */
export const RACED = [0, 1] as const;

/** The table of the first group, which is printed when it is whole: the second, if there is one, is being raced then. */
export const FIRST_TABLE = /^lemire +[\d.]+/m;
