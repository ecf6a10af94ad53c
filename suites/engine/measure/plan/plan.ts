import type { Race, Start } from "../../race.ts";
import type { RacedRuntime } from "../../schema/verdict.ts";
import { derivedSeed } from "../../words/random.ts";
import type { Surroundings } from "./protocol.ts";

/**
 * What a plan is: which cells a run visits, in which groups, how often and in what order.
 */

/** How much racing a run may do, and from when on a row needs no more of it. */
export interface Profile {
  readonly name: string;
  /** Time for each cell of a race, start-up included, in s. What is decided sooner leaves its time to the others. */
  readonly secondsPerCell: number;
  /** Half-width of an interval, as a share, up to which a row is raced even when it is decided. */
  readonly precision: number;
  /** Processes for each competitor of a survey. */
  readonly surveys: number;
  /** Processes that each group has in any case, if each worker has a core; absent, FEWEST_FORKS. */
  readonly fewestForks?: number;
  /**
   * Processes for each group and rounds in each of them, where neither time nor verdicts decide. It is for tests, which
   * may also do with fewer slices of warm-up than a crew needs to be warm, and fill each process with all the threads that
   * it can hold.
   */
  readonly exactly?: {
    readonly forks: number;
    readonly rounds: number;
    readonly warmUpSlices?: number;
    readonly isCrowded?: true;
  };
}

export const PROFILES = {
  quick: { name: "quick", secondsPerCell: 0.5, precision: 0.1, surveys: 1 },
  // What is raced where nothing is asked for takes less than six minutes, and with its simulations and surveys less than seven.
  standard: { name: "standard", secondsPerCell: 1.6, precision: 0.03, surveys: 2 },
  full: { name: "full", secondsPerCell: 8, precision: 0.01, surveys: 5 },
} as const satisfies Record<string, Profile>;

/**
 * A worker that is this much late to finish a slice never will. Generous, because on a busy machine a worker may be
 * off its core for long, and an oracle's single operation may outlast a slice.
 */
export const PATIENCE_MS = 8_000;

export interface Plan extends Surroundings {
  /** Module of the lab that forks and threads import by (see `Lab`). */
  readonly lab: string | undefined;
  readonly seed: number;
  readonly profile: Profile;
  readonly size: "full" | "smoke";
  readonly patienceMs: number;
  /** Time for all racing, in ms, which groups share (see estimate.ts); Infinity where only `forks` ends it. */
  readonly budgetMs: number;
  readonly groups: readonly GroupPlan[];
}

export interface GroupPlan {
  readonly primitive: string;
  /** A scenario's name; with an `@`, which none has, where it is raced on other runtimes (see runtime-plan.ts) or compiled alike. */
  readonly scenario: string;
  /** Module that describes the scenario. */
  readonly moduleUrl: string;
  readonly workers: number;
  readonly oversubscribed: boolean;
  readonly sliceUs: number;
  /** How long workers run before a window opens, so that caches are full again. */
  readonly rampUs: number;
  /** Rounds in one fork, even, so that every order is followed by its reverse. */
  readonly rounds: number;
  /** How many there may be where those have seen too little of the quiet state. */
  readonly mostRounds: number;
  /**
   * In one round of this number each crew gives an account, and its law is checked; the seed chooses which. The first and the
   * last have one, too.
   */
  readonly accountEvery: number;
  /** Slices of warm-up; absent, as many as a crew needs. */
  readonly warmUpSlices?: number;
  /** Processes that it has however long they take, and even if no row needs more. */
  readonly fewestForks: number;
  /** Most processes; racing ends sooner when its time is up or no row needs more. */
  readonly forks: number;
  /** See `Profile`. */
  readonly precision: number;
  /** Rows of its table: intervals are widened for their number. */
  readonly rows: number;
  /** `arena`: crews use the same memory in turn. `own`: each has its own, because it holds objects that cannot be moved. */
  readonly placement: "arena" | "own";
  readonly crews: readonly CrewPlan[];
  /** The runtimes that its crews ran on, where that is not the lab's own alone. */
  readonly runtimes?: readonly RacedRuntime[];
  /** What operations take in a process beyond its slices, in ms: what has begun is ended. Absent where that is nothing. */
  readonly beyondSlicesMs?: number;
  /** Most memory that its racing crews hold together; 0 where that is not worth a thought. */
  readonly bytes: number;
  /** Competitors that do not take part in the scenario, whatever the group. */
  readonly absent: readonly Absence[];
  /** Whether its processes optimise code in the thread that runs it, so that all get the same; see `compiledAlike`. */
  readonly isCompiledAlike?: true;
  /** Whether its processes measure what operations allocate, when all slices have been timed. Only for crews of one worker. */
  readonly countsBytes?: true;
  readonly race: Race<unknown, unknown, unknown>;
}

