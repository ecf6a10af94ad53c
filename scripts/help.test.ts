import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";

/** Takes no arguments: it is part of `npm run check`. */
const WITHOUT_HELP = ["tidy.ts"];

const COLUMNS = 80;

const scripts = readdirSync(import.meta.dirname).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !WITHOUT_HELP.includes(name),
);

describe("help fits a terminal, and is all that is printed", { concurrency: 2 }, () => {
  for (const name of scripts) {
    it(name, async () => {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [
        join(import.meta.dirname, name),
        "--help",
      ]);
      assert.equal(stderr, "");
      assert.match(stdout, /^[^\n]+(\n[^\n]+)?\n\nusage: npm run .*\nexit codes: 0 .*\n$/s);
      assert.deepEqual(
        stdout.split("\n").filter((line) => line.length > COLUMNS),
        [],
      );
    });
  }
});
