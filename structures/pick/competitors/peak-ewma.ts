import { crewClockAt } from "../../shared/crew-clock.ts";
import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";
import { bounded, nextSfc32, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";
import { assertBackend } from "../parts/weights.ts";
import type { LatencyClaims, PickCompetitor } from "../pick.contract.ts";
import twoChoices from "./two-choices.ts";

const DECAY_MS = 10_000;
/** Units of an estimate's logarithm: a power of two, so that 2^32 of them are a whole number of decays. */
const UNITS = 1_024;

/** The word beside the requests in flight, in the same stride. */
const PEAK = 1;
const UNKNOWN = 0;
const MOST_MS = 2 ** 31;
/** What a request that took no time counts as, since 0 has no logarithm. */
const LEAST_MS = 1e-3;

/**
 * Peak EWMA: of two random backends the one whose latency times its requests in flight is less. The latency is a peak that
 * decays.
 *
 * Promise: that of two-choices of requests in flight. A pick goes to the one of two different backends that cost less
 *   when it looked, every pair being as likely. The estimate is that of LatencyClaims within 0.2 %, whichever workers
 *   report.
 * Progress: lock-free: a report that raises an estimate takes a compare-exchange.
 * Threads: any worker that attached; a request may be reported and released by another worker than the one that picked.
 * Cost: a pick of two-choices, two more loads from the same lines, and a logarithm where requests in flight differ. A pick
 *   reads no clock. A report reads it, and mostly writes nothing.
 * Memory: that of two-choices, and one stride for a clock.
 * Limits: one request that is large by itself counts against its backend for as long as a slow backend does: after a peak of
 *   100 times the others, 46 s. A backend that fails its requests at once looks quick: see two-choices-ejecting. If none
 *   is reported of a backend for 242 days, it may look slow until the next.
 * Bet: sees a slow backend at its first slow answer. Two choices sees it when requests pile up there.
 * Source: Finagle's PeakEwma; linkerd, tower::load::peak_ewma; asked of Envoy in envoy#20907. There a latency below the
 *   estimate also raises it somewhat, by the time since the estimate was last read, which is short under load. Here it
 *   does not. So all estimates decay alike, and picks compare them without a clock.
 *
 * An estimate e at time t is one word, ln e + t / decay in units. It decays by itself: the word stays as it is.
 *
 *     word 32 * backend       in flight   requests picked and not released      every worker: written atomically, read plainly
 *     word 32 * backend + 1   peak        0 before the first report              every worker: written atomically, read plainly
 *     then                    clock       the latest reading, as an int64        every worker, atomically; only where clocks of threads differ
 */
function peakEwma(nowMs?: () => number) {
  const claims: LatencyClaims = { decayMs: DECAY_MS, error: 2 / UNITS, byClock: peakEwma };
  return {
    ...twoChoices,
    summary: "the cheaper of two random backends, by latency that peaks and decays, and requests in flight",
    source: "Finagle, PeakEwma; linkerd",
    progress: "lock-free",
    latencies: claims,

    words: (setup) => twoChoices.words(setup) + STRIDE_WORDS,

    format(memory, setup) {
      twoChoices.format(memory, setup);
      const clockAt = twoChoices.words(setup);
      memory.fill(0, clockAt, clockAt + STRIDE_WORDS);
      for (let backend = 0; backend < setup.backends; backend++)
        Atomics.store(memory, backend * STRIDE_WORDS + PEAK, UNKNOWN);
    },

    attach(memory, setup, worker) {
      const { backends, seed } = setup;
      const state = new Int32Array(SFC32_WORDS);
      seedSfc32(state, 0, seed, worker.seed);
      const others = Math.max(1, backends - 1);
      const { release, take } = twoChoices.attach(memory, setup, worker);
      return {
        release,
        take,
        pick() {
          const first = bounded(nextSfc32(state, 0), backends);
          // As in two-choices.
          let second = first + 1 + bounded(nextSfc32(state, 0), others);
          if (second >= backends) second -= backends;
          const chosen = isCheaper(memory, second * STRIDE_WORDS, first * STRIDE_WORDS) ? second : first;
          Atomics.add(memory, chosen * STRIDE_WORDS, 1);
          return chosen;
        },
        latencies: latenciesIn(memory, backends, nowMs ?? crewClockAt(memory, twoChoices.words(setup))),
      };
    },
  } satisfies PickCompetitor;
}

export default peakEwma();

/** Plain loads, and why they do: see two-choices. */
function isCheaper(memory: Region, one: number, other: number): boolean {
  const inFlight = memory[one]!;
  const inFlightThere = memory[other]!;
  const peak = memory[one + PEAK]!;
  const peakThere = memory[other + PEAK]!;
  if (peak === UNKNOWN) return peakThere === UNKNOWN ? inFlight < inFlightThere : inFlight === 0;
  if (peakThere === UNKNOWN) return inFlightThere !== 0;
  // Both decay alike, so that the time cancels out.
  const cheaper = (peak - peakThere) | 0;
  if (inFlight === inFlightThere) return cheaper < 0;
  return cheaper + UNITS * Math.log((inFlight + 1) / (inFlightThere + 1)) < 0;
}

function latenciesIn(memory: Region, backends: number, nowMs: () => number) {
  const nowUnits = () => Math.round((UNITS * nowMs()) / DECAY_MS) | 0;
  return {
    report(backend: number, ms: number) {
      assertBackend(backend, backends);
      if (!(ms >= 0 && ms <= MOST_MS)) throw new RangeError(`latency ${ms} is not a number in 0 .. 2^31`);
      const at = backend * STRIDE_WORDS + PEAK;
      const now = nowUnits();
      const units = Math.round(UNITS * Math.log(Math.max(LEAST_MS, ms)));
      // 0 is taken: the least more.
      const peak = (now + units) | 0 || 1;
      for (;;) {
        const before = Atomics.load(memory, at);
        const known = knownUnits(before, now);
        if (known !== undefined && known >= units) return;
        if (Atomics.compareExchange(memory, at, before, peak) === before) return;
      }
    },
    estimate(backend: number): number {
      assertBackend(backend, backends);
      const known = knownUnits(Atomics.load(memory, backend * STRIDE_WORDS + PEAK), nowUnits());
      return known === undefined ? 0 : Math.min(MOST_MS, Math.exp(known / UNITS));
    },
  };
}

/** The logarithm of an estimate; undefined where there is none, or one so old that its time has wrapped. */
function knownUnits(peak: number, now: number): number | undefined {
  const units = (peak - now) | 0;
  return peak === UNKNOWN || units > MOST_UNITS ? undefined : units;
}

const MOST_UNITS = UNITS * Math.log(MOST_MS) + 1;
