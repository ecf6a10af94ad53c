/**
 * The TimerWheel class of the source document, from PHP. It has a map for each slot, from id to task; a map from id to
 * slot; and task objects with id, turns and callback.
 */
export class TimerWheel {
  readonly #slots: number;
  readonly #wheel: Map<number, Task>[];
  readonly #taskIndex = new Map<number, number>();
  #cursor = 0;
  #taskIdCounter = 0;

  constructor(slots: number) {
    this.#slots = slots;
    this.#wheel = Array.from({ length: slots }, () => new Map<number, Task>());
  }

  /** `delay`: in ticks, more than 0. */
  addTask(delay: number, callback: () => void): number {
    const id = ++this.#taskIdCounter;
    const slot = (this.#cursor + delay) % this.#slots;
    this.#wheel[slot]!.set(id, { id, turns: this.turnsOf(delay, this.#slots), callback });
    this.#taskIndex.set(id, slot);
    return id;
  }

  removeTask(id: number): void {
    const slot = this.#taskIndex.get(id);
    if (slot === undefined) return;
    this.#wheel[slot]!.delete(id);
    this.#taskIndex.delete(id);
  }

  tick(): void {
    this.#cursor = (this.#cursor + 1) % this.#slots;
    for (const task of this.#wheel[this.#cursor]!.values()) {
      if (task.turns > 0) {
        task.turns--;
        continue;
      }
      task.callback();
      this.removeTask(task.id);
    }
  }

  get size(): number {
    return this.#taskIndex.size;
  }

  /** As written: of a delay of one whole lap it takes a turn, and then passes the slot a second time. */
  protected turnsOf(delay: number, slots: number): number {
    return Math.floor(delay / slots);
  }
}

/** The same with its turns mended: the cursor passes a slot after one lap for the first time. */
export class MendedTimerWheel extends TimerWheel {
  protected override turnsOf(delay: number, slots: number): number {
    return Math.floor((delay - 1) / slots);
  }
}

interface Task {
  readonly id: number;
  /** Passes of the cursor before the one that runs it. */
  turns: number;
  readonly callback: () => void;
}
