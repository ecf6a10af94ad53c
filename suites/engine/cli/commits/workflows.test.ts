import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { parse } from "yaml";
import { golden, goldenCases } from "../../golden.trials.ts";
import { temporaryRepository } from "./repository.synthetic.ts";
import { writeWorkflows } from "./workflows.ts";

const SAMPLES = new URL("../../workflows/", import.meta.url);
const PATHS = [".github/workflows/benchmark.yml", ".github/workflows/benchmark-comment.yml"];

/** The texts of the workflows that are written for a repository with these files. */
function writtenFor(files: Readonly<Record<string, string>>): string[] {
  const made = temporaryRepository();
  try {
    made.write({ "package.json": "{}", ...files });
    return writeWorkflows(made.root, SAMPLES, false).map((path) =>
      readFileSync(join(made.root, path), "utf8"),
    );
  } finally {
    made.remove();
  }
}

describe("workflows for pull requests", () => {
  // scripts/nightly/workflows.test.ts has GitHub's own validator read the samples.
  it("are the samples, with what the repository has to install, to build and to race", (test) => {
    const samples = PATHS.map((path) => readFileSync(new URL(path.split("/").at(-1)!, SAMPLES), "utf8"));
    assert.deepEqual(writtenFor({ "package-lock.json": "{}" }), samples);
    const built = '{"scripts":{"build":"tsc"}}';
    const cases: Readonly<Record<string, string>>[] = [
      { "bun.lock": "" },
      { "benchmarks/a.bench.js": "" },
      { "package.json": built },
      { "package.json": built, "pnpm-lock.yaml": "" },
    ];
    const isOther = (line: string) => !samples.join("").includes(line);
    const differing = cases.map((files) =>
      [Object.keys(files).join(", "), ...writtenFor(files).join("").split("\n").filter(isOther), ""].join(
        "\n",
      ),
    );
    golden(test, "testdata/workflow-steps.txt", differing.join("\n"));
  });

  it("replace others only if that is asked for, and belong to a repository", () => {
    const made = temporaryRepository();
    made.write({ [PATHS[1]!]: "mine" });
    const refusal = `already there: ${PATHS[1]}; --force replaces what init writes`;
    assert.throws(() => writeWorkflows(made.root, SAMPLES, false), { message: refusal });
    assert.deepEqual(
      [PATHS[0]!, PATHS[1]!].map((path) => existsSync(join(made.root, path))),
      [false, true],
    );
    assert.deepEqual(writeWorkflows(made.root, SAMPLES, true), PATHS);
    assert.notEqual(readFileSync(join(made.root, PATHS[1]!), "utf8"), "mine");
    rmSync(join(made.root, ".git"), { recursive: true });
    assert.throws(() => writeWorkflows(made.root, SAMPLES, true), {
      message: /^workflows belong to a git repository: [^\n]*$/,
    });
    made.remove();
  });
});

// Of the shape that github.com/octokit/webhooks collects; of a fork's run pull_requests is empty.
const [pullEvent, runEvent] = ["pull-request", "workflow-run"].map((name) =>
  JSON.parse(readFileSync(join(import.meta.dirname, `testdata/events/${name}.json`), "utf8")),
);
const [racing, commenting] = ["benchmark.yml", "benchmark-comment.yml"].map((file) =>
  parse(readFileSync(new URL(file, SAMPLES), "utf8")),
);

type Step = { readonly name?: string; readonly run?: string; readonly with?: { readonly script?: string } };
type Comment = { readonly id: number; readonly user: { readonly login: string }; readonly body: string };

/** Runs the second workflow's script as actions/github-script does, where these comments are. Returns its warning. */
async function commented(comments: Comment[]): Promise<string | undefined> {
  const pulls = [
    pullEvent.pull_request,
    { number: 8, head: { sha: "0".repeat(40), repo: { id: 902 } } },
    // The same commit, pushed to another fork.
    { number: 9, head: { sha: runEvent.workflow_run.head_sha, repo: { id: 903 } } },
  ];
  const warnings: string[] = [];
  const at = (id: number, body: string) => {
    comments[id - 1] = { id, user: { login: "github-actions[bot]" }, body };
  };
  const rest = {
    pulls: { get: ({ pull_number = 0 }) => ({ data: pulls[pull_number - 7] }) },
    issues: {
      listComments: () => comments,
      createComment: ({ issue_number = 0, body = "" }) =>
        at(issue_number === 7 ? comments.length + 1 : 9, body),
      updateComment: ({ comment_id = 0, body = "" }) => at(comment_id, body),
    },
  };
  const github = { rest, paginate: (method: () => unknown) => method() };
  const context = { repo: { owner: "owner", repo: "parser" }, payload: runEvent };
  const core = { warning: (text: string) => void warnings.push(text) };
  const steps = commenting.jobs.comment.steps as Step[];
  // The body of an async function.
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const script = new AsyncFunction("require", "github", "context", "core", steps.at(-1)!.with!.script!);
  await script(createRequire(import.meta.url), github, context, core);
  return warnings[0];
}

