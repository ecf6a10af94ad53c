import { inspect } from "node:util";
import type { Loop } from "../connections.contract.ts";
import { eventLoop } from "./event-loop.ts";
import { Sockets, type Watch, type WatchedSocket, type WatchOptions } from "./sockets.ts";

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
  on(event: WsEvent, listener: () => void): unknown;
  off(event: WsEvent, listener: () => void): unknown;
}

export type WsEvent = "message" | "ping" | "pong" | "close";

/** What is used of the request that became a connection: the stream below it. */
export interface WsRequest {
  readonly socket?: WsStream | undefined;
}

export interface WsStream {
  on(event: "data", listener: () => void): unknown;
  off(event: "data", listener: () => void): unknown;
}

/**
 * Watches the connections of a WebSocketServer of `ws`: pings those that are silent, and terminates those that stay so.
 *
 *     const wss = new WebSocketServer({ port: 8080 });
 *     const watched = watch(wss, { timeoutMs: 30_000 });
 *
 * Anything that comes is a sign of life: a message, each part of a long one as it arrives, a ping, a pong. After
 * `pingAfterMs` without one the connection is pinged. After `timeoutMs` it is terminated, and not closed, because a
 * client that is gone does not answer a closing handshake either. A connection that the server has paused, by
 * `pause()`, does not expire until it is resumed.
 *
 * No connection is terminated that has sent anything, or answered its ping, within `timeoutMs`. The time for which the
 * event loop stood still does not count, and what came meanwhile is read first. A dead connection is terminated at most
 * two seconds after its timeout: each of the two waits is looked at in steps of a tenth, and of a second at most. On a
 * loop that stands still or cannot keep up it may take `stallMs` more, without the time for which the loop stood still.
 * A client that reads so slowly that it does not get to its ping counts as silent.
 *
 * Of connections that were open before this call only whole messages, pings and pongs are heard. The watch ends by
 * itself when the server has closed and its last connection is gone. It never keeps the process alive. A message costs
 * it two readings of the clock. It handles no 'error' event; see to these as with `ws` alone.
 *
 * Throws a RangeError for options that it cannot serve, and a TypeError for what is no such server.
 */
export function watch<Socket extends WsSocket>(
  server: WsServer<Socket>,
  options: WatchOptions<Socket>,
): Watch {
  return watchOn(eventLoop(), server, options);
}

/** The same on any loop. */
export function watchOn<Socket extends WsSocket>(
  loop: Loop,
  server: WsServer<Socket>,
  options: WatchOptions<Socket>,
): Sockets<Socket> {
  if (typeof server?.on !== "function")
    throw new TypeError(
      `watch takes a WebSocketServer of ws, not ${inspect(server, { depth: 0 })}: for Bun.serve take watchBun`,
    );
  const sockets = new Sockets<Socket>(loop, options);
  let isClosed = false;
  const opened = (socket: Socket, request?: WsRequest) => {
    const member = sockets.enter(socket);
    if (member === undefined) return;
    const stream = request?.socket;
    const heard = () => sockets.heard(member);
    const answered = () => sockets.answered(member);
    const closed = () => sockets.leave(member);
    socket.on("message", heard);
    socket.on("ping", heard);
    socket.on("pong", answered);
    socket.on("close", closed);
    stream?.on("data", heard);
    member.left = () => {
      socket.off("message", heard);
      socket.off("ping", heard);
      socket.off("pong", answered);
      socket.off("close", closed);
      stream?.off("data", heard);
    };
  };
  const closed = () => {
    isClosed = true;
    if (sockets.size === 0) sockets.end();
  };
  sockets.emptied = () => {
    if (isClosed) sockets.end();
  };
  sockets.ended = () => {
    server.off("connection", opened);
    server.off("close", closed);
  };
  server.on("connection", opened);
  server.on("close", closed);
  for (const socket of server.clients ?? []) opened(socket);
  return sockets;
}
