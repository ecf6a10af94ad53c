import { gaussian } from "../../engine/judge/judge.synthetic.ts";
import { Random } from "../../engine/words/random.ts";
import type { TrackedNight } from "./alerts.ts";

/** A step that was planted: from `night` on, `cell` takes `share` more time than before; less if negative. */
export interface PlantedStep {
  readonly cell: string;
  readonly night: number;
  readonly share: number;
}

export interface SyntheticHistory {
  readonly series: ReadonlyMap<string, readonly TrackedNight[]>;
  readonly steps: readonly PlantedStep[];
}

/** From a ratio that is just worth a word to one that is obvious, evenly spread on a logarithmic scale. */
const STEP_SHARES = Array.from({ length: 10 }, (_, step) => 0.03 * (0.2 / 0.03) ** (step / 9));

/** Nights at either end of the history that have no step: a step there would be the first or last of its kind. */
const QUIET_ENDS = 30;

/**
 * Nights of many cells whose truth is known: noise of the kinds that nightly runs on shared machines show, by a seed.
 *
 * - Each cell has a scatter of its own, 0.5 % to 2 % (log scale, evenly in the logarithm).
 * - In four of ten cells a night resembles the one before: autocorrelation 0.2 to 0.5, the scatter as above.
 * - In 1 % to 2 % of its nights a cell is off by another 5 to 10 times its scatter, two times of three upwards.
 * - Each night has host noise that all cells share, 0.2 %; 3 % of nights are noisy, 1 % to 3 % slower. A cell feels up
 *   to one and a half times that: a ratio to a baseline cancels it in part, or more than that.
 * - The measured floor goes with a cell's scatter, strays by a quarter, and is at least 1 %.
 *
 * Ten steps of 3 % to 20 %, seven of them upwards, are planted in ten of the cells; none if `steps` is false.
 */
export function syntheticHistory(
  cells: number,
  nights: number,
  seed: number,
  steps = true,
): SyntheticHistory {
  const random = new Random(seed);
  const between = (low: number, high: number) => low + (high - low) * random.fraction();
  const hostNoise = Array.from(
    { length: nights },
    () => 0.002 * gaussian(random) + (random.fraction() < 0.03 ? between(0.01, 0.03) : 0),
  );
  const names = Array.from({ length: cells }, (_, cell) => `synthetic/test/cell-${cell}/1w`);
  const places = random.shuffle([...names]);
  const planted = steps
    ? STEP_SHARES.map((size, step) => ({
        cell: places[step]!,
        night: QUIET_ENDS + random.below(nights - 2 * QUIET_ENDS),
        share: step % 3 === 2 ? 1 / (1 + size) - 1 : size,
      }))
    : [];
  const series = names.map((name) => {
    const scatter = 0.005 * (0.02 / 0.005) ** random.fraction();
    const memory = random.fraction() < 0.4 ? between(0.2, 0.5) : 0;
    const outlierShare = between(0.01, 0.02);
    const exposure = between(0, 1.5);
    const step = planted.find(({ cell }) => cell === name);
    let drift = gaussian(random);
    const points = hostNoise.map((shared, night): TrackedNight => {
      drift = memory * drift + Math.sqrt(1 - memory ** 2) * gaussian(random);
      const outlier =
        random.fraction() < outlierShare ? between(5, 10) * (random.fraction() < 2 / 3 ? 1 : -1) : 0;
      const level = step !== undefined && night >= step.night ? Math.log1p(step.share) : 0;
      return {
        ...placeOfNight(night),
        value: level + scatter * (drift + outlier) + exposure * shared,
        floor: Math.max(0.01, 1.2 * scatter * (1 + 0.25 * gaussian(random))),
      };
    });
    return [name, points] as const;
  });
  return { series: new Map(series), steps: planted };
}

/** A level, as the logarithm of a ratio, and for how many nights it lasts. */
export type Level = readonly [level: number, nights: number];

/** How the nights of a level scatter about it. */
export interface NightNoise {
  /** Standard deviation. */
  readonly scatter: number;
  /** Autocorrelation of a night with the one before. */
  readonly memory?: number;
  /** Share of the nights that are 5 to 10 times the scatter off, two times of three upwards. */
  readonly outlierShare?: number;
}

/** Nights of one series whose levels are known, with a noise floor of 1 %. */
export function nightsOf(
  seed: number,
  levels: readonly Level[],
  { scatter, memory = 0, outlierShare = 0 }: NightNoise,
): TrackedNight[] {
  const random = new Random(seed);
  let drift = gaussian(random);
  return levels
    .flatMap(([level, nights]) => new Array<number>(nights).fill(level))
    .map((level, night): TrackedNight => {
      drift = memory * drift + Math.sqrt(1 - memory ** 2) * gaussian(random);
      const outlier =
        random.fraction() < outlierShare
          ? (5 + 5 * random.fraction()) * (random.fraction() < 2 / 3 ? 1 : -1)
          : 0;
      return { ...placeOfNight(night), value: level + scatter * (drift + outlier), floor: 0.01 };
    });
}

function placeOfNight(night: number) {
  return {
    at: new Date(Date.UTC(2026, 0, 1 + night, 2)).toISOString(),
    commit: night.toString(16).padStart(40, "0"),
  };
}
