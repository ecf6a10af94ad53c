import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { itRefusesAsWritten } from "../../suites/lab/command/command.trials.ts";
import { ABILITIES, type Ability } from "../../suites/lab/runtimes/abilities.ts";
import { blocksMarkdown } from "../../suites/lab/tables/blocks.ts";
import { runtimeBlocks } from "./page.ts";

const everything = Object.fromEntries(Object.keys(ABILITIES).map((ability) => [ability, true])) as Record<
  Ability,
  boolean
>;

it("a runtime is a column, what it lacks stands out, and a runtime left out has a reason", () => {
  const page = blocksMarkdown(
    runtimeBlocks([
      {
        runtime: "node26",
        facts: {
          name: "Node.js",
          version: "26.1.0",
          engine: "V8 14.6",
          has: { ...everything, pause: false },
        },
      },
      { runtime: "bun", silence: "bun is not installed: npm run runtimes installs it" },
    ]),
  );
  assert.match(page, /^\| Asked +\| node26 +\|$/m);
  assert.match(page, /^\| version +\| Node\.js 26\.1\.0 \|$/m);
  assert.match(page, /^\| Atomics\.pause +\| \*\*no\*\* +\|$/m);
  assert.equal(page.match(/\| yes +\|/g)!.length, Object.keys(ABILITIES).length - 1);
  assert.match(page, /^- bun is not installed: npm run runtimes installs it$/m);
});

it("without any runtime there is no table", () => {
  const page = blocksMarkdown(runtimeBlocks([{ runtime: "bun", silence: "bun is not installed" }]));
  assert.equal(page, "## Left out\n\n- bun is not installed\n");
});

describe("runtimes refuses words that it does not know, in one line, and installs nothing", () => {
  itRefusesAsWritten(
    join(import.meta.dirname, "testdata/refusals.txt"),
    (args) =>
      spawnSync(process.execPath, [join(import.meta.dirname, "command.ts"), ...args], { encoding: "utf8" }),
    import.meta.dirname,
  );
});
