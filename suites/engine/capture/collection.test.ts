import assert from "node:assert/strict";
import { it } from "node:test";
import { type CaseFile, casesRun } from "../cases.synthetic.ts";
import { golden } from "../golden.trials.ts";
import { Collection, type RunEnding } from "./collection.ts";
import { keysOf, labelOf } from "./task.ts";

type Program = (...given: readonly unknown[]) => Promise<void>;
const AsyncFunction = (async () => {}).constructor as new (...parts: readonly string[]) => Program;

/** What a program says, and the tasks that it leaves. */
async function outcome({ text, remark }: CaseFile): Promise<string> {
  const collection = new Collection((remark || "pause") as RunEnding);
  const said: string[] = [];
  const labels = () => keysOf(collection.tasks).map(labelOf);
  const tools = {
    collection,
    labels: () => labels().join(", "),
    say: (...words: readonly unknown[]) => void said.push(words.join(" ")),
    add(name: string, groups?: readonly string[]) {
      collection.add({ name, open: () => ({ run: () => undefined }) }, groups);
    },
    /** Waits for all bodies, which wait for no clock. */
    async ended() {
      for (let turn = 0; collection.isBusy; turn++) {
        assert.ok(turn < 100, "a body does not end");
        await null;
      }
    },
  };
  await new AsyncFunction(...Object.keys(tools), text)(...Object.values(tools));
  return [...said, ...labels()].join("\n");
}

it("a collection has the tasks that a file describes, in their groups", async (test) => {
  const file = "testdata/collection.md";
  golden(test, file, await casesRun(test, file, ([program]) => outcome(program!)));
});
