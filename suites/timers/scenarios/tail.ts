import { privateTimers, type TimersCompetitor } from "../../../structures/timers/timers.contract.ts";
import { race } from "../../engine/race.ts";
import { tail } from "../../shared/vocabulary.ts";
import { type PopulationParams, populationLaw, Ticking } from "../population.ts";
import { absentFrom, bytesFor, MAIN_SIZE, otherClock, SMOKE_SIZE } from "../sizes.ts";

/**
 * A tick of 1 ms of virtual time in each 100 us, so that a process sees 20 s of it in 2 s. What a structure does once
 * in a second it does twenty times. A usual tick takes a hundredth of that; what takes longer delays those behind it.
 */
const INTERVAL_US = 100;

export default tail(
  race<TimersCompetitor, PopulationParams, null>({
    scenario: "tick-100k",
    title: "a tick of 1 ms of 100,000 timers due within a minute, set anew when they expire",
    headline: false,
    operation: "tick",
    baseline: "hashed-wheel",
    params: { full: { timers: MAIN_SIZE }, smoke: { timers: SMOKE_SIZE } },
    mostWorkers: 1,
    bytesPerWorker: (competitor, { timers }) => bytesFor(competitor, timers),
    absent: (competitor, { timers }) => absentFrom(competitor, timers) ?? otherClock(competitor),
    prepare: () => null,
    attach: (competitor, { params: { timers } }, _shared, { seed }) =>
      new Ticking(privateTimers(competitor, timers), timers, seed),
    law: (competitor, _setup, _shared, work) => populationLaw(competitor, work[0]!),
  }),
  { family: "tail", workers: 1, intervalUs: INTERVAL_US, count: { full: 20_000, smoke: 2_000 } },
);
