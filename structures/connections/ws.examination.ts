import { EventEmitter } from "node:events";
import type { Connection, ConnectionsCompetitor, Loop } from "./connections.contract.ts";
import { lawsBroken } from "./connections.examination.ts";
import { ASKS_AT_HALF, latenessOf } from "./parts/asking.ts";
import { BunSockets } from "./parts/bun.ts";
import { assertSetup } from "./parts/caught-up.ts";
import type { Sockets, WatchOptions } from "./parts/sockets.ts";
import { VirtualLoop } from "./parts/virtual-loop.ts";
import { type WsRequest, WsSockets } from "./parts/ws.ts";
import {
  countsRight,
  deadTerminatedInTime,
  leavesNoListener,
  noLivingTerminated,
  pingsSparingly,
  reusesPlaces,
} from "./ws.laws.ts";

/**
 * Every law of a watch over sockets, on a server and sockets that do nothing by themselves and an event loop whose time
 * the examination controls: once as `ws` reports, by events, and once as Bun does, by handlers.
 */
const OPEN = 1;
const CLOSED = 3;

class FakeStream extends EventEmitter {
  #isPaused = false;

  isPaused(): boolean {
    return this.#isPaused;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.emit("resume");
  }
}

/** A socket with the methods of `ws` and of Bun that a watch uses. */
export class FakeSocket extends EventEmitter {
  readyState = OPEN;
  isPaused = false;
  /** The stream below it, which ws reads. */
  readonly stream = new FakeStream().on("data", () => {});
  /** What it does when it is pinged, and when it is terminated. */
  pinged = () => {};
  terminated = () => {};

  ping(): void {
    this.pinged();
  }

  terminate(): void {
    this.readyState = CLOSED;
    this.terminated();
  }

  /** Of a watch. */
  get allListeners(): number {
    return listenersOf(this) + listenersOf(this.stream) - 1;
  }
}

function listenersOf(emitter: EventEmitter): number {
  return emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);
}

/** What a client may send. A part of a long message is none to Bun. */
type Sign = "message" | "part" | "ping" | "pong";

/** A server and the watch over it. */
interface Served {
  readonly sockets: Sockets<FakeSocket>;
  readonly signs: readonly Sign[];
  open(socket: FakeSocket): void;
  sign(socket: FakeSocket, sign: Sign): void;
  close(socket: FakeSocket): void;
  /** Of the server itself. */
  listeners(): number;
}

type Serve = (loop: Loop, options: WatchOptions<FakeSocket>) => Served;

const SERVERS: readonly Serve[] = [
  ofWs,
  wsWithoutRequests,
  function bun(loop, options) {
    const sockets = new BunSockets(loop, options);
    const handlers = sockets.handlers({ message() {} });
    return {
      sockets,
      signs: ["message", "ping", "pong"],
      open: (socket) => void handlers.open(socket),
      sign(socket, sign) {
        if (sign === "message") handlers.message(socket, "");
        else if (sign !== "part") handlers[sign](socket, Buffer.alloc(0));
      },
      close(socket) {
        socket.readyState = CLOSED;
        handlers.close(socket, 1000, "");
      },
      listeners: () => 0,
    };
  },
];

function ofWs(loop: Loop, options: WatchOptions<FakeSocket>): Served {
  return {
    ...wsWithoutRequests(loop, options, (socket) => ({ socket: socket.stream })),
    signs: ["message", "part", "ping", "pong"],
    sign(socket, sign) {
      // Whatever it is, its bytes come first.
      socket.stream.emit("data");
      if (sign !== "part") socket.emit(sign);
    },
  };
}

/** A server of `ws` whose connections come without the request that has their stream. */
function wsWithoutRequests(
  loop: Loop,
  options: WatchOptions<FakeSocket>,
  requestOf = (_socket: FakeSocket): WsRequest | undefined => undefined,
): Served {
  const server = new EventEmitter();
  return {
    sockets: new WsSockets(loop, server, options),
    signs: ["message", "ping", "pong"],
    open: (socket) => void server.emit("connection", socket, requestOf(socket)),
    sign: (socket, sign) => void socket.emit(sign),
    close(socket) {
      socket.readyState = CLOSED;
      socket.emit("close");
    },
    listeners: () => listenersOf(server),
  };
}

