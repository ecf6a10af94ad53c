import { setTimeout as pass } from "node:timers/promises";
import { competitorsOf, contractOf, type Entry, loadCompetitor } from "../../structures/catalog.ts";
import type { ConnectionsCompetitor } from "../../structures/connections/connections.contract.ts";
import { Fleet } from "../../suites/connections/coordinator.ts";
import type { Stall } from "../../suites/connections/orders.ts";
import { command, runCommand } from "../../suites/lab/command/command.ts";
import { EXIT, parseName, parseWhole, UsageError } from "../../suites/lab/command/usage.ts";
import { notInstalled, startOf } from "../../suites/lab/runtimes/runtimes.ts";

const COMMAND = command({
  about:
    "Stops a real server under each watcher of connections, and counts the clients that it closes when it goes on.",
  usage: { "npm run stalls -- [NAME...] [options]": "" },
  words: { NAME: "watchers (default: all that close connections)" },
  options: {
    connections: { value: "N", default: "2000", help: "WebSocket clients; each beats every second" },
    bun: { help: "servers of Bun.serve in place of ws on Node" },
  },
  after: `The timeout is 6 s. SIGSTOP stops the server for 10 s, then a handler blocks it for 10 s, then its clock jumps by an
    hour. As each stall begins, a tenth of the clients fall silent for good. All of these must be closed, and no other. Each
    watcher takes a minute and a half.`,
  exits: {
    0: "no living client was closed, and every dead one was",
    1: "a living client was closed, or a dead one was not",
    2: "the request was wrong",
    130: "interrupted",
  },
});

const TIMEOUT_MS = 6_000;
const BEAT_MS = 1_000;
const DEAD_SHARE = 0.1;
/** They fall silent in this time; half of it is over when the stall begins. */
const DYING_MS = 1_000;
/** A machine that is busy elsewhere is waited for. */
const PATIENCE_MS = 20_000;
const MOST_CONNECTIONS = 20_000;

const STALLS: Readonly<Record<string, Stall>> = {
  "stopped for 10 s": { how: "stops", ms: 10_000 },
  "blocked for 10 s": { how: "blocks", ms: 10_000 },
  "a clock that jumps by an hour": { how: "jumps", ms: 3_600_000 },
};

await runCommand(COMMAND, async ({ options, words }) => {
  const connections = parseWhole("--connections", options.connections, 1, MOST_CONNECTIONS);
  const bun = options.bun ? startOf("bun") : undefined;
  if (options.bun && bun === undefined) throw new UsageError(notInstalled("bun"));
  const plan = {
    connections,
    servers: 1,
    clients: 1,
    timeoutMs: TIMEOUT_MS,
    patienceMs: PATIENCE_MS,
    ...(bun === undefined ? {} : { bun }),
  };
  let isRight = true;
  for (const { name, url } of await watchersNamed(words)) {
    const { lateness } = await watcherAt(url);
    await Fleet.with(plan, async (fleet) => {
      await fleet.watch(url);
      await fleet.connect(BEAT_MS);
      await pass(2 * BEAT_MS);
      const dead = new Set<number>();
      for (const [index, [what, stall]] of Object.entries(STALLS).entries()) {
        const { living, unclosed, died } = await endure(fleet, stall, lateness(TIMEOUT_MS), index + 1, dead);
        isRight &&= living === 0 && unclosed === 0;
        const open = fleet.connections - dead.size;
        process.stdout.write(
          `${name}, ${what}: ${living} of ${open} living closed, ${died - unclosed} of ${died} dead closed\n`,
        );
      }
    });
  }
  return isRight ? EXIT.ok : EXIT.noNumber;
});

/** Adds dead clients to `dead`. */
async function endure(fleet: Fleet, stall: Stall, latenessMs: number, seed: number, dead: Set<number>) {
  const stoodMs = stall.how === "jumps" ? 0 : stall.ms;
  const mourning = fleet.die(DEAD_SHARE, DYING_MS, seed, stoodMs + 2 * TIMEOUT_MS + latenessMs);
  await pass(DYING_MS / 2);
  await fleet.stand(stall);
  const { deaths, expiries, unclosed } = await mourning;
  for (const { client } of deaths) dead.add(client);
  // Nobody is overdue for longer.
  await pass(TIMEOUT_MS);
  const all = [...expiries, ...(await fleet.expiries())];
  return { living: all.filter(({ client }) => !dead.has(client)).length, unclosed, died: deaths.length };
}

async function watchersNamed(words: readonly string[]): Promise<Entry[]> {
  const closing: Entry[] = [];
  for (const entry of competitorsOf("connections"))
    if (!(await watcherAt(entry.url)).floor) closing.push(entry);
  const names = closing.map(({ name }) => name);
  const wanted = words.map((word) => parseName("NAME", word, names));
  return wanted.length === 0 ? closing : closing.filter(({ name }) => wanted.includes(name));
}

async function watcherAt(url: string): Promise<ConnectionsCompetitor> {
  return (await loadCompetitor(url, await contractOf("connections"))) as ConnectionsCompetitor;
}
