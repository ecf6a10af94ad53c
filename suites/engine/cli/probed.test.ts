import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { withScratch } from "../measure/machine/scratch.ts";
import { probed } from "./probed.ts";

const FILE = `
export const sound = () => 1;
export const ends = () => process.kill(process.pid, "SIGKILL");
`;

describe("a look at a group", () => {
  it("fails the task that ends its process, and no other", () =>
    withScratch("look", async (folder) => {
      const path = join(folder, "a.mjs");
      writeFileSync(path, FILE);
      const file = pathToFileURL(path).href;
      const tasks = ["sound", "ends"].map((name) => {
        const key = { groups: [], name, ordinal: 0 };
        return { label: name, address: { file, ending: "pause", key }, isBaseline: false } as const;
      });
      const group = { file, title: "", workers: 1, tasks, importMs: 10, hasLaw: false };
      const looked = await probed(group, { seed: 1, signal: new AbortController().signal });
      const [sound, ends] = looked.tasks.map(({ probe }) => probe!);
      assert.equal(sound!.failure, undefined);
      assert.ok(sound!.work!.nsPerOperation > 0);
      assert.match(ends!.failure!, /SIGKILL/);
    }));
});
