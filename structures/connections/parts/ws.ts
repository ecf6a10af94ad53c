import { inspect } from "node:util";
import type { Loop } from "../connections.contract.ts";
import { eventLoop } from "./event-loop.ts";
import {
  type ByteStream,
  type Member,
  Sockets,
  type Watch,
  type WatchedSocket,
  type WatchOptions,
} from "./sockets.ts";

/** What is used of a WebSocketServer of `ws`. */
export interface WsServer<Socket> {
  /** Absent without clientTracking. */
  readonly clients?: Iterable<Socket> | undefined;
  on(event: "connection", listener: (socket: Socket, request?: WsRequest) => void): unknown;
  on(event: "close", listener: () => void): unknown;
  off(event: "connection", listener: (socket: Socket, request?: WsRequest) => void): unknown;
  off(event: "close", listener: () => void): unknown;
}

/** What is used of a WebSocket of `ws`. */
export interface WsSocket extends WatchedSocket {
  /** The stream below it, in `ws` itself: for a connection that came without its request. */
  readonly _socket?: ByteStream | null | undefined;
  on(event: WsEvent, listener: () => void): unknown;
  off(event: WsEvent, listener: () => void): unknown;
}

export type WsEvent = "message" | "ping" | "pong" | "close";

/** What is used of the request that became a connection: the stream below it. */
export interface WsRequest {
  readonly socket?: ByteStream | undefined;
}

/**
 * Watches the connections of a WebSocketServer of `ws`: pings those that are silent, and terminates those that stay so.
 *
 *     const wss = new WebSocketServer({ port: 8080 });
 *     const watched = watch(wss, { timeoutMs: 30_000 });
 *
 * Anything that comes is a sign of life: a message, each part of a long one as it arrives, a ping, a pong. After
 * `pingAfterMs` without one the connection is pinged. After `timeoutMs` it is terminated, and not closed, because a
 * client that is gone does not answer a closing handshake either. A connection does not expire while nothing is read
 * from it: the server has paused it by `pause()`, or `ws` has while it is busy with what came, such as a compressed message.
 *
 * No connection is terminated that has sent anything, or answered its ping, within `timeoutMs`. The time for which the
 * event loop stood still does not count, and what came meanwhile is read first. A dead connection is terminated at most
 * two seconds after its timeout: each of the two waits is looked at in steps of a tenth, and of a second at most. On a
 * loop that stands still or cannot keep up it may take `stallMs` more, without the time for which the loop stood still.
 * A client that reads so slowly that it does not get to its ping counts as silent.
 *
 * A server made with noServer has to emit 'connection', as the README of `ws` shows. Connections that were open before this
 * call are watched as well. The watch ends by itself when the server has closed and its last connection is gone. It never keeps the process alive. What arrives costs it a look-up in a map
 * and a reading of the clock. It handles no 'error' event; see to these as with `ws` alone.
 *
 * Throws a RangeError for times that it cannot serve, and a TypeError for another option and for what is no such server.
 */
export function watch<Socket extends WsSocket>(
  server: WsServer<Socket>,
  options: WatchOptions<Socket>,
): Watch {
  return new WsSockets(eventLoop(), server, options);
}

export class WsSockets<Socket extends WsSocket> extends Sockets<Socket> {
  readonly #server: WsServer<Socket>;
  readonly #ofStream = new Map<ByteStream, Member<Socket>>();
  #isServerClosed = false;

  constructor(loop: Loop, server: WsServer<Socket>, options: WatchOptions<Socket>) {
    if (typeof server?.on !== "function")
      throw new TypeError(
        `watch takes a WebSocketServer of ws, not ${inspect(server, { depth: 0 })}: for Bun.serve take watchBun`,
      );
    super("watch", loop, options);
    this.#server = server;
    server.on("connection", this.#opened);
    server.on("close", this.#serverClosed);
    for (const socket of server.clients ?? []) this.#opened(socket);
  }

  override end(): void {
    super.end();
    this.#server.off("connection", this.#opened);
    this.#server.off("close", this.#serverClosed);
  }

  protected override left({ socket, stream }: Member<Socket>): void {
    socket.off("pong", this.#pong);
    socket.off("close", this.#closed);
    if (stream === undefined) {
      for (const sign of SIGNS) socket.off(sign, this.#sign);
    } else {
      this.#ofStream.delete(stream);
      stream.off("data", this.#data);
      stream.off("resume", this.#resumed);
    }
    if (this.#isServerClosed && this.size === 0) this.end();
  }

  readonly #opened = (socket: Socket, request?: WsRequest): void => {
    const member = this.enter(socket);
    if (member === undefined) return;
    socket.on("pong", this.#pong);
    socket.on("close", this.#closed);
    const stream = request?.socket ?? socket._socket;
    // Every sign comes by the stream where ws itself reads it. What Bun has in the place of ws does not.
    if (stream && stream.listenerCount("data") > 0) {
      member.stream = stream;
      this.#ofStream.set(stream, member);
      stream.on("data", this.#data);
      stream.on("resume", this.#resumed);
    } else {
      for (const sign of SIGNS) socket.on(sign, this.#sign);
    }
  };

  readonly #serverClosed = (): void => {
    this.#isServerClosed = true;
    if (this.size === 0) this.end();
  };

  readonly #pong = (): void => this.countPong();
  readonly #resumed = (): void => this.resumed();
  readonly #data = onEmitter((stream: ByteStream) => this.#heard(this.#ofStream.get(stream)));
  readonly #sign = onEmitter((socket: Socket) => this.#heard(this.memberOf(socket)));
  readonly #closed = onEmitter((socket: Socket) => {
    const member = this.memberOf(socket);
    if (member !== undefined) this.leave(member);
  });

  /** A listener may still be called for the event during which it is taken off. */
  #heard(member: Member<Socket> | undefined): void {
    if (member !== undefined) this.heard(member);
  }
}

/** What a client may send, as `ws` reports it. */
const SIGNS = ["message", "ping", "pong"] as const;

/** One listener for all emitters: a closure for each would take more memory than all else that is kept of a connection. */
function onEmitter<Emitter>(then: (emitter: Emitter) => void): () => void {
  return function (this: Emitter) {
    then(this);
  };
}
