import { METHOD_VERSION, SCHEMA_VERSION } from "../../engine/schema/envelope.ts";
import type { GroupRecord } from "../../engine/schema/record.ts";
import type { BenchRecord } from "./record.ts";

/** A made-up record of these races. */
export function syntheticRecord(groups: readonly GroupRecord[], seed: number): BenchRecord {
  const hostNoise = { loadAverage: [0, 0, 0], stealSeconds: null };
  return {
    kind: "bench",
    schemaVersion: SCHEMA_VERSION,
    methodVersion: METHOD_VERSION,
    command: "npm run bench -- synthetic",
    seed,
    profile: "standard",
    size: "full",
    startedAt: "2026-11-20T12:00:00.000Z",
    finishedAt: "2026-11-20T12:01:00.000Z",
    interrupted: false,
    commit: { hash: "0123456789abcdef0123456789abcdef01234567", dirty: false },
    machine: {
      slug: "made-up-2c-1g",
      cpu: "Made Up",
      cores: 2,
      cpuQuotaCores: null,
      governor: null,
      memoryBytes: 2 ** 30,
      platform: "none",
      kernel: "0",
    },
    before: hostNoise,
    after: hostNoise,
    runtime: { name: "Node.js", version: "24.0.0", engine: "V8 13", flags: [] },
    groups: [...groups],
    simulations: [],
  };
}
