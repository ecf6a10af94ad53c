import { EventEmitter } from "node:events";
import type { ConnectionsCompetitor } from "../../../structures/connections/connections.contract.ts";
import { ASKS_AT_HALF } from "../../../structures/connections/parts/asking.ts";
import { WsSockets } from "../../../structures/connections/parts/ws.ts";
import type { WsPeer } from "./ws-peer.ts";

/** `watch` of `hotpath-lab/ws` on a server's real sockets, which it hears by itself: in the place of a watcher. */
export default {
  summary: "watch of hotpath-lab/ws",
  source: "structures/connections/ws.exports.ts",
  ...ASKS_AT_HALF,
  watch({ loop, timeoutMs, expired }) {
    const server = new EventEmitter();
    const watched = new WsSockets<WsPeer>(loop, server, { timeoutMs, onExpired: expired });
    return {
      opened: (peer) => void server.emit("connection", peer, { socket: (peer as WsPeer)._socket }),
      heard() {},
      answered() {},
      closed() {},
      end: () => watched.end(),
      get size() {
        return watched.size;
      },
    };
  },
} satisfies ConnectionsCompetitor;
