import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { competitorsOf, lawBrokenBy, mutantsOf } from "../../structures/catalog.ts";
import type { ConnectionsCompetitor } from "../../structures/connections/connections.contract.ts";
import { assertBroken } from "../../structures/shared/broken.ts";
import type { Outcome, Survey } from "../engine/suite.ts";
import { Fleet } from "./coordinator.ts";
import fleets from "./scenarios/fleet.ts";
import series from "./scenarios/series.ts";
import type { FleetParams } from "./watched-fleet.ts";

const PLANTED_CLIENT = new URL("planted-client.ts", import.meta.url);
const COMMAND = fileURLToPath(new URL("planted-command.ts", import.meta.url));
/** Who does not close the dead is not waited for as long as who may only be slow, in ms. */
const SHORT_PATIENCE_MS = 500;

const [fleet] = fleets as unknown as [Survey<ConnectionsCompetitor, FleetParams>];

const liars = await Promise.all(
  mutantsOf("connections").map(async (mutant) => ({ ...mutant, breaks: await lawBrokenBy(mutant) })),
);

const { plan, ...smoke } = fleet.params.smoke;
/** Without turns, which no law asks for. */
const NO_PAIRS = { ...smoke.pairs, count: 0 };

async function surveyed(
  competitorUrl: string,
  change: Partial<FleetParams> = {},
): Promise<{ metrics: Readonly<Record<string, number>>; broken: string | undefined }> {
  const { default: competitor } = (await import(competitorUrl)) as { default: ConnectionsCompetitor };
  const params = { ...fleet.params.smoke, ...change };
  const metrics = await fleet.run(competitor, params, 1, {
    nowNs: () => 0,
    heldBytes: () => 0,
    competitorUrl,
    draw() {},
  });
  return { metrics, broken: fleet.law(competitor, params, metrics) };
}

function urlOf(name: string): string {
  return competitorsOf("connections").find((entry) => entry.name === name)!.url;
}

describe("a fleet of real connections", () => {
  it("beats, dies, storms and leaves, and all is accounted for", async () => {
    const { metrics, broken } = await surveyed(urlOf("hashed-wheel"));
    assert.equal(broken, undefined);
    assert.equal(metrics.connections, 50);
    assert.ok(metrics.dead! > 0 && metrics.sent! > 50, JSON.stringify(metrics));
    for (const key of ["rss", "reconnects", "closedMax"]) assert.ok(metrics[key]! > 0, key);
  });

  it("beats from when it is connected, without an order", { timeout: 60_000 }, async () => {
    await Fleet.with(plan, async (connected) => {
      await connected.watch(urlOf("hashed-wheel"));
      await connected.connect(10);
      while ((await connected.read()).some(({ received }) => received === 0)) await pass(10);
    });
  });

  it("takes as many processes as it is told", async () => {
    const { broken } = await surveyed(urlOf("sweep"), { plan: { ...plan, servers: 4, clients: 3 } });
    assert.equal(broken, undefined);
  });

  // Lateness is no law where others use the machine, and a connection cannot expire twice once it is destroyed.
  const real = ["everyDeadClosed", "noLiveClosed", "noTimerLeft"];
  for (const { name, url, breaks } of liars.filter(({ breaks }) => real.includes(breaks))) {
    it(`tells what ${name} does wrong`, async () => {
      // All die where the liar forgets some of the dead, lest it forget none.
      const deadShare = breaks === "everyDeadClosed" ? 1 : smoke.deadShare;
      const { broken } = await surveyed(url, {
        plan: { ...plan, patienceMs: SHORT_PATIENCE_MS },
        speed: 20,
        deadShare,
        pairs: NO_PAIRS,
      });
      assertBroken(breaks, broken === undefined ? [] : [broken]);
    });
  }

  it("tells that beats are lost", async () => {
    const { broken } = await surveyed(urlOf("sweep"), {
      plan: { ...plan, clientModule: PLANTED_CLIENT },
      pairs: NO_PAIRS,
    });
    assertBroken("everyBeatReceived", broken === undefined ? [] : [broken]);
  });
});

describe("the messages of each second", () => {
  for (const scenario of series as unknown as Survey<ConnectionsCompetitor, unknown>[]) {
    it(`${scenario.scenario}: all are counted`, async () => {
      const competitorUrl = urlOf("hashed-wheel");
      const { default: competitor } = (await import(competitorUrl)) as { default: ConnectionsCompetitor };
      let drawn: Outcome["series"] = {};
      const metrics = await scenario.run(competitor, scenario.params.smoke, 1, {
        nowNs: () => 0,
        heldBytes: () => 0,
        competitorUrl,
        draw(given) {
          drawn = given;
        },
      });
      assert.equal(scenario.law(competitor, scenario.params.smoke, metrics), undefined);
      const counted = drawn.received!.reduce((sum, messages) => sum + messages, 0);
      assert.ok(counted > 0 && counted <= metrics.received!, `${counted} of ${metrics.received}`);
      for (const [second, low] of drawn.low!.entries()) assert.ok(low <= drawn.high![second]!);
    });
  }
});

describe("nothing is left behind", { skip: process.platform === "win32" && "no signals" }, () => {
  interface Begun {
    readonly command: ChildProcess;
    readonly pids: { readonly servers: readonly number[]; readonly clients: readonly number[] };
    /** All that it prints besides. */
    readonly lines: string[];
  }

  async function begun(): Promise<Begun> {
    // A group of its own, to which Ctrl-C can be sent.
    const command = spawn(process.execPath, [COMMAND], {
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    });
    const printed = createInterface(command.stdout!);
    const [line] = (await once(printed, "line")) as [string];
    const lines: string[] = [];
    printed.on("line", (text) => lines.push(text));
    return { command, pids: JSON.parse(line) as Begun["pids"], lines };
  }

  function isAlive(pid: number): boolean {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  }

  /** Does something to a command whose fleet beats, and waits until no process of it is there: for ever if one stays. */
  async function afterwards(act: (begun: Begun) => void): Promise<Begun & { readonly exit: unknown[] }> {
    const all = await begun();
    const { command, pids } = all;
    const exited = once(command, "close");
    act(all);
    const exit = await exited;
    while ([...pids.servers, ...pids.clients].some(isAlive)) await pass(10);
    return { ...all, exit };
  }

  const limit = { timeout: 60_000 };

  it("when the command is killed", limit, async () => {
    const { exit } = await afterwards(({ command }) => command.kill("SIGKILL"));
    assert.deepEqual(exit, [null, "SIGKILL"]);
  });

  it("when Ctrl-C is pressed", limit, async () => {
    const { exit } = await afterwards(({ command }) => process.kill(-command.pid!, "SIGINT"));
    assert.deepEqual(exit, [null, "SIGINT"]);
  });

  for (const [kind, index] of [
    ["servers", 1],
    ["clients", 0],
  ] as const) {
    it(`when one of the ${kind} is killed, which is told in one line`, limit, async () => {
      const { exit, lines, pids } = await afterwards(({ pids }) =>
        process.kill(pids[kind][index]!, "SIGKILL"),
      );
      assert.deepEqual(exit, [1, null]);
      const name = `${kind.slice(0, -1)} process ${index + 1} (pid ${pids[kind][index]})`;
      assert.deepEqual(lines, [`${name}: died of SIGKILL`]);
    });
  }
});
