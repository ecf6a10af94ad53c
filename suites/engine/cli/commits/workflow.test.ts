import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { TextDocument } from "vscode-languageserver-textdocument";
import { parse } from "yaml";
import { temporaryRepository } from "./repository.synthetic.ts";
import { writeWorkflow } from "./workflow.ts";

// As scripts/nightly/workflows.test.ts has to: github.com/actions/languageservices/issues/387.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith(".json") ? { ...context, importAttributes: { type: "json" } } : context),
});
const { registerLogger, validate } = await import("@actions/languageservice");
const fail = (message: string) => assert.fail(message);
registerLogger({ error: fail, warn: fail, info: () => {}, log: () => {} });

/** The validator remembers what it has read by its address. */
let documents = 0;

/** How many things GitHub objects to. */
async function objectionsTo(text: string): Promise<number> {
  documents++;
  const uri = `file:///.github/workflows/${documents}.yml`;
  return (await validate(TextDocument.create(uri, "yaml", 1, text))).length;
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** The workflow that is written for a repository with these files. */
function writtenFor(files: Readonly<Record<string, string>>): { text: string; steps: readonly Step[] } {
  const made = temporaryRepository();
  try {
    made.write({ "package.json": "{}", ...files });
    const text = readFileSync(writeWorkflow(made.root), "utf8");
    const { jobs } = parse(text) as { jobs: Record<string, { steps: readonly Step[] }> };
    return { text, steps: jobs.benchmark!.steps };
  } finally {
    made.remove();
  }
}

describe("the workflow for a repository", () => {
  it("is one that GitHub takes, and it is found where it would not", async () => {
    const { text } = writtenFor({});
    assert.equal(await objectionsTo(text), 0);
    assert.ok((await objectionsTo(text.replace("runs-on", "run-on"))) > 0);
    assert.ok((await objectionsTo(text.replace("github.base_ref", "gihub.base_ref"))) > 0);
  });

  it("has the history, installs, and races against the branch that the pull request is for", () => {
    const [checkout, node, install, race] = writtenFor({ "package-lock.json": "{}" }).steps;
    assert.equal(checkout!.with!["fetch-depth"], 0);
    assert.match(node!.uses!, /^actions\/setup-node@[0-9a-f]{40}$/);
    assert.equal(install!.run, "npm ci");
    assert.equal(race!.run, `npx hotpath-race bench/ --base "origin/$BASE_REF" --budget 8m`);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub's.
    assert.deepEqual(race!.env, { BASE_REF: "${{ github.base_ref }}" });
  });

  it("holds scripts that bash can read, in which no expression becomes code", () => {
    for (const { run = "" } of writtenFor({ "yarn.lock": "" }).steps) {
      assert.equal(spawnSync("bash", ["-n"], { encoding: "utf8", input: run }).stderr, "");
      assert.ok(!run.includes("${{"));
    }
  });

  for (const [lock, install] of [
    ["pnpm-lock.yaml", "corepack enable && pnpm install --frozen-lockfile"],
    ["bun.lock", "npm install --global bun && bun install --frozen-lockfile"],
    ["README.md", "npm install"],
  ] as const) {
    it(`installs with what ${lock} is of`, () => {
      assert.equal(writtenFor({ [lock]: "" }).steps[2]!.run, install);
    });
  }

  for (const [lock, build] of [
    ["README.md", "npm run build"],
    ["pnpm-lock.yaml", "pnpm run build"],
  ] as const)
    it(`builds both commits where there is a build, as by ${build}`, () => {
      const manifest = JSON.stringify({ scripts: { build: "tsc" } });
      const { run } = writtenFor({ "package.json": manifest, [lock]: "" }).steps[3]!;
      assert.equal(run, `npx hotpath-race bench/ --base "origin/$BASE_REF" --build "${build}" --budget 8m`);
    });

  it("races the folder that bench files are in", () => {
    const { steps } = writtenFor({ "benchmarks/a.bench.js": "" });
    assert.match(steps[3]!.run!, /hotpath-race benchmarks\/ /);
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
