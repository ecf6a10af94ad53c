import { loadCompetitor } from "../catalog.ts";
import { contract, type LimitsCompetitor } from "./limits.contract.ts";
import { type KeysTask, takeKeys } from "./limits.keys.examination.ts";

/** One worker of a phase: takes of keys that are drawn. */
export default async function work(task: KeysTask): Promise<void> {
  const { byKey } = (await loadCompetitor(task.url, contract)) as LimitsCompetitor;
  takeKeys(byKey!, task);
}
