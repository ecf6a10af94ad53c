import { Dispatcher } from "undici";
import rotatingRoundRobin from "../../pick/competitors/rotating-round-robin.ts";
import { Random } from "../../shared/sfc32.ts";
import * as laws from "./balanced.laws.ts";
import type { Balanced } from "./balanced.ts";

type Handlers = Record<string, (...given: unknown[]) => unknown>;

/** A pool that does nothing on its own: its caller plays what happens to the requests. */
export class PlayedPool extends Dispatcher {
  readonly given: { readonly options: Dispatcher.DispatchOptions; readonly handler: Handlers }[] = [];
  /** What dispatch returns. */
  hasRoom = true;
  isClosed = false;
  isDestroyed = false;
  /** Called within dispatch, before it returns. */
  onGiven: (() => void) | undefined;

  override dispatch(options: Dispatcher.DispatchOptions, handler: object): boolean {
    this.given.push({ options, handler: handler as Handlers });
    this.onGiven?.();
    return this.hasRoom;
  }

  override close(): Promise<void>;
  override close(callback: () => void): void;
  override async close(): Promise<void> {
    this.isClosed = true;
  }

  override async destroy(): Promise<void> {
    this.isDestroyed = true;
  }
}

export const ORIGINS = ["http://a.test", "http://b.test", "http://c.test"] as const;
const FAILURES = 2;
const HISTORIES = 40;
const STEPS = 120;
const SEED = 20_261_126;

/** The sentences of all laws that random histories of played pools break; a fixed seed draws the histories. */
export function playedLaws(make: typeof Balanced): (string | undefined)[] {
  const broken: (string | undefined)[] = [];
  for (let history = 0; history < HISTORIES; history++) {
    const events: laws.BalancedEvent[] = [];
    let requests = 0;
    try {
      requests = play(make, history, events);
    } catch (error) {
      broken.push(`nothingIsThrown: ${error}`);
    }
    broken.push(
      laws.leasesAreExact(events, ORIGINS.length),
      laws.nothingIsSentTwice(events),
      laws.fullPoolsAreSpared(events),
      laws.drainFollows(events, ORIGINS.length),
      laws.ejectedPoolsAreSpared(events, ORIGINS.length, FAILURES),
      requests > 0 ? laws.eachIsHeardOnce(events, requests) : undefined,
    );
  }
  return broken;
}

/** Plays one history, with handlers of undici 6 in every other one, and returns how many requests it had. */
function play(make: typeof Balanced, history: number, events: laws.BalancedEvent[]): number {
  const random = new Random(SEED, history);
  const isLegacy = history % 2 === 1;
  const pools = ORIGINS.map(() => new PlayedPool());
  const dispatcher = new make(ORIGINS, {
    factory: ({ origin }) => pools[ORIGINS.indexOf(origin as (typeof ORIGINS)[number])]!,
    by: history % 4 < 2 ? "two-choices" : rotatingRoundRobin,
    eject: { failures: FAILURES, forMs: 1, nowMs: () => 0 },
    seed: history,
  });
  const underWay: { request: number; pool: number; handler: Handlers; isStarted: boolean }[] = [];
  /** What callers abort their requests by, with handlers of undici 6. */
  const aborts: (() => void)[] = [];
  dispatcher.on("drain", () => events.push({ what: "drain" }));
  for (const [pool, played] of pools.entries()) {
    played.onGiven = () => {
      const { options, handler } = played.given.at(-1)!;
      const request = Number(options.path.slice(1));
      events.push({ what: "given", request, pool });
      underWay.push({ request, pool, handler, isStarted: false });
      played.hasRoom = random.below(3) > 0;
      if (!played.hasRoom) events.push({ what: "full", pool });
    };
  }

  let requests = 0;
  const look = () => {
    const inFlight = ORIGINS.map((origin) => dispatcher.stats[origin]!.inFlight);
    events.push({ what: "look", inFlight });
  };
  const dispatch = () => {
    const request = requests++;
    const heard = () => events.push({ what: "heard", request });
    const handler = isLegacy
      ? {
          onConnect(abort: () => void) {
            aborts[request] = abort;
          },
          onHeaders: () => true,
          onData: () => true,
          onComplete: heard,
          onError: heard,
        }
      : { onRequestStart() {}, onResponseStart() {}, onResponseEnd: heard, onResponseError: heard };
    const hasRoom = dispatcher.dispatch({ path: `/${request}`, method: "GET" }, handler as object);
    if (!hasRoom) events.push({ what: "waits" });
  };
  const start = (at: number) => {
    const of = underWay[at]!;
    if (of.isStarted) return;
    of.isStarted = true;
    events.push({ what: "started", request: of.request, pool: of.pool });
    if (isLegacy) of.handler.onConnect!(() => {}, null);
    else of.handler.onRequestStart!({ aborted: false }, null);
  };
  const end = (at: number, how: "ended" | "failed") => {
    const [{ request, pool, handler }] = underWay.splice(at, 1) as [(typeof underWay)[number]];
    events.push({ what: how, request, pool });
    const error = Object.assign(new Error(how), { code: "ECONNREFUSED" });
    if (isLegacy) how === "ended" ? handler.onComplete!([]) : handler.onError!(error);
    else if (how === "ended") handler.onResponseEnd!({ aborted: false }, {});
    else handler.onResponseError!({ aborted: false }, error);
  };
  const abort = (at: number) => {
    const [{ request, pool, handler }] = underWay.splice(at, 1) as [(typeof underWay)[number]];
    events.push({ what: "aborted", request, pool });
    // The error says nothing of an abort, as that of a socket that the abort has closed.
    const error = Object.assign(new Error("closed"), { code: "UND_ERR_SOCKET" });
    if (!isLegacy) handler.onResponseError!({ aborted: true }, error);
    else {
      aborts[request]!();
      handler.onError!(error);
    }
  };
  const drain = (pool: number) => {
    if (pools[pool]!.hasRoom) return;
    pools[pool]!.hasRoom = true;
    events.push({ what: "has room", pool });
    (pools[pool]!.emit as (...given: unknown[]) => boolean)("drain", new URL(ORIGINS[pool]!), []);
  };

  for (let step = 0; step < STEPS; step++) {
    const action = random.below(8);
    if (action < 3) dispatch();
    else if (action === 3) drain(random.below(pools.length));
    else if (underWay.length > 0) {
      const at = random.below(underWay.length);
      // Some fail before they are begun: they go on to another pool, or their handlers hear so.
      if (action !== 6 || random.below(2) === 0) start(at);
      if (action === 5) end(at, "ended");
      else if (action === 6) end(at, "failed");
      else if (action === 7) abort(at);
    }
    look();
  }
  for (let pool = 0; underWay.length > 0 || pools.some(({ hasRoom }) => !hasRoom); pool++) {
    while (underWay.length > 0) {
      start(0);
      end(0, "ended");
    }
    drain(pool % pools.length);
  }
  look();
  return requests;
}
