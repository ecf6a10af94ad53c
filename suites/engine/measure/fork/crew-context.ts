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
  job: Pick<RaceJob, "group" | "lab" | "size" | "patienceMs" | "fork" | "seed" | "program">,
): Promise<CrewContext> {
  const { moduleUrl, placement, bytes } = job.group;
  const scenario = scenarioOf(job.group.scenario);
  const race = await importRace(moduleUrl, scenario);
  const arena = placement === "arena" ? makeArena(LEAST_ARENA_BYTES + 2 * bytes) : undefined;
  const { startThreads = startWorkers, keepsFlags = false } = await labAt(job.lab);
  const crews = new OneAtATime(arena);
  return { ...job, ...job.group, race, scenario, startThreads, keepsFlags, arena, crews };
}

/** More than any structure takes that does not say how large it is. Only what is used of it is ever touched. */
const LEAST_ARENA_BYTES = 2 ** 28;
