import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { TextDocument } from "vscode-languageserver-textdocument";
import { parse } from "yaml";

// GitHub's own validator imports JSON without saying so, which bundlers let pass and Node does not:
// github.com/actions/languageservices/issues/387.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith(".json") ? { ...context, importAttributes: { type: "json" } } : context),
});
const { registerLogger, validate } = await import("@actions/languageservice");
const fail = (message: string) => assert.fail(message);
// Without this the validator takes a failure of its own for a workflow without faults.
registerLogger({ error: fail, warn: fail, info: () => {}, log: () => {} });

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const WORKFLOWS = join(ROOT, ".github", "workflows");

interface Workflow {
  readonly jobs?: Readonly<Record<string, Job>>;
}
interface Job {
  readonly permissions?: unknown;
  readonly "timeout-minutes"?: unknown;
  readonly steps?: readonly { readonly run?: string }[];
}

/** The validator remembers what it has read by its address. */
let documents = 0;

/** What GitHub or this house would object to in a workflow, one line each. */
async function problemsIn(text: string): Promise<string[]> {
  documents++;
  const uri = `file:///.github/workflows/${documents}.yml`;
  const document = TextDocument.create(uri, "yaml", 1, text);
  const found = (await validate(document)).map(
    ({ range, message }) => `line ${range.start.line + 1}: ${message}`,
  );
  for (const [action] of text.matchAll(/(?<=\buses: ).*$/gm)) {
    // A tag can be moved to other code overnight, a commit cannot.
    if (!/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))
      found.push(`${action} is not pinned to a commit with its version in a comment`);
  }
  for (const [name, job] of Object.entries((parse(text) as Workflow).jobs ?? {})) {
    if (job["timeout-minutes"] === undefined) found.push(`job ${name} has no time limit`);
    if (job.permissions === undefined) found.push(`job ${name} does not say what it may do`);
    for (const { run } of job.steps ?? []) if (run !== undefined) found.push(...problemsInScript(run));
  }
  return found;
}

function problemsInScript(script: string): string[] {
  const found: string[] = [];
  if (script.includes("${{")) found.push(`an expression becomes code, pass it through env: ${script}`);
  if (script.trim().includes("\n") && !script.startsWith("set -euo pipefail\n"))
    found.push(`does not begin with set -euo pipefail: ${script}`);
  const { stderr } = spawnSync("bash", ["-n"], { encoding: "utf8", input: script });
  if (stderr !== "") found.push(`bash cannot read it: ${stderr}`);
  const calls = script.replaceAll(/\\\n/g, " ").matchAll(/\bnpm run (?:-s )?([\w:-]+)([^\n|;&>]*)/g);
  for (const [, name, args] of calls) found.push(...problemsInCall(name!, args!));
  return found;
}

function problemsInCall(name: string, args: string): string[] {
  if (!(name in scripts)) return [`package.json has no script ${name}`];
  return [...args.matchAll(/ (--[a-z][\w-]*)/g)]
    .filter(([, option]) => !new RegExp(`${option}(?![\\w-])`).test(helpOf(name)))
    .map(([, option]) => `npm run ${name} -- --help does not know ${option}`);
}

const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const helps = new Map<string, string>();

function helpOf(name: string): string {
  let help = helps.get(name);
  if (help === undefined) {
    const { status, stdout, stderr } = spawnSync("npm", ["run", "-s", name, "--", "--help"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    assert.equal(status, 0, `npm run ${name} -- --help: ${stderr}`);
    help = stdout;
    helps.set(name, help);
  }
  return help;
}

describe("GitHub will run the workflows as they are meant", () => {
  for (const file of readdirSync(WORKFLOWS)) {
    it(file, async () => {
      assert.deepEqual(await problemsIn(readFileSync(join(WORKFLOWS, file), "utf8")), []);
    });
  }
});

describe("a fault in a workflow is found", () => {
  const sound = `on:
  schedule:
    - cron: "7 3 * * *"
permissions: {}
jobs:
  first:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    permissions:
      contents: read
    strategy:
      matrix:
        shard: [1, 2]
    steps:
      - uses: actions/checkout@${"0".repeat(40)} # v1.2.3
      - env:
          SHARD: \${{ matrix.shard }}
        run: echo "$SHARD"
      - run: |
          set -euo pipefail
          npm run -s report -- \\
            --verdicts "$SHARD" > verdicts.ndjson
  second:
    needs: first
    if: \${{ !cancelled() && needs.first.result == 'success' }}
    runs-on: ubuntu-latest
    timeout-minutes: 5
    permissions: {}
    steps:
      - run: npm ci
`;

  it("and none where there is none", async () => {
    assert.deepEqual(await problemsIn(sound), []);
  });

  for (const [fault, right, wrong, message] of [
    ["an unknown key", "timeout-minutes: 5", "timeout-minute: 5", /Unexpected value 'timeout-minute'/],
    ["an unknown event", "schedule:", "shedule:", /Unexpected value 'shedule'/],
    ["an impossible time", "7 3 * * *", "67 3 * * *", /Invalid cron expression/],
    ["no machine to run on", "    runs-on: ubuntu-latest\n", "", /Required property is missing: runs-on/],
    ["an unknown permission", "contents: read", "contents: reed", /Unexpected value 'reed'/],
    ["a job that nobody runs is needed", "needs: first", "needs: frist", /depends on unknown job 'frist'/],
    ["a job that needs itself", "needs: first", "needs: second", /creates a cycle/],
    ["an unknown name in an expression", "matrix.shard", "matrix.shrad", /might be invalid: shrad/],
    [
      "an unknown job in an expression",
      "needs.first.result",
      "needs.third.result",
      /might be invalid: third/,
    ],
    ["an unknown function", "!cancelled()", "!canceled()", /Unrecognized function: 'canceled'/],
    [
      "an expression that cannot be read",
      "matrix.shard }}",
      "matrix.shard + 1 }}",
      /Unexpected symbol: '\+'/,
    ],
    ["an action named by a tag", `${"0".repeat(40)} # v1.2.3`, "v1", /checkout@v1 is not pinned/],
    ["an action whose version is not said", " # v1.2.3", "", /is not pinned/],
    ["no time limit", "    timeout-minutes: 5\n", "", /job first has no time limit/],
    [
      "permissions left to the default",
      "    permissions: {}\n",
      "",
      /job second does not say what it may do/,
    ],
    ["an expression within a script", '"$SHARD"', `\${{ matrix.shard }}`, /an expression becomes code/],
    ["a script that runs on after a failure", "set -euo pipefail", "set -eu", /does not begin with set -euo/],
    ["a script that is not bash", 'echo "$SHARD"', "echo $(", /bash cannot read it/],
    ["a script that npm does not have", "report", "raport", /package.json has no script raport/],
    ["an option that a script does not have", "--verdicts", "--verd", /does not know --verd/],
  ] as const) {
    it(fault, async () => {
      assert.ok(sound.includes(right));
      assert.match((await problemsIn(sound.replace(right, () => wrong))).join("\n"), message);
    });
  }
});
