import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { golden } from "../suites/engine/golden.trials.ts";
import { promptedCalls } from "../suites/lab/command/command.trials.ts";

const COLUMNS = 80;

const ROOT = join(import.meta.dirname, "..");
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};
/** The file of each command that package.json names. */
const scripts = Object.values(manifest.scripts).flatMap(
  (command) => / (scripts\/\S+\.ts)$/.exec(command)?.[1] ?? [],
);

describe("help fits a terminal, is all that is printed, and reads as testdata/help has it", () => {
  const call = promptedCalls();
  for (const name of scripts) {
    it(name, async (t) => {
      const { stdout, stderr } = await call(join(ROOT, name), ["--help"]);
      assert.equal(stderr, "");
      const [, command] = /^usage: npm run (?:-s )?(\S+)/m.exec(stdout)!;
      golden(t, `testdata/help/${command!.replace(":", "-")}.txt`, stdout);
      assert.deepEqual(
        stdout.split("\n").filter((line) => line.length > COLUMNS),
        [],
      );
    });
  }
});
