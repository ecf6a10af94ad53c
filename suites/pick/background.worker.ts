import { workerData } from "node:worker_threads";
import { loadCompetitor } from "../../structures/catalog.ts";
import { contract, type PickCompetitor } from "../../structures/pick/pick.contract.ts";
import type { BackgroundTask } from "../../structures/pick/pick.instance.ts";
import type { Region } from "../../structures/shared/layout.ts";
import { stepInPass } from "./background-pass.ts";

export interface PausedTask extends BackgroundTask {
  readonly pass: Region;
}

/**
 * The thread beside the workers of a race: does what they ask for in their own slices, and rests in the slices of other
 * crews.
 */
const { url, memory, setup, pass } = workerData as PausedTask;
const { background } = (await loadCompetitor(url, contract)) as PickCompetitor;
const work = background!.attach(memory, setup);
for (;;) {
  work.sleep();
  stepInPass(pass, () => work.step());
}
