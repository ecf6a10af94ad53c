import type { Dispatcher } from "undici";
import type { Key } from "../../keyed/keyed.contract.ts";
import type { Member } from "../../pick/parts/roster.ts";
import { WatchedBody } from "./watched-body.ts";

/** One of the servers, and its pool of connections. */
export interface Upstream {
  readonly origin: string;
  readonly pool: Dispatcher;
  /** Connections of its that were upgraded and have not closed. */
  readonly upgraded: Set<Socket>;
  /** Whether its drain has ended what was in flight there. */
  isCut: boolean;
  /** Whether the pool has asked to wait until it drains. */
  isFull: boolean;
  /** What it last reported of its load, and when. */
  report: { readonly load: number; readonly latencyMs: number; readonly atMs: number } | undefined;
  /** Requests dispatched to it, and those of them that failed through its fault. */
  requests: number;
  failures: number;
}

export type Handler = Parameters<Dispatcher["dispatch"]>[1];

/** Of an upgraded connection. A Duplex, which undici's types do not say in all versions. */
export type Socket = NodeJS.EventEmitter & { destroy?(): void };

/** What the requests report to: see parts/balanced.ts. */
export interface Carrier {
  readonly readsReports: boolean;
  answered(carried: Carried, statusCode: number, headerOf: HeaderOf): void;
  ended(carried: Carried): void;
  /** Whether the request has been dispatched to another upstream, so that its handler need not hear of the error. */
  isCarriedOn(carried: Carried, error: unknown): boolean;
  upgraded(carried: Carried, socket: Socket): void;
}

export type HeaderOf = (name: string) => string | undefined;

/**
 * A request on its way: a handler for undici, which hears how the request fares, and passes everything on to the
 * caller's handler. undici calls `onRequestStart` or `onConnect` just before it writes the first byte.
 */
export abstract class Carried {
  readonly options: Dispatcher.DispatchOptions;
  /** Where it is in flight; undefined while it waits, and when it has ended. */
  member: Member<Upstream> | undefined;
  /** By which its upstream is picked, where that goes by keys. */
  key: Key | undefined;
  /** Of the member's standing when it was picked. */
  round = 0;
  /** When that was, for a picker that goes by latency. */
  pickedMs = 0;
  /** Where it could not be sent. */
  readonly tried: Member<Upstream>[] = [];
  /** Why not, the last time. */
  lastError: unknown;
  isSent = false;
  /** Whether its caller still wanted it when its first byte was due. */
  isWanted = false;
  sentMs = 0;
  /** Whether its caller has given it up. */
  isAborted = false;
  /** Whether its handler has been told of its end. */
  isHeard = false;
  /** Whether its answer's status counts as a failure. */
  hasFailed = false;
  protected readonly carrier: Carrier;
  readonly #body: WatchedBody;

  constructor(options: Dispatcher.DispatchOptions, carrier: Carrier) {
    this.#body = options.body == null ? NO_BODY : new WatchedBody(options.body);
    const { wrapped } = this.#body;
    this.options = wrapped === undefined ? options : { ...options, body: wrapped };
    this.carrier = carrier;
  }

  /** Whether this is the error of its own body, such as of an upload whose client has left. */
  isOfBody(error: unknown): boolean {
    return this.#body.failedBy(error);
  }

  /** Its handler hears of this error. */
  abstract fail(error: unknown): void;

  protected start(): void {
    this.isSent = true;
    if (this.carrier.readsReports) this.sentMs = performance.now();
  }
}

const NO_BODY = new WatchedBody(null);

/** The request of a caller, by the interface that its handler has. */
export function carriedFor(
  options: Dispatcher.DispatchOptions,
  handler: object,
  carrier: Carrier,
): Carried & Handler {
  const isLegacy = (handler as ControllerHandler).onRequestStart === undefined;
  const carried = isLegacy
    ? new CarriedByAbort(options, handler as AbortHandler, carrier)
    : new CarriedByController(options, handler as ControllerHandler, carrier);
  // undici's types know the interface of their version alone, and these classes the one of theirs.
  return carried as Carried & Handler;
}

/** The interface of handlers from undici 7 on, written down here since undici 6 has no type of it. */
interface ControllerHandler {
  onRequestStart?(controller: Controller, context: unknown): void;
  onRequestUpgrade?(controller: Controller, statusCode: number, headers: Headers, socket: Socket): void;
  onResponseStarted?(): void;
  onResponseStart?(
    controller: Controller,
    statusCode: number,
    headers: Headers,
    statusMessage?: string,
  ): void;
  onResponseData?(controller: Controller, chunk: Uint8Array): void;
  onResponseEnd?(controller: Controller, trailers: Headers): void;
  onResponseError?(controller: Controller | null, error: unknown): void;
  onBodySent?(chunk: Uint8Array): void;
  onRequestSent?(): void;
}

