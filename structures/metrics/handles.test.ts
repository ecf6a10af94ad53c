import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { faultsBreakLaws } from "../shared/law-tests.ts";
import { mutatedIn } from "../shared/mutated.ts";
import examined from "./handles.examination.ts";
import * as laws from "./handles.laws.ts";

describe("metrics: labels, gauges and quantiles", () => {
  it("keep every law", async () => assert.deepEqual(await examined(), []));

  const MUTANTS = new URL("testdata/handles-faults.txt", import.meta.url);
  faultsBreakLaws(MUTANTS, laws, async ({ in: file, edits }) => {
    const url = import.meta.resolve("./handles.examination.ts");
    return await (await mutatedIn<typeof examined>(`metrics/parts/${file}`, url, ...edits))();
  });
});
