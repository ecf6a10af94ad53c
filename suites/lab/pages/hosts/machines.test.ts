import { it } from "node:test";
import { golden } from "../../../engine/golden.trials.ts";
import { machinesPage } from "./machines.ts";

it("the page of machines says how to add one, and who has", (t) => {
  const machine = (slug: string) => ({ slug, cpu: `CPU of ${slug}`, cores: 2, platform: "linux x64" });
  golden(t, "testdata/machines.md", machinesPage([machine("home"), machine("away")]));
});
