import { fileURLToPath } from "node:url";
import type { Described } from "../engine/measure/plan/described.ts";
import type { Start } from "../engine/race.ts";
import { UsageError } from "./command/usage.ts";
import type { AskedRuntime } from "./plan/runtime-plan.ts";
import { ABILITIES, type Ability, type NamedRuntime } from "./runtimes/abilities.ts";
import { askRuntime, lastLineOf } from "./runtimes/runtimes.ts";

const PROBE = fileURLToPath(new URL("./competitors-probe.ts", import.meta.url));

/** Asks competitors of themselves in a process of a runtime: see `describeCompetitors`. Rejects as `askRuntime` does. */
async function describeOn(
  start: Start,
  filters: readonly string[],
  size: "full" | "smoke",
): Promise<ReadonlyMap<string, Described>> {
  const answer = await lastLineOf(start, [PROBE, size, ...filters]);
  return new Map(answer as [string, Described][]);
}

/** What a race takes: memory that threads share, and threads that can wait for one another. */
const NEEDED_TO_RACE = ["sharedMemory", "mainThreadWait", "workerThreads"] as const satisfies Ability[];

/**
 * Asks runtimes that are to race, and the competitors that these filters name there. Throws a UsageError for one that does
 * not answer, or lacks what a race takes.
 */
export async function askRuntimes(
  option: string,
  runtimes: readonly NamedRuntime[],
  filters: readonly string[],
  size: "full" | "smoke",
): Promise<AskedRuntime[]> {
  const asked: AskedRuntime[] = [];
  for (const { name, start } of runtimes) {
    try {
      const { has, counters, ...facts } = await askRuntime(start);
      const lacking = NEEDED_TO_RACE.find((ability) => !has[ability]);
      if (lacking !== undefined) throw new Error(`it has no ${ABILITIES[lacking]}`);
      const version = `${facts.name} ${facts.version}`;
      const described = await describeOn(start, filters, size);
      asked.push({ name, version, engine: facts.engine, start, described, counters });
    } catch (error) {
      throw new UsageError(`${option} ${name} cannot race: ${(error as Error).message}`);
    }
  }
  return asked;
}
