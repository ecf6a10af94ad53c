import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { derivedSeed } from "../../structures/shared/worker-identity.ts";
import { Ordered } from "../shared/control.ts";
import type { Reading, ServerOrders } from "./server.ts";

const SERVER = new URL("server.ts", import.meta.url);

export interface ServersPlan {
  readonly count: number;
  /** Requests that each does at once. */
  readonly slots: number;
  /** How many times as long as the others the first takes; 1: as long; 0: it answers with 503 at once. */
  readonly slowness: number;
  /** Requests that the last one serves until it is warm; 0: it is as the others. */
  readonly coldFor: number;
  readonly seed: number;
}

interface ServerState {
  /** Absent while it is dead. */
  process: Ordered<ServerOrders> | undefined;
  port: number;
  /** How often it has been killed. */
  life: number;
}

/** A server that lives, as it reads itself. */
export interface Living extends Reading {
  readonly place: number;
  readonly name: string;
}

/** Server processes, one in each place, on ports that stay. */
export class Servers {
  readonly #plan: ServersPlan;
  readonly #places: readonly ServerState[];

  private constructor(plan: ServersPlan) {
    this.#plan = plan;
    this.#places = Array.from({ length: plan.count }, (_, place) => ({
      process: started(place),
      port: 0,
      life: 0,
    }));
  }

  /** Carries out `use` with all of them listening, and leaves none of the processes behind. */
  static async with<Result>(plan: ServersPlan, use: (servers: Servers) => Promise<Result>): Promise<Result> {
    const servers = new Servers(plan);
    try {
      await Promise.all(servers.#places.map((_, place) => servers.#listen(place)));
      return await use(servers);
    } finally {
      await Promise.all(servers.#places.map(({ process }) => process?.kill()));
    }
  }

  get origins(): readonly string[] {
    return this.#places.map(({ port }) => `http://127.0.0.1:${port}`);
  }

  /** Whether the answer is what one of them, in one of its lives, gives to this request. */
  isProven(answer: string, number: number): boolean {
    const [place, life, proof] = answer.split(" ").map(Number) as [number, number, number];
    return proof === derivedSeed(this.#seedOf(place, life), number);
  }

  /** Kills it in the midst of what it does: the kernel resets its connections and refuses others. */
  async kill(place: number): Promise<void> {
    const here = this.#places[place]!;
    await here.process?.kill();
    here.process = undefined;
    here.life++;
  }

  /** Starts the one that was killed on its port again; resolves when it listens. */
  restart(place: number): Promise<void> {
    this.#places[place]!.process = started(place);
    return this.#listen(place);
  }

  async read(): Promise<readonly Living[]> {
    const readings = await Promise.all(
      this.#places.map(async ({ process, life }, place) => {
        const reading = await process?.ask("read", null);
        return reading === undefined ? [] : [{ ...reading, place, name: nameOf(place, life) }];
      }),
    );
    return readings.flat();
  }

  async #listen(place: number): Promise<void> {
    const here = this.#places[place]!;
    here.port = await here.process!.ask("listen", {
      place,
      life: here.life,
      seed: this.#seedOf(place, here.life),
      slots: this.#plan.slots,
      slowness: place === 0 ? this.#plan.slowness : 1,
      coldFor: place === this.#plan.count - 1 ? this.#plan.coldFor : 0,
      ...(here.port === 0 ? {} : { port: here.port }),
    });
  }

  #seedOf(place: number, life: number): number {
    return derivedSeed(derivedSeed(this.#plan.seed, place), life);
  }
}

/** A server in one of its lives, as its answers begin. */
export function nameOf(place: number, life: number): string {
  return `${place} ${life}`;
}

/** Which server gave an answer. */
export function serverOf(answer: string): string {
  return answer.slice(0, answer.lastIndexOf(" "));
}

function started(place: number): Ordered<ServerOrders> {
  const child = fork(fileURLToPath(SERVER), [], {
    execArgv: process.execArgv,
    stdio: ["ignore", 2, 2, "ipc"],
  });
  return new Ordered(child, `server ${place + 1} (pid ${child.pid})`);
}
