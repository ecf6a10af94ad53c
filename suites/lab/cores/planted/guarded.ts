import { defineRace } from "../../../engine/define-race.ts";
import { allocateRegion, type Region, STRIDE_WORDS } from "../../../engine/words/layout.ts";

/** A lock that is to be wrong in one respect, or right. It has its words to itself. */
export interface PlantedLock {
  words(workers: number): number;
  attach(memory: Region, workers: number): { lock(): void; unlock(): void };
}

/** Words that the holder of the lock adds to, in a line of their own. */
const SECTION_WORDS = 8;

/** Workers take a lock and count in plain words inside. The law: none of it is lost. */
export function guarded(
  scenario: string,
  title: string,
  competitors: Record<"honest" | "faulty", PlantedLock>,
) {
  return defineRace<PlantedLock, undefined, Region>({
    scenario,
    title,
    operation: "acquisition",
    competitors,
    prepare: ({ words }, { workers }) => allocateRegion(STRIDE_WORDS + words(workers)),
    attach({ attach }, { workers }, memory) {
      const { lock, unlock } = attach(memory.subarray(STRIDE_WORDS), workers);
      return {
        run(operations) {
          for (let done = 0; done < operations; done++) {
            lock();
            for (let word = 0; word < SECTION_WORDS; word++) memory[word]!++;
            unlock();
          }
          return 0;
        },
      };
    },
    law(_lock, _setup, memory, work) {
      const acquisitions = work.reduce((sum, { operations }) => sum + operations, 0);
      return memory[0] === acquisitions
        ? undefined
        : `mutualExclusion: ${memory[0]} of ${acquisitions} acquisitions were counted`;
    },
  });
}