/**
 * The same group, compiled alike, as a table of its own. V8 optimises code in another thread while it runs on, and what it has seen
 * by then differs from process to process. Where the thread that runs compiles it, it has seen the same in each.
 */
export function compiledAlike(group: GroupPlan): GroupPlan {
  return { ...group, scenario: `${group.scenario}@compiled-alike`, isCompiledAlike: true };
}

/** The name of the scenario that a group races, however it is raced: on which runtimes, or compiled alike. */
export function scenarioOf(named: string): string {
  return named.split("@", 1)[0]!;
}

/** A competitor that does not take part in a scenario. */
export interface Absence {
  readonly competitor: string;
  readonly reason: string;
}

export type CrewKind = "baseline" | "aa-control" | "rival" | "control" | "control-alone" | "empty";

export interface CrewPlan {
  /**
   * Unique in its group: a competitor's name, or one with a `~` or an `@`, which no competitor's has: `<baseline>~aa1`, `~control`,
   * `cas-ring@1a2b3c4`.
   */
  readonly name: string;
  readonly kind: CrewKind;
  /** Module of the competitor; undefined for the crews that the engine brings along. */
  readonly url: string | undefined;
  readonly workers: number;
  /** `arena` if its words lie where those of all other crews lie in their turns. */
  readonly placement: "arena" | "own";
  /**
   * Work of the same kind that it does beyond what it counts, as a share. At 0.03 it makes 103 picks for each 100 that
   * it reports, and is that much slower, alone and contended. For measuring what the judge can see. None if absent.
   */
  readonly extraWork?: number;
  /** Where it runs; in the fork itself if absent. */
  readonly remote?: RemotePlan;
}

/** A process of some runtime beside the fork, which has crews of its own. Crews that name the same process share it. */
export interface RemotePlan {
  readonly name: string;
  /** As `RacedRuntime` names it. */
  readonly runtime: string;
  readonly start: Start;
  /** URL of the module by which a fork starts such processes (see `StartRemote`). */
  readonly module: string;
}

/** The runtime that everything runs on that asks for no other. */
export const LAB_RUNTIME = "node24";

/** The runtime of a crew; crews of the fork itself run on the lab's own. */
export function runtimeOf(crew: Pick<CrewPlan, "remote"> | undefined): string {
  return crew?.remote?.runtime ?? LAB_RUNTIME;
}

/** uint32 seed of one fork of one group: a different workload for each, the same for all competitors in it. */
export function forkSeed(seed: number, group: number, fork: number): number {
  return derivedSeed(derivedSeed(seed, group), fork);
}

/** Name of a race's cell. */
export function cellName(primitive: string, scenario: string, competitor: string, workers: number): string {
  return `${primitive}/${scenario}/${competitor}/${workers}w`;
}

/** Whether a crew is a row of the table. */
export function isContestant({ kind }: { readonly kind: CrewKind }): boolean {
  return !isInstrument(kind);
}

/** Whether a crew is the engine's own: a control or the empty operation. These know no roles. */
export function isInstrument(kind: CrewKind): kind is "control" | "control-alone" | "empty" {
  return kind === "control" || kind === "control-alone" || kind === "empty";
}
