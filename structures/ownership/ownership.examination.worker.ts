import { loadCompetitor } from "../catalog.ts";
import { type ClaimsCompetitor, contract } from "./ownership.contract.ts";
import { type OwnershipReport, type OwnershipTask, play } from "./ownership.examination.ts";

/** One worker of an examination: claims or looks up, and returns its notes. */
export default async function work(task: OwnershipTask): Promise<OwnershipReport> {
  const competitor = (await loadCompetitor(task.url, contract)) as ClaimsCompetitor;
  return play(competitor, task);
}
