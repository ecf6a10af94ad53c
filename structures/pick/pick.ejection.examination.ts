import { Random } from "../shared/sfc32.ts";
import { checkedIndex } from "./parts/simulation.ts";
import type { EjectionClaims, PickCompetitor, Picker } from "./pick.contract.ts";
import { attachPicker, makePicker } from "./pick.instance.ts";
import {
  ejectedAreSpared,
  ejectedAreTried,
  failingAreSpared,
  noBackendIsLeftOut,
  outcomesDecide,
  picksAreInRange,
} from "./pick.laws.ts";

/**
 * The laws of a picker that ejects backends, on a clock that is stepped, with three workers played by one thread. What
 * the rule says is computed anew after each event, from all that ever happened to a backend: slow, and as plain as the
 * contract.
 */
export function* ejectionLaws(claims: EjectionClaims) {
  for (const backends of [1, 2, 5]) yield* outcomesLaws(claims, backends);
  yield* failingLaws(claims);
}

const SEED = 20_261_120;
const WORKERS = 3;
/** Requests that are in flight before the oldest ends. */
const UNDER_WAY = 6;
/** From one pick to the next, so that this many fit into the time that a backend is ejected for. */
const PICKS_PER_EJECTION = 200;
/** For each backend, the picks in which one of them, drawn at random, is as good as certain to come up. */
const MOST_PICKS_UNTIL_TRIED = 64;
const PICKS_PER_STAGE = 450;
/** The share of requests that their callers give up. */
const GIVEN_UP = 0.1;

/** The shares of requests that fail, for backend 0, the middle ones, and the last: from stage to stage. */
const STAGES = [
  [0, 0, 0],
  [1, 0, 0],
  [0.5, 0, 0],
  [1, 1, 0],
  [1, 1, 1],
  [0, 0, 0],
  [0.6, 0.6, 0.6],
  [0, 0, 0],
] as const;

/** What happened to a backend, in its order. */
interface Event {
  readonly what: "failed" | "served" | "served among ejected" | "given up" | "tried";
  readonly atMs: number;
}

/** How a backend stands: until when it is ejected, if it is, and whether it is on trial. */
interface Standing {
  readonly untilMs?: number;
  readonly isOnTrial?: true;
}

/** The rule of the contract, gone through from the beginning. */
function standingAfter(events: readonly Event[], { failures, forMs }: EjectionClaims): Standing {
  let standing: Standing = {};
  let ahead = 0;
  for (const { what, atMs } of events) {
    const isHeard = standing.untilMs === undefined || standing.isOnTrial;
    if (what === "tried") standing = { untilMs: atMs + forMs, isOnTrial: true };
    else if (what === "given up") standing = standing.isOnTrial ? { untilMs: atMs } : standing;
    else if (what === "served among ejected") [standing, ahead] = [{}, 0];
    else if (isHeard && what === "served") {
      ahead = standing.isOnTrial ? 0 : Math.max(0, ahead - 1);
      standing = {};
    } else if (isHeard) {
      ahead++;
      if (standing.isOnTrial || ahead === failures) standing = { untilMs: atMs + forMs };
    }
  }
  return standing;
}

function* outcomesLaws(claims: EjectionClaims, backends: number) {
  let nowMs = 0;
  const { competitor, pickers, instance } = played(claims, backends, () => nowMs);
  const random = new Random(SEED, backends);
  const happened = Array.from({ length: backends }, (): Event[] => []);
  const standings = happened.map((events) => standingAfter(events, claims));
  const happens = (backend: number, what: Event["what"]) => {
    happened[backend]!.push({ what, atMs: nowMs });
    standings[backend] = standingAfter(happened[backend]!, claims);
  };
  const underWay: { readonly backend: number; readonly worker: number }[] = [];
  const counts = new Array<number>(backends + 1).fill(0);
  /** Picks made while all were ejected, and for each backend those since it was due for a trial. */
  const amongEjected = new Array<number>(backends).fill(0);
  const sinceDue = new Array<number>(backends).fill(0);
  let strays = 0;

  for (let pick = 0; pick < STAGES.length * PICKS_PER_STAGE; pick++) {
    nowMs += claims.forMs / PICKS_PER_EJECTION;
    const isDue = ({ untilMs }: Standing) => untilMs !== undefined && nowMs >= untilMs;
    const isOpen = (standing: Standing) => standing.untilMs === undefined || isDue(standing);
    const worker = random.below(WORKERS);
    const picked = checkedIndex(pickers[worker]!.pick());
    const standing = standings[picked];
    if (standing === undefined) {
      counts[backends]!++;
      continue;
    }
    counts[picked]!++;
    if (!standings.some(isOpen)) amongEjected[picked]!++;
    else if (!isOpen(standing)) strays++;
    else if (isDue(standing)) happens(picked, "tried");
    for (const [backend, other] of standings.entries()) {
      sinceDue[backend] = isDue(other) && backend !== picked ? sinceDue[backend]! + 1 : 0;
      yield ejectedAreTried(sinceDue[backend]!, MOST_PICKS_UNTIL_TRIED * backends);
    }

    underWay.push({ backend: picked, worker: random.below(WORKERS) });
    if (underWay.length > UNDER_WAY) {
      const { backend, worker: releasing } = underWay.shift()!;
      const [first, between, last] = STAGES[Math.floor(pick / PICKS_PER_STAGE)]!;
      const share = backend === 0 ? first : backend === backends - 1 ? last : between;
      const failed = random.fraction() < GIVEN_UP ? null : random.fraction() < share;
      const isAllOut = standings.every(({ untilMs }) => untilMs !== undefined);
      pickers[releasing]!.release!(backend, failed);
      const what =
        failed === null ? "given up" : failed ? "failed" : isAllOut ? "served among ejected" : "served";
      happens(backend, what);
    }
    yield outcomesDecide(
      competitor.inspect(instance.memory, instance.setup).ejected,
      [...standings.keys()].filter((backend) => standings[backend]!.untilMs !== undefined),
    );
  }
  yield picksAreInRange(counts, backends);
  yield ejectedAreSpared(strays);
  yield noBackendIsLeftOut(amongEjected);
}

const PICKS_BESIDE_FAILING = 5_000;

/** Backend 0 fails each request before the next is picked, the others take their time; no time passes on the clock. */
function* failingLaws(claims: EjectionClaims) {
  const { pickers } = played(claims, 5, () => 0);
  const underWay: number[] = [];
  let failed = 0;
  for (let pick = 0; pick < PICKS_BESIDE_FAILING; pick++) {
    const picker = pickers[pick % WORKERS]!;
    const backend = picker.pick();
    if (backend === 0) {
      failed++;
      picker.release!(backend, true);
    } else if (underWay.push(backend) > UNDER_WAY) picker.release!(underWay.shift()!);
  }
  yield failingAreSpared(failed, claims.failures);
}

function played(claims: EjectionClaims, backends: number, nowMs: () => number) {
  const competitor: PickCompetitor = claims.byClock(nowMs);
  const instance = makePicker(competitor, { backends, workers: WORKERS, seed: SEED });
  const pickers = Array.from(
    { length: WORKERS },
    (_, index): Picker => attachPicker(competitor, instance, index),
  );
  return { competitor, instance, pickers };
}
