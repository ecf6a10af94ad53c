import { connect, type Socket } from "node:net";
import { setTimeout as pass } from "node:timers/promises";
import { Random } from "../../structures/shared/sfc32.ts";
import { obey } from "../shared/control.ts";
import { sharedNowMs } from "./clock.ts";
import { BEAT, CLOSING, pongFor, ServerReader, upgradeRequest } from "./frames.ts";
import { localAddress } from "./limits.ts";
import type { ClientOrders, Death, Left, Storm } from "./orders.ts";

/**
 * A client process: WebSockets by hand on plain sockets, which take a fraction of what a client of ws does. See
 * coordinator.ts for the whole.
 */

/** Upgrades in progress at once: less than the backlog of a server that is busy. */
const JOINING_AT_ONCE = 200;
/**
 * How often a client retries when a server hangs up before it has joined: a machine that stands still makes both wait
 * that long.
 */
const MOST_KNOCKS = 5;
/** Between two looks whose beat is due, in ms. */
const LOOK_EVERY_MS = 4;
/** All sockets read into this, because what was read is not kept. */
const READ_BUFFER = Buffer.allocUnsafe(4096);

class Client {
  readonly number: number;
  /**
   * `joining` until the upgrade is done. `leaving` from when it hangs up. `dead`: it keeps its socket and does nothing.
   * `lost`: the server closed it while it was open.
   */
  state: "away" | "joining" | "open" | "leaving" | "dead" | "lost" = "away";
  /** Messages sent, each time that it had joined. */
  readonly lives: number[] = [];
  /** When it last sent a message or a pong. */
  lastSentMs = 0;
  #socket: Socket | undefined;
  #gone: Promise<void> = Promise.resolve();

  constructor(number: number) {
    this.number = number;
  }

  async join(port: number): Promise<void> {
    for (let knock = 1; !(await this.#knock(port)); knock++) {
      if (knock === MOST_KNOCKS) throw new Error("the server hung up on a client that was joining");
    }
  }

  /** False if the server hangs up before the client has joined. */
  #knock(port: number): Promise<boolean> {
    this.state = "joining";
    this.lives.push(0);
    return new Promise((resolve, reject) => {
      const reader = new ServerReader({
        text: () => {
          this.state = "open";
          resolve(true);
        },
        ping: (payload) => this.#answer(payload),
      });
      const read = (bytes: number) => {
        reader.read(READ_BUFFER.subarray(0, bytes));
        return true;
      };
      const socket = connect({
        host: "127.0.0.1",
        port,
        ...localAddress(),
        noDelay: true,
        onread: { buffer: READ_BUFFER, callback: read },
      });
      this.#socket = socket;
      socket.write(upgradeRequest(`/${this.number}/${this.lives.length - 1}`));
      // 'close' follows, and says what it means, but where it never was connected.
      socket.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code !== "ECONNRESET" && error.code !== "EPIPE") reject(error);
      });
      this.#gone = new Promise((gone) => {
        socket.once("close", () => {
          this.#socket = undefined;
          resolve(false);
          this.state = this.state === "open" ? "lost" : this.state === "leaving" ? "away" : this.state;
          gone();
        });
      });
    });
  }

  beat(): void {
    if (this.state !== "open") return;
    this.lives[this.lives.length - 1]!++;
    this.lastSentMs = sharedNowMs();
    this.#socket!.write(BEAT);
  }

  die(): void {
    this.state = "dead";
    this.#socket!.pause();
  }

  /** Hangs up, with these last words if any, and resolves when the socket has closed. */
  leave(lastWords?: Buffer): Promise<void> {
    if (this.state === "dead") this.#socket?.destroy();
    if (this.state === "open") {
      this.state = "leaving";
      if (lastWords === undefined) this.#socket!.end();
      else this.#socket!.end(lastWords);
    }
    return this.#gone;
  }

  #answer(payload: Buffer): void {
    if (this.state !== "open") return;
    this.lastSentMs = sharedNowMs();
    this.#socket!.write(pongFor(payload));
  }
}

let port = 0;
let clients: readonly Client[] = [];
let looking: NodeJS.Timeout | undefined;

/** Some at a time; each of them when `ready` has it so. */
async function joinAll(joining: readonly Client[], ready: (client: Client) => Promise<void>): Promise<void> {
  const queue = joining.values();
  const joinNext = async () => {
    for (const client of queue) {
      await ready(client);
      await client.join(port);
    }
  };
  await Promise.all(Array.from({ length: JOINING_AT_ONCE }, joinNext));
}

/** Client after client, all at equal distances; what is late is sent at once. */
function beatEvenly(everyMs: number): void {
  clearInterval(looking);
  if (everyMs === 0) return;
  const begunMs = sharedNowMs();
  const perMs = clients.length / everyMs;
  let done = 0;
  looking = setInterval(() => {
    const due = Math.floor((sharedNowMs() - begunMs) * perMs);
    for (; done < due; done++) clients[done % clients.length]!.beat();
  }, LOOK_EVERY_MS);
}

async function die({ share, overMs, seed }: ClientOrders["die"]["given"]): Promise<Death[]> {
  const random = new Random(seed);
  const deaths: Death[] = [];
  const dieLater = async (client: Client, delayMs: number) => {
    await pass(delayMs);
    if (client.state !== "open") return;
    client.die();
    deaths.push({ client: client.number, lastSentMs: client.lastSentMs });
  };
  const dying = clients.filter(() => random.fraction() < share);
  await Promise.all(dying.map((client) => dieLater(client, random.fraction() * overMs)));
  return deaths;
}

async function storm(share: number): Promise<Storm> {
  const open = clients.filter(({ state }) => state === "open");
  const leaving = open.slice(0, Math.round(share * open.length));
  const begunMs = sharedNowMs();
  const gone = new Map(leaving.map((client) => [client, client.leave()]));
  await joinAll(leaving, (client) => gone.get(client)!);
  return { reconnected: leaving.length, tookMs: sharedNowMs() - begunMs };
}

async function leave(): Promise<Left> {
  clearInterval(looking);
  await Promise.all(clients.map((client) => client.leave(CLOSING)));
  return { lives: clients.map(({ lives }) => lives) };
}

obey<ClientOrders>({
  async connect(given) {
    port = given.port;
    clients = Array.from({ length: given.clients }, (_, index) => new Client(given.first + index));
    beatEvenly(given.everyMs);
    await joinAll(clients, () => Promise.resolve());
    return null;
  },
  beat({ everyMs }) {
    beatEvenly(everyMs);
    return null;
  },
  die,
  storm: ({ share }) => storm(share),
  leave,
});
