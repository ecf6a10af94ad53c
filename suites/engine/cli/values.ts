import { randomInt } from "node:crypto";
import { nearestFirst, UsageError } from "./usage.ts";

/** Values of options: each throws a UsageError, which says what there is instead. */

/** An option's value, or a word, that is one of these names, with `hint` at the end of a refusal. */
export function parseName<Name extends string>(
  what: string,
  text: string,
  names: readonly Name[],
  hint = "",
): Name {
  const name = names.find((known) => known === text);
  if (name !== undefined) return name;
  const known = nearestFirst(names, text).join(", ");
  throw new UsageError(`${what} ${text} is unknown; there are, nearest first: ${known}${hint}`);
}

/** A whole number in this range. */
export function parseWhole(option: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`${option} ${text} is out of range: give whole numbers from ${least} to ${most}`);
}

/** `1,2,4`: each once. */
export function parseWholes(option: string, text: string, least: number, most: number): number[] {
  return [...new Set(text.split(",").map((part) => parseWhole(option, part.trim(), least, most)))];
}

/** A uint32, or one drawn at random where none was asked for. */
export function parseSeed(text: string | undefined): number {
  return text === undefined ? randomInt(2 ** 32) : parseWhole("--seed", text, 0, 2 ** 32 - 1);
}

const SHORTEST_DURATION_MS = 1000;
const LONGEST_DURATION_MS = 24 * 3_600_000;

/** `90s`, `1.5m` or `1h30m`: from a second to a day, in ms. */
export function parseDuration(option: string, text: string): number {
  const number = String.raw`(\d+(?:\.\d+)?)`;
  const [, hours, minutes, seconds] =
    new RegExp(`^(?:${number}h)?(?:${number}m(?:in)?)?(?:${number}s)?$`).exec(text) ?? [];
  const ms = 1000 * (3600 * Number(hours ?? 0) + 60 * Number(minutes ?? 0) + Number(seconds ?? 0));
  if (ms >= SHORTEST_DURATION_MS && ms <= LONGEST_DURATION_MS) return ms;
  throw new UsageError(`${option} ${text} is out of range: give 1s to 24h, as 90s, 45m or 1h30m`);
}

/** `1%` or `0.01`: a half-width of an interval, as a share. */
export function parsePrecision(text: string): number {
  const [, number, percent] = /^(\d+(?:\.\d+)?)(%)?$/.exec(text) ?? [];
  const share = Number(number ?? Number.NaN) / (percent === undefined ? 1 : 100);
  if (share >= 0.001 && share <= 0.5) return share;
  throw new UsageError(`--precision ${text} is not a half-width: give 0.1% to 50%, as in 1%`);
}