describe("a pull request from a fork", () => {
  const { root: temp, write, remove } = temporaryRepository();
  after(remove);
  const [number, report, secret] = ["benchmark/number", "benchmark/report.txt", "secret"].map((file) =>
    join(temp, file),
  ) as [string, string, string];
  process.env.RUNNER_TEMP = temp;
  const npx = '#!/bin/sh\necho "0 %, 8 min left: parse" >&2\ncat "$RUNNER_TEMP/printed"\nexit 3\n';
  write({ npx, secret: "secret" });
  chmodSync(join(temp, "npx"), 0o755);

  /** Runs the steps of the first workflow as GitHub does, where `npx` prints this and exits with 3. */
  function raced(printed: string): (number | null)[] {
    rmSync(dirname(number), { recursive: true, force: true });
    writeFileSync(join(temp, "printed"), printed);
    const [NUMBER, BASE_REF] = [`${pullEvent.number}`, pullEvent.pull_request.base.ref as string];
    const env = { PATH: `${temp}:${process.env.PATH}`, RUNNER_TEMP: temp, NUMBER, BASE_REF };
    return (racing.jobs.benchmark.steps as Step[])
      .filter(({ name }) => name !== undefined)
      .map(({ run }) => spawnSync("bash", ["-e"], { env, input: run!, encoding: "utf8" }).status);
  }

  it("starts the second workflow, and neither runs foreign code with a token that can write", () => {
    assert.deepEqual(commenting.on.workflow_run.workflows, [racing.name]);
    assert.deepEqual(racing.jobs.benchmark.permissions, { contents: "read" });
    const { permissions, steps } = commenting.jobs.comment;
    assert.deepEqual(permissions, { actions: "read", "pull-requests": "write" });
    assert.ok(
      !(steps as Step[]).some((step) => step.run !== undefined || step.with?.script?.includes("${{")),
    );
  });

  it("has one comment, which each run renews, and a forged artifact does not reach others", async (test) => {
    const table = readFileSync(join(import.meta.dirname, "testdata/commits.md"), "utf8").split(
      /<!--.*-->/,
    )[1]!;
    const hostile = `\x1b[31m5 compared\x1b[0m (1 slower)\n</details> @owner ![](https://a.example/b)\n\`\`\`\n\u202e${"x".repeat(500)}\n`;
    const forged = (text: string) => () => writeFileSync(number, text);
    const replaced = (by: (path: string) => void) => () => {
      rmSync(report);
      by(report);
    };
    const cases: Record<string, readonly [printed: string, forge?: () => void]> = {
      first: [table],
      second: ["a is gone\n"],
      "markup and control characters": [hostile],
      long: ["line\n".repeat(100)],
      "the number of another of the same fork": [table, forged("8\n")],
      "the number of another fork's": [table, forged("9\n")],
      "a number that is code": [table, forged("7;ls\n")],
      "a number of any length": [table, forged("7".repeat(99))],
      "no number": [table, () => rmSync(number)],
      "a report that is a link": [table, replaced((path) => symlinkSync(secret, path))],
      "a report of any size": [table, replaced((path) => writeFileSync(path, "secret\n".repeat(200_000)))],
      "no report": [table, replaced(() => {})],
    };
    const other = { id: 1, user: { login: "someone" }, body: "<!-- hotpath-race --> mine" };
    const comments: Comment[] = [other];
    const texts: Record<string, string> = {};
    for (const [name, [printed, forge]] of Object.entries(cases)) {
      assert.deepEqual(raced(printed), [0, 3]);
      forge?.();
      const before = comments[1]?.body;
      const warning = await commented(comments);
      const { body } = comments[1]!;
      assert.deepEqual([comments.length, comments[0]], [2, other]);
      assert.ok(body.split("\n").length <= 60);
      if (warning !== undefined) assert.equal(body, before);
      texts[name] = `${warning ?? body}\n`;
    }
    goldenCases(test, "testdata/comments.md", texts);
  });
});
