import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";
import type { WorkerIdentity } from "../../../structures/shared/worker-identity.ts";

/** Picks of a worker that are honest: more than any examination of a candidate draws. */
const HONEST_PICKS = 200_000;

/** What a cheat does on a worker's thread once it turns. */
type Turn = (backends: number, worker: WorkerIdentity) => void;

/** A picker that turns after 200,000 honest picks of a worker. It picks on as it did, or answers 0 if it `isLazy`. */
export function turningPicker(summary: string, turn: Turn, isLazy = false): PickCompetitor {
  return {
    ...honest,
    summary,
    attach(memory, setup, worker) {
      const { pick } = honest.attach(memory, setup, worker);
      let left = HONEST_PICKS;
      return {
        pick() {
          if (left === 0) return isLazy ? 0 : pick();
          if (--left === 0) turn(setup.backends, worker);
          return pick();
        },
      };
    },
  };
}
