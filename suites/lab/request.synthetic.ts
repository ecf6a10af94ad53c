import type { Described } from "../engine/measure/plan/described.ts";
import { PROFILES, type Profile } from "../engine/measure/plan/plan.ts";
import type { Request } from "./plan/asked.ts";
import { type Asked, requestOf } from "./request.ts";

/** A request of the lab's own suites on a machine of two cores, whatever the one that it runs on has. */
export function syntheticRequest(asked: Partial<Asked> = {}): Promise<Request> {
  return requestOf({ profile: PROFILES.quick, seed: 42, cores: 2, ...asked });
}

/** Real processes, threads and slices, too short to measure anything: what counts is that every law holds. */
export const SMOKE = {
  name: "smoke",
  secondsPerCell: 0,
  precision: 1,
  surveys: 1,
  exactly: { forks: 1, rounds: 2, warmUpSlices: 4, isCrowded: true },
} satisfies Profile;

/** Everything that is asked for, once and at its smallest. */
export function smokeRequest(asked: Partial<Asked> = {}): Promise<Request> {
  // Other tests may have the cores meanwhile.
  return syntheticRequest({ all: true, profile: SMOKE, size: "smoke", patienceMs: 30_000, ...asked });
}

/** As of a competitor that this runtime cannot run. */
export function absentEverywhere({ scenarios, ...known }: Described): Described {
  const absent = Object.entries(scenarios).map(([name, of]) => [
    name,
    { ...of, absent: "no such thing here" },
  ]);
  return { ...known, scenarios: Object.fromEntries(absent) };
}
