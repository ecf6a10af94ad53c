import { loadSuites, loadTraits } from "../../suites/engine/measure/load.ts";
import type { Request } from "../../suites/engine/measure/plan.ts";

/** Slices that the lab takes of each crew. */
export const ROUNDS = 12;

/** Everything once at its smallest: real processes, too short to measure anything. */
export async function smokeRequest(filters: readonly string[]): Promise<Request> {
  const suites = await loadSuites();
  return {
    suites,
    filters,
    all: true,
    workers: undefined,
    profile: {
      name: "smoke",
      secondsPerCell: 1,
      precision: 0.01,
      surveys: 1,
      exactly: { forks: 1, rounds: ROUNDS },
    },
    size: "smoke",
    seed: 42,
    aaControls: 1,
    patienceMs: 30_000,
    candidates: new Map(),
    traits: await loadTraits(suites, new Map()),
    cores: 2,
  };
}
