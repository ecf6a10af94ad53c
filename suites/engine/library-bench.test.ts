import assert from "node:assert/strict";
import { it } from "node:test";
import { parseEngine } from "./library-bench.ts";
import { UsageError } from "./schema/usage.ts";

function refused(action: () => unknown, message: RegExp) {
  assert.throws(action, (error) => error instanceof UsageError && message.test(error.message));
}

it("--engine knows its libraries and names them to whoever mistypes one", () => {
  assert.equal(parseEngine("mitata"), "mitata");
  assert.equal(parseEngine("tinybench"), "tinybench");
  refused(
    () => parseEngine("tinybrench"),
    /--engine tinybrench is unknown; .* nearest first: tinybench, mitata/,
  );
  refused(() => parseEngine("lab"), /without --engine the lab measures itself/);
});
