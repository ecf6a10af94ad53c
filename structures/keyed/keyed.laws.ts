import type { KeyedCompetitor } from "./keyed.contract.ts";

/**
 * The promises of locks by key as pure functions over what was observed. Each returns undefined, or one sentence that
 * says what broke and by how much.
 */

/** Of the bodies for one key one runs at a time. `company` counts those that began while another ran. */
export function mutualExclusion(seen: { bodies: number; company: number }): string | undefined {
  if (seen.company === 0) return undefined;
  return `mutualExclusion: ${seen.company} of ${seen.bodies} bodies had company`;
}

/** Conservation: the plain counters that every body raises by one count every request. */
export function nothingIsLost(seen: { requests: number; counted: number }): string | undefined {
  if (seen.requests === seen.counted) return undefined;
  return `nothingIsLost: ${seen.requests} requests were made, and the counters have ${seen.counted}`;
}

/** What a body throws is what its request rejects with, and no other request is any different for it. */
export function faultsStayTheirs(seen: { requests: number; wrong: readonly string[] }): string | undefined {
  if (seen.wrong.length === 0) return undefined;
  return `faultsStayTheirs: ${seen.wrong.length} of ${seen.requests} requests ended wrong: ${seen.wrong[0]}`;
}

/** Progress: no request waits for ever. */
export function everyRequestSettles(seen: { requests: number; settled: number }): string | undefined {
  const waiting = seen.requests - seen.settled;
  return waiting === 0
    ? undefined
    : `everyRequestSettles: ${waiting} of ${seen.requests} requests wait for ever`;
}

/** The requests of one handle for one key run in the order in which they were made. */
export function ownOrderIsKept(seen: { bodies: number; overtaken: number }): string | undefined {
  if (seen.overtaken === 0) return undefined;
  return `ownOrderIsKept: ${seen.overtaken} of ${seen.bodies} bodies ran after a later request of their handle`;
}

/** Where the order is that of arrival: by worker, who came and who got the key. */
export function arrivalOrderIsKept(seen: {
  came: readonly number[];
  got: readonly number[];
}): string | undefined {
  if (`${seen.came}` === `${seen.got}`) return undefined;
  return `arrivalOrderIsKept: workers ${seen.came} came in this order, and got the key as ${seen.got}`;
}

/**
 * A request that is taken back while it waits rejects with the signal's reason, its body does not run, and the others get
 * the key as if it had never been. `wrong` counts what was otherwise.
 */
export function abortsLeaveNothing(seen: { asked: number; wrong: readonly string[] }): string | undefined {
  if (seen.wrong.length === 0) return undefined;
  return `abortsLeaveNothing: ${seen.wrong.length} of ${seen.asked} were wrong: ${seen.wrong[0]}`;
}

/** `ifAvailable` gives the key where it is free, and null elsewhere. */
export function ifAvailableIsTrue(seen: { asked: number; wrong: number }): string | undefined {
  if (seen.wrong === 0) return undefined;
  return `ifAvailableIsTrue: ${seen.wrong} of ${seen.asked} answers were wrong`;
}

/** Those that come while `ifAvailable` holds a key wait, and then get it. `wrong` says what became of others. */
export function ifAvailableHoldsLikeOthers(seen: {
  asked: number;
  wrong: readonly string[];
}): string | undefined {
  if (seen.wrong.length === 0) return undefined;
  return `ifAvailableHoldsLikeOthers: ${seen.wrong.length} of ${seen.asked} that came behind it were wrong: ${seen.wrong[0]}`;
}

/** A key of a dead holder is taken until the death is reported, and free afterwards, where that is the promise. */
export function deadHolderIsAsClaimed(
  deadHolder: KeyedCompetitor["deadHolder"],
  seen: { before: boolean; after: boolean },
): string | undefined {
  const expected = { keeps: [false, false], releases: [true, true], recovers: [false, true], dies: [] }[
    deadHolder
  ];
  const [before = seen.before, after = seen.after] = expected;
  if (before === seen.before && after === seen.after) return undefined;
  return `deadHolderIsAsClaimed: ${deadHolder}, and the key was ${free(seen.before)} before the report and ${free(seen.after)} after`;
}

const free = (isFree: boolean) => (isFree ? "free" : "taken");

/**
 * After a death no body for the dead holder's key runs before `mend` has, and `mend` runs once for it, and for no other
 * key.
 */
export function mendComesFirst(seen: { unmended: number; needless: number }): string | undefined {
  if (seen.unmended === 0 && seen.needless === 0) return undefined;
  return `mendComesFirst: ${seen.unmended} bodies ran before the data were mended, and ${seen.needless} mended what was whole`;
}

/** A request inside the body of another is refused, and the outer one is not disturbed. */
export function nestedIsRefused(seen: { asked: number; refused: number }): string | undefined {
  if (seen.asked === seen.refused) return undefined;
  return `nestedIsRefused: ${seen.asked - seen.refused} of ${seen.asked} nested requests were not refused`;
}
