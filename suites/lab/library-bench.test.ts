import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { it } from "node:test";
import { UsageError } from "./command/usage.ts";
import { parseEngine } from "./library-bench.ts";
import { OPINION_ENGINES } from "./opinions/opinion.ts";
import type { Opinion } from "./schema/opinion.ts";

function refused(action: () => unknown, message: RegExp) {
  assert.throws(action, (error) => error instanceof UsageError && message.test(error.message));
}

it("--engine knows its libraries, and names them if one is mistyped", () => {
  assert.equal(parseEngine("mitata"), "mitata");
  assert.equal(parseEngine("tinybench"), "tinybench");
  refused(
    () => parseEngine("tinybrench"),
    /--engine tinybrench is unknown; .* nearest first: tinybench, mitata/,
  );
  refused(() => parseEngine("lab"), /without --engine the lab measures itself/);
});

/** Patience costs time where a competitor hangs, and has to do for a busy machine. */
const PATIENCE_MS = 3_000;

for (const engine of OPINION_ENGINES) {
  it(`${engine}: a competitor that hangs has no number, and the ones after it have theirs`, () => {
    const moduleAt = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
    const program = `
      import { fileURLToPath } from "node:url";
      import { entryForFile } from ${moduleAt("../../structures/catalog.ts")};
      import { benchByLibrary } from ${moduleAt("./library-bench.ts")};
      import { smokeRequest } from ${moduleAt("./request.synthetic.ts")};
      const hangs = entryForFile(fileURLToPath(${moduleAt("./faulty/hangs.ts")}));
      const request = {
        ...(await smokeRequest({ workers: [1], patienceMs: ${PATIENCE_MS} })),
        candidates: new Map([["pick", [hangs]]]),
        filters: ["pick/uniform-8/hangs", "pick/uniform-64/cas-ring"],
      };
      const asked = { engine: "${engine}", command: "", argv: [], json: true, out: undefined };
      process.exitCode = await benchByLibrary(request, asked);`;
    const args = ["--input-type=module", "--eval", program];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.equal(status, 1, stderr);
    const { cells } = JSON.parse(stdout) as { cells: { cell: string; opinion: Opinion }[] };
    const [first, second] = cells;
    assert.equal(first!.cell, "pick/uniform-8/hangs/1w");
    const reason = "hung: it did not finish a batch within 3.0 s";
    assert.deepEqual(first!.opinion.failure, { kind: "fault", reason });
    assert.equal(second!.cell, "pick/uniform-64/cas-ring/1w");
    assert.ok(second!.opinion.nsPerOperation!.median > 0);
    assert.match(stderr, /no number: hung: it did not finish a batch/);
  });
}
