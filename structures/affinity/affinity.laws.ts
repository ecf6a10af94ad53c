import type { AffinityCompetitor } from "./affinity.contract.ts";

/**
 * The promises as pure functions over what was observed. Each returns undefined, or one sentence that says what broke and
 * by how much. Keys are told by their numbers, members by their ids.
 */

/** A key that was asked for again went where it went before. */
export function sameKeySameMember(first: readonly string[], again: readonly string[]): string | undefined {
  const key = first.findIndex((id, at) => again[at] !== id);
  return key === -1
    ? undefined
    : `sameKeySameMember: key ${key} went to ${first[key]}, then to ${again[key]}, with the same members`;
}

/** Workers that were given the same members send each key to the same one. */
export function workersAgree(byWorker: readonly (readonly string[])[]): string | undefined {
  const [own, ...others] = byWorker as [readonly string[], ...(readonly string[])[]];
  for (const [index, picks] of others.entries()) {
    const key = own.findIndex((id, at) => picks[at] !== id);
    if (key !== -1)
      return `workersAgree: key ${key} goes to ${own[key]} in one thread, and to ${picks[key]} in worker ${index}`;
  }
  return undefined;
}

/** One member came or went. Of the keys whose members are there before and after, no more moved than claimed. */
export function fewKeysMove(
  claims: Pick<AffinityCompetitor, "surplus">,
  seen: {
    readonly before: readonly string[];
    readonly after: readonly string[];
    /** Whose members they are: the larger list. */
    readonly members: readonly string[];
    /** The one that came or went. */
    readonly changed: string;
  },
): string | undefined {
  const { before, after, members, changed } = seen;
  const most = claims.surplus(members.length) * before.length;
  const moved = before.filter((id, key) => after[key] !== id && id !== changed && after[key] !== changed);
  return moved.length <= most
    ? undefined
    : `fewKeysMove: ${moved.length} of ${before.length} keys moved between members that stayed, above ${Math.floor(most)}`;
}

/** Each member got its share of the keys, but for what the claim and chance explain: five standard deviations. */
export function sharesAreFair(
  claims: Pick<AffinityCompetitor, "spread">,
  members: readonly { readonly id: string; readonly weight?: number | undefined }[],
  picks: readonly string[],
): string | undefined {
  const total = members.reduce((sum, { weight = 1 }) => sum + weight, 0);
  for (const { id, weight = 1 } of members) {
    const fair = (picks.length * weight) / total;
    const got = picks.filter((pick) => pick === id).length;
    const far = SIGMAS * Math.hypot(claims.spread(members.length) * fair, Math.sqrt(fair));
    if (Math.abs(got - fair) > far)
      return `sharesAreFair: ${id} got ${got} of ${picks.length} keys, and ${fair.toFixed(0)} are its share`;
  }
  return undefined;
}

const SIGMAS = 5;

/** What is avoided gets nothing, keys of others stay where they are, and none is picked only where all are avoided. */
export function avoidedGetNothing(seen: {
  readonly picks: readonly (string | undefined)[];
  /** With none avoided. */
  readonly first: readonly string[];
  readonly avoided: ReadonlySet<string>;
  readonly members: readonly string[];
}): string | undefined {
  const { picks, first, avoided, members } = seen;
  for (const [key, pick] of picks.entries()) {
    if (pick === undefined) {
      if (avoided.size < members.length) return `avoidedGetNothing: key ${key} went nowhere`;
    } else if (avoided.has(pick)) return `avoidedGetNothing: key ${key} went to ${pick}, which was avoided`;
    else if (pick !== first[key] && !avoided.has(first[key]!))
      return `avoidedGetNothing: key ${key} left ${first[key]}, which was not avoided`;
  }
  return undefined;
}

/** After each pick its member had at most its bound: the average, by weight, times the bound, rounded up. */
export function loadIsBounded(
  bound: number,
  looks: readonly { readonly load: number; readonly inFlight: number; readonly part: number }[],
): string | undefined {
  const broken = looks.find(({ load, inFlight, part }) => load > Math.ceil(bound * part * inFlight));
  return broken === undefined
    ? undefined
    : `loadIsBounded: a member had ${broken.load} of ${broken.inFlight} requests, above ${Math.ceil(bound * broken.part * broken.inFlight)}`;
}

/** Each key went to the first in its order, by the naive version, that could be had. */
export function asPublished(picks: readonly string[], published: readonly string[]): string | undefined {
  const key = published.findIndex((id, at) => picks[at] !== id);
  return key === -1
    ? undefined
    : `asPublished: key ${key} went to ${picks[key]}, and by the paper goes to ${published[key]}`;
}
