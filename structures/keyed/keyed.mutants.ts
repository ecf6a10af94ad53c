import { allocateRegion } from "../shared/layout.ts";
import { like, type Mutants, mutantAsked, mutantsIn, planted, plantedIn } from "../shared/mutants.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import type { KeyedCompetitor } from "./keyed.contract.ts";

/** Where promise-chains attaches is nothing to it. */
const SEAT = [allocateRegion(0), { stripes: 1, workers: 1 }, workerIdentity(0, 1, 1)] as const;

const QUEUES = "keyed/parts/queues.ts";
const STRIPE = "keyed/parts/stripe.ts";
const SUSPECTS = "keyed/parts/suspects.ts";
const STRIPED = "keyed/parts/striped.ts";
const TURNS = "keyed/parts/turns.ts";
const FAIR = "keyed/parts/fair-lock.ts";
const TICKETS = "shared/ticket-words.ts";
const ACQUIRE = "locks/parts/acquire.ts";

const TABLE: Mutants<KeyedCompetitor> = {
  /** Has keys of its own for each request. */
  "waits-for-nobody": like("promise-chains", "mutualExclusion", (honest) => ({
    attach: () => ({ request: (...request) => honest.attach(...SEAT).request(...request) }),
  })),
  /** Forgets a key when a request for it ends, though others have it or wait for it. */
  "forgets-keys-in-use": plantedIn(QUEUES, "npm-async-mutex", "mutualExclusion", [
    "if (--entry.requests === 0) this.#queues.delete(key);",
    "this.#queues.delete(key);",
  ]),
  "forgets-mutexes-in-use": plantedIn(QUEUES, "npm-async-mutex", "mutualExclusion", [
    "if (--entry.requests === 0)",
    "if (--entry.requests <= 1)",
  ]),
  /** Ends a chain where a body throws. */
  "breaks-off-at-a-throw": planted("promise-chains", "faultsStayTheirs", ["mine.catch(() => {})", "mine"]),
  /** Resolves every seventh request without a call of its body. */
  "skips-bodies": like("promise-chains", "nothingIsLost", (honest) => ({
    attach() {
      const handle = honest.attach(...SEAT);
      let made = 0;
      return {
        request: async (key, options, body) =>
          ++made % 7 === 0 ? (undefined as never) : handle.request(key, options, body),
      };
    },
  })),
  /** Ends a turn and forgets those that wait. */
  "keeps-the-turn": plantedIn(TURNS, "striped-robust-futex", "everyRequestSettles", [
    "      start();\n      return;",
    "      return;",
  ]),
  /** The last to come has the next turn. */
  "serves-the-last": plantedIn(TURNS, "striped-robust-futex", "ownOrderIsKept", [
    "for (const start of this.#waiting)",
    "for (const start of [...this.#waiting].reverse())",
  ]),
  /** Says that it keeps the order of arrival, and keeps that of its own alone. */
  "claims-to-be-fair": like("striped-robust-futex", "arrivalOrderIsKept", () => ({ order: "arrival" })),
  /** Hands the lock to the highest ticket. */
  "serves-the-youngest": plantedIn(TICKETS, "striped-robust-fair", "arrivalOrderIsKept", [
    "((ticket - first.ticket) | 0) > 0",
    "((ticket - first.ticket) | 0) < 0",
  ]),
  /** A request that was taken back stays in its thread's line, and its turn never ends. */
  "leaves-a-ghost": plantedIn(TURNS, "striped-robust-futex", "abortsLeaveNothing", [
    "        this.#waiting.delete(start);\n        reject(",
    "        reject(",
  ]),
  /** A request that was taken back as it was woken keeps the lock that it had taken. */
  "takes-the-wake-up-along": plantedIn(ACQUIRE, "striped-robust-futex", "abortsLeaveNothing", [
    "if (isTaken) unlockAsFound(lock);",
    "",
  ]),
  /** One that leaves the line keeps its ticket, and the lock is handed to it. */
  "leaves-its-ticket": plantedIn(FAIR, "striped-robust-fair", "abortsLeaveNothing", [
    "return withdraw(memory, index);",
    "return false;",
  ]),
  /** Says that a key is not available where nobody has it. */
  "is-never-available": plantedIn(STRIPE, "striped-robust-futex", "ifAvailableIsTrue", [
    "isHeld = this.#lock.tryLock();",
    "",
  ]),
  /** Ends its thread's turn when it has the key, not when it has released it. */
  "ends-its-turn-early": plantedIn(STRIPE, "striped-robust-fair", "ifAvailableHoldsLikeOthers", [
    "if (isHeld) return await heldAsync(",
    "if (isHeld) return heldAsync(",
  ]),
  /** Does nothing when it is told that a worker has exited. */
  "keeps-what-the-dead-held": like("striped-robust-futex", "deadHolderIsAsClaimed", () => ({
    workerExited() {},
  })),
  /** Frees the key of a dead holder, and knows of nothing to mend. */
  "forgets-the-suspect": plantedIn(STRIPE, "striped-robust-futex", "mendComesFirst", [
    "notes[KEY] = key;\n    try {\n      if (this.#suspects.has(key)) {\n        await",
    "notes[KEY] = NO_KEY;\n    try {\n      if (this.#suspects.has(key)) {\n        await",
  ]),
  /** Takes the data of every key of a stripe for inconsistent. */
  "suspects-everybody": plantedIn(SUSPECTS, "one-lock", "mendComesFirst", [
    "if (count === EVERY_KEY ||",
    "if (count !== 0 ||",
  ]),
  /** Does not look at who asks. */
  "lets-itself-wait": plantedIn(STRIPED, "striped-robust-futex", "nestedIsRefused", [
    '    this.#assertOutside("request");\n',
    "",
  ]),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
