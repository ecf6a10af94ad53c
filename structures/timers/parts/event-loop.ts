import type { TimerSet } from "../timers.contract.ts";
import { Fired } from "./fired.ts";
import { Handles } from "./handles.ts";
import { deadlineTick } from "./ticks.ts";

/**
 * Timers that the runtime's event loop fires, in ticks of a real millisecond. The caller's clock only turns a deadline
 * into a delay; `advance` hands over what has called `fire` since.
 *
 * One callback serves all timers of a set and is given the handle, as a careful server does. A closure per timer would
 * cost memory that has nothing to do with timers.
 */
export abstract class EventLoopTimers<Timer> implements TimerSet {
  protected readonly fire = (handle: number) => this.#fired.push(handle);
  readonly #handles: Handles;
  readonly #fired: Fired;
  /** By place; undefined where none is live, so that what is over is garbage. */
  readonly #timers: (Timer | undefined)[];
  #size = 0;
  #clock = 0;

  constructor(capacity: number) {
    this.#handles = new Handles(capacity);
    this.#fired = new Fired(this.#handles, capacity);
    this.#timers = new Array<Timer | undefined>(capacity).fill(undefined);
  }

  /** Starts a timer that calls `fire` with the handle after `delay` milliseconds, 1 .. HORIZON. */
  protected abstract start(handle: number, delay: number, place: number): Timer;
  /** Stops a timer, whether it has fired or not. */
  protected abstract stop(timer: Timer): void;
  /** Makes a timer, fired or not, fire `delay` milliseconds from now instead. Returns it, or one in its place. */
  protected abstract restart(timer: Timer, handle: number, delay: number, place: number): Timer;

  add(deadline: number): number {
    const delay = this.#delayOf(deadline);
    const handle = this.#handles.take();
    const place = this.#handles.placeOf(handle);
    this.#timers[place] = this.start(handle, delay, place);
    this.#size++;
    return handle;
  }

  cancel(handle: number): boolean {
    if (!this.#handles.isLive(handle)) return false;
    const place = this.#handles.placeOf(handle);
    if (!this.#fired.withdraw(handle)) this.stop(this.#timers[place]!);
    this.#timers[place] = undefined;
    this.#handles.release(handle);
    this.#size--;
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const delay = this.#delayOf(deadline);
    if (!this.#handles.isLive(handle)) return false;
    const place = this.#handles.placeOf(handle);
    this.#fired.withdraw(handle);
    this.#timers[place] = this.restart(this.#timers[place]!, handle, delay, place);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    if (((now - this.#clock) | 0) > 0) this.#clock = now | 0;
    const count = this.#fired.handOver(out, 0, Math.min(budget, out.length));
    for (let index = 0; index < count; index++) {
      this.#timers[this.#handles.placeOf(out[index]!)] = undefined;
    }
    this.#size -= count;
    return count;
  }

  /** The next tick, because the event loop does not say when it will fire what. */
  nextExpiry(): number | undefined {
    if (this.#size === 0) return undefined;
    return this.#fired.size > 0 ? this.#clock : (this.#clock + 1) | 0;
  }

  get size(): number {
    return this.#size;
  }

  get clock(): number {
    return this.#clock;
  }

  #delayOf(deadline: number): number {
    return (deadlineTick(this.#clock, deadline) - this.#clock) | 0;
  }
}
