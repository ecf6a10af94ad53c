import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { competitorsOf, contractOf, examinationOf, loadCompetitor, primitives } from "./catalog.ts";
import { itRefusesAsWritten } from "./interleave/calls.trials.ts";
import robustFutex from "./locks/competitors/robust-futex.ts";
import * as locks from "./locks/locks.instance.ts";
import seqlockSlots from "./ownership/competitors/seqlock-slots.ts";
import plainLoads from "./ownership/competitors/seqlock-slots-plain-loads.ts";
import { formatted, privateOwnership } from "./ownership/ownership.contract.ts";
import * as ownership from "./ownership/ownership.instance.ts";
import casRing from "./pick/competitors/cas-ring.ts";
import * as pick from "./pick/pick.instance.ts";
import type { Stamped } from "./shared/instance.ts";
import sharedTicket from "./slots/competitors/shared-ticket.ts";
import * as slots from "./slots/slots.instance.ts";
import inboxWheels from "./timers/competitors/inbox-wheels.ts";
import { privateTimers } from "./timers/timers.contract.ts";
import * as timers from "./timers/timers.instance.ts";

/** URL of a module whose default export is the oracle with what `changes` says of it, a JavaScript object. */
function changed(primitive: string, oracle: string, changes: string): string {
  const { url } = competitorsOf(primitive).find(({ name }) => name === oracle)!;
  const source = `import { isMainThread } from "node:worker_threads";
    import honest from ${JSON.stringify(url)};
    export default { ...honest, ...${changes} };`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

/** JavaScript that makes this object of primitives, functions and arrays. */
function literal(values: object): string {
  const fields = Object.entries(values).map(([name, value]) => {
    const text = typeof value === "string" ? JSON.stringify(value) : inspect(value);
    return `${name}: ${typeof value === "function" ? value : text}`;
  });
  return `{ ${fields.join()} }`;
}

describe("what hands out a structure", () => {
  const capacity = { resources: 1, owners: 1, windowMs: 1000, ranges: 1 };
  const make = {
    pick: (competitor) => pick.makePicker(competitor, { backends: 2, workers: 1 }),
    slots: (competitor) => slots.makeSlots(competitor, { slots: 60, workers: 1 }),
    locks: (competitor) => locks.makeLock(competitor, 1),
    timers: (competitor) => timers.makeTimers(competitor, { capacity: 8, workers: 1 }),
    ownership: (competitor) => ownership.makeOwnership(competitor, { ...capacity, workers: 1 }),
  } satisfies Record<string, (competitor: never) => Stamped>;
  const honest = {
    pick: casRing,
    slots: sharedTicket,
    locks: robustFutex,
    timers: inboxWheels,
    ownership: seqlockSlots,
  };
  const attachTo: Readonly<
    Record<keyof typeof make, (competitor: never, instance: never, index: number) => unknown>
  > = {
    pick: pick.attachPicker,
    slots: slots.attachSlots,
    locks: locks.attachLock,
    timers: timers.attachTimers,
    ownership: ownership.attachOwnership,
  };
  /** Every function that a structure is made by, or that takes an instance of one. */
  const entries: [string, (competitor: never) => unknown][] = Object.entries(make).flatMap(
    ([primitive, makeInstance]) => {
      const name = primitive as keyof typeof make;
      const instance = makeInstance(honest[name] as never);
      return [
        [`${primitive}: makeInstance`, makeInstance as (competitor: never) => unknown],
        [`${primitive}: attachTo`, (competitor) => attachTo[name](competitor, instance as never, 0)],
      ];
    },
  );
  const ring = make.pick(casRing as never);
  const lock = make.locks(robustFutex as never);
  entries.push(
    ["pick: membersOf", (competitor) => pick.membersOf(competitor, ring)],
    ["locks: workerExited", (competitor) => locks.workerExited(competitor, lock, 0)],
    ["timers: privateTimers", (competitor) => privateTimers(competitor, 8)],
    ["ownership: privateOwnership", (competitor) => privateOwnership(competitor, capacity)],
    ["ownership: formatted", (competitor) => formatted(competitor, capacity)],
  );

  for (const [name, entry] of entries) {
    it(`${name} refuses what says that it is unavailable`, () => {
      const competitor = { ...casRing, unavailable: () => "it needs another machine" };
      assert.throws(() => entry(competitor as never), {
        name: "Error",
        message: `this runtime cannot run "${casRing.summary}": it needs another machine; take another competitor`,
      });
    });

    it(`${name} refuses a value that is no competitor`, () => {
      for (const [none, message] of [
        ["cas-ring", /^'cas-ring' is no [a-z ]+: give the default export of a module such as hotpath-lab\//],
        [undefined, /^undefined is no /],
        [null, /^null is no /],
        [{ words: 1 }, /^\[Object\] is no /],
        [{ default: casRing }, /^this is a module, not a competitor: give its default export/],
      ] as const)
        assert.throws(() => entry(none as never), { name: "TypeError", message });
    });
  }

  it("has its former names still", () => {
    for (const [former, name] of [
      [pick.makeInstance, pick.makePicker],
      [pick.attachTo, pick.attachPicker],
      [locks.makeInstance, locks.makeLock],
      [locks.attachTo, locks.attachLock],
      [timers.makeInstance, timers.makeTimers],
      [timers.attachTo, timers.attachTimers],
      [slots.makeInstance, slots.makeSlots],
      [slots.attachTo, slots.attachSlots],
      [ownership.makeInstance, ownership.makeOwnership],
      [ownership.attachTo, ownership.attachOwnership],
    ])
      assert.equal(former, name);
  });

  it("pick: startBackground refuses both, too", async () => {
    const competitor = { ...casRing, unavailable: () => "it needs another machine" };
    await assert.rejects(pick.startBackground(competitor, ring), { message: /^this runtime cannot run / });
    await assert.rejects(pick.startBackground("cas-ring" as never, ring), { name: "TypeError" });
  });

  it("gives out seqlock-slots-plain-loads where loads are made in order, and nowhere else", () => {
    const { arch } = process;
    const instance = make.ownership(seqlockSlots as never) as ownership.OwnershipInstance;
    try {
      Object.defineProperty(process, "arch", { value: "arm64" });
      const message = /: it needs x86-64, which makes loads in order; /;
      assert.throws(() => make.ownership(plainLoads as never), { message });
      assert.throws(() => ownership.attachOwnership(plainLoads, instance, 0), { message });
      Object.defineProperty(process, "arch", { value: "x64" });
      ownership.attachOwnership(
        plainLoads,
        make.ownership(plainLoads as never) as ownership.OwnershipInstance,
        0,
      );
    } finally {
      Object.defineProperty(process, "arch", { value: arch });
    }
  });
});

describe("a value that is no competitor", async () => {
  const CHANGES = new URL("testdata/no-competitors.txt", import.meta.url);
  const contracts = Object.fromEntries(
    await Promise.all(
      primitives().map(async (primitive) => [primitive, await contractOf(primitive)] as const),
    ),
  );
  const loaded = (primitive: string) => (changes: object) => {
    const contract = contracts[primitive]!;
    return loadCompetitor(changed(primitive, contract.oracle, literal(changes)), contract);
  };
  const module = (source: string) => loadCompetitor(`data:text/javascript,${source}`, contracts.pick!);
  const scope = { ...Object.fromEntries(primitives().map((name) => [name, loaded(name)])), module };
  itRefusesAsWritten("is refused in a line that says how to mend it", CHANGES, () => scope);

  it("is no lower bound, which may pick in no order", async () => {
    await loaded("pick")({ order: "none", lowerBound: true });
  });
});

describe("every primitive has an examination", () => {
  for (const primitive of primitives()) {
    it(primitive, async () => {
      const { oracle } = await contractOf(primitive);
      const { tries, examine } = await examinationOf(primitive);
      assert.match(tries, /^[a-z0-9][^\n]{9,99}[^.\s]$/);
      const cannotRun = changed(primitive, oracle, '{ unavailable: () => "it needs a better world" }');
      assert.deepEqual(await examine(cannotRun), [
        "runsHere: this runtime cannot run it: it needs a better world",
      ]);
      const throws = '() => { throw new TypeError("no such thing\\n  at stack"); }';
      const broken = await examine(
        changed(
          primitive,
          oracle,
          `{ words: ${throws}, create: ${throws}, attach: ${throws}, watch: ${throws} }`,
        ),
      );
      assert.match(broken.join("\n"), /^[a-zA-Z]+: .*TypeError: no such thing$/m);
    });
  }
});

describe("a competitor's summary", () => {
  it("is not used by any other, so that it identifies what made an instance", async () => {
    const summaries = await Promise.all(
      primitives().flatMap((primitive) =>
        competitorsOf(primitive).map(
          async ({ url }) => (await loadCompetitor(url, await contractOf(primitive))).summary,
        ),
      ),
    );
    assert.deepEqual(
      summaries.filter((summary, at) => summaries.indexOf(summary) !== at),
      [],
    );
  });
});

describe("a yardstick", () => {
  for (const primitive of primitives()) {
    it(`${primitive}: refers to a competitor that is no yardstick itself`, async () => {
      const contract = await contractOf(primitive);
      const yardsticks = new Map(
        await Promise.all(
          competitorsOf(primitive).map(
            async ({ name, url }) => [name, (await loadCompetitor(url, contract)).yardstickOf] as const,
          ),
        ),
      );
      const scripts = [...yardsticks].flatMap(([name, of]) => (of === undefined ? [name] : []));
      for (const [name, of] of yardsticks)
        assert.ok(of === undefined || scripts.includes(of), `${name} is no yardstick of ${of}`);
    });
  }
});

describe("an examination ends where a worker does", () => {
  const EXITS = "if (!isMainThread) process.exit(0)";
  for (const [primitive, name] of [
    ["locks", "test-and-test-and-set"],
    ["ownership", "seqlock-slots"],
    ["pick", "cas-ring"],
    ["slots", "shared-ticket"],
    ["timers", "locked-hashed-wheel"],
  ] as const) {
    it(`${primitive}: ${name}`, async () => {
      const attach = `(...args) => { ${EXITS}; return honest.attach(...args); }`;
      const { examine } = await examinationOf(primitive);
      assert.deepEqual(await examine(changed(primitive, name, `{ attach: ${attach} }`)), [
        "nothingIsThrown: Error: worker exited with code: 0",
      ]);
    });
  }

  it("pick: the thread beside the workers", async () => {
    const background = `{ url: import.meta.url, attach: (...args) => { ${EXITS}; return honest.background.attach(...args); } }`;
    const { examine } = await examinationOf("pick");
    assert.deepEqual(
      await examine(changed("pick", "background-reshuffle", `{ background: ${background} }`)),
      ["nothingIsThrown: Error: the thread beside the workers exited with code: 0"],
    );
  });
});
