import { copyFileSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { parse } from "yaml";
import { assertLinksHold, assertNames, IN_WORKFLOW, ROOT, run, scratchFolder } from "./foreign.trials.ts";

it("the workflow gives the packages beside the library their repository, and the links of their pages hold", () => {
  const workflow = parse(readFileSync(join(ROOT, ".github/workflows/publish.yml"), "utf8"));
  const { run: commands } = workflow.jobs.publish.steps.find(
    ({ name }: { name?: string }) => name === "Publish",
  );
  // All of it but what speaks with the registry.
  const setting = commands.replaceAll(/^(registry=|npm (config|publish)\b).*\n/gm, "");
  const lab = join(scratchFolder(), "published");
  mkdirSync(join(lab, "scripts"), { recursive: true });
  copyFileSync(join(ROOT, "scripts/repository.cjs"), join(lab, "scripts/repository.cjs"));
  for (const [name, folder] of [
    ["benchmark-reporter-markdown", "suites/reporter"],
    ["hotpath-race", "suites/engine"],
    ["interleave-shared", "structures/interleave"],
  ] as const) {
    mkdirSync(join(lab, folder), { recursive: true });
    const pages = globSync("*.md", { cwd: join(ROOT, folder) });
    for (const file of ["package.json", ...pages])
      copyFileSync(join(ROOT, folder, file), join(lab, folder, file));
    run("bash", ["-c", setting], lab, { ...process.env, ...IN_WORKFLOW, PACKAGE: name });
    assertNames(join(lab, folder), folder);
    for (const page of pages) assertLinksHold(join(lab, folder, page));
  }
});
