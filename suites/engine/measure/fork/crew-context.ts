import { labAt } from "../../lab.ts";
import { importRace } from "../load/load.ts";
import { startWorkers } from "../load/threads.ts";
import { scenarioOf } from "../plan/plan.ts";
import type { RaceJob } from "../plan/protocol.ts";
import { makeArena } from "./arena.ts";
import type { CrewContext } from "./crew.ts";
import { OneAtATime } from "./one-at-a-time.ts";

/** What the crews of a job have in common. */
export async function contextOf(
  {
    lab,
    group,
    patienceMs,
    seed,
    size,
    program,
  }: Pick<RaceJob, "lab" | "group" | "patienceMs" | "seed" | "size" | "program">,
  fork: number,
): Promise<CrewContext> {
  const { moduleUrl, scenario, sliceUs, rampUs, warmUpSlices, oversubscribed, placement, bytes } = group;
  const race = await importRace(moduleUrl, scenarioOf(scenario));
  const arena = placement === "arena" ? makeArena(LEAST_ARENA_BYTES + 2 * bytes) : undefined;
  const { startThreads = startWorkers, keepsFlags = false } = await labAt(lab);
  return {
    lab,
    startThreads,
    keepsFlags,
    race,
    moduleUrl,
    scenario: scenarioOf(scenario),
    size,
    sliceUs,
    rampUs,
    warmUpSlices,
    oversubscribed,
    patienceMs,
    fork,
    seed,
    arena,
    crews: new OneAtATime(arena),
    program,
  };
}

/** More than any structure takes that does not say how large it is. Only what is used of it is ever touched. */
const LEAST_ARENA_BYTES = 2 ** 28;
