import {
  privateTimers,
  type TimerSet,
  type TimersCompetitor,
} from "../../structures/timers/timers.contract.ts";
import { type Column, type CurvePoint, type Runner, race } from "../engine/race.ts";
import { present } from "../engine/words/present.ts";
import type { Scenario } from "../shared/vocabulary.ts";
import { type HeartbeatParams, Heartbeats, heartbeatLaw } from "./heartbeats.ts";
import { type PopulationParams, populationLaw } from "./population.ts";
import {
  absentFrom,
  bytesFor,
  LARGE,
  MAIN_SIZE,
  placementOf,
  SIZES,
  SMOKE_SIZE,
  slicesFor,
  variantElsewhere,
} from "./sizes.ts";

/**
 * One timeout and a beat. What a message leaves behind in a lazy structure goes when the timeout that it moved has
 * passed. From then on as much goes as comes. All else is from the start as where connections have been beating for
 * long.
 */
const SETTLED_BEATS = 4;

/** Makes the workload of one worker on an empty set of timers. */
type Making = (timers: TimerSet, size: number, seed: number) => Runner;

interface Alone<Params> {
  readonly operation: string;
  readonly columns?: Readonly<Record<string, Column>>;
  readonly paramsOf: (size: number) => Params;
  readonly sizeIn: (params: Params) => number;
  readonly absent?: (competitor: TimersCompetitor) => string | undefined;
  readonly attach: (competitor: TimersCompetitor, params: Params, seed: number) => Runner;
  readonly law: (
    competitor: TimersCompetitor,
    params: Params,
    work: Parameters<typeof heartbeatLaw>[2],
  ) => string | undefined;
}

/** A race of one worker over `size` timers. */
export function alone<Params>(
  described: Pick<Scenario, "scenario" | "title" | "headline"> & { readonly point?: CurvePoint },
  size: number,
  { operation, columns, paramsOf, sizeIn, absent, attach, law }: Alone<Params>,
): Scenario {
  return race<TimersCompetitor, Params, null>({
    ...described,
    operation,
    // The fastest known that does everything: what a rival costs more is read off at once, and a baseline runs in
    // every comparison, so a slow one would spend the time that the others need.
    baseline: "hashed-wheel",
    params: { full: paramsOf(size), smoke: paramsOf(SMOKE_SIZE) },
    mostWorkers: 1,
    ...slicesFor(size),
    isLarge: (params) => sizeIn(params) >= LARGE,
    placement: (competitor, params) => placementOf(competitor, sizeIn(params)),
    ...present({ columns }),
    bytesPerWorker: (competitor, params) => bytesFor(competitor, sizeIn(params)),
    absent: (competitor, params) => absentFrom(competitor, sizeIn(params)) ?? absent?.(competitor),
    prepare: () => null,
    attach: (competitor, setup, _shared, worker) => attach(competitor, setup.params, worker.seed),
    law: (competitor, setup, _shared, work) => law(competitor, setup.params, work[0]!),
  });
}

/** Such races over all sizes. With `showsVariants` the main size is where variants race. */
function curve<Params>(
  name: string,
  describe: (size: string) => string,
  { showsVariants = false, ...own }: Alone<Params> & { readonly showsVariants?: boolean },
): Scenario[] {
  return SIZES.map(([label, size]) =>
    alone(
      {
        scenario: `${name}-${label}`,
        title: describe(size.toLocaleString("en")),
        // `renew` asks the same of a dearer way to move a timer; a reader who wants both names it.
        headline: size === MAIN_SIZE && name === "refresh",
        point: { curve: name, along: "timers", at: size },
      },
      size,
      {
        ...own,
        absent: (competitor) =>
          own.absent?.(competitor) ??
          (showsVariants && size === MAIN_SIZE ? undefined : variantElsewhere(competitor)),
      },
    ),
  );
}

/** A fleet with one timeout; small ones fall silent more often, so that some do at all. */
export const fleetOf = (
  connections: number,
  moves: HeartbeatParams["moves"],
  settledBeats = SETTLED_BEATS,
): HeartbeatParams => ({
  connections,
  silentOneIn: connections === SMOKE_SIZE ? 16 : 256,
  settledBeats,
  moves,
  timeouts: "one",
});

export function heartbeats(moves: HeartbeatParams["moves"], how: string): Scenario[] {
  return curve<HeartbeatParams>(
    moves,
    (size) => `${size} connections, a message each 10 s moves a 30 s timeout ${how}`,
    {
      operation: "message",
      showsVariants: true,
      paramsOf: (connections) => fleetOf(connections, moves),
      sizeIn: ({ connections }) => connections,
      attach: (competitor, params, seed) =>
        new Heartbeats(competitor, privateTimers(competitor, params.connections), params, seed),
      law: heartbeatLaw,
    },
  );
}

/** What preparing a batch costs beside it: where cancelling leaves work for later, that is when it is done. */
const prepared = (operation: string): Record<string, Column> => ({
  prepared: { title: "Prepared", unit: `ns/${operation}`, reduce: "prepared" },
});

export function population(
  name: string,
  describe: (size: string) => string,
  operation: string,
  make: Making,
  absent?: (competitor: TimersCompetitor) => string | undefined,
): Scenario[] {
  return curve<PopulationParams>(name, describe, {
    operation,
    ...(operation === "tick" ? {} : { columns: prepared(operation) }),
    paramsOf: (timers) => ({ timers }),
    sizeIn: ({ timers }) => timers,
    ...present({ absent }),
    attach: (competitor, { timers }, seed) => make(privateTimers(competitor, timers), timers, seed),
    law: (competitor, _params, work) => populationLaw(competitor, work),
  });
}
