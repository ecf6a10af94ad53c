import { loadCompetitor } from "../catalog.ts";
import { readCrewClock } from "../shared/crew-clock.ts";
import { Random } from "../shared/sfc32.ts";
import { contract, type TimersCompetitor } from "./timers.contract.ts";
import {
  type Call,
  type CrewReport,
  type CrewTask,
  HANDLES,
  LONGEST_DELAY,
  NOW,
  PRESENT,
} from "./timers.examination.ts";

/** One worker of an examination: waits for the others, then does as many acts as asked, and reports each. */
export default async function work({
  url,
  memory,
  capacity,
  identity,
  board,
  clock,
  acts,
}: CrewTask): Promise<CrewReport> {
  const competitor = (await loadCompetitor(url, contract)) as TimersCompetitor;
  const set = competitor.attach(memory, capacity, identity);
  const nowNs = readCrewClock(clock);
  const random = new Random(identity.seed);
  const handles = board.length - HANDLES;
  const out = new Int32Array(64);
  const calls: Call[] = [];
  let aheadBy = 0;
  const now = () => Atomics.load(board, NOW);
  const any = () => HANDLES + random.below(handles);
  const delay = () => DELAYS[random.below(DELAYS.length)]!(random);

  // Spinning, not sleeping: a race lasts about as long as it takes to wake a thread, which would come too late for it.
  Atomics.add(board, PRESENT, 1);
  while (Atomics.load(board, PRESENT) < identity.workers);

  for (let act = 0; act < acts; act++) {
    const kind = KINDS[random.below(KINDS.length)]!;
    const deadline = now() + delay();
    const beganNs = nowNs();
    if (kind === "add") {
      try {
        const handle = set.add(deadline);
        const endedNs = nowNs();
        calls.push({ kind, handle, answer: true, deadline, tick: now(), beganNs, endedNs });
        Atomics.store(board, any(), handle);
      } catch (error) {
        // Full, which it often is.
        if (!(error instanceof RangeError)) throw error;
      }
    } else if (kind === "advance") {
      if (identity.index === 0)
        Atomics.add(board, NOW, random.below(ACTS_PER_ROTATION) === 0 ? LONGEST_DELAY : random.below(3));
      const asked = now();
      const count = set.advance(asked, out, BUDGETS[random.below(BUDGETS.length)]!);
      const endedNs = nowNs();
      const tick = Math.max(asked, set.clock);
      aheadBy = Math.max(aheadBy, set.clock - now());
      for (const handle of out.subarray(0, count)) {
        calls.push({ kind: "report", handle, answer: true, deadline: 0, tick, beganNs, endedNs });
      }
    } else {
      const handle = Atomics.load(board, any());
      if (handle === 0) continue;
      const answer = kind === "cancel" ? set.cancel(handle) : set.refresh(handle, deadline);
      const endedNs = nowNs();
      calls.push({ kind, handle, answer, deadline, tick: now(), beganNs, endedNs });
    }
  }
  return { calls, aheadBy };
}

const KINDS = ["add", "add", "cancel", "refresh", "refresh", "refresh", "advance", "advance"] as const;
/** Little, so that others come in between; and all. */
const BUDGETS = [1, 3, 64];
/** Advances of the worker that moves the clock for one that skips a rotation. */
const ACTS_PER_ROTATION = 200;

/** The usual timeout; anything soon; what is past; and more than a rotation. */
const DELAYS: readonly ((random: Random) => number)[] = [
  () => 8,
  () => 8,
  (random) => 1 + random.below(20),
  (random) => 1 + random.below(20),
  (random) => 1 + random.below(3),
  (random) => -random.below(3),
  (random) => LONGEST_DELAY - random.below(30),
];
