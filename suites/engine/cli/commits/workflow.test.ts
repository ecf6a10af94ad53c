import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { golden } from "../../golden.trials.ts";
import { temporaryRepository } from "./repository.synthetic.ts";
import { writeWorkflow } from "./workflow.ts";

/** The workflow that is written for a repository with these files. */
function writtenFor(files: Readonly<Record<string, string>>): string {
  const made = temporaryRepository();
  try {
    made.write({ "package.json": "{}", ...files });
    return readFileSync(writeWorkflow(made.root), "utf8");
  } finally {
    made.remove();
  }
}

describe("the workflow for a repository", () => {
  const BUILT = { "package.json": '{"scripts":{"build":"tsc"}}' };

  // scripts/nightly/workflows.test.ts has GitHub's own validator read it.
  it("has the history, installs, and races against the branch that the pull request is for", (test) =>
    golden(test, "testdata/workflow.yml", writtenFor({ "package-lock.json": "{}" })));

  it("installs, builds and races with what the repository has", (test) => {
    const cases = [
      { "pnpm-lock.yaml": "" },
      { "bun.lock": "" },
      { "README.md": "" },
      { ...BUILT },
      { ...BUILT, "pnpm-lock.yaml": "" },
      { "benchmarks/a.bench.js": "" },
    ];
    const texts = cases.map((files) => {
      const steps = writtenFor(files).match(/^ +- run: .*|^ +run: .*(\n {10,}.*)*/gm)!;
      return [Object.keys(files).join(", "), ...steps].join("\n");
    });
    golden(test, "testdata/workflow-steps.txt", `${texts.join("\n\n")}\n`);
  });
});

describe("no workflow is written", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hotpath-workflow-")));
  after(() => rmSync(folder, { recursive: true }));

  it("over one of its name", () => {
    const made = temporaryRepository();
    made.write({ ".github/workflows/benchmark.yml": "mine" });
    assert.throws(() => writeWorkflow(made.root), { message: /^\S+benchmark.yml is there already[^\n]*$/ });
    assert.equal(readFileSync(join(made.root, ".github/workflows/benchmark.yml"), "utf8"), "mine");
    made.remove();
  });

  it("where there is no repository", () => {
    assert.throws(() => writeWorkflow(folder), {
      message: /^a workflow belongs to a git repository: [^\n]*$/,
    });
  });
});
