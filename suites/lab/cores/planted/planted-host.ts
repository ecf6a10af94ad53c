import { pinThreads } from "../../../engine/measure/machine/pin.ts";
import type { PlantedFault } from "../record.ts";
import { plantedFaults } from "./planted.ts";

/** What a process does that simulates planted faults, on one core: called in a fork (see `CallJob`). */
export default async ({ seed, core }: PlantedQuestion): Promise<PlantedFault[]> => {
  if (core !== undefined) await pinThreads([{ thread: process.pid, core }]);
  return plantedFaults(seed);
};

export interface PlantedQuestion {
  readonly seed: number;
  /** Any if absent. */
  readonly core?: number | undefined;
}
