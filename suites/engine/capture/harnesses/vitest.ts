import type { Harness } from "../harness.ts";

export const vitest: Harness = {
  package: "vitest",
  surface: () => ({}),
};
