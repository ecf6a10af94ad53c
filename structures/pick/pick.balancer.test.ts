import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitors } from "../catalog.ts";
import { assertBroken } from "../shared/broken.ts";
import { type Edit, mutatedModuleIn } from "../shared/mutated.ts";
import rotatingRoundRobin from "./competitors/rotating-round-robin.ts";
import smoothWeighted from "./competitors/smooth-weighted.ts";
import twoChoices from "./competitors/two-choices.ts";
import twoChoicesEjecting from "./competitors/two-choices-ejecting.ts";
import { balancer } from "./parts/balancer.ts";
import { balancerLaws } from "./pick.balancer.examination.ts";
import * as ownLaws from "./pick.balancer.laws.ts";
import type { PickCompetitor } from "./pick.contract.ts";
import { busiestIsSpared, ejectedStaySpared, noneIsFlooded } from "./pick.standing.laws.ts";

const competitors = await loadCompetitors<PickCompetitor>("pick");

describe("pick: a balancer of items keeps its laws with any picker", () => {
  const seen = new Set<string>();
  for (const { name, competitor, skip } of competitors) {
    const { order, needsLinear, ejects } = competitor;
    const kind = `${order} ${needsLinear}`;
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

const laws = { ...ownLaws, busiestIsSpared, ejectedStaySpared, noneIsFlooded };
const ROSTER = "pick/parts/roster.ts";
const BALANCER = "pick/parts/balancer.ts";
const FAULTS: Readonly<Record<string, readonly [law: keyof typeof laws, file: string, edit: Edit]>> = {
  "a lease that is not released where the function throws": [
    "inFlightIsExact",
    BALANCER,
    ["      } finally {\n        roster.release(member, failed, round);\n      }", "      }"],
  ],
  "a lease that is released twice where the function throws": [
    "inFlightIsExact",
    BALANCER,
    ["        throw error;", "        roster.release(member, failed, round);\n        throw error;"],
  ],
  "a pick of a drained item": [
    "membersArePicked",
    ROSTER,
    ["    this.#seat(this.members.filter((other) => other !== member));", ""],
  ],
  "a drain that does not wait": ["drainsEndOnTime", ROSTER, ["if (member.inFlight > 0) {", "if (false) {"]],
  "a drain that never ends": ["drainsEndOnTime", ROSTER, ["    member.emptied();", ""]],
  "ejections that a change of members forgets": [
    "ejectedStaySpared",
    ROSTER,
    ["      member.at = at;", "      member.at = at;\n      member.standing.isEjected = false;"],
  ],
  "an abort that counts as served": [
    "ejectedStaySpared",
    BALANCER,
    ["isAbortBy(signal, error) ? undefined :", "isAbortBy(signal, error) ? false :"],
  ],
  "a failure that counts as none": [
    "ejectedStaySpared",
    ROSTER,
    ["hear(member.standing, failed, round)", "hear(member.standing, false, round)"],
  ],
  "loads that a change of members forgets": [
    "busiestIsSpared",
    ROSTER,
    ["picker!.take?.(at);", "picker!.take;"],
  ],
  "a member that is added and gets whatever the picker picks": [
    "noneIsFlooded",
    ROSTER,
    ["member.standing.allowance = 1", "member.standing.allowance = 9"],
  ],
};

describe("pick: each law on balancers finds the fault that breaks it", () => {
  for (const [what, [law, file, edit]] of Object.entries(FAULTS))
    it(`${what} breaks ${law}`, async () => {
      const url = import.meta.resolve("./parts/balancer.ts");
      const { balancer: mutant } = await mutatedModuleIn<{ balancer: typeof balancer }>(file, url, edit);
      const broken = await balancerLaws(twoChoices, mutant);
      assertBroken(
        law,
        broken.filter((sentence) => sentence !== undefined),
      );
    });

  it("every law has a fault", () => {
    assert.deepEqual(
      [...new Set(Object.values(FAULTS).map(([law]) => law))].sort(),
      Object.keys(laws).sort(),
    );
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

  it("releases as failed where isFailure throws", async () => {
    const isFailure = () => {
      throw new Error("a fault of isFailure");
    };
    const made = balancer(rotatingRoundRobin, ["a", "b"], { isFailure, eject: { failures: 1 } });
    let failing: string | undefined;
    const used = made.use((item) => {
      failing = item;
      throw new Error("lost");
    });
    await assert.rejects(used, { message: "a fault of isFailure" });
    assert.equal(made.inFlight(failing!), 0);
    for (let pick = 0; pick < 10; pick++) assert.notEqual(made.take().item, failing);
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

  it("refuses wrong input in one line, and changes nothing", async () => {
    const made = balancer(twoChoices, ["a"]);
    assert.throws(() => made.add("a"), {
      name: "RangeError",
      message: "this item is there already: to change its weight, drain it and add it anew",
    });
    assert.throws(() => made.add("b", 2), {
      name: "RangeError",
      message: "this picker has no weights: leave them out, or take one whose order is by weight",
    });
    await assert.rejects(made.drain("b"), {
      name: "RangeError",
      message: "this item is not there: nothing is to be drained",
    });
    assert.deepEqual(made.items, ["a"]);
    assert.throws(() => balancer(twoChoices, ["a", "a"]), {
      message: "an item is there twice: give each once",
    });
    assert.throws(() => balancer(smoothWeighted, ["a", "b"], { weights: [1] }), {
      message: "there are 1 weights for 2 items: give one for each",
    });
    assert.throws(() => balancer(twoChoices, ["a"], { eject: { failures: 0 } }), {
      message: "failures 0 is not an integer in 1 .. 1048576",
    });
    assert.throws(() => balancer(twoChoicesEjecting, ["a"]), {
      name: "TypeError",
      message:
        '"two-choices that ejects a backend for 10 s whose requests fail" ejects on its own: give the picker without that, and eject: { failures, forMs }',
    });
  });
});
