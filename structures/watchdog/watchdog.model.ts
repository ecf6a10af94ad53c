import { leaveSeat, takeSeat } from "../shared/instance.ts";
import { allocateRegion } from "../shared/layout.ts";
import { brokenLaws, type Glimpse, type Law, type Part } from "../shared/program-laws.ts";
import { Watch } from "./parts/watch.ts";
import { Beating, LOOP_WORDS } from "./parts/words.ts";
import type { Watching } from "./watchdog.examination.ts";

/**
 * Every interleaving of a thread that looks, one whose loop beats, ends and has a successor, and one that moves the clock
 * on, on the watchdog's own code. Any of them may be interrupted between any two accesses, for any time that the clock has.
 *
 * What this shows, in every schedule: no loop is blamed that has beaten or begun within the limit.
 */
export const modelLaws = { nobodyIsBlamedEarly: true };

/** One sentence for each broken law. */
export function exploreLooks(watching: Watching = HONEST): string[] {
  return [false, true].flatMap((isFollowed) => explored(watching, isFollowed));
}

/** Of a loop that beats, or of one that ends and has a successor. */
function explored({ Watch, Beating }: Watching, isFollowed: boolean): string[] {
  const memory = allocateRegion(CLOCK + 1);
  const seatsOf = (words: typeof memory) => words.subarray(SEATS, CLOCK);
  const loop: Part = (words, { note }) => {
    const timed = (act: () => void) => {
      const beganMs = Atomics.load(words, CLOCK);
      act();
      note(beganMs * SCALE + Atomics.load(words, CLOCK));
    };
    const begin = () => {
      const generation = takeSeat(seatsOf(words), 0)!;
      let beating: Beating | undefined;
      timed(() => {
        beating = new Beating(words, 0, { generation }, 0);
      });
      return beating!;
    };
    const first = begin();
    if (!isFollowed) return timed(() => first.beat());
    leaveSeat(seatsOf(words), 0);
    begin();
  };
  const watching: Part = (words, { note }) => {
    let lookedAtMs: number | undefined;
    const watch = new Watch({
      ...{ words, seats: seatsOf(words), loops: 1, hungMs: HUNG_MS, everyMs: FOREVER_MS },
      nowMs() {
        const nowMs = Atomics.load(words, CLOCK);
        lookedAtMs ??= nowMs;
        return nowMs;
      },
      onHung: () => note(lookedAtMs!),
      onBack() {},
    });
    for (let look = 0; look < LOOKS; look++) {
      lookedAtMs = undefined;
      watch.look();
    }
  };
  const time: Part = (words) => {
    for (let ms = 1; ms <= PASSED_MS; ms++) Atomics.store(words, CLOCK, ms);
  };
  return brokenLaws({ memory, threads: [[loop], [watching], [time]] }, LAWS);
}

const HONEST: Watching = { Watch, Beating };
const SEATS = LOOP_WORDS;
const CLOCK = SEATS + 2;
const HUNG_MS = 2;
const FOREVER_MS = 100;
const LOOKS = 2;
const PASSED_MS = 3;
/** A beat is noted as when it began, times this, and when it had ended. */
const SCALE = 16;

const LAWS: readonly Law<keyof typeof modelLaws>[] = [
  {
    name: "nobodyIsBlamedEarly",
    state({ threads }: Glimpse) {
      const [beats = [], blames = []] = threads.map(({ notes }) => notes);
      for (const blamedMs of blames)
        for (const beat of beats) {
          const beganMs = Math.floor(beat / SCALE);
          // It had ended before the look began, and counts for the limit.
          if (beat % SCALE < blamedMs && beganMs > blamedMs - HUNG_MS)
            return `blamed at ${blamedMs} ms, after a beat at ${beganMs} ms`;
        }
      return undefined;
    },
    once: ({ threads }) => threads[1]!.notes.length > 0,
  },
];
