import { Random } from "../shared/sfc32.ts";
import { checkedIndex } from "./parts/simulation.ts";
import type { PickCompetitor, ProbeAnswer, ProbeClaims, Probes } from "./pick.contract.ts";
import { attachPicker, makePicker } from "./pick.instance.ts";
import {
  answersAreBounded,
  answersAreFresh,
  answersAreHeard,
  answersWearOut,
  coldIsPreferred,
  hotIsAboveShare,
  overloadedAreSpared,
  picksAreInRange,
  probesAreSpread,
} from "./pick.laws.ts";

/**
 * The laws of a picker that probes, applied to one worker with simulated backends. Their answers come late, out of
 * order or never, and now and then there is a long silence.
 */
export function* probesLaws(competitor: PickCompetitor, claims: ProbeClaims) {
  for (const backends of [1, 2, 8, 100, 1000]) yield* playedLaws(competitor, claims, backends);
  yield* overloadedLaws(competitor, claims);
}

const SEED = 20_261_120;
const PICKS = 3_000;
/** Answers come up to this number of picks after their probe. */
const LATEST = 4;
/** One probe in this number has no answer. */
const PROBES_PER_LOSS = 8;
/** One pick in this number comes after a silence that makes every answer too old. */
const PICKS_PER_SILENCE = 200;
const MOST_IN_FLIGHT = 20;
const MOST_LATENCY = 100;

function* playedLaws(competitor: PickCompetitor, claims: ProbeClaims, backends: number) {
  const { picker, probes } = attached(competitor, backends);
  const random = new Random(SEED, backends);
  const counts = new Array<number>(backends + 1).fill(0);
  const heard = new Map<number, ProbeAnswer>();
  const uses = new Map<ProbeAnswer["heardMs"], number>();
  const inFlights: number[] = [];
  const underWay = Array.from({ length: LATEST }, (): number[] => []);
  let nowMs = 0;
  const passes = (ms: number) => {
    nowMs += ms;
    probes.advance(nowMs);
  };
  for (let pick = 0; pick < PICKS; pick++) {
    passes(pick % PICKS_PER_SILENCE === PICKS_PER_SILENCE - 1 ? 2 * claims.mostMs : 1);
    const known = probes.known();
    yield answersAreBounded(known, claims.kept(backends));
    yield answersAreFresh(known, nowMs, claims.mostMs);
    yield answersAreHeard(known, heard);
    yield hotIsAboveShare(known, inFlights.slice(-claims.heardLast), claims.hotShare);

    const picked = checkedIndex(picker.pick());
    counts[picked >= 0 && picked < backends ? picked : backends]!++;
    yield coldIsPreferred(known, picked);
    const used = known.answers.length < 2 ? undefined : heard.get(picked);
    if (used !== undefined) {
      const times = (uses.get(used.heardMs) ?? 0) + 1;
      uses.set(used.heardMs, times);
      heard.set(picked, { ...used, inFlight: used.inFlight + 1 });
      yield answersWearOut(times, claims.uses(backends));
    }

    const asked = askedOf(probes, claims);
    yield probesAreSpread(asked, Math.min(claims.perPick, backends));
    for (const backend of asked)
      if (random.below(PROBES_PER_LOSS) !== 0) underWay[random.below(LATEST)]!.push(backend);
    for (const backend of underWay[pick % LATEST]!.splice(0)) {
      // So that no two answers have the same time, which identifies them.
      passes(1 / 64);
      const [inFlight, latency] = [random.below(MOST_IN_FLIGHT), random.below(MOST_LATENCY)];
      probes.answer(backend, inFlight, latency);
      heard.set(backend, { backend, inFlight, latency, heardMs: nowMs });
      inFlights.push(inFlight);
    }
  }
  yield picksAreInRange(counts, backends);
}

const OVERLOADED_AMONG = 64;
/** Every so-manieth of them is overloaded: fewer than the share of answers that may be hot. */
const BACKENDS_PER_OVERLOADED = 16;

/** Backends whose answers are always the same, whatever is picked: the overloaded ones would be the quickest. */
function* overloadedLaws(competitor: PickCompetitor, claims: ProbeClaims) {
  const { picker, probes } = attached(competitor, OVERLOADED_AMONG);
  const isOverloaded = (backend: number) => backend % BACKENDS_PER_OVERLOADED === 0;
  let picks = 0;
  for (let pick = 0; pick < PICKS; pick++) {
    if (isOverloaded(picker.pick())) picks++;
    for (const backend of askedOf(probes, claims)) {
      const { inFlight, latency } = isOverloaded(backend) ? OVERLOADED : CALM;
      probes.answer(backend, inFlight, latency);
    }
  }
  yield overloadedAreSpared(picks, PICKS / BACKENDS_PER_OVERLOADED);
}

const OVERLOADED = { inFlight: 100, latency: 0 } as const;
const CALM = { inFlight: 1, latency: 10 } as const;

function attached(competitor: PickCompetitor, backends: number) {
  const picker = attachPicker(competitor, makePicker(competitor, { backends, seed: SEED, workers: 1 }), 0);
  return { picker, probes: picker.probes! };
}

/**
 * What the last pick asks for, at most one more than is claimed: a picker that never stops is seen and not waited for.
 */
function askedOf(probes: Probes, { perPick }: ProbeClaims): number[] {
  const asked: number[] = [];
  while (asked.length <= perPick) {
    const backend = probes.next();
    if (backend === -1) break;
    asked.push(backend);
  }
  return asked;
}
