import { setTimeout as pass } from "node:timers/promises";
import { competitorsOf, contractOf, type Entry, loadCompetitor } from "../../structures/catalog.ts";
import type { ConnectionsCompetitor } from "../../structures/connections/connections.contract.ts";
import { sharedNowMs } from "../../suites/connections/clock.ts";
import { Fleet } from "../../suites/connections/coordinator.ts";
import type { Stall } from "../../suites/connections/orders.ts";
import { present } from "../../suites/engine/words/present.ts";
import { command, runCommand } from "../../suites/lab/command/command.ts";
import { EXIT, parseName, parseWhole, UsageError } from "../../suites/lab/command/usage.ts";
import { notInstalled, startOf } from "../../suites/lab/runtimes/runtimes.ts";

const COMMAND = command({
  about:
    "Stops a real server under each watcher of connections, and counts the clients that it closes when it goes on.",
  usage: {
    "npm run stalls -- [NAME...] [options]": "",
  },
  words: {
    NAME: "watchers; or watch, of hotpath-lab/ws, or is-alive, the recipe of ws's README (default: all that close connections)",
  },
  options: {
    connections: { value: "N", default: "2000", help: "WebSocket clients; each beats every second" },
    silent: { help: "clients do not beat, and answer pings alone: for watchers that ping" },
    bun: { help: "servers of Bun.serve in place of ws on Node" },
  },
  after: `The timeout is 6 s. SIGSTOP stops the server for 10 s, then a handler blocks it for 10 s, then its clock jumps by an
    hour. As each stall begins, a tenth of the clients fall silent for good, and keep their connections. At last one of two
    client processes is stopped, so that half of the others vanish. All of these must be closed, and no other. Each watcher
    takes two minutes.`,
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

/** Watchers that attach themselves to a server's sockets. */
const ATTACHED: readonly Entry[] = ["watch", "is-alive"].map((name) => ({
  name,
  url: new URL(`../../suites/connections/attached/${name}.ts`, import.meta.url).href,
}));

const STALLS: Readonly<Record<string, Stall>> = {
  "stopped for 10 s": { how: "stops", ms: 10_000 },
  "blocked for 10 s": { how: "blocks", ms: 10_000 },
  "a clock that jumps by an hour": { how: "jumps", ms: 3_600_000 },
};

await runCommand(COMMAND, async ({ options, words }) => {
  const connections = parseWhole("--connections", options.connections, 2, MOST_CONNECTIONS);
  const bun = options.bun ? startOf("bun") : undefined;
  if (options.bun && bun === undefined) throw new UsageError(notInstalled("bun"));
  const beatMs = options.silent ? 0 : BEAT_MS;
  const plan = {
    connections,
    servers: 1,
    clients: 2,
    timeoutMs: TIMEOUT_MS,
    patienceMs: PATIENCE_MS,
    ...present({ bun }),
  };
  const all = [...(await closing()), ...(bun === undefined ? ATTACHED : [])];
  let isRight = true;
  for (const { name, url } of named(all, words)) {
    const { lateness } = await watcherAt(url);
    await Fleet.with(plan, async (fleet) => {
      await fleet.watch(url);
      await fleet.connect(beatMs);
      const clients: Clients = { dead: new Set(), connectedMs: sharedNowMs(), aheadMs: 0 };
      await pass(2 * BEAT_MS);
      for (const [index, [what, stall]] of Object.entries(STALLS).entries()) {
        const seen = await endure(fleet, stall, lateness(TIMEOUT_MS), index + 1, clients);
        isRight &&= report(`${name}, ${what}`, seen, fleet.connections - clients.dead.size);
      }
      const seen = await vanish(fleet, lateness(TIMEOUT_MS), clients);
      isRight &&= report(`${name}, half of the clients vanish`, seen, fleet.connections - clients.dead.size);
    });
  }
  return isRight ? EXIT.ok : EXIT.failed;
});

/** What is known of the clients of a fleet. */
interface Clients {
  readonly dead: Set<number>;
  /** When all were connected. */
  readonly connectedMs: number;
  /** How far the server's clock has jumped. */
  aheadMs: number;
}

/** What came of them. */
interface Seen {
  /** Closed though they lived. */
  readonly living: number;
  readonly died: number;
  readonly unclosed: number;
  /** From the last that a dead client sent until it was closed, without the time for which the server stood still. */
  readonly longestMs: number;
}

/** Whether all is right. */
function report(what: string, { living, died, unclosed, longestMs }: Seen, open: number): boolean {
  process.stdout.write(
    `${what}: ${living} of ${open} living closed, ${died - unclosed} of ${died} dead closed, the last after ${(longestMs / 1000).toFixed(1)} s\n`,
  );
  return living === 0 && unclosed === 0;
}

async function endure(
  fleet: Fleet,
  stall: Stall,
  latenessMs: number,
  seed: number,
  clients: Clients,
): Promise<Seen> {
  const { dead, connectedMs } = clients;
  const stoodMs = stall.how === "jumps" ? 0 : stall.ms;
  const mourning = fleet.die(DEAD_SHARE, DYING_MS, seed, stoodMs + 2 * TIMEOUT_MS + latenessMs);
  await pass(DYING_MS / 2);
  await fleet.stand(stall);
  const { deaths, expiries, unclosed } = await mourning;
  if (stall.how === "jumps") clients.aheadMs += stall.ms;
  const lastSentMs = new Map(
    deaths.map((death) => [death.client, Math.max(death.lastSentMs, connectedMs)] as const),
  );
  for (const client of lastSentMs.keys()) dead.add(client);
  // Nobody is overdue for longer.
  await pass(TIMEOUT_MS);
  const all = [...expiries, ...(await fleet.expiries())];
  const lateMs = all
    .filter(({ client }) => lastSentMs.has(client))
    .map(({ client, atMs }) => atMs - clients.aheadMs - lastSentMs.get(client)! - stoodMs);
  const living = all.filter(({ client }) => !dead.has(client)).length;
  return { living, unclosed, died: deaths.length, longestMs: Math.max(0, ...lateMs) };
}

/** Stops the first client process for good: its connections stay, and their sockets take what is sent until they are full. */
async function vanish(fleet: Fleet, latenessMs: number, { dead, aheadMs }: Clients): Promise<Seen> {
  const vanished = new Set<number>();
  for (let client = 0; client < fleet.clientsByProcess[0]!; client++) {
    if (dead.has(client)) continue;
    vanished.add(client);
    dead.add(client);
  }
  const [pid] = fleet.pids.clients;
  const stoppedMs = sharedNowMs();
  process.kill(pid!, "SIGSTOP");
  await pass(2 * TIMEOUT_MS + latenessMs);
  const expiries = await fleet.expiries();
  const closed = expiries.filter(({ client }) => vanished.has(client));
  return {
    living: expiries.length - closed.length,
    died: vanished.size,
    unclosed: vanished.size - closed.length,
    longestMs: Math.max(0, ...closed.map(({ atMs }) => atMs - aheadMs - stoppedMs)),
  };
}

/** Of all watchers of the catalog that close connections. */
async function closing(): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const entry of competitorsOf("connections"))
    if (!(await watcherAt(entry.url)).lowerBound) entries.push(entry);
  return entries;
}

/** All, or those with these names. */
function named(all: readonly Entry[], words: readonly string[]): Entry[] {
  const names = all.map(({ name }) => name);
  const wanted = words.map((word) => parseName("NAME", word, names));
  return all.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
}

async function watcherAt(url: string): Promise<ConnectionsCompetitor> {
  return (await loadCompetitor(url, await contractOf("connections"))) as ConnectionsCompetitor;
}
