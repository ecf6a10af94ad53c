import { like, type Mutants, mutantAsked, mutantsIn, planted, plantedIn } from "../shared/mutants.ts";
import type { UpstreamsCompetitor } from "./upstreams.contract.ts";

const SET = "upstreams/parts/upstream-set.ts";
const CARRIED = "upstreams/parts/carried.ts";

const TABLE: Mutants<UpstreamsCompetitor> = {
  /** Makes an upstream a member twice. */
  "adds-twice": plantedIn(SET, "balanced-two-choices", "wrongInputIsRefused", [
    "    if (this.#memberOf(origin) !== undefined)",
    "    if (false)",
  ]),
  /** Takes an abort for a failure of the upstream. */
  "blames-aborts": plantedIn(SET, "balanced-round-robin", "abortsAreForgiven", [
    "return carried.isWanted && isTimeout(error);",
    "return true;",
  ]),
  /** Ends what is in flight to a drained upstream. */
  "cuts-on-drain": plantedIn(SET, "balanced-two-choices", "drainsAsClaimed", [
    "    await drained;\n    try {\n      if (!this.#destroyed && !member.item.isCut) await member.item.pool.close();",
    "    try {\n      await member.item.pool.destroy();",
  ]),
  /** Closes without waiting. */
  "cuts-on-close": plantedIn(SET, "balanced-two-choices", "closeWaits", [
    "if (this.#open > 0) {",
    "if (false) {",
  ]),
  /** Says that an upstream is drained as soon as nothing more is sent there. */
  "drains-early": plantedIn(SET, "balanced-two-choices", "drainsAsClaimed", [
    "    await drained;\n    try {\n      if (!this.#destroyed && !member.item.isCut) await member.item.pool.close();",
    "    try {",
  ]),
  /** Never hears that the last request of a drained upstream has ended. */
  "drains-never": plantedIn("pick/parts/roster.ts", "balanced-two-choices", "drainsAsClaimed", [
    "    member.emptied();",
    "",
  ]),
  /** Tells the handler twice that its answer is complete. */
  "ends-twice": plantedIn(CARRIED, "balanced-two-choices", "eachEndsOnce", [
    "    this.#handler.onResponseEnd?.(controller, trailers);",
    "    this.#handler.onResponseEnd?.(controller, trailers);\n    this.#handler.onResponseEnd?.(controller, trailers);",
  ]),
  /** An added upstream never gets a request. */
  "forgets-the-added": plantedIn(SET, "balanced-two-choices", "everyMemberIsAsked", [
    "    this.roster.add(upstream, weight);",
    "",
  ]),
  /** Says that its origins are fixed, and changes them. */
  "is-not-fixed": like("balanced-two-choices", "fixedOnesSaySo", () => ({ drains: "never" })),
  /** Draws upstreams at random, and says that it goes by load. */
  "ignores-load": planted("balanced-two-choices", "slowAreSpared", [
    'overBalanced("two-choices")',
    'overBalanced("random")',
  ]),
  /** Sends the host that the request was for, not the upstream's. */
  "keeps-the-host": plantedIn(SET, "balanced-two-choices", "hostIsTheOrigins", [
    "origin: item.origin }",
    'origin: item.origin, headers: { host: "upstreams.test" } }',
  ]),
  /** Keeps a request in its counts that was aborted. */
  "leaks-aborted": plantedIn(SET, "balanced-two-choices", "abortsAreForgiven", [
    "    this.#release(carried, isFault",
    "    if (!carried.isAborted) this.#release(carried, isFault",
  ]),
  /** Neither ejects an upstream that is down, nor sends elsewhere what was not sent. */
  "never-ejects": plantedIn("upstreams/parts/over-balanced.ts", "balanced-two-choices", "failingAreSpared", [
    "{ ...options, by }",
    "{ ...options, by, eject: false, redispatch: false }",
  ]),
  /** Takes a 503 for an answer like any other. */
  "counts-no-status": plantedIn("pick/parts/outcomes.ts", "balanced-two-choices", "unavailableAreSpared", [
    "return statusCode === 502 || statusCode === 503 || statusCode === 504;",
    "return statusCode === 0;",
  ]),
  /** Goes on sending to a drained upstream. */
  "picks-drained": plantedIn(SET, "balanced-round-robin", "membersAreAsked", [
    "const drained = this.roster.drain(member);",
    "const drained = new Promise(() => {});",
  ]),
  /** Replaces the reason of an abort. */
  "renames-aborts": plantedIn(CARRIED, "balanced-two-choices", "abortsEndWithTheirReason", [
    "this.#handler.onResponseError?.(controller, error);",
    'this.#handler.onResponseError?.(controller, new Error("lost"));',
  ]),
  /** Sends a request again that was sent and failed. */
  "sends-twice": plantedIn(SET, "balanced-two-choices", "eachIsSentOnce", [
    "if (!isSent && isFault &&",
    "if (isFault &&",
  ]),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
