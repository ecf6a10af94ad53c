import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf } from "../../structures/catalog.ts";
import type { PickCompetitor } from "../../structures/pick/pick.contract.ts";
import { assertBroken } from "../../structures/shared/broken.ts";
import { type Edit, mutatedModule } from "../../structures/shared/mutated.ts";
import { brokenLaws, EVERYBODY_FINISHES, type Law, type Part } from "../../structures/shared/program-laws.ts";
import { workerIdentity } from "../../structures/shared/worker-identity.ts";
import type { Race } from "../engine/race.ts";
import * as pass from "./background-pass.ts";
import { type Params, type Picked, uniform } from "./picking.ts";

type Pass = typeof pass;
const PASS = new URL("./background-pass.ts", import.meta.url).href;

/** What the thread notes of a step, and the worker of its crew's slices. */
const STEPS = 1;
const HAS_STEPPED = 2;
const RESTS = 3;
const RUNS = 4;

const noStepBetweenSlices: Law = {
  name: "noStepBetweenSlices",
  state({ threads: [worker, thread] }) {
    const isAtRest = worker!.notes.at(-1) === RESTS;
    return isAtRest && thread!.notes.at(-1) === STEPS ? "it steps while its crew is at rest" : undefined;
  },
  once: ({ threads: [, thread] }) => thread!.notes.at(-1) === HAS_STEPPED,
};

function explored({ makePass, holdPass, releasePass, stepInPass }: Pass): string[] {
  const slice: Part = (memory, { note }) => {
    releasePass(memory);
    note(RUNS);
    holdPass(memory);
    note(RESTS);
    // Before it is released: from then on the thread may step, though nothing is noted yet.
    note(RUNS);
  };
  const end: Part = (memory) => releasePass(memory);
  const step: Part = (memory, { note }) => {
    stepInPass(memory, () => {
      note(STEPS);
      note(HAS_STEPPED);
    });
  };
  const threads = [
    [slice, slice, end],
    [step, step],
  ];
  return brokenLaws({ memory: makePass(), threads }, [noStepBetweenSlices]);
}

describe("the pass of a thread beside the workers: in every interleaving of two slices and two steps", () => {
  it("no step is made between slices, and nobody waits for ever", () => {
    assert.deepEqual(explored(pass), []);
  });

  const faults: Readonly<Record<string, readonly [Edit, string]>> = {
    "a crew that does not wait for a step under way": [
      ["take(pass, HELD);", "Atomics.store(pass, 0, HELD);"],
      noStepBetweenSlices.name,
    ],
    "a thread that asks for no pass": [["take(pass, STEPPING);", ""], noStepBetweenSlices.name],
    "a pass that is given to nobody": [["  Atomics.notify(pass, 0);\n", ""], EVERYBODY_FINISHES],
  };
  for (const [what, [edit, law]] of Object.entries(faults)) {
    it(`${what} breaks ${law}`, async () => {
      assertBroken(law, explored(await mutatedModule<Pass>(PASS, edit)));
    });
  }
});

it("the thread of a raced picker reshuffles in slices of its crew, and not between them", async () => {
  const race = uniform(8, { headline: false }) as Race<PickCompetitor, Params, Picked>;
  const { url } = competitorsOf("pick").find(({ name }) => name === "background-reshuffle")!;
  const { default: competitor } = (await import(url)) as { default: PickCompetitor };
  const setup = { params: race.params.smoke, workers: 1, seed: 1, fork: 0 };
  const shared = race.prepare(competitor, setup);
  const runner = race.attach(competitor, setup, shared, { ...workerIdentity(0, 1, 1), role: "worker" });
  const reshuffles = () => competitor.inspect(shared.memory, shared.setup).reshuffles!;
  const pick = () => runner.run(2 ** 16);

  for (let slice = 0; slice < 3; slice++) {
    const before = reshuffles();
    runner.resume!();
    // However long the thread takes to start or to wake: some picks later it has reshuffled.
    while (reshuffles() === before) pick();
    runner.rest!();
    const atRest = reshuffles();
    for (let asked = 0; asked < 100; asked++) pick();
    assert.equal(reshuffles(), atRest);
  }
});
