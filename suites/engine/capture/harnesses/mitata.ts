import type { Harness } from "../harness.ts";

export const mitata: Harness = {
  package: "mitata",
  surface: () => ({}),
};
