import { everyDeadClosed, noLiveClosed, noTimerLeft } from "../../structures/connections/connections.laws.ts";
import type { Metric } from "../engine/suite.ts";
import type { Departed, Mourned } from "./coordinator.ts";
import type { Expiry } from "./orders.ts";

/** What is held against the laws when all have left. */
export interface Accounts {
  /** Messages sent, but for those of connections that were closed although their client lived. */
  readonly sent: number;
  /** The same, received. */
  readonly received: number;
  /** Connections that were closed although their client lived: the machine had kept it silent for so long. */
  readonly stalled: number;
  /** Clients that died and were not closed. */
  readonly unclosed: number;
  /** Of all connections that expired, on the watchers' clock; the timeout where none did. */
  readonly shortestSilenceMs: number;
  /** Of the servers' event loops, in real ms. */
  readonly longestTurnMs: number;
  /** After the last close. */
  readonly watched: number;
  readonly timers: number;
}

export function accountsOf(timeoutMs: number, departed: Departed, mourned?: Mourned): Accounts {
  const expiries = [...(mourned?.expiries ?? []), ...departed.expiries];
  const dead = new Set((mourned?.deaths ?? []).map(({ client }) => client));
  const stalled = expiries.filter(({ client }) => !dead.has(client));
  const lives = departed.left.flatMap((left) => left.lives);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const sentOf = ({ client, life }: Expiry) => lives[client]![life]!;
  return {
    sent: sum(lives.flat()) - sum(stalled.map(sentOf)),
    received:
      sum(departed.readings.map(({ received }) => received)) - sum(stalled.map(({ received }) => received)),
    stalled: stalled.length,
    unclosed: mourned?.unclosed ?? 0,
    shortestSilenceMs: Math.min(timeoutMs, ...expiries.map(({ silenceMs }) => silenceMs)),
    longestTurnMs: Math.max(...departed.readings.map(({ longestTurnMs }) => longestTurnMs)),
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
  longestTurnMs: { title: "Longest turn", unit: "ms", digits: 0, over: "greatest" },
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

/** The runtime's timers count whole ms. They begin when the turn of the event loop does in which they are set. */
const CLOCK_MS = 2;

/** What the watcher claims, and at what speed its clock goes. */
export interface Claimed {
  readonly timeoutMs: number;
  readonly earlinessMs: number;
  readonly speed: number;
  readonly closesTheDead: boolean;
}

/** The first law that is broken, if any. */
export function brokenLaw(accounts: Accounts, claimed: Claimed): string | undefined {
  const { timeoutMs, earlinessMs, speed, closesTheDead } = claimed;
  return (
    (closesTheDead ? everyDeadClosed(accounts.unclosed) : undefined) ??
    noLiveClosed(
      accounts.shortestSilenceMs,
      timeoutMs,
      earlinessMs + (CLOCK_MS + accounts.longestTurnMs) * speed,
    ) ??
    everyBeatReceived(accounts) ??
    noTimerLeft(accounts.watched, accounts.timers)
  );
}
