import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Balanced } from "hotpath-lab/undici";
import { request } from "undici";

/**
 * Requests go to the less busy of three servers. One has lost its database, and answers with 503. One goes down: what could
 * not be sent there is dispatched again. Both are ejected, and the third serves all. It prints:
 *
 *     served: 997 of 1000
 *     failed: 3 by the unavailable one, 3 by the one that is down
 */
const servers = [createServer(), createServer(), createServer()] as const;
for (const [index, server] of servers.entries()) {
  server.on("request", (_request, response) => response.writeHead(index === 0 ? 503 : 200).end());
  await once(server.listen(0, "127.0.0.1"), "listening");
}
const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
servers[1].close();

const dispatcher = new Balanced(urls, { eject: { failures: 3, forMs: 60_000 } });
let served = 0;
for (let sent = 0; sent < 1000; sent++) {
  const { statusCode, body } = await request("http://servers/path", { dispatcher });
  await body.dump();
  if (statusCode === 200) served++;
}
console.log(`served: ${served} of 1000`);

const failed = urls.map((url) => dispatcher.stats[url]!.failures);
console.log(`failed: ${failed[0]} by the unavailable one, ${failed[1]} by the one that is down`);
// Resolves when the last of its requests has ended, and in 10 s at most.
await dispatcher.drain(urls[0]!, { limitMs: 10_000 });
await dispatcher.close();
servers[0].close();
servers[2].close();
