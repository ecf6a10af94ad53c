import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { raceTasks } from "../cli/race-tasks.ts";
import { withScratch } from "../measure/machine/scratch.ts";
import { askFork } from "../measure/run/process.ts";
import { urlOf } from "./address.ts";
import type { Listed, Unlisted } from "./list.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "hotpath-confined-")));
after(() => rmSync(root, { recursive: true }));

/** Writes a bench file and returns its address. */
function written(name: string, text: string): string {
  const path = join(root, name);
  writeFileSync(path, text);
  return pathToFileURL(path).href;
}

async function listed(file: string, isConfined: boolean): Promise<Listed | Unlisted> {
  return await withScratch("list", async (folder) => {
    const answer = await askFork(
      {
        kind: "call",
        module: new URL("./list.ts", import.meta.url).href,
        argument: { file },
        ...(isConfined ? { confinedTo: folder } : {}),
      },
      { estimateMs: 10_000 },
    );
    assert.equal(answer.kind, "called");
    return (answer as { readonly value: unknown }).value as Listed | Unlisted;
  });
}

describe("a process that is confined", () => {
  it("writes where it may, and nothing beside a bench file", async () => {
    const at = (name: string) => JSON.stringify(join(root, name));
    const early = written(
      "early.cjs",
      `require("fs").writeFileSync(${at("early")}, ""); exports.a = () => 1;`,
    );
    const late = written(
      "late.mjs",
      `import { Bench } from "tinybench"; import { writeFileSync } from "node:fs"; import { tmpdir } from "node:os";
        writeFileSync(tmpdir() + "/kept", "");
        await new Bench().add("a", () => 1).run();
        writeFileSync(${at("late")}, "");`,
    );
    const reason = /early\.cjs writes .*early while it is imported: --allow-write permits that$/;
    assert.match(((await listed(early, true)) as Unlisted).refused, reason);
    assert.equal(((await listed(late, true)) as Listed).tasks.length, 1);
    assert.equal(existsSync(join(root, "early")), false);
    assert.equal(((await listed(early, false)) as Listed).tasks.length, 1);
    assert.ok(existsSync(join(root, "early")));
    // Which way a run ends is found out without writing, whatever is permitted.
    assert.equal(((await listed(late, false)) as Listed).tasks.length, 1);
    assert.equal(existsSync(join(root, "late")), false);
  });

  it("looks at no task that writes", async () => {
    const at = join(root, "task");
    const file = written(
      "task.mjs",
      `import { writeFileSync } from "node:fs";
      export const task = () => writeFileSync(${JSON.stringify(at)}, "");`,
    );
    const module = new URL("./probe.ts", import.meta.url).href;
    const argument = {
      tasks: [{ file, ending: "pause", key: { groups: [], name: "task", ordinal: 0 } }],
      seed: 1,
    };
    await withScratch("look", async (folder) => {
      const answer = await askFork(
        { kind: "call", module, argument, confinedTo: folder },
        { estimateMs: 10_000 },
      );
      const value = [{ failure: `it writes ${at}: --allow-write permits that` }];
      assert.partialDeepStrictEqual(answer, { kind: "called", value });
    });
    assert.equal(existsSync(at), false);
  });

  it("races tasks of WebAssembly and of types, from one fixture, with Node's own Math.random", async () => {
    const file = written(
      "race.mts",
      `import { writeFileSync } from "node:fs"; import { tmpdir } from "node:os";
        enum Kind { draw = "draw" }
        writeFileSync(tmpdir() + "/drawn-" + Math.random(), "");
        try { writeFileSync(new URL("beside", import.meta.url), ""); } catch {}
        const wasm = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
        export const tasks = {
          [Kind.draw]() { if (!/native code/.test(String(Math.random))) throw new Error("not Node's own"); },
          instance: () => new WebAssembly.Instance(wasm),
        };`,
    );
    const contestants = ["draw", "instance"].map((name) => ({
      label: name,
      url: urlOf({ file, ending: "pause", key: { groups: ["tasks"], name, ordinal: 0 } }),
    }));
    await withScratch("race", async (folder) => {
      const exactly = { forks: 1, rounds: 2, warmUpSlices: 1 };
      const failures: unknown[] = [];
      await raceTasks([{ title: "tasks", contestants, baseline: 0, workers: 1 }], {
        profile: { name: "test", secondsPerCell: 1, precision: 0.1, surveys: 1, exactly },
        seed: 7,
        confinedTo: folder,
        raced({ results }) {
          for (const { failure, crews } of results.flatMap(({ forks }) => forks))
            failures.push(failure, ...crews.map((crew) => crew.failure));
        },
      });
      assert.deepEqual(
        failures.filter((failure) => failure !== undefined),
        [],
      );
      assert.equal(existsSync(join(root, "beside")), false);
      assert.equal(readdirSync(folder).filter((name) => name.startsWith("drawn-")).length, 1);
    });
  });
});
