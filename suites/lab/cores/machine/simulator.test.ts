import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { isBroken } from "../../../../structures/shared/broken.ts";
import type { Edit } from "../../../../structures/shared/mutated.ts";
import { ICE_LAKE, MILAN_X } from "../data/machines.ts";
import { CROWD_CORES, OWN_LINE_NS, POLLS, TEST_COSTS } from "./crews.synthetic.ts";
import { nominalCosts } from "./machine.ts";
import { mutantProgram } from "./mutant.synthetic.ts";
import type { Simulated, Task } from "./simulated.ts";
import { Simulator } from "./simulator.ts";

const CREWS = new URL("./crews.synthetic.ts", import.meta.url).href;
const simulator = new Simulator();
after(() => simulator.close());

function taskOf(scenario: string, competitor: string, workers: number, rest: Partial<Task> = {}): Task {
  return {
    primitive: "cores",
    scenario,
    moduleUrl: CREWS,
    competitor,
    url: `${CREWS}#${scenario}/${competitor}`,
    size: "smoke",
    workers,
    topology: { sockets: 1, complexesPerSocket: 1, coresPerComplex: 8 },
    costs: TEST_COSTS,
    localNs: 0,
    localWork: "spread",
    atomicsAlone: 1,
    warmUp: 2 * workers,
    operations: 200,
    seed: 7,
    ...rest,
  };
}

/** What the same task gives with faults in a module of the simulator. */
async function simulatedBy(file: string, edits: readonly Edit[], task: Task): Promise<Simulated> {
  const mutant = new Simulator(mutantProgram(file, ...edits));
  try {
    return await mutant.simulate(task);
  } finally {
    await mutant.close();
  }
}

const nearly = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual / expected - 1) < 1e-9, `${actual} and not ${expected}`);

const drawn = taskOf("counter", "added", 3, { costs: { ...TEST_COSTS, jitter: 0.2, nearestFirst: 0.5 } });

test("the same task gives the same digits, whatever came before it and runs beside it", async () => {
  const first = await simulator.simulate(drawn);
  await simulator.simulate(taskOf("sleepers", "asleep", 3));
  const other = new Simulator();
  try {
    assert.deepEqual(await Promise.all([simulator.simulate(drawn), other.simulate(drawn)]), [first, first]);
  } finally {
    await other.close();
  }
  assert.notDeepEqual(await simulator.simulate({ ...drawn, seed: 8 }), first);
});

test("a worker alone takes its accesses and its own work, to the nanosecond", async () => {
  const alone = await simulator.simulate(taskOf("own-lines", "each", 1));
  nearly(alone.nsPerOperation, OWN_LINE_NS);
  assert.equal(alone.accessesPerOperation, 5);
  assert.equal(alone.atomicsPerOperation, 3);
  assert.equal(alone.transfersPerOperation, 0);
  const localNs = 123;
  const atomicsAlone = alone.atomicsPerOperation;
  const working = await simulator.simulate(taskOf("own-lines", "each", 1, { localNs, atomicsAlone }));
  nearly(working.nsPerOperation, OWN_LINE_NS + localNs);
  nearly(working.p50Ns, OWN_LINE_NS + localNs);
  const polling = await simulator.simulate(taskOf("bounded", "polled", 1));
  nearly(polling.nsPerOperation, POLLS * TEST_COSTS.load + TEST_COSTS.update);
});

test("workers on lines of their own take what one of them takes", async () => {
  const together = await simulator.simulate(taskOf("own-lines", "each", 4));
  nearly(together.p50Ns, OWN_LINE_NS);
  nearly(together.maxNs, OWN_LINE_NS);
  assert.equal(together.accessesPerOperation, 5);
  assert.equal(together.transfersPerOperation, 0);
});

test("each operation of the window counts once", async () => {
  for (const workers of [1, 3]) {
    const { perWorker } = await simulator.simulate(taskOf("counter", "added", workers));
    assert.equal(
      perWorker.reduce((sum, count) => sum + count, 0),
      200,
    );
  }
});

const ordered = (scenario: string, competitor: string, workers: number) =>
  taskOf(scenario, competitor, workers, { operations: 300 });

test("no access sees what is older than the last change before it in virtual time", async () => {
  const counters = [1, 2, 4].map((workers) => ordered("counter", "added", workers));
  for (const task of [...counters, ordered("polled", "again", 3), ordered("polled", "between", 3)])
    assert.equal((await simulator.simulate(task)).broken, undefined);
});

