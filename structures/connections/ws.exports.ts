/** Closes the dead connections of a WebSocket server, of `ws` or of Bun.serve, and no living one. */
export { type BunHandlers, type BunWatch, watchBun } from "./parts/bun.ts";
export type { ByteStream, Watch, WatchedSocket, WatchOptions } from "./parts/sockets.ts";
export {
  type WsEvent,
  type WsRequest,
  type WsServer,
  type WsSocket,
  watch,
} from "./parts/ws.ts";
