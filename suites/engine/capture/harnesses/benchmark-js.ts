import type { Harness } from "../harness.ts";

export const benchmarkJs: Harness = {
  package: "benchmark",
  surface: () => ({}),
};
