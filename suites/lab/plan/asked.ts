import type { Described } from "../../engine/measure/plan/described.ts";
import type { Profile } from "../../engine/measure/plan/plan.ts";
import type { Entry, Start } from "../../engine/race.ts";
import type { Suite } from "../../shared/vocabulary.ts";

export interface LoadedSuite {
  readonly suite: Suite;
  /** Module that describes its scenarios, except the ones in `modules`. */
  readonly url: string;
  /** Module of each other scenario, by the scenario's name. */
  readonly modules?: ReadonlyMap<string, string>;
}

/** The module that describes a scenario. */
export function moduleUrlOf({ url, modules }: LoadedSuite, scenario: string): string {
  return modules?.get(scenario) ?? url;
}

export interface Request {
  readonly suites: readonly LoadedSuite[];
  /** Module of the lab that forks and threads import by (see `Lab`). */
  readonly lab: string | undefined;
  /** Filters on cell names; a filter matches a cell whose leading parts it spells. Empty: the headline scenarios. */
  readonly filters: readonly string[];
  readonly all: boolean;
  /** Worker counts asked for; undefined for the usual ones. */
  readonly workers: readonly number[] | undefined;
  readonly profile: Profile;
  /** Time for all racing together, in ms; what the profile gives each cell if absent. */
  readonly budgetMs?: number | undefined;
  readonly size: "full" | "smoke";
  readonly seed: number;
  readonly patienceMs: number;
  /** Competitors by primitive. */
  readonly competitors: ReadonlyMap<string, readonly Entry[]>;
  /** Competitors from outside the repository, by primitive. */
  readonly candidates: ReadonlyMap<string, readonly Entry[]>;
  /** What is known of competitors and candidates, by their URL; one that is not in here takes part everywhere. */
  readonly described: ReadonlyMap<string, Described>;
  /** How a runtime is started, by its name; or why it cannot be, in one line. */
  readonly startOf: (runtime: string) => Start | string;
  readonly cores: number;
}
