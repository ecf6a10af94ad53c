export interface ProgressObserver {
  /** Called now and then with the part of a run that is done (0..1, by time) and the ms left, undefined while unknown. */
  progress(share: number, leftMs: number | undefined, what: string): void;
}

/** Shows how far a run is: what is left of it, less what is done of the pieces in progress. */
export class PlannedTime {
  readonly #observer: ProgressObserver;
  readonly #leftMs: () => number | undefined;
  readonly #startedMs = performance.now();
  /** Ms of the pieces in progress that are done. */
  #doneMs = 0;

  /** `leftMs` is asked what is left, with all that has not ended. */
  constructor(observer: ProgressObserver, leftMs: () => number | undefined) {
    this.#observer = observer;
    this.#leftMs = leftMs;
  }

  /** So much time has passed. */
  get elapsedMs(): number {
    return performance.now() - this.#startedMs;
  }

  /** Something begins that is to take this long; several may be in progress at once. */
  begin(expectedMs: number, label: string) {
    let countedMs = 0;
    const count = (ms: number) => {
      this.#doneMs += ms - countedMs;
      countedMs = ms;
    };
    this.#show(label);
    return {
      within: (share: number, now = label) => {
        count(Math.min(1, share) * expectedMs);
        this.#show(now);
      },
      end: () => count(0),
    };
  }

  #show(label: string): void {
    const known = this.#leftMs();
    const leftMs = known === undefined ? undefined : Math.max(0, known - this.#doneMs);
    const share = leftMs === undefined ? 0 : this.elapsedMs / (this.elapsedMs + leftMs);
    this.#observer.progress(share, leftMs, label);
  }
}
