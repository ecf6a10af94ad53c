import { ascending, quantile } from "../../statistics.ts";
import { STRIDE_BYTES, STRIDE_WORDS } from "../../words/layout.ts";
import { nowNs } from "../machine/clock.ts";
import type { WorkerSlices } from "../plan/protocol.ts";

// As in gate.ts: taken before any competitor is loaded.
const { add } = Atomics;

/**
 * The tag of a slice: what a private `Atomics.add` costs right before and right after it, in ns.
 *
 * A core may share its execution units with a busy sibling. It then runs code of many instructions per cycle at half
 * its speed, and a chain of dependent instructions as before. On a virtual machine nothing else shows it: not stolen
 * time, not the load. Such a state lasts some 20 to 80 ms, so a burst of a few microseconds beside a slice shows the
 * state of the slice. V8 makes an `Atomics.add` a call to a builtin, which is dense code, and its private memory keeps
 * contention out of it.
 *
 * Thread rules: one instance for each worker, used by it alone.
 */
export class SpeedTag {
  // Not from the allocator of structures, which may be replaced: this line is private.
  readonly #line = new Int32Array(new SharedArrayBuffer(3 * STRIDE_BYTES), STRIDE_BYTES, STRIDE_WORDS);
  #sum = 0;

  constructor() {
    // Until the burst is compiled in the top tier; before that it would measure the compiler.
    for (let burst = 0; burst < COMPILING_BURSTS; burst++) this.#burst(MEASURED);
  }

  /** Takes about 5 us. */
  readNs(): number {
    // The first ones after a sleep, or after other code, are slower.
    this.#burst(UNMEASURED);
    const begunNs = nowNs();
    this.#burst(MEASURED);
    return (nowNs() - begunNs) / MEASURED;
  }

  #burst(times: number): void {
    const line = this.#line;
    let sum = this.#sum;
    for (let time = 0; time < times; time++) sum = (sum + add(line, 0, 1)) | 0;
    this.#sum = sum;
  }
}
// A competitor may import this module, too.
Object.freeze(SpeedTag.prototype);

const UNMEASURED = 120;
const MEASURED = 300;
export const READING_ADDITIONS = UNMEASURED + MEASURED;
/** 150,000 additions: some 2 ms. */
const COMPILING_BURSTS = 500;

/** A core's full speed: a tag of at most this many times the fastest. A busy sibling makes it twice that. */
const FULL_SPEED_WITHIN = 1.12;

export function isFullSpeed(tagNs: number, fullSpeedNs: number): boolean {
  return tagNs <= FULL_SPEED_WITHIN * fullSpeedNs;
}

/**
 * Share of tags that lie below what is taken for the fast one among them. Not the least: a tag that was cut short by a
 * change of the clock's rate would pass for it.
 */
const FAST_SHARE = 0.02;

/** The fast tag among those of one worker in one fork, in ns; undefined for none. */
export function fastTagNs(tagNs: readonly number[]): number | undefined {
  if (tagNs.length === 0) return undefined;
  return quantile(tagNs.toSorted(ascending), FAST_SHARE);
}

/**
 * The full speed of the machine as far as a fork saw it: the fastest of its workers' fast tags, in ns; undefined without
 * tags.
 */
export function fastestTagNs(
  crews: readonly { readonly workers: readonly Pick<WorkerSlices, "tagNs">[] }[],
): number | undefined {
  const fast = crews.flatMap(({ workers }) => workers.flatMap(({ tagNs }) => fastTagNs(tagNs) ?? []));
  return fast.length === 0 ? undefined : Math.min(...fast);
}

/** The share of slices in which every worker's core ran at the machine's full speed. */
export function quietShareOf(workers: readonly Pick<WorkerSlices, "tagNs">[], fullSpeedNs: number): number {
  const slices = workers[0]?.tagNs ?? [];
  const quiet = slices.filter((_, slice) =>
    workers.every(({ tagNs }) => isFullSpeed(tagNs[slice]!, fullSpeedNs)),
  );
  return quiet.length / Math.max(1, slices.length);
}