interface Controller {
  readonly aborted: boolean;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

class CarriedByController extends Carried implements ControllerHandler {
  readonly #handler: ControllerHandler;

  constructor(options: Dispatcher.DispatchOptions, handler: ControllerHandler, carrier: Carrier) {
    super(options, carrier);
    this.#handler = handler;
  }

  override fail(error: unknown): void {
    this.#handler.onResponseError?.(null, error);
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.start();
    this.#handler.onRequestStart?.(controller, context);
    this.isWanted = !controller.aborted;
  }

  onRequestUpgrade(controller: Controller, statusCode: number, headers: Headers, socket: Socket): void {
    this.carrier.upgraded(this, socket);
    this.#handler.onRequestUpgrade?.(controller, statusCode, headers, socket);
  }

  onResponseStarted(): void {
    this.#handler.onResponseStarted?.();
  }

  onResponseStart(
    controller: Controller,
    statusCode: number,
    headers: Headers,
    statusMessage?: string,
  ): void {
    this.carrier.answered(this, statusCode, (name) => headers[name]?.toString());
    this.#handler.onResponseStart?.(controller, statusCode, headers, statusMessage);
  }

  onResponseData(controller: Controller, chunk: Uint8Array): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Controller, trailers: Headers): void {
    this.carrier.ended(this);
    this.#handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Controller | null, error: unknown): void {
    // Absent where undici fails a request that it has not begun.
    this.isAborted = controller?.aborted === true;
    if (!this.carrier.isCarriedOn(this, error)) this.#handler.onResponseError?.(controller, error);
  }

  onBodySent(chunk: Uint8Array): void {
    this.#handler.onBodySent?.(chunk);
  }

  onRequestSent(): void {
    this.#handler.onRequestSent?.();
  }
}

/** The interface of handlers in undici 6, which undici 7 accepts, too, and which fetch uses in Node 20 to 24. */
interface AbortHandler {
  onConnect?(abort: (reason?: Error) => void, context?: unknown): void;
  onUpgrade?(statusCode: number, headers: readonly Uint8Array[] | null, socket: Socket): void;
  onResponseStarted?(): void;
  onHeaders?(
    statusCode: number,
    headers: readonly Uint8Array[],
    resume: () => void,
    statusText: string,
  ): boolean;
  onData?(chunk: Uint8Array): boolean;
  onComplete?(trailers: readonly string[] | null): void;
  onError?(error: unknown): void;
  onBodySent?(chunkSize: number, totalBytesSent: number): void;
  onRequestSent?(): void;
}

class CarriedByAbort extends Carried implements AbortHandler {
  readonly #handler: AbortHandler;

  constructor(options: Dispatcher.DispatchOptions, handler: AbortHandler, carrier: Carrier) {
    super(options, carrier);
    this.#handler = handler;
  }

  override fail(error: unknown): void {
    this.#handler.onError?.(error);
  }

  onConnect(abort: (reason?: Error) => void, context?: unknown): void {
    this.start();
    this.#handler.onConnect?.((reason) => {
      this.isAborted = true;
      abort(reason);
    }, context);
    this.isWanted = !this.isAborted;
  }

  onUpgrade(statusCode: number, headers: readonly Uint8Array[] | null, socket: Socket): void {
    this.carrier.upgraded(this, socket);
    this.#handler.onUpgrade?.(statusCode, headers, socket);
  }

  onResponseStarted(): void {
    this.#handler.onResponseStarted?.();
  }

  onHeaders(
    statusCode: number,
    headers: readonly Uint8Array[],
    resume: () => void,
    statusText: string,
  ): boolean {
    this.carrier.answered(this, statusCode, (name) => {
      for (let at = 0; at < headers.length; at += 2)
        if (headers[at]!.toString().toLowerCase() === name) return headers[at + 1]!.toString();
      return undefined;
    });
    return this.#handler.onHeaders?.(statusCode, headers, resume, statusText) ?? true;
  }

  onData(chunk: Uint8Array): boolean {
    return this.#handler.onData?.(chunk) ?? true;
  }

  onComplete(trailers: readonly string[] | null): void {
    this.carrier.ended(this);
    this.#handler.onComplete?.(trailers);
  }

  onError(error: unknown): void {
    if (!this.carrier.isCarriedOn(this, error)) this.#handler.onError?.(error);
  }

  onBodySent(chunkSize: number, totalBytesSent: number): void {
    this.#handler.onBodySent?.(chunkSize, totalBytesSent);
  }

  onRequestSent(): void {
    this.#handler.onRequestSent?.();
  }
}
