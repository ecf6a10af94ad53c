export interface ProgressObserver {
  /** Called now and then with the part of the plan that is done (0..1, by time) and the estimated ms left. */
  progress(share: number, leftMs: number, what: string): void;
}

/** Keeps the time: what was planned, what is done, and how much slower or faster than planned it goes. */
export class PlannedTime {
  readonly #observer: ProgressObserver;
  #totalMs: number;
  readonly #startedMs = performance.now();
  /** Ms of what has ended, and of what is under way the part that is done. */
  #doneMs = 0;

  constructor(totalMs: number, observer: ProgressObserver) {
    this.#totalMs = Math.max(1, totalMs);
    this.#observer = observer;
  }

  /** Something begins that is to take so long; several may be under way at once. */
  begin(estimateMs: number, label: string) {
    let countedMs = 0;
    const count = (ms: number) => {
      this.#doneMs += ms - countedMs;
      countedMs = ms;
    };
    this.#show(label);
    return {
      within: (share: number, now = label) => {
        count(Math.min(1, share) * estimateMs);
        this.#show(now);
      },
      end: () => count(estimateMs),
    };
  }

  /** Nothing was begun after all that was to take so long. */
  skip(estimateMs: number): void {
    this.#doneMs += estimateMs;
  }

  /** It is known anew how long the rest takes, with nothing under way: what is done counts as what it took. */
  replan(leftMs: number): void {
    this.#doneMs = performance.now() - this.#startedMs;
    this.#totalMs = Math.max(1, this.#doneMs + leftMs);
  }

  #show(label: string): void {
    const done = this.#doneMs;
    const pace = done > 0 ? (performance.now() - this.#startedMs) / done : 1;
    this.#observer.progress(done / this.#totalMs, Math.max(0, this.#totalMs - done) * pace, label);
  }
}
