import type { Region } from "../shared/layout.ts";
import { like, type Mutants, mutantAsked, mutantsIn, writtenIn } from "../shared/mutants.ts";
import { watermarksOf } from "./competitors/dense-timeline.ts";
import { attachSlots, CODE, EMPTY, SlotWriter } from "./competitors/seqlock-slots.ts";
import {
  assertEvidence,
  type Capacity,
  type ChangesCompetitor,
  type ClaimsCompetitor,
  CONFLICT,
  inferred,
  NO_EVIDENCE,
  type Ownership,
} from "./ownership.contract.ts";
import { observedSlots } from "./parts/observed-lookups.ts";
import { policyReplica } from "./parts/policy.ts";
import { overlay } from "./parts/ranges.ts";
import { WATERMARK_WORDS } from "./parts/watermark.ts";

class LateWriter extends SlotWriter {
  readonly #memory: Region;

  constructor(memory: Region, capacity: Capacity) {
    super(memory, capacity);
    this.#memory = memory;
  }

  protected override empty(first: number, slot: number): void {
    Atomics.store(this.#memory, slot + CODE, EMPTY);
    this.bump(first);
  }
}

const EPOCH_OF_CLEARED = WATERMARK_WORDS;

const OF_CHANGES: Mutants<ChangesCompetitor> = {
  /** Takes the moment a change was heard of for the moment it happened. */
  "arrival-as-event-time": like("arrival-log", "answersFollowChanges", () => ({
    rule: "event-time",
  })),
};

const OF_CLAIMS: Mutants<ClaimsCompetitor> = {
  ...writtenIn<ClaimsCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
  /** Bridges every short gap with the owner before it, also where another owner comes after it. */
  "bridges-owners": like("sorted-arrays", "gapsAreBridged", (sortedArrays) => ({
    attach(memory, capacity, worker): Ownership {
      const honest = sortedArrays.attach(memory, capacity, worker);
      return {
        ...honest,
        ownerAt(resource, t, toleranceMs = 0) {
          const known = honest.ownerAt(resource, t);
          const ranges = honest.rangesOf(resource);
          const before = ranges.findLast(({ end }) => end <= t);
          const after = ranges.find(({ start }) => start > t);
          const isShort =
            before !== undefined && after !== undefined && after.start - before.end <= toleranceMs;
          return known === NO_EVIDENCE && isShort && before.owner >= 0 ? inferred(before.owner) : known;
        },
      };
    },
  })),
  /** Takes evidence away before it says that something changes, so that a reader that has passed where it moved misses both. */
  "bumps-late": like("seqlock-slots", "seesSomeInstant", () => ({
    attach: (memory, capacity) =>
      attachSlots(memory, capacity, new LateWriter(memory, capacity), (region, word) =>
        Atomics.load(region, word),
      ),
  })),
  /**
   * Takes a claim's end as its last millisecond, so that an owner has one millisecond too many, and a change of
   * owner without a gap becomes a conflict.
   */
  "closed-intervals": like("sorted-arrays", "answersFollowClaims", (sortedArrays) => ({
    attach(memory, capacity, worker): Ownership {
      const honest = sortedArrays.attach(memory, capacity, worker);
      return {
        ...honest,
        claim: (resource, owner, start, end) => honest.claim(resource, owner, start, end + 1),
      };
    },
  })),
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
  /** Trims whole ranges: one that the watermark falls into is dropped with what it says of kept time. */
  "forgets-in-window": like("sorted-arrays", "answersFollowClaims", (sortedArrays) => ({
    attach(memory, capacity, worker): Ownership {
      let honest = sortedArrays.attach(memory, capacity, worker);
      let kept = 0;
      return {
        claim: (resource, owner, start, end) => honest.claim(resource, owner, start, end),
        ownerAt: (resource, t, toleranceMs) => honest.ownerAt(resource, t, toleranceMs),
        rangesOf: (resource) => honest.rangesOf(resource),
        trim(watermark) {
          if (watermark <= kept) return;
          kept = watermark;
          const rest = sortedArrays.attach(memory, capacity, worker);
          rest.trim(watermark);
          for (let resource = 0; resource < capacity.resources; resource++)
            for (const { start, end, owner } of honest.rangesOf(resource))
              if (start >= watermark) rest.claim(resource, owner, start, end);
          honest = rest;
        },
      };
    },
  })),
  /** Finds claims of a millisecond too short to matter, so that a stretch claimed in small pieces is lost. */
  "ignores-short-claims": like("sorted-arrays", "splittingChangesNothing", (sortedArrays) => ({
    attach(memory, capacity, worker): Ownership {
      const honest = sortedArrays.attach(memory, capacity, worker);
      return {
        ...honest,
        claim: (resource, owner, start, end) =>
          end - start === 1 || honest.claim(resource, owner, start, end),
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
  /**
   * Tells only what belongs to somebody, so that what is rebuilt from it has forgotten where owners contradicted each
   * other, and believes the next one who claims that.
   */
  "leaves-conflicts-out": like("sorted-arrays", "rebuiltIsTheSame", (sortedArrays) => ({
    attach(memory, capacity, worker): Ownership {
      const honest = sortedArrays.attach(memory, capacity, worker);
      return {
        ...honest,
        rangesOf: (resource) => honest.rangesOf(resource).filter(({ owner }) => owner !== CONFLICT),
      };
    },
  })),
  /** Tells what it knows in halves, and leaves it to the caller to see that they touch. */
  "leaves-ranges-apart": like("sorted-arrays", "rangesAreTheAnswers", (sortedArrays) => ({
    attach(memory, capacity, worker): Ownership {
      const honest = sortedArrays.attach(memory, capacity, worker);
      return {
        ...honest,
        rangesOf: (resource) =>
          honest.rangesOf(resource).flatMap(({ start, end, owner }) => {
            const middle = Math.ceil((start + end) / 2);
            const halves = [
              { start, end: middle, owner },
              { start: middle, end, owner },
            ];
            return halves.filter((half) => half.start < half.end);
          }),
      };
    },
  })),
  /** Believes what one pass over the slots has found, of which each may have been read at another time. */
  "no-recheck": like("seqlock-slots", "seesSomeInstant", () => ({
    attach: (memory, capacity) =>
      attachSlots(
        memory,
        capacity,
        new SlotWriter(memory, capacity),
        (region, word) => Atomics.load(region, word),
        (look) => look,
      ),
  })),
  /** Keeps starts to two milliseconds, to save a bit; all is well as long as the tests use even times. */
  "rounds-starts": like("sorted-arrays", "shiftMovesAnswers", (sortedArrays) => ({
    attach(memory, capacity, worker): Ownership {
      const honest = sortedArrays.attach(memory, capacity, worker);
      return {
        ...honest,
        claim: (resource, owner, start, end) => honest.claim(resource, owner, start - (start % 2), end),
      };
    },
  })),
  /** The source document's rule with the source document's promise: that heartbeats may arrive in any order. */
  "trailing-as-evidence": like("trailing-rule", "orderDoesNotMatter", () => ({
    rule: "evidence",
  })),
  /** Believes what one pass over the slots has found, of which each may have been read at another time. */
  "wasm-no-recheck": like("wasm-seqlock-slots", "seesSomeInstant", () =>
    observedSlots([
      "(br_if $again (i32.ne (i32.atomic.load (local.get $first)) (local.get $version))))\n    (local.get $found))",
      ")\n    (local.get $found))",
    ]),
  ),
};

export const mutants = mutantsIn({ ...OF_CHANGES, ...OF_CLAIMS }, import.meta.url);
export default await mutantAsked({ ...OF_CHANGES, ...OF_CLAIMS }, import.meta.url);
