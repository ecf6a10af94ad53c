import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import balancedTwoChoices from "hotpath-lab/upstreams/balanced-two-choices";
import { request } from "undici";

/**
 * A competitor of the primitive sends a hundred requests, one after another, to two servers. It prints:
 *
 *     served: 100 of 100
 */
const served = [0, 0];
const servers = served.map((_, index) =>
  createServer((_request, response) => {
    served[index]!++;
    response.end();
  }),
);
for (const server of servers) await once(server.listen(0, "127.0.0.1"), "listening");
const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);

const { dispatcher, close } = balancedTwoChoices.create(urls, {});
for (let sent = 0; sent < 100; sent++) await (await request("http://servers/", { dispatcher })).body.dump();
console.log(`served: ${served[0]! + served[1]!} of 100`);
await close();
for (const server of servers) server.close();
