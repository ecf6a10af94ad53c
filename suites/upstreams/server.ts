import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { derivedSeed } from "../../structures/shared/worker-identity.ts";
import { obey } from "../shared/control.ts";

/**
 * A server process. A request is `GET /NUMBER/DEMAND`. The server does `slots` of them at once, as one does that has so
 * many connections to its database; the others wait in the order in which they came. A request takes its demand times
 * the server's slowness, on a timer. The answer names the server's place and life, with a proof that only this life
 * can give to this request. Its headers report the requests in flight, in ORCA's format.
 */
export interface ServerOrders {
  /** Listens, and resolves to the port. */
  readonly listen: { readonly given: Served; readonly answer: number };
  readonly read: { readonly given: null; readonly answer: Reading };
}

export interface Served {
  /** Among the servers, from 0. */
  readonly place: number;
  /** How often a process in this place had been killed before. */
  readonly life: number;
  /** From which this life's proofs derive. */
  readonly seed: number;
  readonly slots: number;
  /** How many times as long as its demand each request takes; 0: none, it answers each with 503 at once. */
  readonly slowness: number;
  /** How many requests it serves until it is warm; the first takes COLD times as long. 0: it is warm at once. */
  readonly coldFor: number;
  /** The port to take; absent where any will do. */
  readonly port?: number;
}

export interface Reading {
  /** Requests whose headers it has read. */
  readonly received: number;
  /** Numbers of the requests that it has answered, in order. */
  readonly answered: readonly number[];
}

/**
 * Ports below those that Linux and macOS give to outgoing connections. A connection to a dead server on a higher one could
 * be given that port itself, and TCP would connect it to itself.
 */
const FIRST_PORT = 20_000;
const PORTS = 12_000;
const COLD = 12;

interface Waiting {
  readonly number: number;
  readonly demandMs: number;
  readonly response: ServerResponse;
}

const answered: number[] = [];
const waiting: Waiting[] = [];
let received = 0;

async function listen({ place, life, seed, slots, slowness, coldFor, port }: Served): Promise<number> {
  const proofOf = (number: number) => `${place} ${life} ${derivedSeed(seed, number)}`;
  let free = slots;
  const coldness = () => 1 + (COLD - 1) * Math.max(0, 1 - answered.length / coldFor);
  const begin = ({ number, demandMs, response }: Waiting) => {
    free--;
    setTimeout(
      () => {
        free++;
        beginNext();
        // Its client may have given up meanwhile.
        if (response.destroyed) return;
        answered.push(number);
        const inFlight = waiting.length + slots - free;
        response.setHeader("endpoint-load-metrics", `TEXT named_metrics.requests_in_flight=${inFlight}`);
        response.end(proofOf(number));
      },
      demandMs * slowness * (coldFor === 0 ? 1 : coldness()),
    );
  };
  const beginNext = () => {
    while (free > 0) {
      const next = waiting.shift();
      if (next === undefined) return;
      if (!next.response.destroyed) begin(next);
    }
  };
  const server = createServer(({ url }, response) => {
    const [, number, demandMs] = url!.split("/").map(Number);
    received++;
    if (slowness === 0) {
      answered.push(number!);
      response.writeHead(503).end(proofOf(number!));
      return;
    }
    waiting.push({ number: number!, demandMs: demandMs!, response });
    beginNext();
  });
  for (let knock = 0; knock < PORTS; knock++) {
    // By the process, so that no other run tries the same ones: one whose server is dead wants its port back.
    const candidate = port ?? FIRST_PORT + (derivedSeed(process.pid, knock) % PORTS);
    try {
      await once(server.listen({ port: candidate, host: "127.0.0.1" }), "listening");
      return candidate;
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (!isTaken || port !== undefined) throw error;
    }
  }
  throw new Error(`no port from ${FIRST_PORT} on is free`);
}

obey<ServerOrders>({ listen, read: () => ({ received, answered }) });
