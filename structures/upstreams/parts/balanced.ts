import { Client, Dispatcher, errors, Pool } from "undici";
import rendezvous from "../../affinity/competitors/rendezvous.ts";
import { type ByKey, isByKey } from "../../affinity/parts/by-key.ts";
import type { Key } from "../../keyed/keyed.contract.ts";
import { hashOf } from "../../keyed/parts/key.ts";
import perWorkerRandom from "../../pick/competitors/per-worker-random.ts";
import twoChoices from "../../pick/competitors/two-choices.ts";
import type { SlowStartOptions } from "../../pick/parts/slow-start.ts";
import type { EjectOptions } from "../../pick/parts/standing.ts";
import type { PickCompetitor } from "../../pick/pick.contract.ts";
import { assertOptions, type OptionKinds, shown } from "../../shared/arguments.ts";
import { type Carried, carriedFor, type Handler, type HeaderOf } from "./carried.ts";
import { assertDrainOptions, type DrainOptions } from "./drain-end.ts";
import type { LoadReport } from "./load-report.ts";
import { offered } from "./offers.ts";
import { noPools } from "./pools.ts";
import { UpstreamSet } from "./upstream-set.ts";

/** The pickers that have a name in `by`. All others are imported, so that a program carries those alone that it uses. */
const PICKERS = {
  "two-choices": twoChoices,
  random: perWorkerRandom,
  key: { affinity: rendezvous, idOf: String },
} satisfies Record<string, PickCompetitor | ByKey<string>>;

/** How `Balanced` chooses and what it does on failure. All other options are undici's, and go to the pool of each upstream. */
export interface BalancedOptions extends Pool.Options {
  /**
   * Which upstream gets a request. `two-choices`, the default: of two at random, the one with fewer requests in flight.
   * `random`: a uniform draw. Or a picker of `hotpath-lab/pick` that does not eject on its own: rotating-round-robin for
   * equal shares, smooth-weighted for shares in proportion to `weights`, peak-ewma, which also goes by how long answers
   * take, or hot-cold-probes, which goes by the loads that upstreams report with their answers.
   * `key`: requests of one `key` go to one upstream as long as upstreams are the same, by rendezvous; `byKey` of
   * `hotpath-lab/affinity` takes another placement, and a bound on the load.
   */
  readonly by?: keyof typeof PICKERS | PickCompetitor | ByKey<string> | undefined;
  /**
   * Whose request it is: a string or a safe integer, such as a user, a session or the path. Needed where upstreams are picked by
   * key, and there alone. A request whose key is none, or for which this throws, ends in that error.
   */
  key?(request: Dispatcher.DispatchOptions): Key;
  /**
   * When an upstream is ejected, and for how long: by default after 3 failed requests, less served ones, for 1 s, and for
   * twice as long with each further ejection in a row, up to 1 min. Then it gets a single request as a trial, and comes
   * back slowly. At most two thirds of the upstreams are ejected at once, and never all: a further one takes the place of
   * the one that was ejected first. False: none is ejected.
   */
  readonly eject?: EjectOptions | false | undefined;
  /**
   * For how many ms an upstream that was added, or is back, gets less than its share: a tenth at first, then more in a
   * straight line, or as `aggression` says. For servers that have to warm up. Absent: only its requests in flight grow
   * slowly, one with each that it serves.
   */
  readonly slowStart?: number | SlowStartOptions | undefined;
  /** Whole numbers from 1 to 65,535, one for each upstream: for a picker with weights, such as smooth-weighted. */
  readonly weights?: readonly number[] | undefined;
  /**
   * Which statuses of an answer count as a failure of its upstream: 502, 503 and 504 if absent. The answer itself is passed
   * on. Without a rule of this kind, an upstream that refuses its requests at once looks idle, and draws more of them.
   */
  readonly failed?: ((statusCode: number) => boolean) | undefined;
  /**
   * Whether a request that could not be sent, because its upstream was unreachable, is dispatched to another one: true if
   * absent. Of such a request no byte was written, and its body was not read, so that this is safe for any method. A
   * request is never sent a second time: for that, use undici's RetryAgent with this as its agent.
   */
  readonly redispatch?: boolean | undefined;
  /** For hot-cold-probes: reads the load that an upstream reports. By default from the header `endpoint-load-metrics` of ORCA. */
  readonly report?: ((headerOf: HeaderOf) => LoadReport | undefined) | undefined;
  /**
   * Makes the dispatcher of one upstream, from the options meant for undici; by default a Pool. Give a Pool of your own the
   * `factory` in these options: without it, a request that undici 6 or 7 refuses at once blocks a connection for ever.
   */
  factory?(origin: URL, options: object): Dispatcher;
  /** uint32; random if absent. */
  readonly seed?: number | undefined;
}

/** What is known of one upstream. */
export interface UpstreamStats {
  /** Requests dispatched to it that have not ended, and upgraded connections that have not closed. */
  readonly inFlight: number;
  /** Requests dispatched to it since it was added. */
  readonly requests: number;
  /** Those of them that failed through its fault. */
  readonly failures: number;
  readonly isEjected: boolean;
  /** Whether it is being drained, and gets no more requests. */
  readonly isDraining: boolean;
}

