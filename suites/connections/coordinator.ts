import { type ChildProcess, fork, spawn } from "node:child_process";
import cluster from "node:cluster";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { derivedSeed } from "../../structures/shared/worker-identity.ts";
import type { Start } from "../engine/race.ts";
import { Ordered, type Orders } from "../shared/control.ts";
import { limitsHere, roomFor } from "./limits.ts";
import type { ClientOrders, Death, Expiry, Left, Reading, ServerOrders, Stall, Storm } from "./orders.ts";

/**
 * A fleet of real connections, and the servers that hold them.
 *
 * Processes. The process that surveys is the coordinator: it starts, asks and ends the others, and measures nothing
 * itself. Servers are workers of its node:cluster, 1 to 4 that share one port. The coordinator accepts and passes
 * connections on in turn, so that all servers hold about as many. Its own CPU time is not counted as theirs. A server
 * is ws on Node with one watcher. Or it is Bun.serve on Bun: its processes share the port by SO_REUSEPORT, and the
 * kernel spreads connections over them. Clients are processes with plain sockets that speak WebSocket by hand. There
 * are several because each may open a limited number of files. They use addresses of their own in 127.0.0.0/8, because
 * one address has a limited number of ports.
 *
 * Orders go over each process's channel, one answer for each (orders.ts). A process whose channel closes exits at once,
 * and what the coordinator started it kills: nothing outlives it, however it ends.
 *
 * Clock. The machine's, as each process saw it when it started, and monotonic from there (clock.ts). A watcher has a
 * clock and timers of its own on top, `speed` times as fast. At 10 a timeout of 30 s takes 3 s, and a second of the
 * source's wheel 100 ms. Nothing else knows of it. At speed 1 nothing is in between.
 *
 * Measured where. CPU time and RSS: by each server of itself, read before and after a window. What it holds: after a full
 * collection, in the end, because RSS has in it what V8's heap grew to while all connected, and keeps. Beats: sent by the
 * clients, received by the servers. How late the dead are closed: from the client's last beat to the server's close, on the
 * shared clock. Event loop delay: in each server, while clients die.
 *
 * Laws. Every dead client is closed. No live one is closed. That is judged by when the server last heard it, less what
 * the watcher claims for the longest turn of its event loop since all had connected. A machine that stands still for a
 * timeout silences its clients: clients closed then count as stalled and break no law. Beats sent are beats received,
 * except on stalled clients. After the last close no connection is watched and no timer pending. A liar for each is in
 * structures/connections/mutants; one that loses beats is in planted-client.ts here.
 *
 * Pairs. A watcher is ended and replaced by another, which hears of all open connections, while these go on beating. So
 * two watchers take turns on the same connections (`turn`), and a pair of turns differs only in the watcher. A turn
 * lasts two timeouts and a little, and only its last timeout counts. Before that, a heap that postpones work has not
 * reached it, and a loop that pings once in a timeout has not pinged.
 */
export interface FleetPlan {
  readonly connections: number;
  /** Processes. */
  readonly servers: number;
  readonly clients: number;
  /** On the watchers' clock. */
  readonly timeoutMs: number;
  /** What the machine may take until the dead are closed, beyond what the watcher claims. */
  readonly patienceMs: number;
  /** What client processes run. */
  readonly clientModule?: URL;
  /** How a process of Bun is started, where the servers are to be of it; they are of Node if absent. */
  readonly bun?: Start;
}

const SERVER = new URL("server.ts", import.meta.url);
const SERVER_OF_BUN = new URL("server.bun.ts", import.meta.url);
const CLIENT = new URL("client.ts", import.meta.url);
/**
 * What a turn lasts, in timeouts, until it counts. It is one, and the moments that it takes to do what the whole fleet
 * had set when the turn began. One more counts, so that the same moments of the next are in it.
 */
const UNCOUNTED_TIMEOUTS = 1.1;
/** From the begin of a turn to its end, in timeouts. */
export const TURN_TIMEOUTS = UNCOUNTED_TIMEOUTS + 1;
/** Between two looks whether all have closed, in ms. */
const LOOK_EVERY_MS = 20;

/** What some time of all servers came to. */
export interface Window {
  readonly beats: number;
  readonly userUs: number;
  readonly systemUs: number;
}

export class Fleet {
  readonly connections: number;
  readonly #plan: FleetPlan;
  readonly #servers: readonly Ordered<ServerOrders>[];
  readonly #clients: readonly Ordered<ClientOrders>[];
  readonly #port: number;

