import type { Harness } from "../harness.ts";

export const tinybench: Harness = {
  package: "tinybench",
  surface: () => ({}),
};
