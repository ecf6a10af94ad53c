import { urlOf } from "../capture/address.ts";
import { usableCores } from "../measure/machine/machine.ts";
import type { Profile } from "../measure/plan/plan.ts";
import { FEWEST_FORKS } from "../measure/plan/timing.ts";
import { readableTime } from "../render/tables/progress.ts";
import { sum } from "../statistics.ts";
import { UsageError } from "./arguments.ts";
import { counted } from "./list-files.ts";
import type { PlannedRaces } from "./plan-races.ts";
import { costOf } from "./race-tasks.ts";
import type { TaskGroup } from "./task-groups.ts";

/** Without a budget, longer than this is not begun, in ms: it is likely a surprise. */
const UNASKED_MS = 20 * 60_000;
/** From here on a reader is shown how to ask for less, in ms. */
const LONG_MS = 2 * 60_000;
/** A look at a task that is imported, and running it until it is warm in each process, in ms. */
const LOOK_MS = 200;
const WARM_MS = 100;
/** Tasks that leave garbage have long slices, which make a race take this many times as long. */
const TIMES_LONGER = 2;
const NARROWER = "narrow it with --group TEXT or --task TEXT";

/** Time that groups share, which race one after the other. */
export class Budget {
  /** What each group is expected to take, in ms. */
  readonly #usualMs: readonly number[];
  readonly #profile: Profile;
  readonly #askedMs: number | undefined;
  readonly #startedMs = performance.now();
  /** What all of it is, and how long it takes, for a line before it begins. */
  readonly announcement: string;

  /** Throws a UsageError where the fewest processes of each group take longer than was asked for, or may be a surprise. */
  constructor(groups: readonly TaskGroup[], profile: Profile, askedMs: number | undefined) {
    const costs = groups.map((group) => expected(group, profile));
    const leastMs = sum(costs.map((cost) => cost.leastMs));
    this.#usualMs = costs.map(({ usualMs }) => usualMs);
    this.#profile = profile;
    this.#askedMs = askedMs;
    const tasks = sum(groups.map((group) => openTasks(group).length));
    const what = `${counted(tasks, "task")} in ${counted(groups.length, "group")}`;
    const wholeMs = Math.max(leastMs, Math.min(sum(this.#usualMs), askedMs ?? Number.POSITIVE_INFINITY));
    if (askedMs !== undefined && leastMs > askedMs)
      throw new UsageError(
        `${what} take at least ${readableTime(leastMs)}, and --budget is ${readableTime(askedMs)}: ${NARROWER}, or give more`,
      );
    if (askedMs === undefined && wholeMs > UNASKED_MS)
      throw new UsageError(
        `${what} take about ${readableTime(wholeMs)}: ${NARROWER}, or give --budget ${Math.ceil(leastMs / 60_000)}m or more`,
      );
    const longest = askedMs === undefined ? ` to ${readableTime(TIMES_LONGER * wholeMs)}` : "";
    this.announcement = `${what}: about ${readableTime(wholeMs)}${longest}${wholeMs > LONG_MS ? `; ${NARROWER}` : ""}`;
  }

  /** Time for the races of the group at `index`, in ms: its part of what is left. */
  shareMs(index: number, { races, importMs }: PlannedRaces): number {
    if (this.#askedMs === undefined) return costOf(races, this.#profile).usualMs + importMs / usableCores();
    const leftMs = this.#askedMs - (performance.now() - this.#startedMs);
    return Math.max(0, leftMs) * (this.#usualMs[index]! / sum(this.#usualMs.slice(index)));
  }
}

function expected(group: TaskGroup, profile: Profile): { leastMs: number; usualMs: number } {
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
