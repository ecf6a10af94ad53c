import { Dispatcher, errors, Pool } from "undici";
import { noPools } from "../parts/pools.ts";
import type { UpstreamsCompetitor } from "../upstreams.contract.ts";

/**
 * The oracle: looks at all origins, and takes the one with the fewest requests in flight.
 *
 * Promise: no origin has fewer requests in flight than the one that is chosen. Of several with as few, the one that was
 *   chosen least often. No request is lost when an origin is drained.
 * Progress: wait-free: a choice waits for no origin.
 * Threads: one.
 * Cost: a look at every origin, and a proxy around the caller's handler, for each request.
 * Memory: a pool of connections for each origin.
 * Limits: ejects nothing: an origin that fails its requests at once has none in flight, and attracts them all. Counts
 *   upgraded connections for ever.
 * Bet: none; it is here because it is obviously right.
 * Source: HAProxy's leastconn, nginx's least_conn.
 */
export default {
  summary: "oracle: looks at all origins for the fewest requests in flight",
  source: "HAProxy, leastconn",
  progress: "wait-free",
  unavailable: noPools,
  drains: "waits",
  ejects: false,
  byStatus: false,
  byLoad: true,

  create(origins, options) {
    const dispatcher = new LeastOfAll(origins, options);
    return {
      dispatcher,
      add: (origin) => dispatcher.add(origin),
      drain: (origin) => dispatcher.drain(origin),
      close: () => dispatcher.close(),
    };
  },
} satisfies UpstreamsCompetitor;

interface Origin {
  readonly url: string;
  readonly pool: Pool;
  inFlight: number;
  chosen: number;
}

class LeastOfAll extends Dispatcher {
  #origins: readonly Origin[] = [];
  readonly #options: Pool.Options;
  #isClosed = false;

  constructor(urls: readonly string[], options: Pool.Options) {
    super();
    this.#options = options;
    for (const url of urls) this.add(url);
  }

  add(url: string): void {
    if (this.#origins.some((origin) => origin.url === url)) throw new Error(`${url} is a member already`);
    const origin = { url, pool: new Pool(url, this.#options), inFlight: 0, chosen: 0 };
    this.#origins = [...this.#origins, origin];
  }

  async drain(url: string): Promise<void> {
    const leaving = this.#origins.find((origin) => origin.url === url);
    if (leaving === undefined) throw new Error(`${url} is no member`);
    this.#origins = this.#origins.filter((origin) => origin !== leaving);
    // A pool waits for its requests.
    await leaving.pool.close();
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const [least] = this.#origins.toSorted((a, b) => a.inFlight - b.inFlight || a.chosen - b.chosen);
    if (this.#isClosed) throw new errors.ClientClosedError();
    if (least === undefined) throw new Error("no origin is left");
    least.inFlight++;
    least.chosen++;
    const heard = hearingEnd(handler, () => least.inFlight--);
    return least.pool.dispatch({ ...options, origin: least.url }, heard);
  }

  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> {
    this.#isClosed = true;
    const closed = Promise.all(this.#origins.map(({ pool }) => pool.close())).then(() => {});
    if (callback !== undefined) closed.then(callback);
    return closed;
  }

  override async destroy(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#origins.map(({ pool }) => pool.destroy()));
  }
}

/** undici's names of the last call that a handler gets, of either interface. */
const LAST = new Set<unknown>(["onComplete", "onError", "onResponseEnd", "onResponseError"]);

/** The same handler, and a call of `ended` before the last of its own. */
function hearingEnd(handler: Dispatcher.DispatchHandler, ended: () => void): Dispatcher.DispatchHandler {
  return new Proxy(handler, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (LAST.has(name)) ended();
        return value.apply(target, given);
      };
    },
  });
}