/** The watch as one of the watchers that the laws of connections are for. */
function competitorOf(serve: Serve): ConnectionsCompetitor {
  return {
    summary: "a watch over the sockets of a server",
    source: "ws.exports.ts",
    ...ASKS_AT_HALF,
    watch(setup) {
      assertSetup(setup);
      const { loop, timeoutMs, expired } = setup;
      const ofSocket = new Map<FakeSocket, Connection>();
      const ofConnection = new Map<Connection, FakeSocket>();
      const served = serve(loop, { timeoutMs, onExpired: (socket) => expired(ofSocket.get(socket)!) });
      return {
        opened(connection) {
          const socket = new FakeSocket();
          socket.pinged = () => connection.ping();
          ofSocket.set(socket, connection);
          ofConnection.set(connection, socket);
          served.open(socket);
        },
        heard(connection) {
          const { signs } = served;
          served.sign(ofConnection.get(connection)!, signs[connection.place % signs.length]!);
        },
        answered: (connection) => served.sign(ofConnection.get(connection)!, "pong"),
        closed: (connection) => served.close(ofConnection.get(connection)!),
        end: () => served.sockets.end(),
        get size() {
          return served.sockets.size;
        },
      };
    },
  };
}

const TIMEOUT_MS = 30_000;
const PING_AFTER_MS = 20_000;
/** Between two signs of a client that sends by itself, in ms. */
const SIGN_EVERY_MS = 15_000;
/** From a terminate to the close that it leads to. */
const CLOSING_MS = 3;
const CLIENTS_OF_A_KIND = 4;
const UNTIL_MS = 320_000;

/** How an event loop is late: `stand`: clients go on; `jump`: they stall as well. */
interface Late {
  readonly how: "stand" | "jump";
  readonly ms: number;
  readonly atMs: number;
}

const LATE: readonly Late[] = [
  { how: "stand", ms: 40_000, atMs: 50_000 },
  { how: "jump", ms: 3_600_000, atMs: 150_000 },
  { how: "stand", ms: 11_000, atMs: 200_000 },
  { how: "jump", ms: 25_000, atMs: 250_000 },
];
/** How long before each of these, and before another moment, clients come that never send: in either wait, and at its end. */
const DEAD_BEFORE_MS = [28_500, 25_000, 19_500, 5_000];

interface Plan {
  readonly late: readonly Late[];
  /** From a ping to the pong that answers it. */
  readonly answerMs: number;
  /** The watch's default if absent. */
  readonly stallMs?: number;
}

const PLANS: readonly Plan[] = [
  { late: [], answerMs: 9_900 },
  { late: LATE, answerMs: 9_900 },
  // Who answers at once needs no patience.
  { late: LATE, answerMs: 50, stallMs: 6_000 },
];

type Kind = Sign | "answers" | "nothing";

/** Clients of every kind that come, live, die and leave, on a loop that is late. */
class Clients {
  readonly #plan: Plan;
  readonly #loop = new VirtualLoop();
  readonly #served: Served;
  readonly #kinds = new Map<FakeSocket, Kind>();
  /** On a clock that stands still when the loop does. */
  readonly #lastHeardMs = new Map<FakeSocket, number>();
  readonly #living: Kind[] = [];
  #longestMs = 0;
  #mostOpen = 0;
  #dead = 0;
  #leftBehind = 0;
  readonly #happened = { expired: 0, pings: 0, pongs: 0 };
  #needless = 0;

