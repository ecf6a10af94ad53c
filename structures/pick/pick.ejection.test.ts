import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { loadCompetitors } from "../catalog.ts";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { writtenIn } from "../shared/mutants.ts";
import rotatingRoundRobin from "./competitors/rotating-round-robin.ts";
import twoChoices from "./competitors/two-choices.ts";
import twoChoicesEjecting from "./competitors/two-choices-ejecting.ts";
import versionedTable from "./competitors/versioned-table.ts";
import { ejecting } from "./parts/ejecting.ts";
import { Standings } from "./parts/standing.ts";
import type { PickCompetitor } from "./pick.contract.ts";
import { ejectionLaws } from "./pick.ejection.examination.ts";
import { type EjectionModelLaw, ejectionModelLaws, exploreEjections } from "./pick.ejection.model.ts";
import { attachPicker, makePicker, membersOf } from "./pick.instance.ts";

const competitors = await loadCompetitors<PickCompetitor>("pick");
const SETUP = { backends: 5, workers: 1, seed: 1 };

describe("pick: any picker ejects", () => {
  const seen = new Set<string>();
  for (const { name, competitor } of competitors) {
    const kind = `${competitor.order} ${competitor.needsLinear} ${competitor.members !== undefined}`;
    if (competitor.order === "none" || competitor.ejects !== undefined || seen.has(kind)) continue;
    seen.add(kind);
    it(`${name}, the first in the order ${competitor.order}, keeps the laws`, () => {
      const broken = [...ejectionLaws(ejecting(competitor).ejects)].filter((law) => law !== undefined);
      assert.deepEqual(broken, []);
    });
  }

  it("and picks as it would have while no request fails", () => {
    for (const { competitor } of competitors) {
      if (competitor.unseeded) continue;
      const picks = (made: PickCompetitor) => {
        const picker = attachPicker(made, makePicker(made, { ...SETUP, backends: 8 }), 0);
        return Array.from({ length: 200 }, () => {
          const backend = picker.pick();
          picker.release?.(backend);
          return backend;
        });
      };
      assert.deepEqual(picks(ejecting(competitor)), picks(competitor), competitor.summary);
    }
  });

  it("and no drained backend takes the place of an ejected one", () => {
    const competitor = ejecting(versionedTable, { failures: 1 });
    const instance = makePicker(competitor, SETUP);
    membersOf(competitor, instance).change([
      [3, 0],
      [4, 0],
    ]);
    const picker = attachPicker(competitor, instance, 0);
    for (const backend of [0, 1]) picker.release(backend, true);
    for (let pick = 0; pick < 100; pick++) assert.equal(picker.pick(), 2);
    picker.release(2, true);
    // Two that are not ejected are no members: all that remain to pick are ejected.
    const picked = new Set(Array.from({ length: 100 }, () => picker.pick()));
    assert.deepEqual([...picked].sort(), [0, 1, 2]);
  });

  it("and of few that are left each gets its part, though a picker by load would rather have the others", () => {
    const backends = 40;
    const competitor = ejecting(twoChoices, { failures: 1, nowMs: () => 0 });
    const picker = attachPicker(competitor, makePicker(competitor, { ...SETUP, backends }), 0);
    for (let backend = 3; backend < backends; backend++) {
      picker.take(backend);
      picker.release(backend, true);
    }
    const counts = [0, 0, 0];
    for (let pick = 0; pick < 300; pick++) counts[picker.pick()]!++;
    assert.ok(Math.min(...counts) > 50, counts.join());
  });

  it("for `forMs`, by a clock that may be given and whose origin does not matter", () => {
    // The second is just below where a record's 30 bits of time begin anew.
    for (const beginMs of [0, 2 ** 30 - 50]) {
      let nowMs = beginMs;
      const options = { failures: 2, forMs: 100, nowMs: () => nowMs };
      const competitor = ejecting(rotatingRoundRobin, options);
      const instance = makePicker(competitor, SETUP);
      const picker = attachPicker(competitor, instance, 0);
      const ejected = () => competitor.inspect(instance.memory, instance.setup).ejected;
      const picksOf = (backend: number) =>
        Array.from({ length: 50 }, () => picker.pick()).filter((picked) => picked === backend).length;
      picker.release(3, true);
      assert.deepEqual(ejected(), []);
      picker.release(3, true);
      assert.deepEqual(ejected(), [3]);
      nowMs += 99;
      assert.equal(picksOf(3), 0);
      nowMs += 1;
      assert.equal(picksOf(3), 1, "one trial");
      // No outcome is reported of it, and the next is as long after.
      nowMs += 100;
      assert.equal(picksOf(3), 1, "another trial");
      picker.release(3, true);
      assert.equal(picksOf(3), 0);
      nowMs += 100;
      assert.equal(picksOf(3), 1);
      picker.release(3, false);
      assert.deepEqual(ejected(), []);
      assert.equal(picksOf(3), 10);
    }
  });

  it("by the clock of the process where none is given", (context: TestContext) => {
    let nowMs = 0;
    context.mock.method(process.hrtime, "bigint", () => BigInt(nowMs) * 1_000_000n);
    context.mock.method(performance, "now", () => nowMs);
    const competitor = ejecting(rotatingRoundRobin, { failures: 1, forMs: 100 });
    const picker = attachPicker(competitor, makePicker(competitor, SETUP), 0);
    const isPicked = () => Array.from({ length: 50 }, () => picker.pick()).includes(3);
    picker.release(3, true);
    nowMs = 99;
    assert.equal(isPicked(), false);
    nowMs = 101;
    assert.equal(isPicked(), true);
  });

  const REFUSALS = new URL("testdata/ejecting-refusals.txt", import.meta.url);
  itRefusesAsWritten("and refuses wrong options in one line", REFUSALS, () => {
    const one = (of: PickCompetitor) => attachPicker(of, makePicker(of, SETUP), 0);
    return {
      ejecting,
      Standings,
      twoChoices,
      picker: one(ejecting(rotatingRoundRobin)),
      busy: one(twoChoices),
    };
  });
});

const faults = writtenIn<PickCompetitor, EjectionModelLaw>(
  new URL("testdata/ejection-faults.txt", import.meta.url),
);

describe("pick: in every interleaving of workers, outcomes and trials", () => {
  it("two-choices-ejecting: the laws hold", () => {
    assert.deepEqual(exploreEjections(twoChoicesEjecting), []);
  });

  findsFaults("pick", ejectionModelLaws, faults, (mutant, { breaks }) => exploreEjections(mutant, breaks));
});
