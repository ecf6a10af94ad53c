import type { TimerSet } from "../timers.contract.ts";
import { Handles } from "./handles.ts";
import { deadlineTick } from "./ticks.ts";

/**
 * The TimerWheel class of the source document, written in PHP, as literally as the contract allows.
 *
 * Kept as in the source: 60 slots of a second, each a map from id to task, and a map from id to slot. A task is an
 * object with id, turns and callback. The cursor and the delay give the slot. A tick moves the cursor, walks its whole
 * slot, takes a turn from each task that has any left and removes the others.
 *
 * Changed, for the contract:
 * - Ids are handles, because ids must carry a place.
 * - A delay is in whole seconds from the cursor's to the first that is not before the deadline, so never early. It is
 *   at least 1: the branch that runs a task without delay at once has nothing to do.
 * - A task runs by having its id written down. Its callback is kept for what it weighs, and is not called.
 * - What a budget has no room for moves to one slot more, which the cursor never reaches. There it can be removed like
 *   any other. Its slot has been walked exactly once, and what is put into that slot meanwhile is left alone.
 *
 * A subclass may postpone a task that is due instead of having it run.
 */
export class SourceWheel implements TimerSet {
  protected readonly handles: Handles;
  readonly #turnsOf: (delay: number) => number;
  readonly #wheel = Array.from({ length: SLOTS + 1 }, () => new Map<number, Task>());
  /** Slot by id. */
  readonly #taskIndex = new Map<number, number>();
  #cursor = 0;
  /** Times the wheel has ticked. Not derived from int32 ticks, whose 2^32 is no multiple of a rotation. */
  #seconds = 0;
  /** Ticks of the clock since the set was made, which do not wrap: a double counts them for 285,000 years. */
  #elapsed = 0;

  constructor(capacity: number, turnsOf: (delay: number) => number) {
    this.handles = new Handles(capacity);
    this.#turnsOf = turnsOf;
  }

  add(deadline: number): number {
    const delay = this.delayOf(deadline);
    const handle = this.handles.take();
    this.#addTask(handle, delay);
    return handle;
  }

  cancel(handle: number): boolean {
    if (!this.#removeTask(handle)) return false;
    this.handles.release(handle);
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const delay = this.delayOf(deadline);
    if (!this.#removeTask(handle)) return false;
    this.#addTask(handle, delay);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const limit = Math.min(budget, out.length);
    const target = this.#elapsed + Math.max(0, (now - this.clock) | 0);
    const lastSecond = Math.floor(target / TICKS_PER_SECOND);
    let count = this.#wheel[LEFT_OVER]!.size > 0 ? this.#runLeftOver(out, limit) : 0;
    while (count < limit) {
      if (this.#taskIndex.size === 0) this.#turnTo(lastSecond);
      else if (this.#cursor === 0) this.#skipRotations(Math.floor((lastSecond - this.#seconds) / SLOTS));
      if (this.#seconds === lastSecond) {
        this.#elapsed = target;
        break;
      }
      count = this.#tick(out, count, limit);
    }
    return count;
  }

  nextExpiry(): number | undefined {
    if (this.#taskIndex.size === 0) return undefined;
    if (this.#wheel[LEFT_OVER]!.size > 0) return this.clock;
    return ((this.#seconds + 1) * TICKS_PER_SECOND) | 0;
  }

  get size(): number {
    return this.#taskIndex.size;
  }

  get clock(): number {
    return this.#elapsed | 0;
  }

  protected delayOf(deadline: number): number {
    const ahead = (deadlineTick(this.clock, deadline) - this.clock) | 0;
    return Math.ceil((this.#elapsed + ahead) / TICKS_PER_SECOND) - this.#seconds;
  }

  #addTask(id: number, delay: number): void {
    const slot = (this.#cursor + delay) % SLOTS;
    this.#wheel[slot]!.set(id, { id, turns: this.#turnsOf(delay), callback });
    this.#taskIndex.set(id, slot);
  }

  #removeTask(id: number): boolean {
    const slot = this.#taskIndex.get(id);
    if (slot === undefined) return false;
    this.#wheel[slot]!.delete(id);
    this.#taskIndex.delete(id);
    return true;
  }

  #tick(out: Int32Array, count: number, limit: number): number {
    this.#turnTo(this.#seconds + 1);
    for (const task of this.#wheel[this.#cursor]!.values()) {
      if (task.turns > 0) {
        task.turns--;
        continue;
      }
      if (this.isPutOff(task)) continue;
      if (count < limit) {
        this.#run(task);
        out[count++] = task.id;
      } else {
        this.#wheel[this.#cursor]!.delete(task.id);
        this.#wheel[LEFT_OVER]!.set(task.id, task);
        this.#taskIndex.set(task.id, LEFT_OVER);
      }
    }
    return count;
  }

  /** Whether a task that is due has been given another delay. The source's tasks never are. */
  protected isPutOff(_task: Task): boolean {
    return false;
  }

  /** Gives a task of the slot that is walked another delay. */
  protected putOff(task: Task, delay: number): void {
    const slot = (this.#cursor + delay) % SLOTS;
    // What is removed and set again in the map that is walked would be met once more.
    if (slot === this.#cursor) {
      task.turns = this.#turnsOf(delay);
    } else {
      this.#removeTask(task.id);
      this.#addTask(task.id, delay);
    }
  }

  /** The tick at which a task added now with this delay is due. */
  protected tickAfter(delay: number): number {
    return ((this.#seconds + delay) * TICKS_PER_SECOND) | 0;
  }

  #runLeftOver(out: Int32Array, limit: number): number {
    let count = 0;
    for (const task of this.#wheel[LEFT_OVER]!.values()) {
      if (count === limit) break;
      this.#run(task);
      out[count++] = task.id;
    }
    return count;
  }

  #run(task: Task): void {
    this.#removeTask(task.id);
    this.handles.release(task.id);
  }

  #turnTo(second: number): void {
    this.#seconds = second;
    this.#cursor = second % SLOTS;
    this.#elapsed = second * TICKS_PER_SECOND;
  }

  /**
   * Makes whole rotations at once, up to `rotations` of them, while every task has a turn left for each. It changes no
   * result: it only spares a clock that jumps by days the ticks of empty slots.
   */
  #skipRotations(rotations: number): void {
    if (rotations === 0) return;
    let idle = rotations;
    for (const slot of this.#wheel) for (const task of slot.values()) idle = Math.min(idle, task.turns);
    if (idle === 0) return;
    for (const slot of this.#wheel) for (const task of slot.values()) task.turns -= idle;
    this.#turnTo(this.#seconds + idle * SLOTS);
  }
}

/** The source's "60 slots, one a second, a lap a minute". */
export const SLOTS = 60;
/** The wheel's second in the contract's ticks, which the source's numbers make milliseconds. */
export const TICKS_PER_SECOND = 1000;
/** The slot that the cursor never reaches. */
const LEFT_OVER = SLOTS;

export interface Task {
  readonly id: number;
  /** Passes of the cursor before the one that runs it. */
  turns: number;
  readonly callback: () => void;
}

const callback = () => {};
