import type { AffinityCompetitor, AffinityMember } from "../../structures/affinity/affinity.contract.ts";
import { fewKeysMove } from "../../structures/affinity/affinity.laws.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import { type Scenario, simulation } from "../shared/vocabulary.ts";
import { membersNamed } from "./members.ts";

interface Params {
  readonly members: number;
  readonly keys: number;
}

interface Seen {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly members: readonly string[];
  readonly changed: string;
}

/** So that the busiest is told from chance. */
const KEYS_EACH = 300;

/** What moves as one member joins, and as one leaves, beside the least possible; and how many keys the busiest has. */
export function moving(members: number): Scenario {
  return simulation<AffinityCompetitor, Params>({
    scenario: `moves-${members}`,
    title: `keys that move as one member of ${members.toLocaleString("en")} joins or leaves`,
    headline: false,
    alike: "moves",
    baseline: "ring",
    params: {
      full: { members, keys: Math.max(100_000, KEYS_EACH * members) },
      smoke: { members, keys: 1_000 },
    },
    seeds: 3,
    secondsPerSeed: members > 100 ? 3 : 0.3,
    metrics: {
      joined: { title: "Moved by a join", unit: "% of keys", digits: 2 },
      least: { title: "Least by a join", unit: "% of keys", digits: 2 },
      left: { title: "Moved by a leave", unit: "% of keys", digits: 2 },
      leastLeft: { title: "Least by a leave", unit: "% of keys", digits: 2 },
      peak: { title: "Keys of the busiest", unit: "times the average", digits: 3 },
      load: {
        title: "Requests at the busiest, 4 in flight for each member",
        unit: "times the average",
        digits: 2,
      },
    },

    run(competitor, { members, keys }, seed) {
      const random = new Random(seed);
      const all = membersNamed(members, random.below(2 ** 16));
      const asked = Array.from({ length: keys }, () => random.below(2 ** 31));
      const more = [...all, { id: "http://joins:8080" }];
      // Of jump the last one leaves, since no other may.
      const gone = competitor.follows === "ids" ? random.below(members) : members - 1;
      const fewer = all.toSpliced(gone, 1);
      const now = picksOf(competitor, all, asked);
      const joins = { before: now, after: picksOf(competitor, more, asked), changed: more.at(-1)!.id };
      const leaves = { before: now, after: picksOf(competitor, fewer, asked), changed: all[gone]!.id };
      const idsOf = (of: readonly AffinityMember[]) => of.map(({ id }) => id);
      return {
        metrics: {
          joined: movedPercent(joins),
          least: 100 / more.length,
          left: movedPercent(leaves),
          leastLeft: 100 / all.length,
          peak: busiest(now) / (keys / members),
          load: peakLoad(competitor, all, asked),
        },
        series: {},
        evidence: [
          { ...joins, members: idsOf(more) },
          { ...leaves, members: idsOf(all) },
        ] satisfies Seen[],
      };
    },

    law: (competitor, _params, { evidence }) =>
      (evidence as Seen[])
        .map((seen) => fewKeysMove(competitor, seen))
        .find((broken) => broken !== undefined),
  });
}

function picksOf(
  competitor: AffinityCompetitor,
  members: readonly AffinityMember[],
  keys: readonly number[],
): string[] {
  const affinity = competitor.create(members);
  return keys.map((key) => {
    const at = affinity.pick(key);
    affinity.release?.(at);
    return members[at]!.id;
  });
}

function movedPercent({ before, after }: Omit<Seen, "members" | "changed">): number {
  return (100 * before.filter((id, key) => after[key] !== id).length) / before.length;
}

function busiest(picks: readonly (string | number)[]): number {
  const counts = new Map<string | number, number>();
  for (const pick of picks) counts.set(pick, (counts.get(pick) ?? 0) + 1);
  return Math.max(...counts.values());
}

/** With as many requests in flight as four for each member. */
function peakLoad(
  competitor: AffinityCompetitor,
  members: readonly AffinityMember[],
  keys: readonly number[],
): number {
  const affinity = competitor.create(members);
  const each = Math.min(4, Math.floor(keys.length / members.length));
  const held = keys.slice(0, each * members.length).map((key) => affinity.pick(key));
  return busiest(held) / each;
}
