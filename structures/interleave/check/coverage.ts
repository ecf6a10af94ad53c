import type { Bounds, Exploration } from "../search/program.ts";

/** What `check` has visited without finding a broken promise. As a string it is one sentence. */
export class Coverage {
  /** Whether every schedule was visited. Of starvation it says nothing: see `unasked`. */
  readonly complete: boolean;
  readonly states: number;
  /** States in which every thread is done or has died. */
  readonly ends: number;
  /** Steps of the longest schedule that was followed. */
  readonly depth: number;
  /** In words, what threads do that was not followed to its end. */
  readonly unfollowed: readonly string[];
  /** What ended it before every schedule was visited. */
  readonly cut?: NonNullable<Exploration["cut"]>;
  /** Of schedules at random with a depth: the probability, at most, that they miss a fault of that depth; see Exploration. */
  readonly missed?: number;
  readonly seconds: number;
  /** Names in `sometimes` that were true in no end; empty where every schedule was visited. */
  readonly unmet: readonly string[];
  /** Threads that made no access to the shared memory: nothing that they do is explored. */
  readonly withoutAccess: readonly number[];
  /** What no check looks for. Starvation: a schedule passes a thread over for ever, though another would let it finish. */
  readonly unasked = ["starvation"] as const;
  readonly #visited: string;

  constructor(
    exploration: Exploration,
    bounds: Bounds,
    seconds: number,
    { unmet, withoutAccess }: Pick<Coverage, "unmet" | "withoutAccess">,
  ) {
    const { states, ends, depth, cut, missed, unfollowed = [] } = exploration;
    this.complete = cut === undefined;
    this.states = states;
    this.ends = ends;
    this.depth = depth;
    if (cut !== undefined) this.cut = cut;
    this.seconds = seconds;
    this.unmet = unmet;
    this.withoutAccess = withoutAccess;
    this.unfollowed = unfollowed;
    const why = unfollowed.length === 0 ? "" : `, as ${unfollowed.join(" and ")}`;
    if (missed !== undefined) this.missed = missed;
    const misses =
      missed === undefined
        ? ""
        : `, which miss a fault of depth ${bounds.random!.depth} with a probability of at most ${missed.toPrecision(2)}`;
    this.#visited = `${visited(cut, bounds)}${misses}${why}`;
  }

  toString(): string {
    const { states, ends, depth, seconds } = this;
    const counts = `${counted(states, "state")}, ${counted(ends, "end")}, at most ${counted(depth, "step")}`;
    const unmet = this.unmet.map((name) => `; ${JSON.stringify(name)} was true in no end`).join("");
    const idle = this.withoutAccess.map((thread) => `; thread ${thread} made no access to the shared memory`);
    const unasked = this.complete ? `; ${this.unasked.join()} was not looked for` : "";
    return `${this.#visited}: ${counts}, ${seconds.toFixed(1)} s${unmet}${idle.join("")}${unasked}.`;
  }
}

function visited(cut: Exploration["cut"], { preemptions, random, timeLimitMs }: Bounds): string {
  switch (cut) {
    case undefined:
      return "Every schedule was visited";
    case "preemptions":
      return `Every schedule with at most ${counted(preemptions ?? 0, "preemption")} was visited`;
    case "random":
      return `${counted(random?.schedules ?? 0, "schedule")} at random ${random?.schedules === 1 ? "was" : "were"} visited`;
    case "time":
      return `Not every schedule was visited within ${counted(timeLimitMs ?? 0, "ms", "ms")}`;
    case "states":
      return "Not every schedule was visited before the limit of states";
    case "turns":
      return preemptions === undefined
        ? "Not every schedule was visited"
        : `Not every schedule with at most ${counted(preemptions, "preemption")} was visited`;
    case "replay":
      return "One schedule was repeated, and breaks no promise";
  }
}

export function counted(count: number, what: string, several = `${what}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? what : several}`;
}
