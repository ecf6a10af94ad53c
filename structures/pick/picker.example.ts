import { picker } from "hotpath-lab";
import twoChoices from "hotpath-lab/pick/two-choices";

/**
 * Two servers, one of which takes long for its first request: the next ones go to the other. It prints:
 *
 *     10 of 10 requests went to the idle server
 */
const servers = ["http://10.0.0.1:8080", "http://10.0.0.2:8080"];
const { pick, release } = picker(twoChoices, servers.length);

/** In the place of a request. */
const send = async (server: string) => server;

const busy = servers[pick()];
const answers: string[] = [];
for (let request = 0; request < 10; request++) {
  const server = pick();
  answers.push(await send(servers[server]!));
  release(server);
}
const others = answers.filter((answer) => answer !== busy);
console.log(`${others.length} of ${answers.length} requests went to the idle server`);
