import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { competitorsOf } from "../../structures/catalog.ts";
import type { ConnectionsCompetitor } from "../../structures/connections/connections.contract.ts";
import { mutants } from "../../structures/connections/connections.mutants.ts";
import { assertBroken } from "../../structures/shared/broken.ts";
import { notInstalled, startOf } from "../lab/runtimes/runtimes.ts";
import type { Instruments, Survey } from "../shared/vocabulary.ts";
import { Fleet } from "./coordinator.ts";
import fleets from "./scenarios/fleet.ts";
import type { FleetParams } from "./watched-fleet.ts";

const PLANTED_CLIENT = new URL("planted-client.ts", import.meta.url);
/** How long a watcher that does not close the dead is waited for, in ms: less than one that may only be slow. */
const SHORT_PATIENCE_MS = 500;

const [fleet] = fleets as unknown as [Survey<ConnectionsCompetitor, FleetParams>];

const { plan, ...smoke } = fleet.params.smoke;
/** Instruments of a Node process that measure nothing: the test looks at no figures. */
const INSTRUMENTS: Omit<Instruments, "competitorUrl"> = {
  nowNs: () => 0,
  heldBytes: () => 0,
  start: { file: process.execPath, args: [] },
};

async function surveyed(
  competitorUrl: string,
  change: Partial<FleetParams> = {},
  scenario = fleet,
  start = INSTRUMENTS.start,
): Promise<{ metrics: Readonly<Record<string, number>>; broken: string | undefined }> {
  const { default: competitor } = (await import(competitorUrl)) as { default: ConnectionsCompetitor };
  const params = { ...fleet.params.smoke, ...change };
  const metrics = await scenario.run(competitor, params, 1, { ...INSTRUMENTS, start, competitorUrl });
  return { metrics, broken: scenario.law(competitor, params, metrics) };
}

function urlOf(name: string): string {
  return competitorsOf("connections").find((entry) => entry.name === name)!.url;
}

describe("a fleet of real connections", () => {
  it("beats, dies, storms and leaves, and all is accounted for", async () => {
    const { metrics, broken } = await surveyed(urlOf("hashed-wheel"), {
      pairs: { ...smoke.pairs, count: 2 },
    });
    assert.equal(broken, undefined);
    assert.equal(metrics.connections, 50);
    assert.ok(metrics.dead! > 0 && metrics.sent! > 50, JSON.stringify(metrics));
    for (const key of ["cpu", "rss", "held", "reconnects", "closedMax"]) assert.ok(metrics[key]! > 0, key);
  });

  it("is watched by hotpath-lab/ws, which attaches itself to the sockets, and all is accounted for", async () => {
    const { metrics, broken } = await surveyed(new URL("attached/watch.ts", import.meta.url).href);
    assert.equal(broken, undefined);
    assert.ok(metrics.dead! > 0 && metrics.reconnects! > 0, JSON.stringify(metrics));
  });

  it("beats from when it is connected, without an order", { timeout: 60_000 }, async () => {
    await Fleet.with(plan, async (connected) => {
      await connected.watch(urlOf("hashed-wheel"));
      await connected.connect(10);
      while ((await connected.read()).some(({ received }) => received === 0)) await pass(10);
    });
  });

  const bun = startOf("bun");
  it("is served by Bun as well", { skip: bun === undefined && notInstalled("bun") }, async () => {
    const ofBun = fleets.find(({ scenario }) => scenario === "fleet-on-bun") as unknown as typeof fleet;
    const { metrics, broken } = await surveyed(
      urlOf("node-set-timeout"),
      { plan: { ...plan, servers: 2 } },
      ofBun,
      bun,
    );
    assert.equal(broken, undefined);
    for (const key of ["rss", "held", "reconnects", "closedMax"]) assert.ok(metrics[key]! > 0, key);
  });

  it("takes as many processes as the plan names", async () => {
    const { broken } = await surveyed(urlOf("sweep"), { plan: { ...plan, servers: 4, clients: 3 } });
    assert.equal(broken, undefined);
  });

  // Lateness is no law where others use the machine, and a connection cannot expire twice once it is destroyed.
  const real = ["everyDeadClosed", "noLiveClosed", "noTimerLeft"];
  for (const { name, url, breaks } of mutants.filter(({ breaks }) => real.includes(breaks))) {
    it(`tells what ${name} does wrong`, async () => {
      // All die where the liar forgets some of the dead, so that it forgets some.
      const deadShare = breaks === "everyDeadClosed" ? 1 : smoke.deadShare;
      const { broken } = await surveyed(url, {
        plan: { ...plan, patienceMs: SHORT_PATIENCE_MS },
        speed: 50,
        deadShare,
      });
      assertBroken(breaks, broken === undefined ? [] : [broken]);
    });
  }

  it("reports that beats are lost", async () => {
    const { broken } = await surveyed(urlOf("sweep"), {
      plan: { ...plan, clientModule: PLANTED_CLIENT },
    });
    assertBroken("everyBeatReceived", broken === undefined ? [] : [broken]);
  });
});
