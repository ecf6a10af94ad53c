import { type Race, race } from "./race.ts";

/** A race and the competitors that take part in it, all described in one module. */
export interface DefinedRace extends Race<unknown, unknown, unknown> {
  /** By name, in the order of tables: two or more. */
  readonly competitors: Readonly<Record<string, unknown>>;
}

/** What a race of one module is made of: see `Race`; most of it has a default here. */
export interface RaceDefinition<Competitor, Params, Shared>
  extends Pick<Race<Competitor, Params, Shared>, "scenario" | "attach">,
    Partial<Omit<Race<Competitor, Params, Shared>, "kind" | "scenario" | "headline" | "params" | "attach">> {
  /** By name, lower-case words joined by hyphens: two or more. */
  readonly competitors: Readonly<Record<string, Competitor>>;
  readonly params?: Params;
}

/**
 * The law of a race that has none.
 *
 * @internal
 */
export const noLaw = (): undefined => undefined;

/**
 * Describes a race. Its title is its name if absent, an operation is called "op", the baseline is the first competitor, and
 * `prepare` shares nothing. Give a `law`: without one nothing shows that all competitors did the same work.
 */
export function defineRace<Competitor, Params = undefined, Shared = undefined>({
  competitors,
  params,
  ...definition
}: RaceDefinition<Competitor, Params, Shared>): DefinedRace {
  const described = race<Competitor, Params, Shared>({
    title: definition.scenario,
    operation: "op",
    baseline: Object.keys(competitors)[0] ?? "",
    headline: true,
    prepare: () => undefined as Shared,
    law: noLaw,
    ...definition,
    params: { full: params as Params, smoke: params as Params },
  });
  return { ...described, competitors };
}