const OUT_OF_ORDER: readonly (readonly [what: string, file: string, edit: Edit, task: Task])[] = [
  [
    "it does not wait for others",
    "schedule.ts",
    ["now <= this.#ownUntil", "now >= 0"],
    ordered("polled", "between", 2),
  ],
  [
    "answers to polls of one word pass for another's",
    "thread.ts",
    ["#pollsAhead(word)) : 0;", "#pollsAhead(word)) : this.#credit;"],
    ordered("polled", "again", 2),
  ],
  [
    "one that has polled in vain acts in the past",
    "schedule.ts",
    ["if (time[self]! < key[self]!)", "if (false)"],
    ordered("polled", "between", 2),
  ],
];
for (const [what, file, edit, task] of OUT_OF_ORDER) {
  test(`an access out of order is noticed: ${what}`, async () => {
    const { broken } = await simulatedBy(file, [edit], task);
    assert.ok(isBroken("inOrder", [broken ?? ""]), broken ?? "not noticed");
  });
}

test("a line is never handed on before it is free", async () => {
  const watching: Edit = [
    "    const arrival = this.#lines.take(",
    `    if (start < this.#board.freeAt[line]!) throw new Error("goes back");
    const arrival = this.#lines.take(`,
  ];
  const task = taskOf("counter", "added", 2, { costs: { ...TEST_COSTS, jitter: 0.3 } });
  assert.equal((await simulatedBy("schedule.ts", [watching], task)).broken, undefined);
  const hasty: Edit = ["return Math.max(freeAt[line]!, effect);", "return effect;"];
  await assert.rejects(simulatedBy("schedule.ts", [watching, hasty], task), /goes back/);
});

describe("polls that are skipped", () => {
  const asking = new Simulator(
    mutantProgram("thread.ts", ["this.#credit = isPoll ?", "this.#credit = false ?"]),
  );
  after(() => asking.close());

  test("change nothing of what polling takes", async () => {
    const late: Edit = [
      "Math.floor((start - polledAt[worker]!) / pollNs[worker]!)",
      "Math.ceil((start - time[worker]!) / pollNs[worker]!)",
    ];
    for (const polled of ["plain", "pausing"]) {
      const task = taskOf("signal", polled, 2, { operations: 60 });
      const [skipping, asked] = [await simulator.simulate(task), await asking.simulate(task)];
      assert.equal(skipping.accessesPerOperation, asked.accessesPerOperation);
      assert.deepEqual(skipping.perWorker, asked.perWorker);
      for (const name of ["nsPerOperation", "p50Ns", "p99Ns", "maxNs"] as const)
        nearly(skipping[name], asked[name]);
      if (polled === "plain") continue;
      const { accessesPerOperation } = await simulatedBy("schedule.ts", [late], task);
      assert.ok(accessesPerOperation > asked.accessesPerOperation, `${accessesPerOperation}`);
    }
  });

  test("end at most an eighth late where workers take turns", async () => {
    const costs = { ...TEST_COSTS, quantum: 1_000, switching: 50 };
    const topology = { sockets: 1, complexesPerSocket: 1, coresPerComplex: 2 };
    const task = taskOf("signal", "plain", 3, { operations: 60, topology, costs });
    const most = 1.125 * (await asking.simulate(task)).nsPerOperation;
    const { nsPerOperation } = await simulator.simulate(task);
    assert.ok(nsPerOperation < most, `${nsPerOperation} and at most ${most}`);
    const beyond: Edit = ["Math.min(most, Math.floor(leftNs / everyNs))", "(leftNs > 0 ? most : 0)"];
    const late = await simulatedBy("schedule.ts", [beyond], task);
    assert.ok(late.nsPerOperation > most, `${late.nsPerOperation}`);
  });
});

test("one that polls a bounded number of times goes on at most four polls and an eighth late", async () => {
  const exact = POLLS * TEST_COSTS.load + TEST_COSTS.update;
  const most = exact + (4 + POLLS / 8) * TEST_COSTS.load;
  const task = taskOf("bounded", "polled", 2);
  const { p50Ns, maxNs } = await simulator.simulate(task);
  assert.ok(exact <= p50Ns && maxNs <= most, `${exact} became ${p50Ns}, at most ${maxNs}`);
  const patient: Edit = ["polls >> POLLS_AHEAD_SHIFT", "polls"];
  const late = await simulatedBy("thread.ts", [patient], task);
  assert.ok(late.maxNs > most, `only ${late.maxNs}`);
});

for (const how of ["asleep", "falling"]) {
  test(`waiters are woken in the order in which they came, ${how}, or when their time is over`, async () => {
    const { broken, sleepsPerOperation } = await simulator.simulate(
      taskOf("sleepers", how, 5, { operations: 60 }),
    );
    assert.equal(broken, undefined);
    assert.ok(sleepsPerOperation >= 0);
  });
}

