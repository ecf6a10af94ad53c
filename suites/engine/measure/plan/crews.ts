import type { Entry } from "../../race.ts";
import type { CrewKind, CrewPlan, GroupPlan, Profile } from "./plan.ts";

/** Worker counts that a race is offered at; counts above the cores only where asked for. */
export const WORKER_COUNTS = [1, 2, 4, 8];

/** Which crews share a process, and how many can. */

/**
 * Worker threads that the crews of one process may hold together. With about eight threads of Node's own (main,
 * V8's and libuv's pools) this keeps a process within 64.
 */
const MAX_CREW_THREADS = 54;
/** Crews of one worker that every group of several workers holds: the control alone, and the empty operation. */
const LONE_CREWS = 2;
/** Beside the baseline it races once more, which shows how far two that are alike stray from one another. */
export const AA_CONTROLS = 1;
/** The least a group can do with: baseline, its A/A control, control and one rival. */
const FEWEST_CREWS = 3 + AA_CONTROLS;

/**
 * The most workers that a request may ask for. It is what fits a group into MAX_CREW_THREADS, or as many
 * as there are cores. A process holds more threads than that only on machines with more
 * cores.
 */
export function mostWorkers(cores: number): number {
  return Math.max(cores, Math.floor((MAX_CREW_THREADS - LONE_CREWS) / FEWEST_CREWS));
}

/**
 * At most this many rivals share a group. Each has its threads to start and to warm up. A round of more would see more
 * than one state of the machine, and a crew that fails takes its process's time along.
 */
const MAX_RIVALS = 12;
/** Crews whose structures cannot be moved push one another out of the last cache too: four of 8 MB fill it. */
const MAX_RIVALS_OF_OBJECTS = 2;

/** How many rivals may share a group. */
export function rivalsPerGroup(
  workers: number,
  { profile }: { readonly profile: Profile },
  placement: GroupPlan["placement"],
): number {
  const crews = Math.floor((MAX_CREW_THREADS - LONE_CREWS) / workers);
  const fitting = Math.max(1, crews - (FEWEST_CREWS - 1));
  if (profile.exactly?.isCrowded) return fitting;
  return Math.min(placement === "arena" ? MAX_RIVALS : MAX_RIVALS_OF_OBJECTS, fitting);
}

/** The crews of a group: the contestants, and the ones that the engine adds. */
export function crewsOf(
  baseline: Entry,
  rivals: readonly Entry[],
  workers: number,
  placementOf: (entry: Entry) => CrewPlan["placement"] = () => "arena",
): CrewPlan[] {
  const crew = (entry: Entry, kind: CrewKind, name = entry.name): CrewPlan => {
    return { name, kind, url: entry.url, workers, placement: placementOf(entry) };
  };
  const own = (name: string, kind: CrewKind, count: number): CrewPlan => {
    return { name, kind, url: undefined, workers: count, placement: "arena" };
  };
  return [
    crew(baseline, "baseline"),
    crew(baseline, "aa-control", `${baseline.name}~aa1`),
    ...rivals.map((entry) => crew(entry, "rival")),
    own("~control", "control", workers),
    ...(workers > 1 ? [own("~control-alone", "control-alone", 1)] : []),
    own("~empty", "empty", 1),
  ];
}

/** Deals `items` into as few shares of at most `most` as will do, of nearly equal size; one empty share for none. */
export function shares<T>(items: readonly T[], most: number): T[][] {
  const count = Math.max(1, Math.ceil(items.length / most));
  return Array.from({ length: count }, (_, share) => items.filter((_, index) => index % count === share));
}
