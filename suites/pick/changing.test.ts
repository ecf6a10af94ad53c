import assert from "node:assert/strict";
import { it } from "node:test";
import twoChoices from "../../structures/pick/competitors/two-choices.ts";
import type { PickCompetitor } from "../../structures/pick/pick.contract.ts";
import type { Race } from "../engine/race.ts";
import type { ChangingParams, Shared } from "./changing.ts";
import membersChanging from "./scenarios/members-changing.ts";

it("workers take their requests under way along while members change", () => {
  const { params, ...race } = membersChanging as Race<PickCompetitor, ChangingParams, Shared>;
  const setup = { params: params.smoke, workers: 2, seed: 7, fork: 0 };
  const shared = race.prepare(twoChoices, setup);
  const [changer, other] = [0, 1].map((index) =>
    race.attach(twoChoices, setup, shared, { index, workers: 2, role: "worker", seed: index }),
  );
  for (let turn = 0; turn < 200; turn++) for (const { run } of [changer!, other!]) run(96);
  const { changes = 0 } = changer!.counters!();
  const { memory, setup: of } = shared.instances[changes % 2]!;
  const inFlight = twoChoices.inspect(memory, of).inFlight.reduce((sum, count) => sum + count, 0);
  assert.deepEqual([changes > 100, of.backends, inFlight], [true, 8, 2 * 8]);
});