const WRONG_WAITS: readonly (readonly [law: string, how: string, workers: number, Edit])[] = [
  [
    "fifo",
    "asleep",
    3,
    ["sleepOrder[worker]! < sleepOrder[found]!", "sleepOrder[worker]! > sleepOrder[found]!"],
  ],
  ["timeLimit", "asleep", 3, ["limitMs * NS_PER_MS", "(limitMs * NS_PER_MS) / 2"]],
  ["conserved", "falling", 2, ["return woken;", "return woken + 1;"]],
  ["woken", "asleep", 2, ["(isIdle ? wake : wakeSoon)", "1_000 * wake"]],
];
for (const [law, how, workers, edit] of WRONG_WAITS) {
  test(`waits that break ${law} are noticed`, async () => {
    const task = taskOf("sleepers", how, workers, { operations: 60 });
    const { broken } = await simulatedBy("schedule.ts", [edit], task);
    assert.ok(isBroken(law, [broken ?? ""]), broken ?? "not noticed");
  });
}

const crowded = { topology: { sockets: 1, complexesPerSocket: 1, coresPerComplex: CROWD_CORES } };

test("more workers than cores take turns, one at a time on each core", async () => {
  for (const competitor of ["computing", "napping"]) {
    const task = taskOf("crowd", competitor, 5, { ...crowded, operations: 1_000 });
    const { broken, perWorker, nsPerOperation } = await simulator.simulate(task);
    assert.equal(broken, undefined);
    // A quantum is ten operations.
    assert.ok(Math.max(...perWorker) - Math.min(...perWorker) <= 20, `${perWorker}`);
    assert.ok(nsPerOperation > (4 / CROWD_CORES) * 1_000, `${nsPerOperation}`);
  }
});

test("no core waits for a worker that is being woken while another can run", async () => {
  const costs = { ...TEST_COSTS, wake: 50_000, wakeSoon: 50_000 };
  const task = taskOf("crowd", "mixed", 4, { ...crowded, operations: 500, costs });
  const { nsPerOperation } = await simulator.simulate(task);
  // Three compute on two cores, and the last one hardly ever does.
  assert.ok(nsPerOperation < 1.15 * (3 / CROWD_CORES) * 1_000, `${nsPerOperation}`);
});

test("a core that two workers have at once is noticed", async () => {
  const early: Edit = ["    this.pass(sleep);\n    this.#awaitTurn();\n", "    this.pass(sleep);\n"];
  const task = taskOf("crowd", "napping", 3, { ...crowded, operations: 500 });
  assert.equal((await simulator.simulate(task)).broken, undefined);
  const { broken } = await simulatedBy("schedule.ts", [early], task);
  assert.ok(isBroken("oneAtOnce", [broken ?? ""]), broken ?? "not noticed");
});

test("a worker that has slept comes back to its core, if that is free", async () => {
  const task = taskOf("naps", "each", 4);
  assert.equal((await simulator.simulate(task)).broken, undefined);
  const nomad: Edit = ["busy[home[self]!] === 0 ? home[self]! : busy", "busy"];
  const { broken } = await simulatedBy("schedule.ts", [nomad], task);
  assert.ok(isBroken("ownCore", [broken ?? ""]), broken ?? "not noticed");
});

test("workers that sleep for ever are noticed, and can be simulated no further", async () => {
  const { broken } = await simulator.simulate(taskOf("stuck", "asleep", 3));
  assert.ok(isBroken("everyWorkerFinishes", [broken ?? ""]), broken ?? "not noticed");
  assert.equal((await simulator.simulate(taskOf("own-lines", "each", 3))).broken, undefined);
});

test("a thread that ends by itself is noticed", async () => {
  const other = new Simulator();
  await assert.rejects(other.simulate(taskOf("leaving", "each", 2)), /a thread ended before it answered/);
});

const far = (sockets: number) => ({ sockets, complexesPerSocket: 2 / sockets, coresPerComplex: 1 });
const near = { sockets: 1, complexesPerSocket: 1, coresPerComplex: 2 };
const HANDOVERS = [
  [MILAN_X, near, 26.1],
  [MILAN_X, far(1), 116.6],
  [MILAN_X, far(2), 197.2],
  [ICE_LAKE, near, 51.3],
  [ICE_LAKE, far(2), 107.8],
] as const;
for (const [machine, topology, publishedNs] of HANDOVERS) {
  test(`two cores of ${machine.name} hand a word over in about ${publishedNs} ns`, async () => {
    const costs = nominalCosts(machine);
    const { nsPerOperation } = await simulator.simulate(taskOf("handover", "ping", 2, { topology, costs }));
    assert.ok(Math.abs(nsPerOperation / 2 / publishedNs - 1) < 0.15, `${nsPerOperation / 2}`);
  });
}
