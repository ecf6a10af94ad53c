import type { Placement, Race, Traits } from "../../race.ts";
import { present } from "../../words/present.ts";

/** What a plan has to know of a competitor. Data, so that a process of its own can ask a competitor that is not trusted. */
export interface Described {
  /** The competitor that it varies, if any. */
  readonly variantOf?: string;
  /** By the names of its suite's scenarios. */
  readonly scenarios: Readonly<Record<string, DescribedIn>>;
}

/** What it comes to in one scenario. */
export interface DescribedIn {
  /** Why it does not take part. */
  readonly absent?: string;
  /** See `Race.bytesPerWorker`; 0 where that is not worth a thought. */
  readonly bytesPerWorker: number;
  readonly placement: Placement;
}

type Size = "full" | "smoke";

/** What is asked of a scenario, be it a race or not. */
type Asking = Pick<Race<unknown, unknown, unknown>, "scenario" | "params"> &
  Partial<Pick<Race<unknown, unknown, unknown>, "absent" | "bytesPerWorker" | "placement">>;

/** Asks a competitor for all that plans of its suite have to know of it. */
export function describeCompetitor(
  traits: Traits,
  suite: { readonly scenarios: readonly Asking[] },
  size: Size,
): Described {
  const scenarios = suite.scenarios.map((scenario) => [
    scenario.scenario,
    describeIn(traits, scenario, size),
  ]);
  const { variantOf } = traits;
  return { ...present({ variantOf }), scenarios: Object.fromEntries(scenarios) };
}

/** A competitor that nothing is known of takes part, and is planned for as the scenario says of none in particular. */
function unknownIn(scenario: Asking, size: Size): DescribedIn {
  const bytesPerWorker = scenario.bytesPerWorker?.(undefined, scenario.params[size]) ?? 0;
  return { bytesPerWorker, placement: "arena" };
}

function describeIn(traits: Traits, scenario: Asking, size: Size): DescribedIn {
  const params = scenario.params[size];
  try {
    const absent = traits.unavailable?.() ?? scenario.absent?.(traits, params);
    if (absent !== undefined) return { ...unknownIn(scenario, size), absent };
    const bytesPerWorker = scenario.bytesPerWorker?.(traits, params) ?? 0;
    return { bytesPerWorker, placement: scenario.placement?.(traits, params) ?? "arena" };
  } catch {
    // A competitor that cannot even be asked races, and its cell will say what is wrong with it.
    return unknownIn(scenario, size);
  }
}

/** What is known of the competitor in the module at `url`, in one scenario. */
export function describedIn(
  scenario: Asking,
  url: string,
  { described, size }: { readonly described: ReadonlyMap<string, Described>; readonly size: Size },
): DescribedIn {
  return described.get(url)?.scenarios[scenario.scenario] ?? unknownIn(scenario, size);
}
