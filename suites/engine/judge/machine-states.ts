import type { CrewResult } from "../measure/plan/protocol.ts";
import { sum } from "../statistics.ts";

/**
 * The states of a machine, as its own readings distribute: how fast its cores ran in a slice, and how far apart they were. No
 * figure of another host is in here. Hosts differ: one has cores 55 and 190 ns apart, and another 98 to 160 ns without a
 * gap, which is one state. The least reading says nothing of either: it may be a lucky millisecond.
 */

/** A state: readings about a peak of their distribution, in ns. */
export interface Mode {
  /** The mean reading at the peak. */
  readonly ns: number;
  readonly fromNs: number;
  readonly toNs: number;
}

/** A step of the distribution, as a logarithm, and how many steps to each side are taken together. */
const STEP = 0.02;
const SMOOTHED = 3;
/**
 * A peak is a state if none higher comes before one has come down to half of its height, and it has at least this share of the
 * highest one's. Full speed is the lowest state alone, so that one with few slices would leave little to judge by. Each
 * distance is judged by itself.
 */
const VALLEY = 1 / 2;
export const DENSE_SPEED = 1 / 4;
export const DENSE_DISTANCE = 1 / 10;
/** A state ends where it has fallen to this share of its peak, or half way to the next. */
const FALLEN = 1 / 20;

/** The distribution of some readings of a kind. */
export class Readings {
  readonly #steps = new Map<number, { count: number; totalNs: number }>();

  /** Takes a reading; one of 0 or less was not taken. */
  add(ns: number, times = 1): void {
    if (!(ns > 0 && times > 0)) return;
    const step = Math.floor(Math.log(ns) / STEP);
    const known = this.#steps.get(step) ?? { count: 0, totalNs: 0 };
    this.#steps.set(step, { count: known.count + times, totalNs: known.totalNs + times * ns });
  }

  /** The states that they show, the fastest first; none where there are no readings. */
  modes(dense: number): Mode[] {
    const steps = [...this.#steps.keys()];
    const first = Math.min(...steps) - 2 * SMOOTHED;
    const length = steps.length === 0 ? 0 : Math.max(...steps) + 2 * SMOOTHED + 1 - first;
    const around = (place: number) =>
      Array.from({ length: 2 * SMOOTHED + 1 }, (_, of) => this.#steps.get(first + place + of - SMOOTHED));
    const heights = Array.from({ length }, (_, place) => sum(around(place).map((step) => step?.count ?? 0)));
    return hillsOf(heights, dense).map(({ peak, from, to }) => {
      const totalNs = sum(around(peak).map((step) => step?.totalNs ?? 0));
      const edge = (place: number) => Math.exp((first + place) * STEP);
      return { ns: totalNs / heights[peak]!, fromNs: edge(from), toNs: edge(to + 1) };
    });
  }
}

/** The dense peaks of a distribution, as places, and how far each reaches. */
export function hillsOf(heights: readonly number[], dense: number) {
  const highest = Math.max(...heights);
  const peaks = [...heights.keys()].filter(
    (place) => heights[place]! > 0 && heights[place]! >= dense * highest && isPeak(heights, place),
  );
  return peaks.map((peak, index) => {
    const [below = Number.NEGATIVE_INFINITY, above = Number.POSITIVE_INFINITY] = [
      peaks[index - 1],
      peaks[index + 1],
    ];
    const isOfHill = (place: number) => heights[place]! >= FALLEN * heights[peak]!;
    let [from, to] = [peak, peak];
    while (2 * (from - 1) > below + peak && isOfHill(from - 1)) from--;
    while (2 * (to + 1) <= peak + above && isOfHill(to + 1)) to++;
    return { peak, from, to };
  });
}

/** Whether one comes to half of this height in either direction before one meets a higher place, or an equal one before it. */
function isPeak(heights: readonly number[], peak: number): boolean {
  const height = heights[peak]!;
  for (const by of [-1, 1]) {
    for (let place = peak + by; (heights[place] ?? 0) >= VALLEY * height; place += by)
      if (heights[place]! > height || (by < 0 && heights[place]! === height)) return false;
  }
  return true;
}

/**
 * What a run has seen of its machine so far. Tags are known by runtime, as each compiles them to code of its own, and by the
 * number of workers: with all cores at work none may be as fast as one alone.
 */
export class MachineStates {
  readonly #tags = new Map<string, Readings>();
  readonly handovers = new Readings();

  /** Hears a crew's slices. The tag of a slice is that of its slowest worker. */
  hear({ workers, handoverNs = [] }: Pick<CrewResult, "workers" | "handoverNs">, runtime: string): void {
    const tags = this.tags(runtime, workers.length);
    for (const slice of workers[0]?.tagNs.keys() ?? [])
      tags.add(Math.max(...workers.map(({ tagNs }) => tagNs[slice]!)));
    for (const ns of handoverNs) this.handovers.add(ns);
  }

  /** At which tags cores run at full speed; undefined where none were read. */
  fullSpeed(runtime: string, workers: number): Mode | undefined {
    return this.tags(runtime, workers).modes(DENSE_SPEED)[0];
  }

  /** Of near cores and of far ones. */
  distances(): readonly Mode[] {
    return this.handovers.modes(DENSE_DISTANCE).slice(0, 2);
  }

  /** The tags of slices with this number of workers. */
  tags(runtime: string, workers: number): Readings {
    const key = `${runtime} ${workers}`;
    const known = this.#tags.get(key) ?? new Readings();
    this.#tags.set(key, known);
    return known;
  }
}
