import { setTimeout as pass } from "node:timers/promises";
import { derivedSeed } from "../../structures/shared/worker-identity.ts";
import type { Upstreams, UpstreamsCompetitor } from "../../structures/upstreams/upstreams.contract.ts";
import type { Sizes } from "../engine/race.ts";
import { ascending } from "../engine/statistics.ts";
import { type Metric, type Scenario, type Survey, survey } from "../shared/vocabulary.ts";
import { ACCOUNT_METRICS, type Accounts, accountsOf, brokenLaw, drainsWithoutLoss } from "./accounts.ts";
import { type Heard, type Limits, Load, type Rate, scheduleOf } from "./load.ts";
import { type Living, nameOf, Servers, serverOf } from "./servers.ts";

export interface SituationParams extends Rate, Limits {
  /** Members from the beginning. */
  readonly servers: number;
  /** Requests that each server does at once. */
  readonly slots: number;
  /** The first requests, which open connections and are compiled for: they are sent, and their times are left out. */
  readonly uncounted: number;
}

/** What happens to the servers while they are under load. */
export interface Situation {
  /** How many times as long as the others the first server takes; 0: it answers with 503 at once. */
  readonly slowness: number;
  /** Servers that are no members at first. */
  readonly spares: number;
  /** Requests that the last of them serves until it is warm. */
  readonly coldFor?: number;
  readonly metrics: Readonly<Record<string, Metric>>;
  /** Figures of its own, read off when all requests have ended. */
  happen(scene: Scene): Promise<(seen: Seen) => Figures>;
  /** Set where no request may fail with a competitor that claims to wait when it drains. */
  readonly isLossless?: true;
  /** Set where variants of a competitor race too. */
  readonly takesVariants?: true;
}

interface Scene {
  readonly patienceMs: number;
  readonly servers: Servers;
  readonly upstreams: Upstreams;
  readonly load: Load;
}

interface Seen {
  readonly requests: readonly Heard[];
  readonly living: readonly Living[];
}

type Figures = Readonly<Record<string, number>>;

/** The server that is slow, refuses, dies or is drained. */
const FIRST = 0;

const METRICS = {
  errors: { title: "Errors", unit: "%", digits: 2 },
  p50: { title: "p50", unit: "ms", digits: 1, absentMeans: "never" },
  p99: { title: "p99", unit: "ms", digits: 1, absentMeans: "never" },
} satisfies Record<string, Metric>;
/** Only of so many requests that ten took longer: each of fewer would move it. */
const TAIL_METRICS = {
  p999: { title: "p99.9", unit: "ms", digits: 1, absentMeans: "never" },
} satisfies Record<string, Metric>;
const FEWEST_OF_TAIL = 10_000;

const GENERATOR_METRICS = {
  cpu: { title: "CPU", unit: "us/request", digits: 1 },
  late: { title: "Sent late p99", unit: "ms", digits: 2 },
} satisfies Record<string, Metric>;

export const even: Situation = {
  takesVariants: true,
  slowness: 1,
  spares: 0,
  metrics: {},
  happen: async () => () => ({}),
};

export const uneven: Situation = {
  slowness: 12,
  spares: 0,
  metrics: { slowShare: { title: "Sent to the slow one", unit: "%", digits: 1 } },
  happen:
    async () =>
    ({ requests, living }) => ({ slowShare: share(receivedBy(living, FIRST), requests.length) }),
};

export const unavailable: Situation = {
  slowness: 0,
  spares: 0,
  metrics: { refusedShare: { title: "Sent to the one that refuses", unit: "%", digits: 1 } },
  happen:
    async () =>
    ({ requests, living }) => ({ refusedShare: share(receivedBy(living, FIRST), requests.length) }),
};

export const death: Situation = {
  slowness: 1,
  spares: 0,
  metrics: { backAfter: { title: "Used again after", unit: "ms", digits: 0, absentMeans: "never" } },
  async happen({ servers, load }) {
    await load.at(1 / 4);
    await servers.kill(FIRST);
    await load.at(1 / 2);
    await servers.restart(FIRST);
    const listensMs = load.nowMs();
    const risen = nameOf(FIRST, 1);
    return ({ requests }) => {
      const byIt = requests.filter(({ answer }) => answer !== undefined && serverOf(answer) === risen);
      const endsMs = byIt.map(({ dueMs, tookMs }) => dueMs + tookMs);
      return endsMs.length === 0 ? {} : { backAfter: Math.min(...endsMs) - listensMs };
    };
  },
};

export const members: Situation = {
  slowness: 1,
  spares: 1,
  metrics: {
    drained: { title: "Drained after", unit: "ms", digits: 1 },
    addedShare: { title: "Sent to the added one", unit: "%", digits: 1 },
  },
  isLossless: true,
  async happen({ patienceMs, servers, upstreams, load }) {
    const added = servers.origins.length - 1;
    await load.at(1 / 3);
    upstreams.add(servers.origins[added]!);
    const addedMs = load.nowMs();
    await load.at(2 / 3);
    const drainedMs = load.nowMs();
    await within(patienceMs, "drain", upstreams.drain(servers.origins[FIRST]!));
    const drained = load.nowMs() - drainedMs;
    // At once: whoever still waits for an answer has been promised too much.
    await servers.kill(FIRST);
    return ({ requests, living }) => {
      const since = requests.filter(({ dueMs }) => dueMs >= addedMs).length;
      return { drained, ...(since === 0 ? {} : { addedShare: share(receivedBy(living, added), since) }) };
    };
  },
};

