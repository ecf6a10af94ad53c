import { like, type Mutants, mutantAsked, mutantsIn, writtenIn } from "../shared/mutants.ts";
import { watermarksOf } from "./competitors/dense-timeline.ts";
import { assertEvidence, type ClaimsCompetitor, type Ownership } from "./ownership.contract.ts";
import { observedSlots } from "./parts/observed-lookups.ts";
import { policyReplica } from "./parts/policy.ts";
import { overlay } from "./parts/ranges.ts";
import { WATERMARK_WORDS } from "./parts/watermark.ts";

const EPOCH_OF_CLEARED = WATERMARK_WORDS;

const TABLE: Mutants<ClaimsCompetitor> = {
  ...writtenIn<ClaimsCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
  /**
   * Counts in its handle how often the ring was cleared. All is well until another worker takes over, whose count is
   * behind: it writes an epoch that stood there before, and what it has cleared counts as not cleared.
   */
  "counts-in-handle": like("dense-timeline", "answersFollowClaims", (honest) => ({
    attach(memory, capacity, worker): Ownership {
      const timeline = honest.attach(memory, capacity, worker);
      let epoch = 0;
      return {
        ...timeline,
        trim(to) {
          // Not in attach, where the explorer would take a second reading for a thread that waits.
          const isRaised = to > watermarksOf(memory)[0].load();
          timeline.trim(to);
          if (isRaised) Atomics.store(memory, EPOCH_OF_CLEARED, ++epoch);
        },
      };
    },
  })),
  /**
   * Lets the later claim overwrite the earlier one, so that where two owners claim a point the answer is the owner that was
   * heard last: wrong half the time, and different from replica to replica.
   */
  "last-writer-wins": like("last-claim", "evidenceOnlyGrows", () => ({
    rule: "evidence",
    attach: (_memory, capacity) =>
      policyReplica(
        capacity,
        (ranges, claim) => overlay(ranges, claim, (_held, claimed) => claimed),
        assertEvidence,
      ),
  })),
  /** Believes what one pass over the slots has found, of which each may have been read at another time. */
  "wasm-no-recheck": like("wasm-seqlock-slots", "seesSomeInstant", () =>
    observedSlots([
      "(br_if $again (i32.ne (i32.atomic.load (local.get $first)) (local.get $version))))\n    (local.get $found))",
      ")\n    (local.get $found))",
    ]),
  ),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