/**
 * An undici dispatcher over several upstreams, servers that answer alike: each request goes to one of them. For undici's
 * functions and agents, and for fetch, as `dispatcher` or by `setGlobalDispatcher`. The origin of a request is replaced by
 * its upstream's, and `Host` follows, unless the request names one. Needs undici 6 or later. For one thread.
 *
 * The fetch of Node 20 to 24 has handlers that undici 8 does not take. With undici 8 give a dispatcher to undici's own
 * fetch, or set it globally, which adapts it to Node's.
 *
 * An upstream **fails** a request if it cannot be reached, if its connection breaks before the answer is complete, if it
 * exceeds undici's header or body timeout, if the request is aborted with a TimeoutError after it was sent, as by
 * `AbortSignal.timeout`, or if `failed` says so of its status. A request that its caller aborts for another reason says
 * nothing about the upstream, and neither does an error of the request's own body.
 *
 * A request is in flight until its handler hears of its end; one whose connection is upgraded, as by CONNECT or for a
 * WebSocket, until that closes. So `drain` waits for upgraded connections, and `close` does not, as in undici.
 *
 * Backpressure is BalancedPool's: a pool that asks to wait gets no request until it drains. `dispatch` returns false
 * while all pools ask so, and the event `drain` follows.
 */
export class Balanced extends Dispatcher {
  // Not #upstreams: `compose` returns a Proxy, through which methods find no private fields.
  private readonly upstreams: UpstreamSet;
  private readonly keyOf: BalancedOptions["key"];

  /**
   * `urls` have no path. Throws undici's InvalidArgumentError for a URL that is not of this kind or that is there twice,
   * a TypeError for an option that neither this nor undici's Pool has and for an unknown `by`, and a RangeError for
   * options outside their ranges. With a `factory` any further options are taken for its. Throws an Error on Bun.
   */
  constructor(urls: readonly (string | URL)[], options: BalancedOptions = {}) {
    super();
    const reason = noPools();
    if (reason !== undefined) throw new Error(reason);
    assertUrls(urls);
    assertKnown(options);
    const {
      by = "two-choices",
      key,
      eject = {},
      slowStart,
      weights,
      failed,
      report,
      seed,
      ...rest
    } = options;
    const { redispatch = true, factory = poolOf, ...pool } = rest;
    const picker = pickerOf(by);
    assertKeyOf(picker, key);
    this.keyOf = key;
    const settings = {
      picker,
      eject,
      slowStart,
      seed,
      redispatch,
      failed,
      report,
      poolOf: (origin: string) => factory(new URL(origin), { factory: clientOf, ...pool }),
    };
    this.upstreams = new UpstreamSet(urls.map(originOf), weights, settings, (event, origin, targets, error) =>
      (this.emit as Emit)(event, origin, [this, ...targets], ...(error === undefined ? [] : [error])),
    );
  }

  /** Requests may go to `url`, too. Throws as the constructor does, and if they may already. */
  add(url: string | URL, weight?: number): void {
    if (this.upstreams.isClosed) throw new errors.ClientClosedError();
    this.upstreams.add(originOf(url), weight);
  }

  /**
   * No request dispatched from the call on goes to `url`. Resolves when the last one that went there has ended, and its
   * connections are closed; a further call while it is being drained does so, too, and may set another limit. The last
   * upstream can be drained, too: until another is added, requests end in an error. An upstream that is being drained may be
   * added anew. Rejects with an InvalidArgumentError for a URL that requests do not go to, with the signal's reason, and
   * in one line for options that are wrong.
   */
  async drain(url: string | URL, options: DrainOptions = {}): Promise<void> {
    assertDrainOptions(options);
    await this.upstreams.drain(originOf(url), options);
  }

  /**
   * Of all upstreams, by origin, until they are drained. If one was added anew while it is being drained, `inFlight` counts
   * the requests of both, and all else is of the new one.
   */
  get stats(): Readonly<Record<string, UpstreamStats>> {
    const stats: Record<string, UpstreamStats> = {};
    for (const { item, inFlight, standing, drained } of this.upstreams.known) {
      const { origin, requests, failures } = item;
      stats[origin] = {
        inFlight: inFlight + (stats[origin]?.inFlight ?? 0),
        requests,
        failures,
        isEjected: standing.isEjected,
        isDraining: drained !== undefined,
      };
    }
    return stats;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Handler): boolean {
    if (typeof handler !== "object" || handler === null)
      throw new errors.InvalidArgumentError("handler must be an object");
    const { upstreams } = this;
    const carried = carriedFor(options, handler, upstreams);
    if (!upstreams.isClosed) return !this.isKeyed(carried) || upstreams.dispatch(carried);
    carried.fail(upstreams.isDestroyed ? new errors.ClientDestroyedError() : new errors.ClientClosedError());
    return false;
  }

