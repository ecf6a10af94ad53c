import { urlOf } from "../capture/address.ts";
import { usableCores } from "../measure/machine/cores.ts";
import type { Profile } from "../measure/plan/plan.ts";
import { FEWEST_FORKS } from "../measure/plan/timing.ts";
import { sum } from "../statistics.ts";
import { readableTime } from "../table/progress.ts";
import { type Deadline, NARROWER } from "./deadline.ts";
import { longestNsIn, type PlannedRaces } from "./plan-races.ts";
import { costOf } from "./race-tasks.ts";
import type { TaskGroup } from "./task-groups.ts";
import { counted, UsageError } from "./usage.ts";

/** Without a budget, longer than this is not begun, in ms: it is likely a surprise. */
const UNASKED_MS = 20 * 60_000;
/** From here on a reader is shown how to ask for less, in ms. */
const LONG_MS = 2 * 60_000;
/** A look at a task that is imported, and running it until it is warm in each process, in ms. */
const LOOK_MS = 200;
const WARM_MS = 100;
/** Tasks that leave garbage have long slices, which make a race take this many times as long. */
const TIMES_LONGER = 2;
/** A run is announced anew once it is to take this multiple of what was said. */
const LONGER = 1.1;
/** Two looks at a task may find that much between them. */
const MARGIN = 1.1;

interface Cost {
  /** With the fewest processes that can be judged, in ms. */
  readonly leastMs: number;
  /** As the profile has it, in ms. */
  readonly usualMs: number;
}

/** Time that groups share, which race one after the other. */
export class Budget {
  /** Of each group: as its tasks are many, and after the looks at them, as they are long. */
  #costs: readonly Cost[];
  readonly #what: string;
  readonly #profile: Profile;
  readonly #deadline: Deadline;
  readonly #begunMs = performance.now();
  /** The most that was announced, in ms. */
  #announcedMs: number;
  /** What all of it is, and how long it takes, for a line before it begins. */
  readonly announcement: string;

  /** Throws a UsageError where the fewest processes of each group take longer than was asked for, or may be a surprise. */
  constructor(groups: readonly TaskGroup[], profile: Profile, deadline: Deadline) {
    const { askedMs } = deadline;
    this.#costs = groups.map((group) => expected(group, profile));
    this.#profile = profile;
    this.#deadline = deadline;
    const tasks = sum(groups.map((group) => openTasks(group).length));
    const what = `${counted(tasks, "task")} in ${counted(groups.length, "group")}`;
    this.#what = what;
    this.#refuseTooLittle();
    const leastMs = sum(this.#costs.map((cost) => cost.leastMs));
    const usualMs = sum(this.#costs.map((cost) => cost.usualMs));
    const wholeMs = Math.max(leastMs, Math.min(usualMs, askedMs ?? Number.POSITIVE_INFINITY));
    if (askedMs === undefined && wholeMs > UNASKED_MS)
      throw new UsageError(
        `${what} take about ${readableTime(wholeMs)}: ${NARROWER}, or give --budget ${Math.ceil(leastMs / 60_000)}m or more`,
      );
    this.#announcedMs = TIMES_LONGER * wholeMs;
    const longest = askedMs === undefined ? ` to ${readableTime(TIMES_LONGER * wholeMs)}` : "";
    this.announcement = `${what}: about ${readableTime(wholeMs)}${longest}${wholeMs > LONG_MS ? `; ${NARROWER}` : ""}`;
  }

  /** Whether a time was asked for, so that all tasks have to be looked at before any races. */
  get isAsked(): boolean {
    return this.#deadline.askedMs !== undefined;
  }

  /** The longest operation of which the fewest processes have time for a race, in ns; undefined where time is not bounded. */
  get longestNs(): number | undefined {
    return this.isAsked ? longestNsIn(this.#deadline.leftMs) : undefined;
  }

  /**
   * Hears what the looks at the tasks of the first groups found. Throws a UsageError where the fewest processes of all take longer
   * than is left.
   */
  looked(planned: readonly PlannedRaces[]): void {
    this.#costs = this.#costs.map((cost, index) => {
      const races = planned[index];
      return races === undefined ? cost : this.#costAfterLook(races);
    });
    this.#refuseTooLittle();
  }

  /**
   * One line where the whole now takes longer than was announced, by the look at the group at `index`; undefined elsewhere, and where
   * time is bounded. Tasks that are far apart race in several ranges, each beside a baseline and an empty task of its own.
   */
  longer(index: number, planned: PlannedRaces): string | undefined {
    if (this.isAsked) return undefined;
    const costs = this.#costs.with(index, this.#costAfterLook(planned)).slice(index);
    const wholeMs = performance.now() - this.#begunMs + sum(costs.map(({ usualMs }) => usualMs));
    if (wholeMs <= this.#announcedMs) return undefined;
    this.#announcedMs = LONGER * wholeMs;
    const ranges = planned.races.length > 1 ? `, in ${planned.races.length} races` : "";
    return `longer than announced${ranges}: about ${readableTime(wholeMs)} in all; ${NARROWER}`;
  }

  /** Time for the races of the group at `index`, in ms: what they take at least, and its part of what is left beyond that. */
  shareMs(index: number, planned: PlannedRaces): number {
    if (!this.isAsked) return this.#costAfterLook(planned).usualMs;
    const costs = this.#costs.slice(index);
    const moreMs = Math.max(0, this.#deadline.leftMs - sum(costs.map(({ leastMs }) => leastMs)));
    const { leastMs, usualMs } = costs[0]!;
    return leastMs + (moreMs * usualMs) / sum(costs.map((cost) => cost.usualMs));
  }

  #costAfterLook({ races, importMs }: PlannedRaces): Cost {
    const { leastMs, usualMs } = costOf(races, this.#profile);
    const besidesMs = importMs / usableCores();
    return { leastMs: leastMs + besidesMs, usualMs: usualMs + besidesMs };
  }

  #refuseTooLittle(): void {
    const { askedMs, leftMs } = this.#deadline;
    const leastMs = sum(this.#costs.map((cost) => cost.leastMs));
    if (askedMs === undefined || leastMs <= leftMs) return;
    const neededMs = askedMs - leftMs + leastMs;
    throw new UsageError(
      `${this.#what} cannot race in less than ${readableTime(neededMs)}, and --budget is ${readableTime(askedMs)}: ${NARROWER}, or give --budget ${Math.ceil((MARGIN * neededMs) / 1000)}s`,
    );
  }
}

function expected(group: TaskGroup, profile: Profile): Cost {
  const open = openTasks(group);
  if (open.length === 0) return { leastMs: 0, usualMs: 0 };
  const { title, workers, importMs } = group;
  const contestants = open.map(({ label, address }) => ({ label, url: urlOf(address) }));
  const cost = costOf([{ title, workers, contestants, baseline: 0 }], profile);
  const isolates = FEWEST_FORKS * workers * (open.length + 1);
  const besidesMs = open.length * (importMs + LOOK_MS) + (isolates * (importMs + WARM_MS)) / usableCores();
  return { leastMs: cost.leastMs + besidesMs, usualMs: cost.usualMs + besidesMs };
}

function openTasks({ tasks }: TaskGroup) {
  return tasks.filter(({ refused }) => refused === undefined);
}
