import { fastTagNs, isFullSpeed, SpeedTag } from "../../engine/measure/fork/tag.ts";
import { mean, quantile } from "../../engine/statistics.ts";
import type { Figures, Opinion } from "../schema/opinion.ts";

/**
 * The clock that a library reads around each batch. It keeps what the library saw, batch by batch, and beside it the
 * core's speed right before and right after. The library keeps its samples sorted, without their times.
 *
 * Called in turn: `tag`, then by the library `now`, `begin` within the batch, and `now` again.
 */
export class TaggedClock {
  readonly #speed = new SpeedTag();
  /** One for each batch, and a last one behind them; NaN for a batch that the library read no time of. */
  readonly #tagsNs: number[] = [];
  readonly #batchesNs: number[] = [];
  #lastNs = Number.NaN;
  #begunNs = Number.NaN;

  /** Before each batch, outside of its time. Takes about 5 us. */
  tag(): void {
    this.#begunNs = Number.NaN;
    this.#tagsNs.push(this.#speed.readNs());
    this.#batchesNs.push(Number.NaN);
  }

  /** As the libraries read it by themselves, in ns. */
  now(): number {
    const nowNs = performance.now() * 1e6;
    if (this.#begunNs > 0) {
      this.#batchesNs[this.#batchesNs.length - 1] = nowNs - this.#begunNs;
      this.#begunNs = Number.NaN;
    }
    this.#lastNs = nowNs;
    return nowNs;
  }

  /** As the first thing of a batch. */
  begin(): void {
    this.#begunNs = this.#lastNs;
  }

  /** What the last `count` batches that the library timed say of the core at full speed; each counts `operations`. */
  atFullSpeed(operations: number, count: number): AtFullSpeed {
    this.tag();
    const timed = [...this.#batchesNs.keys()].filter((batch) => this.#batchesNs[batch]! > 0).slice(-count);
    return atFullSpeed(
      timed.map((batch) => this.#batchesNs[batch]! / operations),
      timed.map((batch) => Math.max(this.#tagsNs[batch]!, this.#tagsNs[batch + 1]!)),
    );
  }
}

type AtFullSpeed = Pick<Opinion, "fullSpeedNs" | "quiet">;

/** Of fewer samples the median is loose. */
const FEWEST_QUIET = 20;

/** What samples say of the quiet state alone: times in ns per operation, with the larger of the tags around each. */
export function atFullSpeed(samplesNs: readonly number[], tagsNs: readonly number[]): AtFullSpeed {
  const fullSpeedNs = fastTagNs(tagsNs);
  if (fullSpeedNs === undefined) return {};
  const quiet = samplesNs.filter((_, sample) => isFullSpeed(tagsNs[sample]!, fullSpeedNs));
  return {
    fullSpeedNs,
    ...(quiet.length < FEWEST_QUIET
      ? {}
      : { quiet: { nsPerOperation: figuresOf(quiet), samples: quiet.length } }),
  };
}

export function figuresOf(samplesNs: readonly number[]): Figures {
  const sorted = samplesNs.toSorted((a, b) => a - b);
  return {
    mean: mean(sorted),
    median: quantile(sorted, 0.5),
    min: quantile(sorted, 0),
    p75: quantile(sorted, 0.75),
    p99: quantile(sorted, 0.99),
    max: quantile(sorted, 1),
  };
}
