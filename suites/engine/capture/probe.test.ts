import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { pathToFileURL } from "node:url";
import { type CaseFile, casesRun } from "../cases.synthetic.ts";
import { golden } from "../golden.trials.ts";
import { withScratch } from "../measure/machine/scratch.ts";
import probe, { type Probe, type ProbedWork } from "./probe.ts";

const addressOf = (path: string, name: string) =>
  ({ file: pathToFileURL(path).href, ending: "pause", key: { groups: [], name, ordinal: 0 } }) as const;

/** What is asked of a look: figures are only ever said to be there, or to be large. */
const shown: Readonly<Record<string, (work: ProbedWork) => unknown>> = {
  isAsync: ({ isAsync }) => isAsync,
  hooks: ({ hooks }) => hooks.length,
  helpers: ({ helpers }) => helpers,
  timesItself: ({ timesItself }) => timesItself,
  collectionEveryMs: ({ collectionEveryMs: ms }) => ms && ms > 0 && ms < 60_000,
  waits: ({ waitingShare }) => waitingShare! > 0.5,
};

function textOf(task: string, asked: string, { failure, work, importMs }: Probe): string {
  if (failure !== undefined) return `${task}: ${failure}`;
  assert.ok(importMs! > 0 && work!.nsPerOperation > 0);
  const facts = asked.split(",").map((name) => `${name} ${shown[name]!(work!)}`);
  return `${task}: ${facts.join(", ")}`;
}

/** Looks at one task after the other: threads are the process's, and a thread without a core waits. */
function looked({ name, text, remark }: CaseFile): Promise<string> {
  return withScratch("probe", async (folder) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    const lines: string[] = [];
    for (const look of remark.split(" ")) {
      const [task, asked] = look.split(":") as [string, string];
      const [own, how = ""] = task.split("@") as [string, string?];
      const address = { ...addressOf(path, own), ...(how.startsWith("is") && { [how]: true }) };
      const limit = how.endsWith("ms") ? { limitMs: Number.parseInt(how, 10) } : {};
      const [found] = await probe({ tasks: [address], seed: 1, ...limit });
      lines.push(textOf(task, asked, found!).replaceAll(/[^\s(]*\/(?=a\.mjs)/g, ""));
    }
    return lines.join("\n");
  });
}

it("a look at a task says how it works, or why it cannot be raced", async (test) => {
  const file = "testdata/probe.md";
  golden(test, file, await casesRun(test, file, ([first]) => looked(first!)));
});

it("a look that has little time ends after two operations that are too long to be raced, and looks at no other task", () =>
  withScratch("probe", async (folder) => {
    const path = join(folder, "a.mjs");
    const text = `let begun = 0;
      export const long = () => {
        if (++begun > 3) throw new Error("one to get ready, and two to look at");
        for (const ms = performance.now(); performance.now() - ms < 600; );
      };
      export const sync = () => 1;`;
    writeFileSync(path, text);
    const tasks = ["long", "sync"].map((name) => addressOf(path, name));
    const [found, ...others] = await probe({ tasks, seed: 1, longestNs: 1e6 });
    assert.deepEqual([found!.failure, others], [undefined, []]);
    assert.ok(found!.work!.nsPerOperation >= 600e6);
  }));
