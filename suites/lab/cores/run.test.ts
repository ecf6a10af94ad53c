import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CoresPlan, Structure } from "./plan.ts";
import { machineOf } from "./record.synthetic.ts";
import type { CoresCell } from "./record.ts";
import { type Hosting, type Measured, simulateCores } from "./run.ts";

const HOSTS = new URL("./host.synthetic.ts", import.meta.url);

const structureOf = (competitor: string, more: Partial<Structure> = {}): Structure => ({
  race: { primitive: "pick", scenario: "uniform-8", localWork: "spread", accesses: 3 },
  moduleUrl: "file:///race.ts",
  aloneUrl: "file:///race.ts",
  competitor,
  url: `file:///${competitor}.ts`,
  baseline: { name: "baseline", url: "file:///baseline.ts" },
  machine: machineOf("here"),
  counts: [1, 2, 4],
  ...more,
});

/** Measured at one and two workers: a, at 30 and 45 ns; its baseline, at 25 and 25. */
const medians: Measured["own"] = {
  at(competitor, workers) {
    const ns = { a: [30, 45], baseline: [25, 25] }[competitor]?.[workers - 1];
    return ns === undefined ? undefined : { ns, file: "2026-11-26-d83a107.json.gz", commit: "d83a107d" };
  },
};
const measured = new Map([["pick/uniform-8", { own: medians, alone: medians }]]);

async function simulated(structures: readonly Structure[], hosting: Partial<Hosting> = {}, draws = 2) {
  const plan: CoresPlan = { seed: 7, draws, machines: [machineOf("here")], structures };
  const ended = new Map<string, readonly CoresCell[]>();
  const { signal } = new AbortController();
  await simulateCores(
    plan,
    structures,
    measured,
    { jobs: 1, cores: [], signal, module: HOSTS, ...hosting },
    {
      begun() {},
      ended: ({ competitor, machine }, cells) => ended.set(`${competitor} on ${machine.name}`, cells),
    },
  );
  return ended;
}

describe("structures are simulated in processes", () => {
  const names = ["a", "b", "c"];
  const structures = [
    ...names.map((name) => structureOf(name)),
    structureOf("a", { machine: machineOf("server", 64) }),
    structureOf("absent", { absent: "it shares an object" }),
  ];
  const one = simulated(structures);

  it("with the same digits, however many there are", async () => {
    const several = await simulated(structures.toReversed(), { jobs: 3 });
    assert.deepEqual([...several].toSorted(), [...(await one)].toSorted());
  });

  it("with figures, a band around them and the measured median, on the machine that measured", async () => {
    const [alone, two, four] = (await one).get("a on here")!;
    // 30 ns measured of one, of which an update is 10.
    assert.deepEqual([alone!.localNs, alone!.nominal!.nsPerOperation], [20, 30]);
    assert.equal(two!.nominal!.nsPerOperation, 40);
    const [low, high] = two!.band!.nsPerOperation;
    assert.ok(low <= 40 && high >= 40 && low < high);
    assert.equal(two!.measuredNs, 45);
    assert.deepEqual(two!.measuredIn, { file: "2026-11-26-d83a107.json.gz", commit: "d83a107d" });
    assert.equal(four!.measuredNs, undefined);
    const elsewhere = (await one).get("a on server")!;
    assert.equal(elsewhere[1]!.measuredNs, undefined);
    assert.equal(elsewhere[1]!.nominal!.nsPerOperation, 40);
  });

  it("with the baseline's local work where nothing was measured of one alone", async () => {
    assert.equal((await one).get("b on here")![0]!.localNs, 15);
  });

  it("but not where one cannot be", async () => {
    const cells = (await one).get("absent on here")!;
    assert.deepEqual(
      cells.map(({ workers, absent, nominal }) => [workers, absent, nominal]),
      [1, 2, 4].map((workers) => [workers, "it shares an object", undefined]),
    );
  });
});

describe("a structure that fails loses the rest of its own cells alone", () => {
  const failing = ["throws", "dies", "a"].map((name) => structureOf(name));
  const ended = simulated(failing, {}, 0);
  const failures = async (name: string) =>
    (await ended).get(`${name} on here`)!.map(({ failure }) => failure);

  it("where it throws", async () => {
    const reason = "it threw: no words (with 2 workers)";
    assert.deepEqual(await failures("throws"), [undefined, reason, reason]);
  });

  it("where its process dies", async () => {
    assert.deepEqual(new Set(await failures("dies")), new Set(["its process exited with code 3"]));
  });

  it("and the next one is simulated", async () => {
    assert.deepEqual(await failures("a"), [undefined, undefined, undefined]);
  });
});

it("a structure that never ends is given up", async () => {
  const [cell] = (await simulated([structureOf("never-ends")], { silenceMs: 50 })).get("never-ends on here")!;
  assert.equal(cell!.failure, "its process was silent for 0.05 s and was killed");
});

it("an interrupted run says nothing of what it had not finished", async () => {
  const stop = new AbortController();
  const structures = [structureOf("never-ends"), structureOf("a")];
  const ended = simulated(structures, { signal: stop.signal });
  stop.abort();
  assert.deepEqual([...(await ended)], []);
});
