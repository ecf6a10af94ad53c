import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitors } from "../catalog.ts";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import { faultsBreakLaws } from "../shared/law-tests.ts";
import { mutatedModuleIn } from "../shared/mutated.ts";
import peakEwma from "./competitors/peak-ewma.ts";
import rotatingRoundRobin from "./competitors/rotating-round-robin.ts";
import smoothWeighted from "./competitors/smooth-weighted.ts";
import twoChoices from "./competitors/two-choices.ts";
import twoChoicesEjecting from "./competitors/two-choices-ejecting.ts";
import { balancer } from "./parts/balancer.ts";
import { balancerLaws } from "./pick.balancer.examination.ts";
import * as ownLaws from "./pick.balancer.laws.ts";
import type { PickCompetitor } from "./pick.contract.ts";
import { busiestIsSpared, ejectedStaySpared, noneIsFlooded, rampIsKept } from "./pick.standing.laws.ts";

const competitors = await loadCompetitors<PickCompetitor>("pick");

describe("pick: a balancer of items keeps its laws with any picker", () => {
  const seen = new Set<string>();
  for (const { name, competitor, skip } of competitors) {
    const { order, needsLinear, ejects, latencies } = competitor;
    const kind = `${order} ${needsLinear} ${latencies !== undefined}`;
    if (order === "none" || ejects !== undefined || skip || seen.has(kind)) continue;
    seen.add(kind);
    it(`${name}, the first in the order ${order}`, async () => {
      const broken = await balancerLaws(competitor, balancer);
      assert.deepEqual(
        broken.filter((law) => law !== undefined),
        [],
      );
    });
  }
});

const laws = { ...ownLaws, busiestIsSpared, ejectedStaySpared, noneIsFlooded, rampIsKept };
describe("pick: each law on balancers finds the fault that breaks it", () => {
  const FAULTS = new URL("testdata/balancer-faults.txt", import.meta.url);
  faultsBreakLaws(FAULTS, laws, async ({ in: file, edits }) => {
    const url = import.meta.resolve("./parts/balancer.ts");
    const { balancer: mutant } = await mutatedModuleIn<{ balancer: typeof balancer }>(file!, url, ...edits);
    return await balancerLaws(twoChoices, mutant);
  });
});

