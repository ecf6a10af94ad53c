import type { Loop } from "../connections.contract.ts";
import { eventLoop } from "./event-loop.ts";
import { type Member, Sockets, type Watch, type WatchedSocket, type WatchOptions } from "./sockets.ts";

/** The handlers of Bun.serve's `websocket` that a watch hears through, and the settings that would close connections as well. */
export interface BunHandlers<Socket> {
  message(socket: Socket, message: string | Buffer): void | Promise<void>;
  open?(socket: Socket): void | Promise<void>;
  ping?(socket: Socket, data: Buffer): void | Promise<void>;
  pong?(socket: Socket, data: Buffer): void | Promise<void>;
  close?(socket: Socket, code: number, reason: string): void | Promise<void>;
  readonly idleTimeout?: 0;
  readonly sendPings?: false;
}

export interface BunWatch<Socket> extends Watch {
  /**
   * Handlers for Bun.serve that hear of each connection and then call these. Bun's own `idleTimeout` and `sendPings` are
   * off in them, for Bun would close connections by rules of its own. Throws a TypeError if they are set here.
   */
  handlers<Handlers extends BunHandlers<Socket>>(
    handlers: Handlers,
  ): NoInfer<Handlers> & Required<BunHandlers<Socket>>;
}

/**
 * Watches the connections of Bun.serve, as `watch` does those of `ws`.
 *
 *     const watched = watchBun({ timeoutMs: 30_000 });
 *     Bun.serve({ fetch, websocket: watched.handlers({ message(socket, message) {} }) });
 *
 * **Bun reports a message when it is whole.** A client may answer a ping between the frames of a long message, but not
 * within one: a single frame that takes longer than `timeoutMs` to arrive counts as silence. The watch ends by `end`
 * alone, because Bun does not report that a server has stopped.
 */
export function watchBun<Socket extends WatchedSocket>(options: WatchOptions<Socket>): BunWatch<Socket> {
  return new BunSockets(eventLoop(), options);
}

export class BunSockets<Socket extends WatchedSocket> extends Sockets<Socket> implements BunWatch<Socket> {
  constructor(loop: Loop, options: WatchOptions<Socket>) {
    super("watchBun", loop, options);
  }

  handlers<Handlers extends BunHandlers<Socket>>(
    handlers: Handlers,
  ): NoInfer<Handlers> & Required<BunHandlers<Socket>> {
    for (const name of ["idleTimeout", "sendPings"] as const)
      if (handlers[name]) throw new TypeError(`leave out ${name}: the watch closes and pings in its place`);
    const withMember = (socket: Socket, use: (member: Member<Socket>) => void) => {
      const member = this.memberOf(socket);
      if (member !== undefined) use(member);
    };
    const own: Required<BunHandlers<Socket>> = {
      idleTimeout: 0,
      sendPings: false,
      open: (socket) => {
        this.enter(socket);
        return handlers.open?.(socket);
      },
      message: (socket, message) => {
        withMember(socket, (member) => this.heard(member));
        return handlers.message(socket, message);
      },
      ping: (socket, data) => {
        withMember(socket, (member) => this.heard(member));
        return handlers.ping?.(socket, data);
      },
      pong: (socket, data) => {
        this.countPong();
        withMember(socket, (member) => this.heard(member));
        return handlers.pong?.(socket, data);
      },
      close: (socket, code, reason) => {
        withMember(socket, (member) => this.leave(member));
        return handlers.close?.(socket, code, reason);
      },
    };
    return { ...handlers, ...own };
  }
}