  private constructor(
    plan: FleetPlan,
    connections: number,
    servers: readonly Ordered<ServerOrders>[],
    clients: readonly Ordered<ClientOrders>[],
    port: number,
  ) {
    this.#plan = plan;
    this.connections = connections;
    this.#servers = servers;
    this.#clients = clients;
    this.#port = port;
  }

  /** Carries out `use` on a fleet without connections so far, and leaves none of its processes behind. */
  static async with<Result>(plan: FleetPlan, use: (fleet: Fleet) => Promise<Result>): Promise<Result> {
    const { taken, shortage } = roomFor(plan.connections, plan, limitsHere());
    if (taken === 0) throw new Error(shortage);
    if (shortage !== undefined) process.stderr.write(`connections: ${shortage}\n`);
    const servers = plan.bun === undefined ? startServers(plan.servers) : startBun(plan.servers, plan.bun);
    const clients = startClients(plan.clients, plan.clientModule ?? CLIENT);
    const all = [...servers, ...clients];
    try {
      const fleet = new Fleet(plan, taken, servers, clients, await portOf(servers, plan, taken));
      return await Promise.race([use(fleet), ...all.map(({ ended }) => ended)]);
    } finally {
      await Promise.all(all.map((started) => started.kill()));
    }
  }

  /** Clients beat this far apart from when they are connected; 0: not at all. */
  async connect(everyMs: number): Promise<void> {
    await Promise.all(
      sharesOf(this.connections, this.#clients.length).map(({ first, count }, index) =>
        this.#clients[index]!.ask("connect", { port: this.#port, first, clients: count, everyMs }),
      ),
    );
    await this.#ofServers("connected", null);
  }

