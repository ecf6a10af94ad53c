import { balancer } from "hotpath-lab";
import { byKey } from "hotpath-lab/affinity";
import rendezvous from "hotpath-lab/affinity/rendezvous";

/**
 * Each user's requests go to the server whose cache knows that user. One server is drained: its users move, and no others.
 * It prints:
 *
 *     30 users have a server each
 *     9 moved, all from 10.0.0.2
 */
const users = Array.from({ length: 30 }, (_, user) => `user/${user}`);

const servers = balancer(byKey(rendezvous, { bound: 1.25 }), ["10.0.0.1", "10.0.0.2", "10.0.0.3"]);
const serverOf = (key: string): Promise<string> => servers.use((server) => server, { key });

const before: string[] = [];
for (const user of users) before.push(await serverOf(user));
console.log(`${before.length} users have a server each`);

await servers.drain("10.0.0.2");
const left: string[] = [];
for (const [at, user] of users.entries()) if ((await serverOf(user)) !== before[at]) left.push(before[at]!);
console.log(`${left.length} moved, all from ${[...new Set(left)].join(", ")}`);
