import { Random } from "../shared/sfc32.ts";
import { played } from "./parts/simulation.ts";
import type { LatencyClaims } from "./pick.contract.ts";
import { makePicker } from "./pick.instance.ts";
import { cheaperIsPicked, estimateIsPeak, picksAreInRange } from "./pick.laws.ts";

const SEED = 20_261_128;
const WORKERS = 3;
const STEPS = 1_000;
/** Requests in flight beyond which the oldest ends. */
const UNDER_WAY = 6;
/** Latencies are e to a number below this: from a peak that is soon forgotten to one that lasts. */
const MOST_LOG_MS = 7;
/** One step in this number comes after a silence of up to three decays. */
const STEPS_PER_SILENCE = 50;

/**
 * The laws of a picker that goes by latency, on a clock that is stepped, with three workers played by one thread. Each
 * request is reported and released by another worker than the one that picked it. Estimates are compared with what all
 * reports say together.
 */
export function* latencyLaws(claims: LatencyClaims) {
  for (const backends of [1, 2, 5]) yield* playedLaws(claims, backends);
}

function* playedLaws(claims: LatencyClaims, backends: number) {
  let nowMs = SEED;
  const competitor = claims.byClock(() => nowMs);
  const { pickers } = played(competitor, makePicker(competitor, { backends, workers: WORKERS, seed: SEED }));
  const random = new Random(SEED, backends);
  const reports = Array.from({ length: backends }, (): { ms: number; atMs: number }[] => []);
  const underWay: number[] = [];
  const counts = new Array<number>(backends + 1).fill(0);
  const inFlight = (backend: number) => underWay.filter((other) => other === backend).length;
  const costOf = (backend: number) => {
    const [requests, estimate] = [inFlight(backend), pickers[0]!.latencies!.estimate(backend)];
    if (reports[backend]!.length > 0) return estimate * (requests + 1);
    return requests === 0 ? 0 : MOST_COST + requests;
  };
  for (let step = 0; step < STEPS; step++) {
    nowMs += random.fraction() * (step % STEPS_PER_SILENCE === 0 ? 3 : 0.01) * claims.decayMs;
    for (let backend = 0; backend < backends; backend++)
      yield estimateIsPeak(
        pickers[step % WORKERS]!.latencies!.estimate(backend),
        reports[backend]!,
        nowMs,
        claims,
      );
    const costs = Array.from({ length: backends }, (_, backend) => costOf(backend));
    const picked = pickers[step % WORKERS]!.pick();
    counts[picked >= 0 && picked < backends ? picked : backends]!++;
    if (backends === 2) yield cheaperIsPicked(costs, picked, claims.error);
    underWay.push(picked);
    if (underWay.length <= random.below(UNDER_WAY)) continue;
    const [ended] = underWay.splice(random.below(underWay.length), 1) as [number];
    const ms = Math.exp(MOST_LOG_MS * random.fraction());
    const other = pickers[(step + 1) % WORKERS]!;
    other.latencies!.report(ended, ms);
    reports[ended]!.push({ ms, atMs: nowMs });
    other.release!(ended);
  }
  yield picksAreInRange(counts, backends);
}

/** More than any estimate times its requests in flight. */
const MOST_COST = 1e9;