  /** Whether the request has the key that it needs. If not, it has ended in that error. */
  private isKeyed(carried: Carried): boolean {
    if (this.keyOf === undefined) return true;
    try {
      carried.key = this.keyOf(carried.options);
      hashOf(carried.key);
      return true;
    } catch (error) {
      carried.fail(error);
      return false;
    }
  }

  /** Resolves when every request has ended, and all connections are closed. Further requests end in an error. */
  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> | undefined {
    return settled(this.upstreams.close(), callback);
  }

  /** Ends every request in flight with `error`, and closes all connections. */
  override destroy(error?: Error | null): Promise<void>;
  override destroy(callback: () => void): void;
  override destroy(error: Error | null, callback: () => void): void;
  override destroy(error?: Error | null | (() => void), callback?: () => void): Promise<void> | undefined {
    const isCallback = typeof error === "function";
    return settled(
      this.upstreams.destroy(isCallback ? null : (error ?? null)),
      isCallback ? error : callback,
    );
  }

  get closed(): boolean {
    return this.upstreams.isClosed;
  }

  get destroyed(): boolean {
    return this.upstreams.isDestroyed;
  }
}

type OwnOptions = Omit<BalancedOptions, keyof Pool.Options> & Pick<BalancedOptions, "factory" | "key">;

const OWN: OptionKinds<OwnOptions> = {
  by: "any",
  key: "function",
  eject: "any",
  slowStart: "any",
  weights: "array",
  failed: "function",
  redispatch: "boolean",
  report: "function",
  factory: "function",
  seed: "any",
};
/** The options of a Pool in undici 6 to 8. undici itself says which of them are outside their ranges, or no longer there. */
const OF_POOL = new Set(
  `allowH2 autoSelectFamily autoSelectFamilyAttemptTimeout bodyTimeout clientTtl connect connections connectionWindowSize
  connectTimeout eventSource h2Options headersTimeout idleTimeout initialWindowSize interceptors keepAlive
  keepAliveMaxTimeout keepAliveTimeout keepAliveTimeoutThreshold localAddress maxCachedSessions maxConcurrentStreams
  maxHeaderSize maxKeepAliveTimeout maxRedirections maxRequestsPerClient maxResponseSize pingInterval pipelining
  requestTimeout socketPath socketTimeout strictContentLength tls useH2c useMilo webSocket`.split(/\s+/),
);

function assertUrls(urls: unknown): void {
  if (!Array.isArray(urls))
    throw new TypeError(
      `Balanced: ${shown(urls)} is no array of URLs: give one, as in new Balanced(["http://10.0.0.1:8080"])`,
    );
}

function assertKnown(options: BalancedOptions): void {
  const names = Object.keys(Object(options));
  const strange = names.find((name) => !Object.hasOwn(OWN, name) && !OF_POOL.has(name));
  if (strange !== undefined && options.factory === undefined)
    throw new TypeError(
      `Balanced: there is no option ${shown(strange)}: it takes ${Object.keys(OWN).join(", ")}, and what undici's Pool takes`,
    );
  const own = names.filter((name) => Object.hasOwn(OWN, name));
  assertOptions(
    "Balanced",
    Object.fromEntries(own.map((name) => [name, options[name as keyof OwnOptions]])),
    OWN,
  );
}

/**
 * A client that takes the next request after one that it refused. Those of undici 6 and 7 answer a refusal as if they were
 * full. Their pool then waits for an event that never comes, and with it whatever the pool was given.
 */
class OpenClient extends Client {
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return offered(() => super.dispatch(options, handler));
  }
}

function clientOf(origin: URL, options: Client.Options): Dispatcher {
  return new OpenClient(origin, options);
}

type Emit = (event: string, ...given: unknown[]) => boolean;

function poolOf(origin: URL, options: Pool.Options): Dispatcher {
  return new Pool(origin, options);
}

function assertKeyOf(picker: PickCompetitor | ByKey<string>, keyOf: BalancedOptions["key"]): void {
  if (isByKey(picker) && keyOf === undefined)
    throw new TypeError('Balanced: by "key" needs a key: give one, as in { key: ({ path }) => path }');
  if (!isByKey(picker) && keyOf !== undefined)
    throw new TypeError('Balanced: key is for by: "key" alone: give that, or leave key out');
}

function pickerOf(by: NonNullable<BalancedOptions["by"]>): PickCompetitor | ByKey<string> {
  if (typeof by !== "string") return by;
  if (Object.hasOwn(PICKERS, by)) return PICKERS[by];
  throw new TypeError(
    `by ${JSON.stringify(by)} is none of ${Object.keys(PICKERS).join(", ")}: import another picker, and give that`,
  );
}

function originOf(url: string | URL): string {
  const parsed = URL.canParse(String(url)) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw new errors.InvalidArgumentError(`${url} is no http or https URL`);
  if (parsed.pathname !== "/" || parsed.search !== "" || parsed.hash !== "")
    throw new errors.InvalidArgumentError(
      `${url} has a path: give the origin alone, requests bring their paths`,
    );
  return parsed.origin;
}

function settled(promise: Promise<void>, callback: (() => void) | undefined): Promise<void> | undefined {
  if (callback === undefined) return promise;
  promise.then(callback, callback);
  return undefined;
}
