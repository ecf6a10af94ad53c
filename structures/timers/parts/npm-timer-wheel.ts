import { TimerWheel } from "timer-wheel";
import type { TimerSet } from "../timers.contract.ts";
import { Fired } from "./fired.ts";
import { Handles } from "./handles.ts";
import { deadlineTick } from "./ticks.ts";

/** Files what is scheduled under the caller's clock, where the package would read its own. */
class CallersWheel extends TimerWheel<number> {
  deadline = 0;

  protected override scheduleNode(node: Parameters<TimerWheel<number>["scheduleNode"]>[0]) {
    node.time = this.deadline;
    return super.scheduleNode(node);
  }
}

export class NpmTimerWheel implements TimerSet {
  readonly #wheel = new CallersWheel();
  readonly #handles: Handles;
  readonly #fired: Fired;
  readonly #scheduled = new Map<number, { remove(): void }>();
  #elapsed = 0;

  constructor(capacity: number) {
    this.#handles = new Handles(capacity);
    this.#fired = new Fired(this.#handles, capacity);
  }

  add(deadline: number): number {
    const tick = deadlineTick(this.clock, deadline);
    const handle = this.#handles.take();
    this.#schedule(handle, tick);
    return handle;
  }

  cancel(handle: number): boolean {
    if (!this.#handles.isLive(handle)) return false;
    if (!this.#fired.withdraw(handle)) this.#unschedule(handle);
    this.#handles.release(handle);
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const tick = deadlineTick(this.clock, deadline);
    if (!this.#handles.isLive(handle)) return false;
    if (!this.#fired.withdraw(handle)) this.#unschedule(handle);
    this.#schedule(handle, tick);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const ahead = (now - this.clock) | 0;
    if (ahead > 0) {
      this.#elapsed += ahead;
      for (const handle of this.#wheel.advance(this.#elapsed)) {
        this.#scheduled.delete(handle);
        this.#fired.push(handle);
      }
    }
    return this.#fired.handOver(out, 0, Math.min(budget, out.length));
  }

  nextExpiry(): number | undefined {
    return this.size === 0 ? undefined : this.clock;
  }

  get size(): number {
    return this.#scheduled.size + this.#fired.size;
  }

  get clock(): number {
    return this.#elapsed | 0;
  }

  #schedule(handle: number, tick: number): void {
    this.#wheel.deadline = this.#elapsed + ((tick - this.clock) | 0);
    this.#scheduled.set(handle, this.#wheel.schedule(handle, 0));
  }

  #unschedule(handle: number): void {
    this.#scheduled.get(handle)?.remove();
    this.#scheduled.delete(handle);
  }
}
