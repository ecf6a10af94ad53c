import assert from "node:assert/strict";
import { test } from "node:test";
import { competitorsOf, contractOf, type Entry, loadCompetitor } from "../catalog.ts";
import { testLaws } from "../shared/law-tests.ts";
import ringOfSlots from "./competitors/ring-of-slots.ts";
import type { DispatchCompetitor } from "./dispatch.contract.ts";
import { examination } from "./dispatch.examination.ts";
import * as laws from "./dispatch.laws.ts";
import { mutants } from "./dispatch.mutants.ts";
import { enter, Observer, take } from "./parts/observer.ts";

const contract = await contractOf("dispatch");
const load = async (entry: Entry) => (await loadCompetitor(entry.url, contract)) as DispatchCompetitor;

await testLaws({ primitive: "dispatch", examination, mutants, laws });

test("dispatch: append-only is late out of the order of deadlines, as the source found", async () => {
  const entry = competitorsOf("dispatch").find(({ name }) => name === "append-only")!;
  const course = [enter(0, 600), enter(1, 5), take(5), take(594), take(1)];
  const observer = new Observer(await load(entry), 2, 600, "any").run(course);
  assert.deepEqual([...observer.broken.keys()], ["onTime"]);
  assert.deepEqual(observer.transcript, [[], [], [0, 1]]);
});

test("dispatch: passing Unix time to a list that begins at 0 names the option start", () => {
  const list = ringOfSlots.create(1, 600);
  assert.throws(() => list.enter(0, 1_763_836_101), /it begins at create's start and take moves it$/);
  assert.throws(() => list.take(1_763_836_101), /up to 536870912: give create the present as its start$/);
});
