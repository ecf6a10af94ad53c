import { allocateRegion } from "../shared/layout.ts";
import { like, type Mutants, mutantAsked, mutantsIn, writtenIn } from "../shared/mutants.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import type { KeyedCompetitor } from "./keyed.contract.ts";

/** Where promise-chains attaches is nothing to it. */
const SEAT = [allocateRegion(0), { stripes: 1, workers: 1 }, workerIdentity(0, 1, 1)] as const;

const TABLE: Mutants<KeyedCompetitor> = {
  ...writtenIn<KeyedCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
  /** Has keys of its own for each request. */
  "waits-for-nobody": like("promise-chains", "mutualExclusion", (honest) => ({
    attach: () => ({ request: (...request) => honest.attach(...SEAT).request(...request) }),
  })),
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
  /** Says that it keeps the order of arrival, and keeps that of its own alone. */
  "claims-to-be-fair": like("striped-robust-futex", "arrivalOrderIsKept", () => ({ order: "arrival" })),
  /** Does nothing when it is told that a worker has exited. */
  "keeps-what-the-dead-held": like("striped-robust-futex", "deadHolderIsAsClaimed", () => ({
    workerExited() {},
  })),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
