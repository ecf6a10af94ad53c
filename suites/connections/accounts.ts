import type { ConnectionsCompetitor } from "../../structures/connections/connections.contract.ts";
import { everyDeadClosed, noLiveClosed, noTimerLeft } from "../../structures/connections/connections.laws.ts";
import type { Metric } from "../shared/vocabulary.ts";
import type { Departed, Mourned } from "./coordinator.ts";
import type { Expiry } from "./orders.ts";

/** What is held against the laws when all have left. */
export interface Accounts {
  /** Messages sent, except on stalled connections. */
  readonly sent: number;
  /** The same, received. */
  readonly received: number;
  /**
   * Connections that were closed although their client lived, or a message of it was on its way. For that long the
   * machine had kept the client silent, or the server deaf.
   */
  readonly stalled: number;
  /** Clients that died and were not closed. */
  readonly unclosed: number;
  /** Of the connection that expired the soonest for what its watcher claims, on the watchers' clock; the timeout where none did. */
  readonly shortestSilenceMs: number;
  /** By how much that may be shorter than the timeout. */
  readonly allowedEarlyMs: number;
  /** After the last close. */
  readonly watched: number;
  readonly timers: number;
}

export function accountsOf(
  timeoutMs: number,
  { earliness }: Pick<ConnectionsCompetitor, "earliness">,
  departed: Departed,
  mourned?: Mourned,
): Accounts {
  const expiries = [...(mourned?.expiries ?? []), ...departed.expiries];
  const dead = new Set((mourned?.deaths ?? []).map(({ client }) => client));
  const lives = departed.left.flatMap((left) => left.lives);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const allowedEarly = ({ turnMs }: Expiry) => earliness(timeoutMs, turnMs);
  const slack = (expiry: Expiry) => expiry.silenceMs + allowedEarly(expiry);
  const [soonest] = expiries.toSorted((a, b) => slack(a) - slack(b));
  const sentOf = ({ client, life }: Expiry) => lives[client]![life]!;
  const stalled = expiries.filter((expiry) => !dead.has(expiry.client) || sentOf(expiry) !== expiry.received);
  return {
    sent: sum(lives.flat()) - sum(stalled.map(sentOf)),
    received:
      sum(departed.readings.map(({ received }) => received)) - sum(stalled.map(({ received }) => received)),
    stalled: stalled.length,
    unclosed: mourned?.unclosed ?? 0,
    shortestSilenceMs: soonest?.silenceMs ?? timeoutMs,
    allowedEarlyMs: soonest === undefined ? 0 : allowedEarly(soonest),
    watched: sum(departed.readings.map(({ watched }) => watched)),
    timers: sum(departed.readings.map(({ timers }) => timers)),
  };
}

/** The same as metrics of a survey, whose law looks at nothing else. */
export const ACCOUNT_METRICS = {
  received: { title: "Beats received", unit: "", digits: 0 },
  sent: { title: "sent", unit: "", digits: 0 },
  stalled: { title: "Stalled", unit: "", digits: 0, over: "greatest" },
  unclosed: { title: "Unclosed", unit: "", digits: 0, over: "greatest" },
  shortestSilenceMs: { title: "Shortest silence", unit: "ms", digits: 0 },
  allowedEarlyMs: { title: "may be early by", unit: "ms", digits: 0 },
  watched: { title: "Left watched", unit: "", digits: 0, over: "greatest" },
  timers: { title: "Left timers", unit: "", digits: 0, over: "greatest" },
} as const satisfies Record<keyof Accounts, Metric>;

/** Beats sent are beats received. */
export function everyBeatReceived({
  sent,
  received,
}: Pick<Accounts, "sent" | "received">): string | undefined {
  return sent === received ? undefined : `everyBeatReceived: ${received} of ${sent} beats were received`;
}

/** What the watcher is held to. */
export interface Claimed {
  readonly timeoutMs: number;
  readonly closesTheDead: boolean;
}

/** The first law that is broken, if any. */
export function brokenLaw(accounts: Accounts, { timeoutMs, closesTheDead }: Claimed): string | undefined {
  return (
    (closesTheDead ? everyDeadClosed(accounts.unclosed) : undefined) ??
    noLiveClosed(accounts.shortestSilenceMs, timeoutMs, accounts.allowedEarlyMs) ??
    everyBeatReceived(accounts) ??
    noTimerLeft(accounts.watched, accounts.timers)
  );
}
