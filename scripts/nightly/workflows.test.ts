import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { TextDocument } from "vscode-languageserver-textdocument";
import { parse } from "yaml";
import { golden } from "../../suites/engine/golden.trials.ts";

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
/** The lab's own workflows, and those that hotpath-race writes. */
const FOLDERS = [".github/workflows", "suites/engine/workflows"];

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
  for (const folder of FOLDERS)
    for (const file of readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(".yml")))
      it(file, async () =>
        assert.deepEqual(await problemsIn(readFileSync(join(ROOT, folder, file), "utf8")), []),
      );
});

it("faults in a workflow are found, each by its name", async (test) => {
  const sound = readFileSync(join(import.meta.dirname, "testdata/workflow.txt"), "utf8");
  assert.deepEqual(await problemsIn(sound), []);
  const found: string[] = [];
  for (const [right, wrong] of [
    ["timeout-minutes: 5", "timeout-minute: 5"],
    ["7 3 * * *", "67 3 * * *"],
    ["contents: read", "contents: reed"],
    ["needs: first", "needs: frist"],
    ["matrix.shard", "matrix.shrad"],
    ["!cancelled()", "!canceled()"],
    ["# v1.2.3", ""],
    [/@0+ # v1.2.3/, "@v1"],
    ["    timeout-minutes: 5\n", ""],
    ["    permissions: {}\n", ""],
    ['"$SHARD"', "$" + "{{ matrix.shard }}"],
    ["set -euo pipefail", "set -eu"],
    ['echo "$SHARD"', "echo $("],
    ["report", "raport"],
    ["--verdicts", "--verd"],
  ] as const) {
    const problems = await problemsIn(sound.replace(right, () => wrong));
    found.push(
      `${right} -> ${JSON.stringify(wrong)}\n${problems.map((problem) => `    ${problem.trim().replace(/(bash cannot read it)[\s\S]*/, "$1")}\n`).join("")}`,
    );
  }
  golden(test, "testdata/workflow-faults.txt", found.join(""));
});
