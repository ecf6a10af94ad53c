import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { HELD } from "../../engine/render/pages/quotes.ts";
import { writtenFaults } from "./written.ts";

it("the README, answers and reviews are held to the newest verdicts", () => {
  const root = mkdtempSync(join(tmpdir(), "hotpath-written-"));
  const text = `${HELD}\n\nIt takes 0.50 (0.40-0.60).\n`;
  const held = ["README.md", "results/pick/answer.md", "results/reviews/0001-which.md"];
  try {
    for (const path of [...held, "results/pick/README.md"]) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const faults = writtenFaults(new Map(), root);
    assert.deepEqual(
      faults.map((fault) => fault.split(":", 2)),
      held.map((path) => [path, "3"]),
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});