  /** How many clients each of their processes has. */
  get clientsByProcess(): readonly number[] {
    return sharesOf(this.connections, this.#clients.length).map(({ count }) => count);
  }

  get pids(): { readonly servers: readonly number[]; readonly clients: readonly number[] } {
    return { servers: this.#servers.map(({ pid }) => pid), clients: this.#clients.map(({ pid }) => pid) };
  }

  /** The watchers' clock goes `speed` times as fast as time. */
  async watch(url: string, speed = 1): Promise<void> {
    await this.#ofServers("watch", { url, speed });
  }

  async beat(everyMs: number): Promise<void> {
    await this.#ofClients("beat", { everyMs });
  }

  read(): Promise<readonly Reading[]> {
    return this.#ofServers("read", null);
  }

  /**
   * What the servers do in one timeout of this watcher, after another timeout in which it has reached its full work.
   * What a heap postpones, or a loop does once in a timeout, is in every turn.
   */
  async turn(url: string, speed: number): Promise<Window> {
    const timeoutMs = this.#plan.timeoutMs / speed;
    await this.watch(url, speed);
    await pass(UNCOUNTED_TIMEOUTS * timeoutMs);
    const before = await this.read();
    await pass(timeoutMs);
    return windowBetween(before, await this.read());
  }

  /** Bytes that the servers hold. */
  async held(): Promise<number> {
    return (await this.#ofServers("held", null)).reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Lets a share of the clients die over some time, and waits until the servers have closed them, or should have. */
  async die(share: number, overMs: number, seed: number, claimedMs: number): Promise<Mourned> {
    await this.#ofServers("sampleDelay", null);
    const died = await Promise.all(
      this.#clients.map((client, index) =>
        client.ask("die", { share, overMs, seed: derivedSeed(seed, index) }),
      ),
    );
    const deaths = died.flat();
    const expiries: Expiry[] = [];
    const isOver = Number.isFinite(claimedMs) ? performance.now() + claimedMs + this.#plan.patienceMs : 0;
    const missing = () => {
      const closed = new Set(expiries.map(({ client }) => client));
      return deaths.filter(({ client }) => !closed.has(client));
    };
    for (;;) {
      expiries.push(...(await this.expiries()));
      if (missing().length === 0 || performance.now() >= isOver) break;
      await pass(LOOK_EVERY_MS);
    }
    const delays = await this.#ofServers("delay", null);
    return { deaths, expiries, unclosed: missing().length, delays };
  }

  /** The expiries since it was last asked. */
  async expiries(): Promise<readonly Expiry[]> {
    return (await this.#ofServers("expiries", null)).flat();
  }

  /** Has the servers stand still, and resolves when they go on or their clock has jumped. */
  async stand({ how, ms }: Stall): Promise<void> {
    if (how === "stops") {
      for (const { pid } of this.#servers) process.kill(pid, "SIGSTOP");
      await pass(ms);
      for (const { pid } of this.#servers) process.kill(pid, "SIGCONT");
      return;
    }
    await this.#ofServers("stand", { how, ms });
    if (how === "blocks") await pass(ms);
  }

  async storm(share: number): Promise<Storm> {
    const storms = await this.#ofClients("storm", { share });
    return {
      reconnected: storms.reduce((sum, { reconnected }) => sum + reconnected, 0),
      tookMs: Math.max(...storms.map(({ tookMs }) => tookMs)),
    };
  }

  /** All leave, and the servers have heard them out. */
  async leave(): Promise<Departed> {
    const left = await this.#ofClients("leave", null);
    const isOver = performance.now() + this.#plan.patienceMs;
    let readings = await this.read();
    while (readings.some(({ open }) => open > 0) && performance.now() < isOver) {
      await pass(LOOK_EVERY_MS);
      readings = await this.read();
    }
    const expiries = await this.expiries();
    return { left, readings, expiries };
  }

  #ofServers<Name extends keyof ServerOrders & string>(
    name: Name,
    given: ServerOrders[Name]["given"],
  ): Promise<ServerOrders[Name]["answer"][]> {
    return Promise.all(this.#servers.map((server) => server.ask(name, given)));
  }

  #ofClients<Name extends keyof ClientOrders & string>(
    name: Name,
    given: ClientOrders[Name]["given"],
  ): Promise<ClientOrders[Name]["answer"][]> {
    return Promise.all(this.#clients.map((client) => client.ask(name, given)));
  }
}

/** Clients that died, and clients that were closed. */
export interface Mourned {
  readonly deaths: readonly Death[];
  readonly expiries: readonly Expiry[];
  readonly unclosed: number;
  /** Of each server's event loop, in ms. */
  readonly delays: readonly { readonly p99: number; readonly max: number }[];
}

/** What clients and servers say when all have left. */
export interface Departed {
  readonly left: readonly Left[];
  readonly readings: readonly Reading[];
  /** The expiries that were not asked for. */
  readonly expiries: readonly Expiry[];
}

export function windowBetween(before: readonly Reading[], after: readonly Reading[]): Window {
  const grown = (of: (reading: Reading) => number) =>
    after.reduce((sum, reading, index) => sum + of(reading) - of(before[index]!), 0);
  return {
    beats: grown(({ received }) => received),
    userUs: grown(({ userUs }) => userUs),
    systemUs: grown(({ systemUs }) => systemUs),
  };
}

/** As equal as whole numbers can be. */
function sharesOf(total: number, parts: number): { readonly first: number; readonly count: number }[] {
  return Array.from({ length: parts }, (_, index) => {
    const first = Math.floor((index * total) / parts);
    return { first, count: Math.floor(((index + 1) * total) / parts) - first };
  });
}

/** Has all servers listen, and returns their port: workers of one cluster share the first one's, others receive it. */
async function portOf(
  servers: readonly Ordered<ServerOrders>[],
  { timeoutMs, bun }: FleetPlan,
  capacity: number,
): Promise<number> {
  let shared = 0;
  for (const server of servers) {
    const { port } = await server.ask("listen", {
      port: bun === undefined ? 0 : shared,
      capacity,
      timeoutMs,
    });
    shared = port;
  }
  return shared;
}

function startBun(count: number, { file, args }: Start): Ordered<ServerOrders>[] {
  return Array.from({ length: count }, (_, index) =>
    started(
      spawn(file, [...args, fileURLToPath(SERVER_OF_BUN)], { stdio: ["ignore", 2, 2, "ipc"] }),
      `server process ${index + 1}`,
    ),
  );
}

function startServers(count: number): Ordered<ServerOrders>[] {
  cluster.setupPrimary({
    exec: fileURLToPath(SERVER),
    execArgv: process.execArgv,
    args: [],
    stdio: ["ignore", 2, 2, "ipc"],
  });
  return Array.from({ length: count }, (_, index) =>
    started(cluster.fork().process, `server process ${index + 1}`),
  );
}

function startClients(count: number, module: URL): Ordered<ClientOrders>[] {
  return Array.from({ length: count }, (_, index) =>
    started(
      fork(fileURLToPath(module), [], { execArgv: process.execArgv, stdio: ["ignore", 2, 2, "ipc"] }),
      `client process ${index + 1}`,
    ),
  );
}

function started<Of extends Orders<Of>>(child: ChildProcess, name: string): Ordered<Of> {
  return new Ordered<Of>(child, `${name} (pid ${child.pid})`);
}
