import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, loadCompetitor } from "../catalog.ts";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import { freeSeat } from "../shared/instance.ts";
import shuffledRoundRobin from "./competitors/shuffled-round-robin.ts";
import versionedTable from "./competitors/versioned-table.ts";
import { contract, type PickCompetitor, type PickSetup } from "./pick.contract.ts";
import { examinationThreads } from "./pick.examination.ts";
import { attachPicker, makePicker, membersOf } from "./pick.instance.ts";
import { changedUnderWorkers } from "./pick.members.examination.ts";

const REFUSALS = new URL("testdata/members-refusals.txt", import.meta.url);
const SETUP = { backends: 4, seed: 1, firstTicket: 0, workers: 2 };

/** Words of versioned-table. */
const VERSION = 32;
const CHANGING = 33;

function made(setup: Partial<PickSetup> = {}) {
  const instance = makePicker(versionedTable, { ...SETUP, ...setup });
  return { instance, members: membersOf(versionedTable, instance) };
}

describe("pick: a change of members", () => {
  it("shows the weights of all backends, at first the weights of the setup", () => {
    const { members } = made({ weights: [1, 2, 3, 4] });
    assert.deepEqual(members.weights(), [1, 2, 3, 4]);
    members.change([
      [1, 0],
      [3, 7],
    ]);
    assert.deepEqual(members.weights(), [1, 0, 3, 7]);
  });

  it("is seen by every worker, whichever thread's copy of the instance made it", () => {
    const { instance } = made();
    const pickers = [0, 1].map((index) => attachPicker(versionedTable, instance, index));
    membersOf(versionedTable, structuredClone(instance)).change([0, 1, 2].map((backend) => [backend, 0]));
    assert.deepEqual(
      pickers.map((picker) => picker.pick()),
      [3, 3],
    );
  });

  it("waits for no worker that never attached, and for one that has", () => {
    const { instance, members } = made();
    members.change([[0, 0]]);
    assert.ok(members.isSettled());
    attachPicker(versionedTable, instance, 1);
    assert.ok(members.isSettled());
    members.change([[0, 1]]);
    assert.ok(!members.isSettled());
    // The worker that takes its place begins with the members of today.
    freeSeat(instance, 1);
    attachPicker(versionedTable, instance, 1);
    assert.ok(members.isSettled());
  });

  it("replaces the last member by another, all at once", () => {
    const { instance, members } = made();
    members.change([1, 2, 3].map((backend) => [backend, 0]));
    members.change([
      [0, 0],
      [2, 1],
    ]);
    const picker = attachPicker(versionedTable, instance, 0);
    assert.deepEqual([picker.pick(), picker.pick()], [2, 2]);
  });

  it("can be waited for until it is settled, so that numbers do not run out", async () => {
    const { instance, members } = made();
    const picker = attachPicker(versionedTable, instance, 0);
    const spare = [3];
    members.change([[3, 0]]);
    picker.pick();
    // Many more changes than there are numbers: each takes the number that the one before has set free.
    for (let change = 0; change < 20; change++) {
      const taken = spare.shift()!;
      members.change([
        [(taken + 1) % 4, 0],
        [taken, 1],
      ]);
      const settled = members.settled();
      assert.ok(!members.isSettled());
      picker.pick();
      await settled;
      assert.ok(members.isSettled());
      spare.push((taken + 1) % 4);
    }
  });

  it("is waited for no longer than a signal allows", async () => {
    const { instance, members } = made();
    attachPicker(versionedTable, instance, 0);
    members.change([[3, 0]]);
    const controller = new AbortController();
    const waiting = members.settled({ signal: controller.signal });
    controller.abort();
    await assert.rejects(waiting, { name: "AbortError" });
    await assert.rejects(members.settled({ signal: AbortSignal.abort() }), { name: "AbortError" });
  });

  describe("is refused in one line", () => {
    const { instance, members } = made();
    const { instance: changing } = made();
    changing.memory[CHANGING] = 1;
    const fixed = makePicker(shuffledRoundRobin, SETUP);
    const scope = { members, membersOf, versionedTable, shuffledRoundRobin, instance, fixed, changing };
    itRefusesAsWritten("where it is none", REFUSALS, () => scope);

    it("and then nothing has changed, and the next goes on", () => {
      assert.deepEqual(members.weights(), [1, 1, 1, 1]);
      members.change([[0, 100]]);
      assert.deepEqual(members.weights(), [100, 1, 1, 1]);
    });
  });

  it("takes weights in lowest terms", () => {
    const { instance, members } = made();
    members.change([
      [0, 65_535],
      [1, 65_535],
      [2, 0],
      [3, 0],
    ]);
    const picker = attachPicker(versionedTable, instance, 0);
    assert.deepEqual(Array.from({ length: 4 }, () => picker.pick()).sort(), [0, 0, 1, 1]);
  });

  it("is seen where the last version is followed by the first", () => {
    const { instance, members } = made();
    members.change([[0, 0]]);
    // Odd as the version that the change made, so that the table of that one stands for this.
    instance.memory[VERSION] = 2 ** 31 - 1;
    const picker = attachPicker(versionedTable, instance, 0);
    members.change([1, 2].map((backend) => [backend, 0]));
    assert.equal(instance.memory[VERSION], 0);
    assert.equal(picker.pick(), 3);
  });

  it("is for pickers that say their share", () => {
    const { shareBound: _, ...shareless } = { ...versionedTable, order: "rotation" as const };
    assert.match(contract.contradiction(shareless)!, /^members needs shareBound/);
  });
});

describe("pick: a change of members every 10 ms for a minute, under 8 workers", async () => {
  const isThorough = process.env.HOTPATH_THOROUGH === "1";
  for (const { name, url } of competitorsOf("pick")) {
    const competitor = (await loadCompetitor(url, contract)) as PickCompetitor;
    if (competitor.members === undefined) continue;
    it(name, { skip: !isThorough && "HOTPATH_THOROUGH=1 has it" }, async (test) => {
      const minute = { workers: 8, changes: 6_000, everyMs: 10 };
      const threads = examinationThreads(minute.workers);
      test.after(() => threads.destroy());
      const { sentences, picks } = await changedUnderWorkers(competitor, url, minute, threads);
      assert.deepEqual(
        sentences.filter((sentence) => sentence !== undefined),
        [],
      );
      test.diagnostic(`${picks} picks`);
    });
  }
});
