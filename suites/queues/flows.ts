import type { QueuesCompetitor } from "../../structures/queues/queues.contract.ts";
import { ascending, quantile } from "../engine/statistics.ts";
import { type Metric, type Scenario, survey } from "../shared/vocabulary.ts";
import type { Shape } from "./payload.ts";
import { flow, type Sent, type Taken, type Waits } from "./threads.ts";

/** One producer and one consumer where others are not said. */
interface FlowParams extends Shape {
  readonly producers?: number;
  readonly consumers?: number;
  readonly capacity: number;
  /** Of all producers. */
  readonly count: number;
  /** From a message to the next, in us; 0 where they are sent as fast as can be. */
  readonly intervalUs: number;
  /** Before the first message, in ms. */
  readonly idleMs: number;
}

/** How a flow's consumer lives, the name of that in keys and titles, and what is told of it. */
interface Way {
  readonly key: string;
  readonly title: string;
  readonly waits: Waits;
  readonly busyMs: number;
  readonly figures: readonly Figure[];
}

interface Figure extends Pick<Metric, "unit" | "digits"> {
  readonly key: string;
  readonly title: string;
  of(sent: readonly Sent[], taken: readonly Taken[], params: FlowParams): number;
}

interface Described {
  readonly scenario: string;
  readonly title: string;
  readonly alike: string;
  readonly baseline: string;
  readonly params: { readonly full: FlowParams; readonly smoke: FlowParams };
  readonly ways: readonly Way[];
}

const NS_PER_US = 1e3;
/** Starting two threads, and loading what they run, in s. */
const START_S = 0.3;
/** Of a flow at full speed, in s: an estimate. */
const FLOOD_S = 0.6;

/** A competitor's flows, one after the other, each between threads of its own. */
export function flows({ ways, params, ...described }: Described): Scenario {
  const shown = ways.flatMap(({ figures, ...way }) =>
    figures.map((figure): [string, Metric] => [
      `${way.key}${figure.key}`,
      { title: `${way.title}${figure.title}`, unit: figure.unit, digits: figure.digits },
    ]),
  );
  const { count, intervalUs, idleMs } = params.full;
  const flowS = START_S + idleMs / 1000 + (intervalUs === 0 ? FLOOD_S : (count * intervalUs) / 1e6);
  return survey<QueuesCompetitor, FlowParams>({
    ...described,
    headline: false,
    params,
    metrics: {
      ...Object.fromEntries(shown),
      lost: { title: "Lost", unit: "messages", digits: 0 },
      wrong: { title: "Wrong", unit: "messages", digits: 0 },
    },
    absent: ({ messages, full, producers, consumers }, asked) => {
      if (messages !== asked.messages) return `its messages are ${messages}`;
      if (producers === "one" && asked.producers === 2) return "it has one producer";
      if (consumers === "one" && asked.consumers === 2) return "it has one consumer";
      return full === "drops-oldest" && asked.intervalUs === 0 ? "it drops what was sent" : undefined;
    },
    mostForks: 3,
    secondsPerFork: Math.ceil(ways.length * flowS),

    async run(competitor, params, seed, { competitorUrl }) {
      const { messages, length, capacity, count, intervalUs, idleMs, producers = 1, consumers = 1 } = params;
      const metrics: Record<string, number> = { lost: 0, wrong: 0 };
      const setup = { capacity, longest: length, producers, consumers };
      const send = { count: count / producers, intervalNs: intervalUs * NS_PER_US, idleMs };
      for (const { key, figures, waits, busyMs } of ways) {
        // Only runtimes deliver by themselves.
        if (waits === "subscribe" && competitor.share === undefined) continue;
        const asked = { shape: { messages, length }, setup, send, receive: { waits, busyMs } };
        const { sent, taken } = await flow(competitor, asked, seed, competitorUrl);
        if (waits === "subscribe" && !taken[0]!.isDelivered) continue;
        for (const { received, wrong } of taken) {
          metrics.lost! -= received;
          metrics.wrong! += wrong;
        }
        metrics.lost! += count;
        for (const figure of figures) metrics[`${key}${figure.key}`] = figure.of(sent, taken, params);
      }
      return metrics;
    },

    law({ full }, _params, { lost, wrong }) {
      if (wrong! > 0) return `whole: ${wrong} messages came torn or out of order`;
      return lost === 0 || full === "drops-oldest"
        ? undefined
        : `once: ${lost} messages were sent and did not come`;
    },
  });
}

/** The ways to wait. */
const TITLES = { poll: "Polling", sleep: "Blocked", await: "Awaiting", subscribe: "Delivered" } as const;
/** Of the time of an event loop, a fifth. */
const BUSY_MS = 2;

export function waiting(waits: Waits, figures: readonly Figure[], isBusy = false): Way {
  const [key, title] = isBusy ? [`${waits}Busy`, `${TITLES[waits]}, busy`] : [waits, TITLES[waits]];
  return { key, title, waits, busyMs: isBusy ? BUSY_MS : 0, figures };
}

/** In each way; what is told of one whose thread sleeps may be more. */
export function waitingInEachWay(figures: readonly Figure[], asleep = figures): Way[] {
  return (Object.keys(TITLES) as Waits[]).map((waits) =>
    waiting(waits, waits === "sleep" ? asleep : figures),
  );
}

/** The share of a schedule that is a rehearsal. */
const REHEARSED = 0.2;

const hopAt =
  (share: number): Figure["of"] =>
  ([sent], [taken]) => {
    const hops: number[] = [];
    // A queue that drops the oldest may have dropped some.
    for (const [number, cameNs] of taken!.cameNs.entries())
      if (cameNs > 0) hops.push(cameNs - sent!.dueNs[number]!);
    const counted = hops.slice(Math.floor(REHEARSED * hops.length)).sort(ascending);
    return quantile(counted, share) / NS_PER_US;
  };

/** From the moment at which a message is due to the one at which its consumer has it, waking included. */
export const HOP: readonly Figure[] = [
  { key: "P50", title: " p50", unit: "us", digits: 2, of: hopAt(0.5) },
  { key: "P99", title: " p99", unit: "us", digits: 1, of: hopAt(0.99) },
  { key: "P999", title: " p99.9", unit: "us", digits: 1, of: hopAt(0.999) },
];

/** Of the consumer's thread. */
export const CPU: readonly Figure[] = [
  {
    key: "Idle",
    title: ": idle",
    unit: "% of a core",
    digits: 2,
    of: (_sent, [taken], { idleMs }) => (100 * taken!.idleCpuUs) / (idleMs * 1000),
  },
  {
    key: "Cpu",
    title: ": CPU",
    unit: "us/message",
    digits: 2,
    of: (_sent, [taken], { count }) => taken!.cpuUs / count,
  },
];

export const FLOOD: readonly Figure[] = [
  {
    key: "Ns",
    title: "",
    unit: "ns/message",
    digits: 0,
    of: (sent, taken, { count }) =>
      (Math.max(...taken.map(({ endedNs }) => endedNs)) - Math.min(...sent.map(({ beganNs }) => beganNs))) /
      count,
  },
];

/** How long the producer waited for room at most: what a burst into a full queue costs it. */
export const STALL: readonly Figure[] = [
  ...FLOOD,
  {
    key: "Stall",
    title: ": longest wait for room",
    unit: "us",
    digits: 0,
    of: (sent) => Math.max(...sent.map(({ longestNs }) => longestNs)) / NS_PER_US,
  },
];
