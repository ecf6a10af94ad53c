import assert from "node:assert/strict";
import { it } from "node:test";
import { checkEngineAlone, parseEngine } from "./library-bench.ts";
import { UsageError } from "./schema/usage.ts";

const alone = { publish: false, list: false, "aa-controls": "1", profile: "standard" };

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

it("--engine goes with no option that needs pairs, records or several workers", () => {
  checkEngineAlone(alone);
  checkEngineAlone({ ...alone, workers: "1" });
  refused(() => checkEngineAlone({ ...alone, publish: true, list: true }), /leave away --publish, --list$/);
  refused(
    () => checkEngineAlone({ ...alone, "aa-controls": "2", profile: "quick" }),
    /leave away --aa-controls, --profile$/,
  );
  for (const workers of ["2", "1,2", "one"]) {
    refused(() => checkEngineAlone({ ...alone, workers }), new RegExp(`leave away --workers ${workers}`));
  }
});
