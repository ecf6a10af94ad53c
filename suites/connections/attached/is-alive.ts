import { EventEmitter } from "node:events";
import type { WebSocket } from "ws";
import type { ConnectionsCompetitor } from "../../../structures/connections/connections.contract.ts";
import type { WsPeer } from "./ws-peer.ts";

/**
 * The recipe of the README of `ws` on a server's real sockets, as it is written there: in the place of a watcher. Its
 * timer and its timeout are those that it is given, and what it terminates is reported first.
 */
export default {
  summary: "the isAlive recipe of ws's README",
  source: "websockets/ws README, How to detect and close broken connections",
  progress: "wait-free",
  renewedBy: "pongs",
  earliness: (_timeoutMs, turnMs) => turnMs,
  lateness: (timeoutMs) => timeoutMs,
  watch({ loop, timeoutMs, expired }) {
    const wss = Object.assign(new EventEmitter(), { clients: new Set<WsPeer>() });

    function heartbeat(this: WebSocket & { isAlive?: boolean }) {
      this.isAlive = true;
    }

    wss.on("connection", function connection(ws: WsPeer) {
      ws.isAlive = true;
      ws.on("error", console.error);
      ws.on("pong", heartbeat);
    });

    const interval = loop.setInterval(function ping() {
      wss.clients.forEach(function each(ws) {
        if (ws.isAlive === false) {
          terminate(ws);
          return;
        }
        ws.isAlive = false;
        ws.ping();
      });
    }, timeoutMs);

    wss.on("close", function close() {
      loop.clearTimeout(interval);
    });

    function terminate(ws: WsPeer): void {
      wss.clients.delete(ws);
      expired(ws);
    }
    return {
      opened(peer) {
        wss.clients.add(peer as WsPeer);
        wss.emit("connection", peer);
      },
      heard() {},
      answered() {},
      closed: (peer) => void wss.clients.delete(peer as WsPeer),
      end() {
        wss.emit("close");
        // Another takes its place on the same sockets.
        for (const ws of wss.clients) ws.off("error", console.error).off("pong", heartbeat);
        wss.clients.clear();
      },
      get size() {
        return wss.clients.size;
      },
    };
  },
} satisfies ConnectionsCompetitor;