/** Of the time after a server was added. */
const FIRST_MS = 500;

export const cold: Situation = {
  takesVariants: true,
  slowness: 1,
  spares: 1,
  coldFor: 200,
  metrics: { addedFirst: { title: "Its first half second", unit: "of its fair share", digits: 2 } },
  isLossless: true,
  async happen({ servers, upstreams, load }) {
    const added = servers.origins.length - 1;
    await load.at(1 / 3);
    upstreams.add(servers.origins[added]!);
    const addedMs = load.nowMs();
    return ({ requests }) => {
      const first = requests.filter(({ dueMs }) => dueMs >= addedMs && dueMs < addedMs + FIRST_MS);
      const its = first.filter(
        ({ answer }) => answer !== undefined && serverOf(answer) === nameOf(added, 0),
      ).length;
      return first.length === 0 ? {} : { addedFirst: (its * (added + 1)) / first.length };
    };
  },
};

export function situationOf(
  { happen, coldFor = 0, isLossless, metrics, slowness, spares, takesVariants }: Situation,
  described: Pick<Survey<UpstreamsCompetitor, SituationParams>, "scenario" | "title" | "headline"> &
    Partial<Pick<Survey<UpstreamsCompetitor, SituationParams>, "competitors">>,
  params: Sizes<SituationParams>,
): Scenario {
  return survey<UpstreamsCompetitor, SituationParams>({
    baseline: "npm-undici-agent",
    // At smoke size the first stands for all; situations.test.ts has the others.
    alike: "situation",
    ...described,
    params,
    metrics: {
      ...METRICS,
      ...(hasTail(params.full) ? TAIL_METRICS : {}),
      ...metrics,
      ...GENERATOR_METRICS,
      ...ACCOUNT_METRICS,
    },
    secondsPerFork: params.full.requests / params.full.perSecond,
    absent({ drains, variantOf }) {
      if (variantOf !== undefined && takesVariants === undefined) return "a variant: see even and cold";
      return spares > 0 && drains === "never" ? "its members are fixed" : undefined;
    },
    run: (competitor, ofSize, seed) => {
      const { patienceMs } = ofSize;
      const plan = { ...ofSize, count: ofSize.servers + spares, slowness, coldFor, seed };
      return Servers.with(plan, async (servers) => {
        const upstreams = competitor.create(servers.origins.slice(0, ofSize.servers), {});
        const load = new Load(scheduleOf(ofSize, derivedSeed(seed, plan.count)), ofSize);
        const usedBefore = process.cpuUsage();
        const [requests, figuresOf] = await Promise.all([
          load.sendTo(upstreams.dispatcher),
          happen({ patienceMs, servers, upstreams, load }),
        ]);
        const used = process.cpuUsage(usedBefore);
        await within(patienceMs, "close", upstreams.close());
        const living = await servers.read();
        return {
          ...timesOf(requests.slice(ofSize.uncounted), hasTail(ofSize)),
          ...figuresOf({ requests, living }),
          cpu: (used.user + used.system) / requests.length,
          ...accountsOf(requests, living, (answer, number) => servers.isProven(answer, number)),
        };
      });
    },
    law: (competitor, _params, metrics) => {
      const accounts = metrics as Figures & Accounts;
      return brokenLaw(accounts) ?? (isLossless ? drainsWithoutLoss(accounts, competitor) : undefined);
    },
  });
}

/** A request that failed or was refused was never served: it counts as slower than any that was. */
function timesOf(requests: readonly Heard[], isTailAsked: boolean): Figures {
  const took = requests.map(({ tookMs }) => tookMs).sort(ascending);
  const late = requests.map(({ lateMs }) => lateMs).sort(ascending);
  // One of the times themselves, because between one and never there is none.
  const rank = (times: readonly number[], part: number) => times[Math.ceil(part * times.length) - 1]!;
  const times = {
    p50: rank(took, 0.5),
    p99: rank(took, 0.99),
    ...(isTailAsked ? { p999: rank(took, 0.999) } : {}),
  };
  return {
    errors: share(
      requests.filter(({ failed, isRefused }) => failed > 0 || isRefused).length,
      requests.length,
    ),
    ...Object.fromEntries(Object.entries(times).filter(([, ms]) => Number.isFinite(ms))),
    late: rank(late, 0.99),
  };
}

function hasTail({ requests, uncounted }: SituationParams): boolean {
  return requests - uncounted >= FEWEST_OF_TAIL;
}

function receivedBy(living: readonly Living[], place: number): number {
  return living.find((server) => server.place === place)!.received;
}

function share(part: number, whole: number): number {
  return (100 * part) / whole;
}

/** Rejects in one line if it takes too long. */
async function within(patienceMs: number, what: string, promise: Promise<void>): Promise<void> {
  const isLate = pass(patienceMs, undefined, { ref: false }).then(() => {
    throw new Error(`${what} has not resolved after ${patienceMs} ms`);
  });
  await Promise.race([promise, isLate]);
}
