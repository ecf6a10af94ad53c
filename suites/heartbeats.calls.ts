import type {
  HeartbeatCompetitor,
  HeartbeatScheduler,
} from "../structures/heartbeats/heartbeats.contract.ts";
import { type FleetPlan, runFleet } from "../structures/heartbeats/heartbeats.fleet.ts";
import { Random } from "../structures/shared/sfc32.ts";
import {
  type Instruments,
  type Metric,
  type Race,
  type Runner,
  race,
  type Scenario,
  type Sizes,
  survey,
} from "./engine/suite.ts";

/** What a scheduler costs: time per call, bytes per client, and how long a whole fleet takes to simulate. */
interface CallParams {
  readonly clients: number;
  readonly interval: number;
  /** `beat`: clients beat, one after the other. `reconnect`: clients leave and connect again, in random order. */
  readonly call: "beat" | "reconnect";
}

const INTERVAL_S = 600;

export function callRace(scenario: string, title: string, call: CallParams["call"]): Scenario {
  return race<HeartbeatCompetitor, CallParams, null>({
    scenario,
    title,
    operation: call,
    headline: false,
    // The least there is to do: it keeps who is connected, and adds.
    baseline: "fixed-interval",
    mostWorkers: 1,
    params: {
      full: { clients: 10_000, interval: INTERVAL_S, call },
      smoke: { clients: 100, interval: 60, call },
    },
    prepare: () => null,
    attach: ({ create, deviation }, { params, seed }) =>
      new Caller(create(params.interval, seed), params, deviation(params.interval), new Random(seed)),
    law: strayLaw,
  });
}

const strayLaw: Race<HeartbeatCompetitor, CallParams, null>["law"] = (_competitor, _setup, _shared, work) => {
  const stray = work.reduce((sum, { counters }) => sum + counters.stray!, 0);
  return stray === 0 ? undefined : `${stray} times were named that are not within an interval's reach`;
};

/** The fleet's clients in a random order, again and again, as the clock moves on by an interval in each turn. */
class Caller implements Runner {
  readonly #scheduler: HeartbeatScheduler;
  readonly #order: Int32Array;
  readonly #interval: number;
  readonly #furthest: number;
  readonly #isBeat: boolean;
  #at = 0;
  #turnsBegan = 0;
  #stray = 0;

  constructor(
    scheduler: HeartbeatScheduler,
    { clients, interval, call }: CallParams,
    deviation: number,
    random: Random,
  ) {
    this.#scheduler = scheduler;
    this.#interval = interval;
    this.#furthest = interval + deviation;
    this.#isBeat = call === "beat";
    this.#order = random.shuffle(Int32Array.from({ length: clients }, (_, client) => client));
    for (let client = 0; client < clients; client++) scheduler.connect(client, 0);
  }

  /** The checksum is the sum of the times named. */
  run(operations: number): number {
    const scheduler = this.#scheduler;
    const order = this.#order;
    const clients = order.length;
    let sum = 0;
    for (let operation = 0; operation < operations; operation++) {
      if (this.#at === clients) {
        this.#at = 0;
        this.#turnsBegan += this.#interval;
      }
      const now = this.#turnsBegan + Math.floor((this.#at * this.#interval) / clients);
      const client = order[this.#at++]!;
      let due: number;
      if (this.#isBeat) due = scheduler.beat(client, now);
      else {
        scheduler.disconnect(client, now);
        due = scheduler.connect(client, now);
      }
      if (!(due >= now && due <= now + this.#furthest)) this.#stray++;
      sum = (sum + due) | 0;
    }
    return sum;
  }

  counters(): Readonly<Record<string, number>> {
    return { stray: this.#stray };
  }
}

const BYTES = {
  bytesPerClient: { title: "Held", unit: "B/client", digits: 1 },
} satisfies Record<string, Metric>;

export const bytesSurvey: Scenario = survey<HeartbeatCompetitor, number>({
  scenario: "bytes-100k",
  title: "100,000 connected clients",
  headline: false,
  baseline: "fixed-interval",
  metrics: BYTES,
  params: { full: 100_000, smoke: 1000 },
  run({ create }, clients, seed, { heldBytes }) {
    // One that is garbage before, so that what is compiled and learned for the code is not counted.
    filled(create, clients, seed);
    const before = heldBytes();
    const scheduler = filled(create, clients, seed);
    const bytesPerClient = (heldBytes() - before) / clients;
    scheduler.disconnect(0, 0);
    return { bytesPerClient };
  },
  law: () => undefined,
});

function filled(create: HeartbeatCompetitor["create"], clients: number, seed: number): HeartbeatScheduler {
  const scheduler = create(INTERVAL_S, seed);
  for (let client = 0; client < clients; client++) scheduler.connect(client, 0);
  return scheduler;
}

const RUN = {
  seconds: { title: "6 h take", unit: "s", digits: 2 },
  perBeat: { title: "Time", unit: "ns/beat", digits: 0 },
  resident: { title: "Most resident", unit: "MiB", digits: 0 },
} satisfies Record<string, Metric>;

/** How long the simulator takes for a fleet, with its dispatch list and all that is noted. */
export function simulatorSurvey(
  scenario: string,
  title: string,
  params: Sizes<FleetPlan>,
  absent?: (competitor: HeartbeatCompetitor) => string | undefined,
): Scenario {
  return survey<HeartbeatCompetitor, FleetPlan>({
    scenario,
    title,
    headline: false,
    baseline: "fixed-interval",
    metrics: RUN,
    params,
    ...(absent === undefined ? {} : { absent }),
    run({ create }, plan, seed, { nowNs }: Instruments) {
      const begunNs = nowNs();
      const { messages } = runFleet(create(plan.interval, seed), plan, seed);
      const tookNs = nowNs() - begunNs;
      const beats = messages.reduce((sum, count) => sum + count, 0);
      return {
        seconds: tookNs / 1e9,
        perBeat: tookNs / beats,
        resident: process.resourceUsage().maxRSS / 1024,
      };
    },
    law: () => undefined,
  });
}
