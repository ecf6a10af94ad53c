import assert from "node:assert/strict";
import { it } from "node:test";
import peakEwma from "../../structures/pick/competitors/peak-ewma.ts";
import twoChoices from "../../structures/pick/competitors/two-choices.ts";
import type { PickCompetitor } from "../../structures/pick/pick.contract.ts";
import type { Race } from "../engine/race.ts";
import type { ChangingParams, Shared } from "./changing.ts";
import membersChanging from "./scenarios/members-changing.ts";

/** What the law says once two workers have picked in turn while members changed over a hundred times. */
function lawAfterChanges(competitor: PickCompetitor): string | undefined {
  const { params, ...race } = membersChanging as Race<PickCompetitor, ChangingParams, Shared>;
  const setup = { params: params.smoke, workers: 2, seed: 7, fork: 0 };
  const shared = race.prepare(competitor, setup);
  const work = [0, 1].map((index) => {
    const worker = race.attach(competitor, setup, shared, { index, workers: 2, role: "worker", seed: index });
    return { ...worker, operations: 0, checksum: 0 };
  });
  for (let turn = 0; turn < 200; turn++)
    for (const worker of work) {
      worker.checksum += worker.run(96);
      worker.operations += 96;
    }
  const done = work.map(({ counters, ...own }) => ({
    ...own,
    index: 0,
    role: "worker",
    counters: counters!(),
  }));
  assert.ok(done[0]!.counters.changes! > 100);
  return race.law(competitor, setup, shared, done);
}

const twice: PickCompetitor = {
  ...twoChoices,
  attach(...given) {
    const picker = twoChoices.attach(...given);
    const take = (backend: number) => [1, 2].forEach(() => void picker.take(backend));
    return { ...picker, take };
  },
};

it("workers take their requests under way along while members change", () => {
  for (const competitor of [twoChoices, peakEwma]) assert.equal(lawAfterChanges(competitor), undefined);
  assert.match(lawAfterChanges(twice)!, /^requestsAreKept: /);
});
