import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { WebSocket, WebSocketServer } from "ws";
import {
  type ConnectionEvents,
  DELAY_SAMPLE_MS,
  type Delay,
  MOST_PAYLOAD,
  named,
  type Peer,
  serve,
} from "./served.ts";

/** A server process on Node, with the WebSockets of ws. */
const BACKLOG = 4096;

class WsPeer extends WebSocket implements Peer {
  place = 0;
  client = 0;
  life = 0;
  hasExpired = false;
}

serve({
  listen,
  pendingTimers: () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length,
  heldBytes() {
    // V8 hands out its collector only behind a flag, and only to contexts that are made after it.
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  },
  sampleDelay,
});

function listen(port: number, events: ConnectionEvents): Promise<number> {
  const http = createServer();
  const sockets = new WebSocketServer<typeof WsPeer>({
    server: http,
    WebSocket: WsPeer,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MOST_PAYLOAD,
  });
  // One function for all connections, so that a connection is what ws makes of it and no more.
  const message = function (this: WebSocket) {
    events.heard(this as WsPeer);
  };
  const pong = function (this: WebSocket) {
    events.answered(this as WsPeer);
  };
  const close = function (this: WebSocket) {
    events.closed(this as WsPeer);
  };
  const error = () => {};
  sockets.on("connection", (peer, { url }) => {
    Object.assign(peer, named(url!));
    peer.on("message", message).on("pong", pong).on("close", close).on("error", error);
    events.opened(peer);
  });
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen({ port, host: "127.0.0.1", backlog: BACKLOG }, () =>
      resolve((http.address() as AddressInfo).port),
    );
  });
}

/** Node's histogram has the time from one sample to the next. */
function sampleDelay(): Delay {
  const histogram = monitorEventLoopDelay({ resolution: DELAY_SAMPLE_MS });
  histogram.enable();
  const beyondSample = (ns: number) => Math.max(0, ns / 1e6 - DELAY_SAMPLE_MS);
  return {
    percentile: (percent) => beyondSample(histogram.percentile(percent)),
    get max() {
      return beyondSample(histogram.max);
    },
    end: () => histogram.disable(),
  };
}
