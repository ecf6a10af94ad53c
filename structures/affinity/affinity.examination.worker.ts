import { loadCompetitor } from "../catalog.ts";
import { type AffinityCompetitor, contract } from "./affinity.contract.ts";
import { type AffinityTask, idsOf } from "./affinity.examination.ts";

/** Picks each key in a thread of its own, by a handle of its own. */
export default async function work({ url, members, keys }: AffinityTask): Promise<string[]> {
  const competitor = (await loadCompetitor(url, contract)) as AffinityCompetitor;
  return idsOf(competitor.create(members), members, keys);
}
