import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Connection } from "../../../structures/connections/connections.contract.ts";

/** A connection of server.ts: a WebSocket of `ws`, with the stream that the request for it would have. */
export type WsPeer = WebSocket & Connection & { readonly _socket: Socket; isAlive?: boolean };
