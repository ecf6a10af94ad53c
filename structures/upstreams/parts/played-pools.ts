import { EventEmitter } from "node:events";
import { mock } from "node:test";
import { Dispatcher, errors } from "undici";
import hotColdProbes from "../../pick/competitors/hot-cold-probes.ts";
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
  /** Called within dispatch, which returns what this does, if anything. */
  onGiven: (() => boolean | undefined) | undefined;

  override dispatch(options: Dispatcher.DispatchOptions, handler: object): boolean {
    this.given.push({ options, handler: handler as Handlers });
    return this.onGiven?.() ?? this.hasRoom;
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
const RULE = { failures: 2, forMs: 10, mostForMs: 40, mostShare: 2 / 3 };
const MOST_PASS_MS = 8;
const STEPS = 90;
const SEED = 20_261_128;

/** The sentences of all laws that so many random histories of played pools break; a fixed seed draws the histories. */
export async function playedLaws(make: typeof Balanced, histories: number): Promise<string[]> {
  const { oldReportsAreForgotten, ...ofHistories } = laws;
  const broken: (string | undefined)[] = [];
  for (let history = 0; history < histories; history++) {
    const play = new Play(make, history);
    try {
      await play.all();
    } catch (error) {
      broken.push(`nothingIsThrown: ${error}`);
      continue;
    }
    for (const law of Object.values(ofHistories)) broken.push(law(play.events, RULE));
  }
  broken.push(oldReportsAreForgotten(picksByOldReports(make)));
  return broken.filter((sentence) => sentence !== undefined);
}

/** How a request may end once it is begun, and whether that is a fault of its pool. */
const ENDS = {
  served: false,
  upgraded: false,
  unavailable: true,
  reset: true,
  "timed out": true,
  aborted: undefined,
  "body failed": undefined,
} as const;
type End = keyof typeof ENDS;

interface UnderWay {
  readonly request: number;
  readonly pool: number;
  readonly options: Dispatcher.DispatchOptions;
  readonly handler: Handlers;
  isStarted: boolean;
}

interface Upgraded {
  readonly of: UnderWay;
  readonly socket: EventEmitter;
}

/** One history, with handlers of undici 6 in every other one. */
class Play {
  readonly events: laws.BalancedEvent[] = [];
  readonly #random: Random;
  readonly #isLegacy: boolean;
  readonly #dispatcher: Balanced;
  readonly #pools: PlayedPool[] = [];
  readonly #underWay: UnderWay[] = [];
  readonly #upgraded: Upgraded[] = [];
  /** What callers abort their requests by, with handlers of undici 6. */
  readonly #aborts: (() => void)[] = [];
  readonly #members: number[] = [];
  #requests = 0;
  #nowMs = 0;

  constructor(make: typeof Balanced, history: number) {
    this.#random = new Random(SEED, history);
    this.#isLegacy = history % 2 === 1;
    const first = [0, 1, 2];
    for (const pool of first) this.#join(pool, true);
    this.#dispatcher = new make(first.map(originOf), {
      factory: ({ hostname }) => this.#pools[Number.parseInt(hostname.slice(1), 10)]!,
      by: history % 4 < 2 ? "two-choices" : rotatingRoundRobin,
      eject: { ...RULE, nowMs: () => this.#nowMs },
      seed: history,
    });
    this.#dispatcher.on("drain", () => this.events.push({ what: "drain" }));
  }

  async all(): Promise<void> {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      for (let step = 0; step < STEPS; step++) {
        this.#step();
        await this.#look();
      }
      await this.#endAll();
    } finally {
      mock.timers.reset();
    }
    this.#dispatcher.close().then(() => this.events.push({ what: "closed" }));
    await new Promise(setImmediate);
  }

  #step(): void {
    const action = this.#random.below(20);
    if (action < 7) this.#dispatch();
    else if (action < 9) this.#makeRoom(this.#random.below(this.#pools.length));
    else if (action < 11) this.#pass();
    else if (action === 11) this.#changeMembers();
    else if (action === 12 && this.#upgraded.length > 0) this.#closeUpgraded();
    else if (this.#underWay.length > 0) {
      const at = this.#random.below(this.#underWay.length);
      if (this.#random.below(4) === 0 && !this.#underWay[at]!.isStarted) this.#failUnsent(at);
      else this.#end(at, Object.keys(ENDS)[this.#random.below(7)] as End);
    }
  }

  #join(pool: number, isFirst: boolean): void {
    const played = new PlayedPool();
    this.#pools[pool] = played;
    this.#members.push(pool);
    this.events.push({ what: "joined", pool, isFirst });
    played.onGiven = () => this.#taken(pool, played);
  }

  /** Within a dispatch to the pool. */
  #taken(pool: number, played: PlayedPool): boolean | undefined {
    const { options, handler } = played.given.at(-1)!;
    const request = Number(options.path.slice(1));
    this.events.push({ what: "given", request, pool });
    const how = this.#random.below(20);
    if (how < 2) {
      this.events.push({ what: "ended", request, pool, failed: undefined });
      // One kind of pool refuses by an error of dispatch, the other by one that the handler hears.
      if (how === 0) throw new errors.InvalidArgumentError("thrown");
      this.#failWith(handler, new errors.InvalidArgumentError("refused"));
      return false;
    }
    this.#underWay.push({ request, pool, options, handler, isStarted: false });
    played.hasRoom = this.#random.below(3) > 0;
    if (!played.hasRoom) this.events.push({ what: "full", pool });
    return undefined;
  }

  #dispatch(): void {
    const request = this.#requests++;
    this.events.push({ what: "dispatched", request });
    const body = { pipe() {}, errored: undefined } as unknown as null;
    try {
      const hasRoom = this.#dispatcher.dispatch(
        { path: `/${request}`, method: "POST", body },
        this.#handlerOf(request) as object,
      );
      if (!hasRoom) this.events.push({ what: "waits" });
    } catch {
      this.events.push({ what: "heard", request });
    }
  }

  #handlerOf(request: number): Handlers {
    const heard = () => this.events.push({ what: "heard", request });
    if (!this.#isLegacy)
      return {
        ...{ onRequestStart() {}, onResponseStart() {} },
        ...{ onRequestUpgrade: heard, onResponseEnd: heard, onResponseError: heard },
      };
    return {
      onConnect: (abort) => {
        this.#aborts[request] = abort as () => void;
      },
      ...{ onHeaders: () => true, onData: () => true },
      ...{ onUpgrade: heard, onComplete: heard, onError: heard },
    };
  }

  #failWith(handler: Handlers, error: Error, isAborted = false): void {
    if (this.#isLegacy) handler.onError!(error);
    else handler.onResponseError!({ aborted: isAborted }, error);
  }

  #start(of: UnderWay): void {
    if (of.isStarted) return;
    of.isStarted = true;
    this.events.push({ what: "started", request: of.request, pool: of.pool });
    if (this.#isLegacy) of.handler.onConnect!(() => {}, null);
    else of.handler.onRequestStart!({ aborted: false }, null);
  }

  /** Its pool cannot be reached: it goes on to another one, or its handler hears so. */
  #failUnsent(at: number): void {
    const [{ request, pool, handler }] = this.#underWay.splice(at, 1) as [UnderWay];
    this.events.push({ what: "ended", request, pool, failed: true });
    this.#failWith(handler, coded("ECONNREFUSED"));
  }

  #end(at: number, how: End): void {
    const [of] = this.#underWay.splice(at, 1) as [UnderWay];
    const { request, pool, handler, options } = of;
    this.#start(of);
    if (how === "upgraded") {
      const socket = new EventEmitter();
      this.#upgraded.push({ of, socket });
      if (this.#isLegacy) handler.onUpgrade!(101, [], socket);
      else handler.onRequestUpgrade!({ aborted: false }, 101, {}, socket);
      return;
    }
    this.events.push({ what: "ended", request, pool, failed: ENDS[how] });
    if (how === "served" || how === "unavailable") this.#answer(handler, how === "served" ? 200 : 503);
    else if (how === "reset") this.#failWith(handler, coded("ECONNRESET"));
    else if (how === "body failed") {
      const error = coded("ECONNRESET");
      Object.assign(options.body as object, { errored: error });
      this.#failWith(handler, error);
    } else {
      // The error of a request that its caller aborted may be that of the socket, which the abort has closed.
      const error = how === "aborted" ? coded("UND_ERR_SOCKET") : new DOMException("late", "TimeoutError");
      this.#aborts[request]?.();
      this.#failWith(handler, error, true);
    }
  }

  #answer(handler: Handlers, status: number): void {
    const controller = { aborted: false };
    if (this.#isLegacy) {
      handler.onHeaders!(status, [], () => {}, "");
      handler.onComplete!([]);
    } else {
      handler.onResponseStart!(controller, status, {}, "");
      handler.onResponseEnd!(controller, {});
    }
  }

  #closeUpgraded(): void {
    const [{ of, socket }] = this.#upgraded.splice(this.#random.below(this.#upgraded.length), 1) as [
      Upgraded,
    ];
    this.events.push({ what: "ended", request: of.request, pool: of.pool, failed: false });
    socket.emit("close");
  }

  #makeRoom(pool: number): void {
    const played = this.#pools[pool]!;
    if (played.hasRoom) return;
    played.hasRoom = true;
    this.events.push({ what: "has room", pool });
    (played.emit as (...given: unknown[]) => boolean)("drain", new URL(originOf(pool)), []);
  }

  #pass(): void {
    const ms = 1 + this.#random.below(MOST_PASS_MS);
    this.events.push({ what: "passed", ms });
    this.#nowMs += ms;
    mock.timers.tick(ms);
  }

  #changeMembers(): void {
    if (this.#members.length < 4) {
      const pool = this.#pools.length;
      this.#join(pool, false);
      this.#dispatcher.add(originOf(pool));
    } else {
      const [pool] = this.#members.splice(this.#random.below(this.#members.length), 1) as [number];
      this.events.push({ what: "left", pool });
      this.#dispatcher.drain(originOf(pool));
    }
  }

  async #look(): Promise<void> {
    // A member that was added has its event a microtask later, and a drained one is closed before it is forgotten.
    await new Promise(setImmediate);
    const pools = Object.entries(this.#dispatcher.stats).map(([origin, stats]) => ({
      pool: Number.parseInt(new URL(origin).hostname.slice(1), 10),
      ...stats,
    }));
    this.events.push({ what: "look", pools: pools.sort((a, b) => a.pool - b.pool) });
  }

  async #endAll(): Promise<void> {
    const isAnyLeft = () =>
      this.#underWay.length > 0 || this.#upgraded.length > 0 || this.#pools.some(({ hasRoom }) => !hasRoom);
    for (let pool = 0; isAnyLeft(); pool++) {
      while (this.#underWay.length > 0) this.#end(0, "served");
      if (this.#upgraded.length > 0) this.#closeUpgraded();
      this.#makeRoom(pool % this.#pools.length);
      await this.#look();
    }
  }
}

