import type { Contrast } from "../schema/verdict.ts";
import { present } from "../words/present.ts";
import { type Evidence, type SquaredError, sumOfErrors } from "./verdict.ts";

/**
 * With more workers than cores, how the scheduler gives cores in turn is a habit that lasts for minutes. Processes that race
 * one after another see one such regime, and their scatter says nothing of others.
 */

/**
 * How far a ratio moves from regime to regime: the variance of its logarithm, and how well that is known. In published races
 * the same baseline differs by 7 % between groups of one table, which raced minutes apart, and a ratio has two such levels.
 */
export const REGIMES = { squaredError: Math.log(1.1) ** 2, freedom: 100 };

/** What processes of one regime show about a ratio in any. */
export function inAnyRegime<Seen extends Contrast>(seen: Seen): Seen {
  const groups = seen.groups?.map((group) => ({ ...group, ...widened(group) }));
  return { ...seen, ...widened(seen), ...present({ groups }) };
}

function widened({ squaredError, freedom }: Evidence): Pick<Contrast, keyof SquaredError | "ofProcesses"> {
  const ofProcesses = { squaredError, freedom };
  return { ...sumOfErrors(ofProcesses, REGIMES), ofProcesses };
}
