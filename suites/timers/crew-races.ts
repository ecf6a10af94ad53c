import type { TimersCompetitor } from "../../structures/timers/timers.contract.ts";
import { CPU_TIME, race, type Setup } from "../engine/race.ts";
import type { Scenario } from "../shared/vocabulary.ts";
import { CrewMember, type CrewParams, type CrewShared, crewLaw, prepareCrew } from "./crew.ts";
import { bytesFor, LARGE, MAIN_SIZE, placementOf, SMOKE_SIZE, slicesFor } from "./sizes.ts";

export const ALONE = "made for one worker; hashed-wheel stands for a structure per worker";

export function crew(scenario: string, title: string, foreignOneIn: number): Scenario {
  const paramsOf = (connections: number): CrewParams => ({ connections, silentOneIn: 256, foreignOneIn });
  return race<TimersCompetitor, CrewParams, CrewShared>({
    scenario,
    title,
    headline: false,
    operation: "message",
    baseline: foreignOneIn === 0 ? "hashed-wheel" : "inbox-wheels",
    params: { full: paramsOf(MAIN_SIZE), smoke: paramsOf(SMOKE_SIZE) },
    ...(foreignOneIn === 0 ? {} : { minWorkers: 2 }),
    ...slicesFor(MAIN_SIZE),
    isLarge: ({ connections }) => connections >= LARGE,
    placement: (competitor, { connections }) => placementOf(competitor, connections),
    columns: {
      cpu: CPU_TIME,
      cancelled: { title: "Foreign cancels", unit: "per message", reduce: "per-op" },
      expired: { title: "Expired", unit: "per message", reduce: "per-op" },
    },
    bytesPerWorker: (competitor, { connections }) => bytesFor(competitor, connections),
    absent: ({ callers }) =>
      callers === "crew"
        ? undefined
        : foreignOneIn === 0
          ? ALONE
          : "made for one worker: no other can cancel its timers",
    prepare: (competitor, setup) => prepareCrew(competitor, setup),
    attach: (competitor, setup, shared, worker) => new CrewMember(competitor, setup, shared, worker),
    law: (competitor, setup: Setup<CrewParams>, _shared, work) => crewLaw(competitor, setup, work),
  });
}