const PICKS_BY_OLD_REPORTS = 60;

/** By hot-cold-probes: how many requests each pool is given a second after all have reported, the first as slow. */
function picksByOldReports(make: typeof Balanced): readonly number[] {
  let nowMs = 0;
  const clock = mock.method(performance, "now", () => nowMs);
  const pools = new Map<string, PlayedPool>();
  const dispatcher = new make(ORIGINS, {
    by: hotColdProbes,
    eject: false,
    seed: SEED,
    report: (headerOf) => ({ load: 1, latencyMs: Number(headerOf("x-takes-ms")) }),
    factory: ({ origin }) => pools.set(origin, new PlayedPool()).get(origin)!,
  });
  const given = () => ORIGINS.map((origin) => pools.get(origin)!.given.length);
  const dispatch = () => {
    const before = given();
    dispatcher.dispatch({ path: "/", method: "GET" }, { onRequestStart() {} });
    const at = given().findIndex((count, pool) => count > before[pool]!);
    return { at, handler: pools.get(ORIGINS[at]!)!.given.at(-1)!.handler };
  };
  try {
    for (let request = 0; request < PICKS_BY_OLD_REPORTS; request++) {
      const { at, handler } = dispatch();
      handler.onRequestStart!({ aborted: false }, null);
      handler.onResponseStart!({ aborted: false }, 200, { "x-takes-ms": at === 0 ? "50" : "5" }, "");
      handler.onResponseEnd!({ aborted: false }, {});
    }
    nowMs += 1_001;
    const before = given();
    for (let request = 0; request < PICKS_BY_OLD_REPORTS; request++) dispatch();
    return given().map((count, pool) => count - before[pool]!);
  } finally {
    clock.mock.restore();
  }
}

function originOf(pool: number): string {
  return `http://p${pool}.test`;
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}
