import assert from "node:assert/strict";
import { test } from "node:test";
import { isBroken } from "../../../../structures/shared/broken.ts";
import { recordOf } from "../record.synthetic.ts";
import { checkCores, type PlantedFault } from "../record.ts";
import { plantedFaults } from "./planted.ts";

const MANY = 16;

test("planted faults hardly show where there are two workers, and show where there are more", async () => {
  const found = await plantedFaults(1, [2, MANY], 200);
  const [sharing, waking, convoy] = ["false sharing", "lost wake-up", "convoy"].map((fault) =>
    found.filter((row) => row.fault === fault),
  ) as [PlantedFault[], PlantedFault[], PlantedFault[]];

  for (const [{ honest, faulty }] of [sharing, waking, convoy] as [PlantedFault][])
    assert.ok(faulty.nsPerOperation! < 1.1 * honest.nsPerOperation!, JSON.stringify({ honest, faulty }));

  checkCores({ ...recordOf([]), planted: found }, "a record with these");
  assert.equal(sharing[1]!.honest.transfersPerOperation, 0);
  assert.ok(sharing[1]!.faulty.transfersPerOperation > 0.3);
  assert.ok(sharing[1]!.faulty.nsPerOperation! > 1.2 * sharing[1]!.honest.nsPerOperation!);
  assert.equal(waking[1]!.honest.broken, undefined);
  assert.ok(isBroken("everyWorkerFinishes", [waking[1]!.faulty.broken ?? ""]));
  assert.ok(convoy[1]!.faulty.nsPerOperation! > 1.5 * convoy[1]!.honest.nsPerOperation!);
});
