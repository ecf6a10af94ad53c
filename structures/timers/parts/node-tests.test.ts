import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, describe, it } from "node:test";

/**
 * Node's own tests of its timers, with a NodeTimers in the place of the global functions and of node:timers.
 * HOTPATH_NODE_TESTS names a checkout of Node, of which it takes `test`. results/reviews tells what was found with which.
 */
const CHECKOUT = process.env.HOTPATH_NODE_TESTS;
const TESTS = ["parallel", "sequential", "pummel"].map((folder) => `test/${folder}/test-timers*.js`);
const OF_DOMAINS = "test/parallel/test-domain-timer*.js";

/** What ends otherwise than in Node, and what it then says. */
const DIFFERS: Readonly<Record<string, RegExp>> = {
  // Node's own are early by the fraction.
  "test-timers-non-integer-delay": /Non-integer delay ordering should be 1,2,3,4, but got 1,4,2,3/,
  // Private fields of Node's timers are written: _repeat and _idleTimeout.
  "test-timers-timeout-to-interval": /Expected exactly 2, actual 1/,
  "test-timers-unenroll-unref-interval": /Expected exactly 1, actual 2/,
  // A method is called on an object that is no timer.
  "test-timers-unref": /Cannot read private member/,
  // An error comes from a microtask, which belongs to no domain.
  "test-timers-reset-process-domain-on-throw": /process\.domain should be null/,
  "test-domain-timer": /Error: foobar/,
  "test-domain-timers": /Error: Timeout UNREFd/,
  "test-domain-timers-uncaught-exception": /Error: FAIL/,
};

/** Passes where the millisecond had just begun: it has 1 ms over after a loop of 2 ms. */
const BY_CHANCE = new Set(["test-timers-immediate-queue"]);

const PRELOAD = new URL("node-timers.preload.ts", import.meta.url).href;
const PATIENCE_MS = 60_000;

describe("Node's own tests of timers", {
  skip: CHECKOUT === undefined && "HOTPATH_NODE_TESTS names no checkout of Node",
}, () => {
  const files = CHECKOUT === undefined ? [] : globSync([...TESTS, OF_DOMAINS], { cwd: CHECKOUT }).sort();
  const scratch = mkdtempSync(join(tmpdir(), "hotpath-node-tests-"));
  after(() => rmSync(scratch, { recursive: true }));

  it("are there", () => assert.ok(files.length > 0));
  for (const file of files) {
    const name = basename(file, ".js");
    it(file, { skip: BY_CHANCE.has(name) && "passes by chance" }, () => {
      const path = join(CHECKOUT!, file);
      const [, flags = ""] = /^\/\/ Flags: (.*)/m.exec(readFileSync(path, "utf8")) ?? [];
      const given = [...flags.split(/\s+/).filter(Boolean), "--import", PRELOAD, path];
      const { status, stdout, stderr } = spawnSync(process.execPath, given, {
        encoding: "utf8",
        timeout: PATIENCE_MS,
        env: { ...process.env, NODE_SKIP_FLAG_CHECK: "1", NODE_TEST_DIR: scratch },
      });
      const differs = DIFFERS[name];
      if (differs === undefined) assert.equal(status, 0, stdout + stderr);
      else assert.match(stdout + stderr, differs);
    });
  }
});
