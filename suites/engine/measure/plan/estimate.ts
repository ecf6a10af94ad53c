import { sum } from "../../statistics.ts";

/**
 * How long a run takes, and for how long each group may race. Racing has a budget, which groups share. Later groups can
 * use what one leaves, and lack what one takes too much. Only the fewest processes of each may take longer than that.
 * What is no race takes what it takes. Numbers in, numbers out, and no clock; all times in ms.
 */
export interface GroupTimes {
  readonly weight: number;
  /** What one of its processes is planned to take. */
  readonly forkMs: number;
  /** Processes that it has in any case, and at most. */
  readonly fewest: number;
  readonly most: number;
}

type Took = readonly [plannedMs: number, tookMs: number];

export interface RunTimes {
  readonly budgetMs: number;
  readonly groups: readonly GroupTimes[];
  /** What follows the races, by kind. */
  readonly unracedMs: Readonly<Record<string, number>>;
}

/** A run is announced anew once it takes this multiple of the announced time, before it is a fifth longer. */
const LONGER = 1.1;

/** What groups may take, one after the other: their fewest processes, and of the rest of the budget parts by weight. */
export function sharesOf(budgetMs: number, groups: readonly GroupTimes[]): number[] {
  let restMs = Math.max(0, budgetMs - sum(groups.map(({ fewest, forkMs }) => fewest * forkMs)));
  let weights = sum(groups.map(({ weight }) => weight));
  return groups.map(({ weight, forkMs, fewest, most }) => {
    const moreMs = Math.min((most - fewest) * forkMs, (restMs * weight) / weights);
    restMs -= moreMs;
    weights -= weight;
    return fewest * forkMs + moreMs;
  });
}

/** A run as it goes: its groups one after the other, then what is no race. */
export class TimeEstimate {
  #left: RunTimes;
  readonly #forks: Took[] = [];
  /** Of what is no race, by kind. */
  readonly #unraced = new Map<string, Took[]>();
  /** Of the group that is being raced: the place of its first process, and what all took. */
  #ownFrom = 0;
  #spentMs = 0;
  #announcedMs: number | undefined;

  constructor(times: RunTimes) {
    this.#left = times;
  }

  /** What a process of the group that is being raced is expected to take. */
  forkMs(plannedMs: number): number {
    const own = this.#forks.slice(this.#ownFrom);
    return plannedMs * factorOf(own.length > 0 ? own : this.#usualForks());
  }

  /** Whether the group has time for such a process: half of it may be beyond its share. */
  hasTimeFor(plannedMs: number): boolean {
    return this.#spentMs + this.forkMs(plannedMs) / 2 <= this.#shares()[0]!;
  }

  /** Time spent on a process of the group. If the process was lost, it does not show how the group goes. */
  forked(plannedMs: number, tookMs: number, isLost: boolean): void {
    this.#spentMs += tookMs;
    if (!isLost) this.#forks.push([plannedMs, tookMs]);
  }

  /** The group is done: the next one is raced from now on. */
  raced(): void {
    const { budgetMs, groups } = this.#left;
    this.#left = { ...this.#left, budgetMs: Math.max(0, budgetMs - this.#spentMs), groups: groups.slice(1) };
    this.#ownFrom = this.#forks.length;
    this.#spentMs = 0;
  }

  /** One job of `atOnce` that run side by side is done, or was left out if it took no time. */
  ended(kind: string, plannedMs: number, tookMs: number, atOnce = 1): void {
    const leftMs = Math.max(0, (this.#left.unracedMs[kind] ?? 0) - plannedMs / atOnce);
    this.#left = { ...this.#left, unracedMs: { ...this.#left.unracedMs, [kind]: leftMs } };
    if (tookMs > 0) this.#unraced.set(kind, [...this.#unracedOf(kind), [plannedMs, tookMs]]);
  }

  leftMs(): number {
    const [ownMs = 0, ...laterMs] = this.#shares();
    const unracedMs = Object.entries(this.#left.unracedMs).map(
      ([kind, plannedMs]) => plannedMs * factorOf(this.#unracedOf(kind)),
    );
    return Math.max(0, ownMs - this.#spentMs) + sum([...laterMs, ...unracedMs]);
  }

  #unracedOf(kind: string): readonly Took[] {
    return this.#unraced.get(kind) ?? [];
  }

  /** The whole time, where it is to be said: after a run's first piece, and again where it is to be longer. */
  announcement(elapsedMs: number): number | undefined {
    const wholeMs = elapsedMs + this.leftMs();
    if (this.#announcedMs !== undefined && wholeMs <= LONGER * this.#announcedMs) return undefined;
    this.#announcedMs = wholeMs;
    return wholeMs;
  }

  #shares(): number[] {
    const [own, usual] = [this.forkMs(1), factorOf(this.#usualForks())];
    const timesOf = (group: GroupTimes, place: number) => {
      return { ...group, forkMs: group.forkMs * (place === 0 ? own : usual) };
    };
    return sharesOf(this.#left.budgetMs, this.#left.groups.map(timesOf));
  }

  /** All but the slowest: the first process fills caches of code, and any may be disturbed. */
  #usualForks(): Took[] {
    return this.#forks.toSorted((a, b) => factorOf([a]) - factorOf([b])).slice(0, -1);
  }
}

/** How many times as long as planned these took. */
function factorOf(took: readonly Took[]): number {
  return took.length === 0 ? 1 : sum(took.map(([, ms]) => ms)) / sum(took.map(([ms]) => ms));
}

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
