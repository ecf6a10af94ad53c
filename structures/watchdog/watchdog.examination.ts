import { leaveSeat, takeSeat } from "../shared/instance.ts";
import { allocateRegion } from "../shared/layout.ts";
import { Random } from "../shared/sfc32.ts";
import { Watch } from "./parts/watch.ts";
import { Beating, LOOP_WORDS } from "./parts/words.ts";
import type { Event, History } from "./watchdog.laws.ts";
import * as laws from "./watchdog.laws.ts";

/** The code that is examined, or code with a fault in it. */
export interface Watching {
  readonly Watch: typeof Watch;
  readonly Beating: typeof Beating;
}

const HONEST: Watching = { Watch, Beating };

/** The sentence of each broken law, in hours that are played: nothing waits, and the seed decides what happens. */
export function examined(watching: Watching = HONEST): string[] {
  const histories = SEEDS.map((seed) => played(watching, seed));
  return Object.values(laws).flatMap(
    (law) => histories.map((history) => law(history)).find((sentence) => sentence !== undefined) ?? [],
  );
}

const SEEDS = [1, 2, 3, 4];
const LOOPS = 3;
const PLAYED_MS = 20_000;
const HUNG_MS = 100;
const EVERY_MS = 5;
const BEAT_EVERY_MS = 10;
/** The chance of each, by ms. */
const ONE_IN = { hang: 400, end: 900, suspend: 700 };
const MOST_HUNG_MS = 400;
const MOST_SUSPENDED_MS = 20_000;

/** Loops that beat, hang, end and are followed by others, in a process that is suspended now and then. */
function played({ Watch, Beating }: Watching, seed: number): History {
  const random = new Random(seed);
  const isDue = (oneIn: number) => random.below(oneIn) === 0;
  const words = allocateRegion(LOOPS * LOOP_WORDS);
  const seats = allocateRegion(LOOPS + 1);
  const events: Event[] = [];
  let atMs = 0;
  let suspendedMs = 0;
  const note = (kind: Event["kind"], of: Partial<Event> = {}) => events.push({ atMs, kind, ...of });
  const watch = new Watch({
    ...{ words, seats, loops: LOOPS, hungMs: HUNG_MS, everyMs: EVERY_MS },
    nowMs: () => atMs + suspendedMs,
    onHung: ({ loop, silentMs }) => note("hung", { loop, silentMs }),
    onBack: ({ loop }) => note("back", { loop }),
  });
  const attached = (loop: number) => {
    const generation = takeSeat(seats, loop)!;
    note("attach", { loop });
    return { beating: new Beating(words, loop, { generation }, loop), runsAtMs: atMs, isHeld: true };
  };
  const all = Array.from({ length: LOOPS }, (_, loop) => attached(loop));
  const live = (loop: number) => {
    const one = all[loop]!;
    if (!one.isHeld) {
      if (isDue(BEAT_EVERY_MS)) all[loop] = attached(loop);
      return;
    }
    if (isDue(ONE_IN.end)) {
      // As it ends by itself, or is terminated.
      if (isDue(2)) one.beating.stop();
      leaveSeat(seats, loop);
      one.isHeld = false;
      note("end", { loop });
    } else if (isDue(ONE_IN.hang)) one.runsAtMs = atMs + random.below(MOST_HUNG_MS);
    else if (atMs >= one.runsAtMs && (atMs + loop) % BEAT_EVERY_MS === 0) {
      one.beating.beat();
      note("beat", { loop });
    }
  };
  for (let lookAtMs = 0; atMs < PLAYED_MS; atMs++) {
    for (const loop of all.keys()) live(loop);
    if (isDue(ONE_IN.suspend)) {
      suspendedMs += random.below(MOST_SUSPENDED_MS);
      note("suspend");
    }
    if (atMs < lookAtMs) continue;
    watch.look();
    note("look");
    lookAtMs = atMs + EVERY_MS + random.below(EVERY_MS);
  }
  return { hungMs: HUNG_MS, gapMs: 2 * EVERY_MS, events };
}
