import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import flatSortedArrays from "../../../structures/ownership/competitors/flat-sorted-arrays.ts";
import { runCluster } from "../collector.ts";
import { type Broker, brokerAbsent, startBroker } from "./broker.ts";
import type { Cluster } from "./cluster.ts";
import { acknowledgedIsKnown, collectorsAgree, sharesAreTheSimulations } from "./laws.ts";
import type { Report } from "./orders.ts";
import {
  audit,
  drawRun,
  finish,
  type RunPlan,
  sharesOf,
  simulatedShares,
  startProcesses,
  withBroker,
} from "./run.ts";
import { lawBrokenBy } from "./surveys.ts";

const SEED = 42;
const COMPETITOR = new URL("../../../structures/ownership/competitors/flat-sorted-arrays.ts", import.meta.url)
  .href;
const PLAN: RunPlan = {
  fleet: {
    resources: 60,
    owners: 20,
    horizonMs: 480_000,
    ownershipMsMean: 120_000,
    // Where all flows are short, what was lost is soon of no consequence.
    longShare: 0,
  },
  faults: {},
  nodes: 3,
  asks: "at every lag",
};
/** Between these steps something is wrong. */
const [FROM, TO] = [60, 120];
const END = 480;
const VICTIM = 2;

const skip = brokerAbsent() ?? false;
const drawn = drawRun(PLAN, SEED);

/** What is done to a cluster between two steps; and what must be seen of its last collector, or nothing has happened. */
const MISHAPS: Readonly<
  Record<
    string,
    { mistreat(cluster: Cluster, broker: Broker): Promise<void>; isSeen(report: Report): boolean }
  >
> = {
  "a collector is killed in mid-stream, and comes back 60 s later": {
    async mistreat(cluster) {
      await cluster.killAt(VICTIM, FROM, TO);
      await cluster.revive(VICTIM);
    },
    isSeen: ({ messages, tally }) => messages.replayed >= 2 * TO && tally.unserved > 0,
  },
  "the broker is killed, and started again 60 s later": {
    async mistreat(cluster, broker) {
      await cluster.runTo(FROM);
      await broker.kill();
      await cluster.runApart(TO);
      await broker.restart();
    },
    isSeen: ({ messages: { repeated, givenUp, returns } }) =>
      repeated >= TO - FROM && givenUp === 0 && returns === 1,
  },
};

describe("collectors over NATS blame no owner, agree and know what was acknowledged when", { skip }, () => {
  for (const [name, { mistreat, isSeen }] of Object.entries(MISHAPS)) {
    it(name, async () => {
      await withBroker(async (broker) => {
        const cluster = await startProcesses(COMPETITOR, PLAN, drawn, broker);
        try {
          await mistreat(cluster, broker);
          const after = await audit(cluster, drawn);
          const ended = await finish(cluster, drawn);
          for (const { different, acknowledged, unknown } of [after, ended.audit]) {
            assert.ok(acknowledged > 0, "there are claims that must be known");
            assert.equal(collectorsAgree(different), undefined);
            assert.equal(acknowledgedIsKnown(unknown, acknowledged), undefined);
          }
          const { reports } = ended;
          assert.equal(sharesOf(reports.map(({ tally }) => tally)).wrong, 0);
          assert.ok(isSeen(reports[VICTIM]!), JSON.stringify(reports[VICTIM]!.messages));
        } finally {
          await cluster.stop();
        }
      });
    });
  }
});

it("collectors over NATS attribute as the simulation does", { skip }, async () => {
  await withBroker(async (broker) => {
    const cluster = await startProcesses(COMPETITOR, PLAN, drawn, broker);
    try {
      const { audit, reports } = await finish(cluster, drawn);
      const tallies = reports.map(({ tally }) => tally);
      const simulated = runCluster(flatSortedArrays, drawn.fleet, drawn.faults, SEED, PLAN.nodes);
      assert.equal(sharesAreTheSimulations(sharesOf(tallies), simulatedShares(simulated)), undefined);
      assert.equal(lawBrokenBy(reports, audit), undefined);
      assert.ok(audit.acknowledged > 1_000 && audit.ranges > 100);
      for (const { givenUp, repeated, returns, unreadable } of reports.map(({ messages }) => messages))
        assert.deepEqual([givenUp, repeated, returns, unreadable], [0, 0, 0, 0]);
      const asked = tallies.reduce((sum, { questions }) => sum + questions, 0);
      assert.equal(asked, drawn.fleet.ends.count, "all reports came");
    } finally {
      await cluster.stop();
    }
  });
});

it("without a broker on the PATH the reason is given", () => {
  assert.equal(
    brokerAbsent("/nowhere"),
    "no nats-server is on the PATH (apt-get install nats-server, brew install nats-server, or https://nats.io/download)",
  );
});

describe("a broker", { skip }, () => {
  it("has another port each time, a folder of its own, and leaves neither", async () => {
    await withBroker(async (broker) => {
      if (process.platform === "linux") assert.ok(broker.cpuMs()! >= 0);
      const other = await startBroker();
      assert.notEqual(other.servers, broker.servers);
      assert.notEqual(other.folder, broker.folder);
      await other.stop();
      assert.deepEqual(leftOf(other), []);
    });
  });

  it("leaves nothing when its guard is killed", async () => {
    const broker = await startBroker();
    process.kill(broker.guardPid, "SIGKILL");
    await until(() => leftOf(broker).length === 0);
  });

  for (const signal of ["SIGKILL", "SIGINT"] as const) {
    it(`leaves nothing, nor do collectors, when all that runs is sent ${signal}`, async () => {
      const started = await startRun();
      // As a terminal does it, Ctrl-C reaches all processes; kill -9 falls on the one that runs the others.
      process.kill(signal === "SIGKILL" ? started.pid : -started.pid, signal);
      await until(() => leftOf(started).length === 0);
    });
  }
});

interface Started {
  readonly pid: number;
  readonly guardPid: number;
  readonly folder: string;
  /** Collectors. */
  readonly others?: readonly number[];
}

/** A process of its own that has a broker and collectors, in the middle of a run. */
async function startRun(): Promise<Started> {
  const code = `
    import { startBroker } from ${JSON.stringify(new URL("./broker.ts", import.meta.url).href)};
    import { drawRun, startProcesses } from ${JSON.stringify(new URL("./run.ts", import.meta.url).href)};
    const plan = ${JSON.stringify(PLAN)};
    const broker = await startBroker();
    const cluster = await startProcesses(${JSON.stringify(COMPETITOR)}, plan, drawRun(plan, ${SEED}), broker);
    await cluster.runTo(10);
    const { folder, guardPid } = broker;
    process.send({ pid: broker.pid, guardPid, folder, others: cluster.pids });
    await cluster.runTo(${END});
    await new Promise(() => {});
  `;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", code], {
    detached: true,
    stdio: ["ignore", "ignore", 2, "ipc"],
  });
  const [{ pid, others, ...broker }] = (await once(child, "message")) as [Required<Started>];
  child.disconnect();
  return { ...broker, pid: child.pid!, others: [...others, pid] };
}

/** What is still there of it. */
function leftOf({ pid, guardPid, folder, others = [] }: Started): string[] {
  const alive = [pid, guardPid, ...others].filter(isAlive).map(String);
  return existsSync(folder) ? [...alive, folder] : alive;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The kernel ends a killed process when it gets to it. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await wait(5);
}
