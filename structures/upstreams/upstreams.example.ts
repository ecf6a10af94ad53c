import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import balancedRoundRobin from "hotpath-lab/upstreams/balanced-round-robin";
import balancedTwoChoices from "hotpath-lab/upstreams/balanced-two-choices";
import { request } from "undici";

/**
 * Two ways of balancing send a hundred requests, one after another, to the same two servers. It prints:
 *
 *     in turn: 50 and 50
 *     to the less busy of two: 100 in all
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

for (const [competitor, text] of [
  [balancedRoundRobin, () => `in turn: ${served.join(" and ")}`],
  [balancedTwoChoices, () => `to the less busy of two: ${served[0]! + served[1]!} in all`],
] as const) {
  served.fill(0);
  const { dispatcher, close } = competitor.create(urls, {});
  for (let sent = 0; sent < 100; sent++) await (await request("http://servers/", { dispatcher })).body.dump();
  console.log(text());
  await close();
}
for (const server of servers) server.close();