  constructor(serve: Serve, plan: Plan) {
    this.#plan = plan;
    this.#served = serve(this.#loop, {
      timeoutMs: TIMEOUT_MS,
      pingAfterMs: PING_AFTER_MS,
      stallMs: plan.stallMs,
      onExpired: (socket) => this.#expired(socket),
    });
  }

  run(): (string | undefined)[] {
    const { late, stallMs = TIMEOUT_MS } = this.#plan;
    const { sockets, signs, listeners } = this.#served;
    for (const kind of [...signs, "answers"] as const)
      for (let client = 0; client < CLIENTS_OF_A_KIND; client++) {
        const socket = this.#enter(kind);
        if (kind !== "answers") this.#loop.at((client + 1) * 1_234, () => this.#signAgain(socket, kind));
      }
    const dying = [...LATE.map(({ atMs }) => atMs), UNTIL_MS / 4].flatMap((atMs) =>
      DEAD_BEFORE_MS.map((ms) => atMs - ms),
    );
    for (const atMs of dying) this.#loop.at(atMs, () => this.#enter("nothing"));
    for (const { how, ms, atMs } of late) this.#loop.at(atMs, () => this.#loop[how](ms));
    this.#loop.run(UNTIL_MS + late.reduce((sum, { ms }) => sum + ms, 0));
    const { expired, pings, pongs, stalls, size } = sockets;
    const watched = this.#kinds.size;
    // All but one, which the end is for.
    for (const socket of [...this.#kinds.keys()].slice(1)) this.#leave(socket);
    sockets.end();
    const afterEnd = [...this.#kinds.keys()].reduce((sum, socket) => sum + socket.allListeners, listeners());
    const allowedMs = TIMEOUT_MS + latenessOf(TIMEOUT_MS, PING_AFTER_MS) + (late.length === 0 ? 0 : stallMs);
    const asked = CLIENTS_OF_A_KIND * Math.ceil(UNTIL_MS / PING_AFTER_MS) + dying.length;
    return [
      noLivingTerminated(this.#living),
      deadTerminatedInTime(dying.length - this.#dead, this.#longestMs, allowedMs),
      // With less patience than a timeout, a client is pinged after a stall to be certain of it.
      stallMs < TIMEOUT_MS ? undefined : pingsSparingly(this.#needless, this.#happened.pings, asked),
      leavesNoListener(this.#leftBehind, afterEnd),
      reusesPlaces(sockets.places, this.#mostOpen),
      countsRight(
        JSON.stringify({ expired, pings, pongs, stalls, size }),
        JSON.stringify({ ...this.#happened, stalls: late.length, size: watched }),
      ),
    ];
  }

  #nowMs(): number {
    return this.#loop.now() - this.#loop.stoodMs;
  }

  #enter(kind: Kind): FakeSocket {
    const socket = new FakeSocket();
    this.#kinds.set(socket, kind);
    this.#mostOpen = Math.max(this.#mostOpen, this.#kinds.size);
    socket.pinged = () => this.#pinged(socket, kind);
    socket.terminated = () => {
      this.#happened.expired++;
      this.#loop.at(CLOSING_MS, () => this.#leave(socket));
    };
    this.#lastHeardMs.set(socket, this.#nowMs());
    this.#served.open(socket);
    return socket;
  }

  #pinged(socket: FakeSocket, kind: Kind): void {
    this.#happened.pings++;
    if (kind === "answers") this.#loop.at(this.#plan.answerMs, () => this.#sign(socket, "pong"));
    else if (kind !== "nothing") this.#needless++;
  }

  #signAgain(socket: FakeSocket, sign: Sign): void {
    this.#sign(socket, sign);
    this.#loop.at(SIGN_EVERY_MS, () => this.#signAgain(socket, sign));
  }

  #sign(socket: FakeSocket, sign: Sign): void {
    if (socket.readyState === CLOSED) return;
    if (sign === "pong") this.#happened.pongs++;
    this.#lastHeardMs.set(socket, this.#nowMs());
    this.#served.sign(socket, sign);
  }

  #expired(socket: FakeSocket): void {
    const kind = this.#kinds.get(socket)!;
    if (kind === "nothing") this.#dead++;
    else this.#living.push(kind);
    this.#longestMs = Math.max(this.#longestMs, this.#nowMs() - this.#lastHeardMs.get(socket)!);
  }

  #leave(socket: FakeSocket): void {
    this.#served.close(socket);
    this.#leftBehind += socket.allListeners;
    this.#kinds.delete(socket);
  }
}

/** More than a watch has places for at first, twice over. */
const MANY = 2_100;

/** All connect at once. Every other one is silent; the others send before they would be pinged. */
function grown(serve: Serve): (string | undefined)[] {
  const loop = new VirtualLoop();
  const silent = new Set<FakeSocket>();
  const sending = new Set<FakeSocket>();
  let [living, needless] = [0, 0];
  const served = serve(loop, {
    timeoutMs: TIMEOUT_MS,
    pingAfterMs: PING_AFTER_MS,
    onExpired(socket) {
      if (!silent.delete(socket)) living++;
    },
  });
  for (let client = 0; client < MANY; client++) {
    const socket = new FakeSocket();
    (client % 2 === 0 ? silent : sending).add(socket);
    if (client % 2 !== 0) socket.pinged = () => needless++;
    served.open(socket);
  }
  const send = () => {
    for (const socket of sending) served.sign(socket, "message");
    loop.at(SIGN_EVERY_MS, send);
  };
  loop.at(SIGN_EVERY_MS, send);
  loop.run(2 * TIMEOUT_MS);
  served.sockets.end();
  return [
    noLivingTerminated(new Array<string>(living).fill("messages")),
    deadTerminatedInTime(silent.size, 0, 0),
    pingsSparingly(needless, 0, 0),
  ];
}

/** Between two moments at which a stream is resumed, in ms. */
const RESUMED_EVERY_MS = 500;
/** Turns of the loop, at such a moment, until it is: before the watch looks, meanwhile, and after. */
const TURNS = [0, 1, 2, 3];

/** ws pauses the stream of a client that sends all the time, or of one that is dead, and resumes it at one moment. */
function paused(serve: Serve): (string | undefined)[] {
  const moments = Array.from(
    { length: (2.5 * TIMEOUT_MS) / RESUMED_EVERY_MS },
    (_, at) => at * RESUMED_EVERY_MS,
  );
  return moments.flatMap((resumedMs) =>
    TURNS.flatMap((turns) => [
      pausedUntil(serve, resumedMs, turns, true),
      pausedUntil(serve, resumedMs, turns, false),
    ]),
  );
}

function pausedUntil(serve: Serve, resumedMs: number, turns: number, isLiving: boolean): string | undefined {
  const loop = new VirtualLoop();
  const socket = new FakeSocket();
  let expiredMs: number | undefined;
  const beganMs = loop.now();
  const served = serve(loop, {
    timeoutMs: TIMEOUT_MS,
    pingAfterMs: PING_AFTER_MS,
    onExpired() {
      expiredMs = loop.now() - beganMs;
    },
  });
  served.open(socket);
  socket.stream.pause();
  const send = () => {
    if (isLiving) served.sign(socket, "message");
    loop.at(SIGN_EVERY_MS, send);
  };
  const resume = () => {
    socket.stream.resume();
    // What the client sent meanwhile is there at once.
    loop.at(0, send);
  };
  const after = (left: number): void => (left === 0 ? resume() : loop.at(0, () => after(left - 1)));
  loop.setTimeout(() => after(turns), resumedMs);
  // One that sends nothing is not kept alive by this.
  const pauseBriefly = () => {
    socket.stream.pause();
    socket.stream.resume();
    if (!isLiving) loop.at(SIGN_EVERY_MS, pauseBriefly);
  };
  loop.at(resumedMs + SIGN_EVERY_MS, pauseBriefly);
  const latestMs = resumedMs + TIMEOUT_MS + latenessOf(TIMEOUT_MS, PING_AFTER_MS);
  loop.run(latestMs);
  served.sockets.end();
  if (isLiving)
    return noLivingTerminated(expiredMs === undefined ? [] : ["messages while its stream was paused"]);
  return deadTerminatedInTime(expiredMs === undefined ? 1 : 0, 0, 0);
}

/** The sentences of all broken laws: of the watchers' own, and of the watch's. */
export default {
  ofWatchers: (): string[] => SERVERS.flatMap((serve) => present(lawsBroken(competitorOf(serve)))),
  ofSockets: (): string[] =>
    SERVERS.flatMap((serve) =>
      present([
        ...PLANS.flatMap((plan) => new Clients(serve, plan).run()),
        ...grown(serve),
        ...(serve === ofWs ? paused(serve) : []),
      ]),
    ),
};

function present(sentences: readonly (string | undefined)[]): string[] {
  return sentences.filter((sentence) => sentence !== undefined);
}
