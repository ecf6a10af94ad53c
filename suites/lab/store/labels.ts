import { competitorsOf, contractOf, loadCompetitor, primitives } from "../../../structures/catalog.ts";
import type { Traits } from "../../../structures/shared/traits.ts";
import type { FormerNames } from "../schema/names.ts";
import type { Labels } from "../tables/races.ts";
import { retiredOf } from "./retired.ts";

/** What the lab says today of the competitors of each of these primitives, of all if absent. */
export async function loadLabels(of: Iterable<string> = primitives()): Promise<ReadonlyMap<string, Labels>> {
  return new Map(
    await Promise.all([...of].map(async (primitive) => [primitive, await labelsOf(primitive)] as const)),
  );
}

async function labelsOf(primitive: string): Promise<Labels> {
  const { oracle } = await contractOf(primitive);
  const competitors = await traitsOf(primitive);
  const named = (isMeant: (traits: Traits) => boolean) =>
    new Set(competitors.filter(({ traits }) => isMeant(traits)).map(({ name }) => name));
  return {
    lowerBounds: named(({ lowerBound }) => lowerBound === true),
    oracle,
    variants: new Set([...named(({ variantOf }) => variantOf !== undefined), ...retiredOf(primitive)]),
    yardsticks: new Map(
      competitors.flatMap(({ name, traits: { yardstickOf } }) =>
        yardstickOf === undefined ? [] : [[name, yardstickOf] as const],
      ),
    ),
  };
}

/** What each competitor of a primitive says of itself, in the order of their names. */
export async function traitsOf(primitive: string): Promise<{ name: string; traits: Traits }[]> {
  const contract = await contractOf(primitive);
  return Promise.all(
    competitorsOf(primitive).map(async ({ name, url }) => ({
      name,
      traits: await loadCompetitor(url, contract),
    })),
  );
}

/** What competitors say that they were called. */
export async function loadFormerNames(): Promise<FormerNames> {
  return new Map(
    await Promise.all(
      primitives().map(async (primitive) => {
        const renamed = (await traitsOf(primitive)).flatMap(({ name, traits: { formerly } }) =>
          formerly === undefined ? [] : [[formerly, name] as const],
        );
        return [primitive, new Map(renamed)] as const;
      }),
    ),
  );
}
