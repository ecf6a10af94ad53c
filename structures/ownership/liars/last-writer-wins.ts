import { assertClaim, NO_EVIDENCE, type Ownership, type OwnershipCompetitor } from "../ownership.contract.ts";

/**
 * Lets the later claim overwrite the earlier one, so that where two owners claim a point the answer is whoever was
 * heard last: wrong half the time, and different from replica to replica.
 */
export default {
  summary: "liar: where two owners claim a point, the last to arrive has it",
  source: "a cache of the latest assignment",
  progress: "wait-free",

  words: () => 0,

  format() {},

  attach(_memory, capacity): Ownership {
    const { resources, windowMs } = capacity;
    const ownerOf = new Int32Array(resources * windowMs).fill(NO_EVIDENCE);
    const cellOf = (resource: number, t: number) => resource * windowMs + (t % windowMs);
    let kept = 0;
    return {
      claim(resource, owner, start, end) {
        assertClaim(capacity, resource, owner, start, end);
        for (let t = Math.max(start, kept); t < end; t++) ownerOf[cellOf(resource, t)] = owner;
        return end > kept;
      },
      ownerAt: (resource, t) =>
        t < kept || t >= kept + windowMs ? NO_EVIDENCE : ownerOf[cellOf(resource, t)]!,
      trim(watermark) {
        for (let resource = 0; resource < resources; resource++)
          for (let t = kept; t < Math.min(watermark, kept + windowMs); t++)
            ownerOf[cellOf(resource, t)] = NO_EVIDENCE;
        kept = Math.max(kept, watermark);
      },
    };
  },
} satisfies OwnershipCompetitor;

export const breaks = "orderDoesNotMatter";
