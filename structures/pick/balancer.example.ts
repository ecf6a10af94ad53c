import { balancer } from "hotpath-lab";
import twoChoices from "hotpath-lab/pick/two-choices";

/**
 * Requests go to the less busy of two servers. One of them fails, and gets none for a minute once three have failed. It prints:
 *
 *     3 of 1000 requests failed
 *     1 server left
 */
const DEAD = "http://10.0.0.2:8080";

/** In the place of a request over the network. */
async function send(url: string): Promise<string> {
  if (url.startsWith(DEAD)) throw new Error("connect ECONNREFUSED");
  return url;
}

const urls = ["http://10.0.0.1:8080", "http://10.0.0.2:8080"];
const servers = balancer(twoChoices, urls, { eject: { forMs: 60_000 } });
const get = (path: string): Promise<string> => servers.use((server) => send(server + path));

let failed = 0;
for (let sent = 0; sent < 1000; sent++) await get("/").catch(() => failed++);
console.log(`${failed} of 1000 requests failed`);

// Resolves when the last of its requests has ended.
await servers.drain(DEAD);
console.log(`${servers.items.length} server left`);