describe("pick: a balancer", () => {
  it("gives the function an item at once, and resolves with what it returns", async () => {
    const made = balancer(twoChoices, ["a", "b"]);
    let given: string | undefined;
    const used = made.use((item) => {
      given = item;
      return item.toUpperCase();
    });
    assert.ok(given === "a" || given === "b");
    assert.equal(made.inFlight(given), 1);
    assert.equal(await used, given.toUpperCase());
    assert.equal(made.inFlight(given), 0);
  });

  it("does not pick where the signal has aborted", async () => {
    const made = balancer(twoChoices, ["a"]);
    const reason = new Error("enough");
    await assert.rejects(
      made.use(() => assert.fail(), { signal: AbortSignal.abort(reason) }),
      reason,
    );
  });

  it("gives few requests to a server that answers 503 at once", async () => {
    const made = balancer(twoChoices, ["a", "b", "c"], { eject: { nowMs: () => 0 } });
    const got = { a: 0, b: 0, c: 0 };
    for (let sent = 0; sent < 1000; sent++)
      await made.use(async (item) => {
        got[item as keyof typeof got]++;
        return new Response(null, { status: item === "a" ? 503 : 200 });
      });
    assert.ok(got.a <= 5, `${got.a} of 1000`);
  });

  it("counts what an item did, by answers and errors, whoever's signal ended it", async () => {
    const timeout = new DOMException("too late", "TimeoutError");
    const abort = new DOMException("gone", "AbortError");
    const fails = (error: unknown) => () => Promise.reject(error);
    const by = (reason: unknown, error = reason) => {
      const controller = new AbortController();
      const ends = () => {
        controller.abort(reason);
        return Promise.reject(error);
      };
      return [ends, { signal: controller.signal }] as const;
    };
    const asked = { isFailedAnswer: (answer: unknown) => answer === "sorry" };
    for (const [failed, options, ...given] of [
      [true, {}, () => ({ status: 502 })],
      [true, {}, () => ({ statusCode: 504 })],
      [false, {}, () => ({ status: 500 })],
      [false, {}, () => null],
      [true, asked, () => "sorry"],
      [false, asked, () => ({ status: 503 })],
      [true, {}, fails(new TypeError("fetch failed"))],
      [true, {}, fails(undefined)],
      [true, {}, fails(timeout)],
      [true, {}, ...by(timeout)],
      // Node's own functions throw an AbortError whatever the reason was.
      [true, {}, ...by(timeout, abort)],
      [true, {}, fails(Object.assign(new Error("aborted"), { name: "AbortError", cause: timeout }))],
      [false, {}, fails(abort)],
      [false, {}, ...by(abort)],
      [false, {}, ...by(new Error("the user has gone"))],
      [true, {}, ...by(new Error("the user has gone"), new TypeError("fetch failed"))],
    ] as const) {
      const made = balancer(rotatingRoundRobin, ["a", "b"], { ...options, eject: { failures: 1 } });
      let used: string | undefined;
      const [fn, ...rest] = given;
      const request = (item: string) => {
        used = item;
        return fn();
      };
      await made.use<unknown>(request, ...rest).catch(() => {});
      assert.equal(made.inFlight(used!), 0);
      const picks = Array.from({ length: 10 }, () => made.take().item);
      assert.equal(!picks.includes(used!), failed, `${fn} ${JSON.stringify(options)}`);
    }
  });

  it("releases as failed where isFailure or isFailedAnswer throws", async () => {
    const throws = () => {
      throw new Error("a fault of the option");
    };
    const asked = { isFailure: throws, isFailedAnswer: throws, eject: { failures: 1 } };
    for (const ends of [() => 1, () => Promise.reject(new Error("lost"))]) {
      const made = balancer(rotatingRoundRobin, ["a", "b"], asked);
      let failing: string | undefined;
      const used = made.use<unknown>((item) => {
        failing = item;
        return ends();
      });
      await assert.rejects(used, { message: "a fault of the option" });
      assert.equal(made.inFlight(failing!), 0);
      for (let pick = 0; pick < 10; pick++) assert.notEqual(made.take().item, failing);
    }
  });

  it("has a failure of isFailedAnswer count against the item, whatever isFailure says", async () => {
    const isFailedAnswer = () => assert.fail("a fault of the option");
    const asked = { isFailedAnswer, isFailure: () => false, eject: { failures: 1 } };
    const made = balancer(rotatingRoundRobin, ["a", "b"], asked);
    await assert.rejects(made.use(() => 1));
    assert.equal(new Set(Array.from({ length: 10 }, () => made.take().item)).size, 1);
  });

  it("makes a trial that its caller gave up due again at once", () => {
    let nowMs = 0;
    const eject = { failures: 1, forMs: 100, nowMs: () => nowMs };
    const made = balancer(rotatingRoundRobin, ["a", "b"], { eject });
    const failing = made.take();
    failing.release(true);
    nowMs = 100;
    const takes = (count: number) => Array.from({ length: count }, () => made.take());
    const isTried = ({ item }: { readonly item: string }) => item === failing.item;
    const trials = takes(10).filter(isTried);
    assert.equal(trials.length, 1);
    assert.ok(!takes(10).some(isTried));
    trials[0]!.release(null);
    assert.equal(takes(10).filter(isTried).length, 1);
  });

  it("refuses a second release, and counts the first alone", () => {
    const made = balancer(twoChoices, ["a"]);
    const [first, second] = [made.take(), made.take()];
    first.release();
    assert.throws(() => first.release(), { message: "this lease was released before: release each once" });
    assert.equal(made.inFlight("a"), 1);
    second.release(true);
    assert.equal(made.inFlight("a"), 0);
  });

  it("drains the last item, and then has none to pick", async () => {
    const made = balancer(rotatingRoundRobin, ["a"]);
    await made.drain("a");
    assert.deepEqual(made.items, []);
    const none = { message: "no items are left to pick from: add one" };
    assert.throws(() => made.take(), none);
    await assert.rejects(
      made.use(() => assert.fail()),
      none,
    );
    made.add("b");
    assert.equal(await made.use((item) => item), "b");
  });

  it("adds an item anew while it is being drained, and the drain waits for the earlier requests", async () => {
    const made = balancer(twoChoices, ["a"]);
    const early = made.take();
    let isDrained = false;
    const drained = Promise.all([made.drain("a"), made.drain("a")]).then(() => {
      isDrained = true;
    });
    made.add("a");
    const late = made.take();
    assert.equal(made.inFlight("a"), 2);
    late.release();
    await new Promise(setImmediate);
    assert.equal(isDrained, false);
    early.release();
    await drained;
    assert.deepEqual([made.items, made.inFlight("a")], [["a"], 0]);
  });

  it("drains an item twice over, and the later call waits for both", async () => {
    const made = balancer(twoChoices, ["a"]);
    const leases = [0, 1].map(() => {
      const lease = made.take();
      made.drain("a");
      made.add("a");
      return lease;
    });
    await made.drain("a");
    const ends: string[] = [];
    const drained = made.drain("a").then(() => ends.push("drained"));
    leases[0]!.release();
    await new Promise(setImmediate);
    assert.deepEqual(ends, []);
    leases[1]!.release();
    await drained;
  });

  it("gives a new item more and more of its fair share", () => {
    for (const [slowStart, shares] of [
      // Of 100 requests among four, with each tenth of the time.
      [{ forMs: 1_000 }, [2, 4, 6, 9, 11, 14, 16, 19, 20, 24, 24, 26]],
      [{ forMs: 1_000, aggression: 2 }, [5, 10, 12, 15, 17, 18, 20, 21, 23, 24, 26, 24]],
    ] as const) {
      let nowMs = 0;
      const made = balancer(rotatingRoundRobin, ["a", "b", "c"], {
        slowStart: { ...slowStart, nowMs: () => nowMs },
        seed: 1,
      });
      made.add("new");
      const got = shares.map(() => {
        let requests = 0;
        for (let request = 0; request < 100; request++, nowMs++) {
          const { item, release } = made.take();
          if (item === "new") requests++;
          release();
        }
        return requests;
      });
      assert.deepEqual(got, shares);
    }
  });

  it("keeps what is known of latencies when items come and go", () => {
    let nowMs = 5;
    const reported: (readonly [number, number])[] = [];
    const competitor: PickCompetitor = {
      ...peakEwma.latencies.byClock(() => nowMs),
      attach(memory, setup, worker) {
        const picker = peakEwma.latencies.byClock(() => nowMs).attach(memory, setup, worker);
        const { report, estimate } = picker.latencies!;
        const noted = (backend: number, ms: number) => {
          reported.push([backend, ms]);
          report(backend, ms);
        };
        return { ...picker, latencies: { report: noted, estimate } };
      },
    };
    const made = balancer(competitor, ["a", "b"]);
    const leases = [made.take(), made.take()];
    for (const { release } of leases) release();
    const before = reported.splice(0);
    assert.deepEqual(before.map(([backend]) => backend).sort(), [0, 1]);
    nowMs += 10_000;
    made.add("c");
    assert.deepEqual(
      reported.map(([backend]) => backend),
      [0, 1],
    );
    for (const [backend, ms] of before) {
      const decayed = Math.max(1e-3, ms) / Math.E;
      const kept = reported.find(([other]) => other === backend)![1];
      assert.ok(Math.abs(kept / decayed - 1) < 0.01, `${ms} ms is kept as ${kept}`);
    }
  });

  it("goes by weight where the picker does", () => {
    const made = balancer(smoothWeighted, ["a", "b"], { weights: [3, 1] });
    made.add("c", 4);
    const picks = Array.from({ length: 80 }, () => {
      const { item, release } = made.take();
      release();
      return item;
    });
    const count = (item: string) => picks.filter((picked) => picked === item).length;
    assert.deepEqual([count("a"), count("b"), count("c")], [30, 10, 40]);
  });
});

const REFUSALS = new URL("testdata/balancer-refusals.txt", import.meta.url);

itRefusesAsWritten("pick: a balancer refuses wrong input in one line", REFUSALS, () => {
  return { balancer, twoChoices, smoothWeighted, twoChoicesEjecting, made: balancer(twoChoices, ["a"]) };
});
