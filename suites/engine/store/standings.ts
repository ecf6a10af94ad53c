import { competitorsOf, contractOf, loadCompetitor, primitives } from "../../../structures/catalog.ts";
import type { Claims } from "../../../structures/shared/claims.ts";
import type { Standings } from "../render/races.ts";
import type { FormerNames } from "../schema/names.ts";

/** What the lab says today of the competitors of each of these primitives, of all if absent. */
export async function loadStandings(
  of: Iterable<string> = primitives(),
): Promise<ReadonlyMap<string, Standings>> {
  return new Map(
    await Promise.all([...of].map(async (primitive) => [primitive, await standingsOf(primitive)] as const)),
  );
}

async function standingsOf(primitive: string): Promise<Standings> {
  const { oracle } = await contractOf(primitive);
  const competitors = await claimsOf(primitive);
  const named = (isMeant: (claims: Claims) => boolean) =>
    new Set(competitors.filter(({ claims }) => isMeant(claims)).map(({ name }) => name));
  return {
    floors: named(({ floor }) => floor === true),
    oracle,
    variants: named(({ variantOf }) => variantOf !== undefined),
  };
}

/** What each competitor of a primitive says of itself, in the order of their names. */
export async function claimsOf(primitive: string): Promise<{ name: string; claims: Claims }[]> {
  const contract = await contractOf(primitive);
  return Promise.all(
    competitorsOf(primitive).map(async ({ name, url }) => ({
      name,
      claims: await loadCompetitor(url, contract),
    })),
  );
}

/** What the competitors of each primitive say that they were called. */
export async function loadFormerNames(): Promise<FormerNames> {
  return new Map(
    await Promise.all(
      primitives().map(async (primitive) => {
        const renamed = (await claimsOf(primitive)).flatMap(({ name, claims: { formerly } }) =>
          formerly === undefined ? [] : [[formerly, name] as const],
        );
        return [primitive, new Map(renamed)] as const;
      }),
    ),
  );
}
