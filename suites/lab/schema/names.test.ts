import assert from "node:assert/strict";
import { it } from "node:test";
import { syntheticGroup } from "../../engine/judge/judge.synthetic.ts";
import { acrossRuntimes } from "../verdicts/runtimes.synthetic.ts";
import { cellToday, recordToday } from "./names.ts";
import { syntheticRecord } from "./record.synthetic.ts";

const FORMER_NAMES = new Map([["synthetic", new Map([["mcs", "mcs-spin-then-park"]])]]);

it("a cell is shown by its competitor's name of today, whatever stands behind it", () => {
  assert.equal(cellToday("synthetic/test/mcs/2w", FORMER_NAMES), "synthetic/test/mcs-spin-then-park/2w");
  assert.equal(
    cellToday("synthetic/test/mcs/2w/reader", FORMER_NAMES),
    "synthetic/test/mcs-spin-then-park/2w/reader",
  );
  for (const other of ["synthetic/test/mcs-2/2w", "synthetic/mcs/ticket/2w", "locks/mcs/mcs/1w"])
    assert.equal(cellToday(other, FORMER_NAMES), other);
});

it("so is a competitor on a runtime, and its race against itself on several", () => {
  assert.equal(
    cellToday("synthetic/test@mcs/mcs@node24~aa1/2w", FORMER_NAMES),
    "synthetic/test@mcs-spin-then-park/mcs-spin-then-park@node24~aa1/2w",
  );
  assert.equal(
    cellToday("synthetic/test@bun/mcs/2w", FORMER_NAMES),
    "synthetic/test@bun/mcs-spin-then-park/2w",
  );
  const record = syntheticRecord([acrossRuntimes("mcs", { node24: 100, bun: 90 })], 1);
  const [group] = recordToday(record, FORMER_NAMES).groups;
  assert.equal(group!.scenario, "test@mcs-spin-then-park");
  for (const { name, kind } of group!.cells)
    if (kind === "rival") assert.equal(name, "synthetic/test@mcs-spin-then-park/mcs-spin-then-park@bun/1w");
});

it("a record keeps every figure where a competitor was renamed, its A/A controls included", () => {
  const costsNs = { mcs: 100, ticket: 90 };
  const noise = { sliceNoise: 0.01, forkNoise: 0.01, roundNoise: 0.01 };
  const group = syntheticGroup({ costsNs, workers: 2, forks: 2, rounds: 4, ...noise, seed: 1 });
  const absent = [{ competitor: "mcs", reason: "none" }];
  const overview = { primitive: "synthetic", title: "", variants: ["mcs", "ticket"], columns: [] };
  const record = { ...syntheticRecord([{ ...group, absent }], 1), overviews: [overview] };
  const before = JSON.stringify(record);
  const today = JSON.stringify(recordToday(record, FORMER_NAMES));
  assert.equal(JSON.stringify(record), before);
  assert.match(today, /mcs-spin-then-park~aa1/);
  assert.doesNotMatch(today, /\bmcs\b(?!-spin-then-park)/);
  assert.equal(today.replaceAll("mcs-spin-then-park", "mcs"), before);
  assert.equal(JSON.stringify(recordToday(record, new Map())), before);
});
