import { picker } from "hotpath-lab";
import twoChoices from "hotpath-lab/pick/two-choices";

/**
 * Two servers, one of which has not answered yet: the next requests go to the other. It prints:
 *
 *     10 of 10 requests went to the idle server
 */

/** In the place of a request over the network. */
const send = async (server: string): Promise<string> => server;

const servers = ["http://10.0.0.1:8080", "http://10.0.0.2:8080"];
const { pick, release } = picker(twoChoices, servers.length);
const request = (): Promise<string> => {
  const server = pick();
  return send(servers[server]!).finally(() => release(server));
};

const busy = servers[pick()];
let idle = 0;
for (let sent = 0; sent < 10; sent++) if ((await request()) !== busy) idle++;
console.log(`${idle} of 10 requests went to the idle server`);
