import type { Dispatcher, Pool } from "undici";
import type { Contract } from "../shared/contract.ts";
import type { Traits } from "../shared/traits.ts";

/**
 * Sends HTTP requests to one of several servers that answer alike: an undici dispatcher that chooses for each request
 * which of its origins serves it.
 *
 * An **origin** is a server's scheme, host and port, as in `http://10.0.0.1:8080`. A **member** is an origin that
 * requests are sent to: at first those given, later also those added, until they are drained. A request is **in
 * flight** from its dispatch until its handler hears of its end or its error. It is **sent** once its first byte is written
 * to a socket.
 *
 * Every competitor promises: each request that is dispatched ends once, with an answer or with an error. It is sent at
 * most once, and to a member. Its `Host` is the member's unless the request names one. A request that is aborted ends with
 * the reason of the abort, and counts against no origin, unless that reason is a TimeoutError. Every member that answers
 * gets requests.
 */
export interface UpstreamsCompetitor extends Traits {
  /**
   * What becomes of requests in flight to an origin that is drained. `waits`: each gets its answer, and `drain`
   * resolves after the last of them, not before. `cuts`: some may end in an error, or after `drain` has resolved.
   * `never`: the origins are fixed, so that `add` and `drain` throw.
   */
  readonly drains: "waits" | "cuts" | "never";
  /**
   * Whether an origin whose requests fail gets no more than an occasional one, until it serves again: out of a hundred
   * requests one after another, fewer than ten fail while one of three origins refuses connections.
   */
  readonly ejects: boolean;
  /** Whether an origin that answers with 503 at once gets less than half of its share of the requests. */
  readonly byStatus: boolean;
  /** Whether an origin that does not answer gets less than half of its share of the requests. */
  readonly byLoad: boolean;
  /** Throws in one line for an origin that is no http or https URL, and for options that it cannot serve. */
  create(origins: readonly string[], options: PoolOptions): Upstreams;
}

/** undici's options of one origin's pool of connections: how many, how deep they are pipelined, their timeouts. */
export type PoolOptions = Pool.Options;

/** Not to be passed to another thread. */
export interface Upstreams {
  /** For undici's functions, and for fetch: the origin that a request names is replaced. */
  readonly dispatcher: Dispatcher;
  /** Makes `origin` a member. Throws in one line if it is one. */
  add(origin: string): void;
  /**
   * `origin` is no longer a member: no request dispatched from the call on is sent there. Resolves as `drains` says.
   * Rejects in one line if it is no member.
   */
  drain(origin: string): Promise<void>;
  /** Resolves when every request in flight has ended. A request that is dispatched from the call on ends in an error. */
  close(): Promise<void>;
}

export const contract = {
  question: "Which of several HTTP servers gets the next request, when one is slow, fails, or is replaced?",
  oracle: "least-of-all",
  fields: {
    drains: { waits: true, cuts: true, never: true },
    ejects: "boolean",
    byStatus: "boolean",
    byLoad: "boolean",
    create: "function",
  },
  optional: {},
  footprint: ({ drains, ejects, byStatus, byLoad }) =>
    `on the heap; ${byLoad ? "goes by load" : "ignores load"}, ${ejects ? `ejects${byStatus ? "" : ", but not by status"}` : "does not eject"}, ${
      { waits: "drains without loss", cuts: "drains with loss", never: "cannot drain" }[drains]
    }`,
} satisfies Contract<UpstreamsCompetitor>;
