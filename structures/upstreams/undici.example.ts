import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Balanced } from "hotpath-lab/undici";
import { request } from "undici";

/**
 * Requests go to the less busy of two servers. One of them goes down, and the other serves all: what could not be sent is
 * dispatched again. It prints:
 *
 *     served: 1000 of 1000
 *     failed to reach a server: 3 times, then it was ejected
 */
const servers = [createServer(), createServer()] as const;
for (const server of servers) {
  server.on("request", (_request, response) => response.end("served"));
  await once(server.listen(0, "127.0.0.1"), "listening");
}
const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
servers[0].close();

const dispatcher = new Balanced(urls, { eject: { failures: 3, forMs: 60_000 } });
let served = 0;
for (let sent = 0; sent < 1000; sent++) {
  const { body } = await request("http://servers/path", { dispatcher });
  if ((await body.text()) === "served") served++;
}
console.log(`served: ${served} of 1000`);

const { failures } = dispatcher.stats[urls[0]!]!;
console.log(`failed to reach a server: ${failures} times, then it was ejected`);
// Resolves when the last of its requests has ended.
await dispatcher.drain(urls[0]!);
await dispatcher.close();
servers[1].close();
