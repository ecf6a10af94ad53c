import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { checkRefused } from "../suites/lab/command/command.trials.ts";
import { ROOT } from "../suites/lab/command/npm.ts";
import { publishedRecords } from "../suites/lab/store/results.ts";

/** Commands as npm starts them: in the package's folder, with the person in another. */
const folder = mkdtempSync(join(tmpdir(), "hotpath-npm-"));
after(() => rmSync(folder, { recursive: true }));
cpSync(publishedRecords("draws").at(-1)!, join(folder, "draws.json"));
const picker = pathToFileURL(join(ROOT, "structures/pick/competitors/cas-ring.ts")).href;
writeFileSync(join(folder, "mine.ts"), `export { default } from ${JSON.stringify(picker)};\n`);

/** Without npm's own settings for these tests. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$|^FORCE_COLOR$/i.test(name)),
);

/** Runs a command of the repository's folder with these variables. */
function call(cwd: string, file: string, args: readonly string[], variables: NodeJS.ProcessEnv) {
  return spawnSync(process.execPath, [join(ROOT, file), ...args], {
    encoding: "utf8",
    cwd,
    env: { ...env, ...variables },
  });
}

/** What npm passes to the script of this name that was called in `folder`. */
function variablesOf(file: string): NodeJS.ProcessEnv {
  return {
    INIT_CWD: folder,
    npm_package_json: join(ROOT, "package.json"),
    npm_lifecycle_event: "bench",
    npm_lifecycle_script: `node -r ./scripts/supported-node.cjs ${file}`,
  };
}

describe("a path that was typed", () => {
  const exporting = ["--format", "benchstat", "draws.json", "--out", "draws.txt"];
  const file = "scripts/export/command.ts";

  it("begins where the person stands, whose command npm runs in the package's folder", () => {
    const { status, stderr } = call(ROOT, file, exporting, variablesOf(file));
    assert.equal(status, 0, stderr);
    assert.match(stderr, /^wrote draws\.txt$/m);
    rmSync(join(folder, "draws.txt"));
  });

  it("does so under npm itself", () => {
    const args = ["--prefix", ROOT, "run", "-s", "export", "--", ...exporting];
    const { status, stderr } = spawnSync("npm", args, { encoding: "utf8", cwd: folder, env });
    assert.equal(status, 0, stderr);
    assert.match(stderr, /^wrote draws\.txt$/m);
    rmSync(join(folder, "draws.txt"));
  });

  it("begins where the process stands if npm started another, or another package's", () => {
    const inherited = variablesOf("scripts/test/command.ts");
    assert.match(call(ROOT, file, exporting, inherited).stderr, /^draws\.json cannot be read: ENOENT$/m);
    const foreign = { ...variablesOf(file), npm_package_json: join(folder, "package.json") };
    assert.match(call(ROOT, file, exporting, foreign).stderr, /^draws\.json cannot be read: ENOENT$/m);
    const stale = { ...variablesOf(file), INIT_CWD: ROOT };
    assert.equal(call(folder, file, exporting, stale).status, 0);
  });

  it("of a candidate, too", () => {
    const args = ["--list", "pick/uniform-8/mine", "--candidate", "mine.ts"];
    const { stdout, stderr } = call(ROOT, "scripts/bench.ts", args, variablesOf("scripts/bench.ts"));
    assert.match(stdout, /^pick\/uniform-8\/mine\/1w /m, stderr);
  });
});

describe("options that npm kept for itself, because no -- stood before them", () => {
  const file = "scripts/bench.ts";
  const kept = (words: readonly string[], variables: NodeJS.ProcessEnv) =>
    call(ROOT, file, words, { ...variablesOf(file), ...variables });

  for (const [title, words, variables, line] of [
    [
      "are put where they belong",
      ["pick/uniform-8"],
      { npm_config_list: "true", npm_config_wait_quiet: "2m" },
      "npm kept --list and --wait-quiet for itself: .*: npm run bench -- pick/uniform-8 --list --wait-quiet=2m",
    ],
    [
      "leave open which of the words was a value",
      ["pick/uniform-8", "20m"],
      { npm_config_budget: "true", npm_config_list: "true" },
      "npm run bench -- \\.\\.\\. --list --budget TIME",
    ],
    [
      "have npm's own among them",
      ["pick"],
      { npm_config_list: "true", npm_config_all: "true" },
      "npm run bench -- pick --all --list",
    ],
  ] as const) {
    it(title, () => checkRefused(kept(words, variables), new RegExp(`${line}$`, "m")));
  }

  it("are not the ones that npm has too, or was asked not to have, or that a test inherits", () => {
    const words = ["--list", "pick/uniform-8/cas-ring"];
    const own = { npm_config_json: "true", npm_config_all: "true", npm_config_publish: "" };
    assert.equal(kept(words, own).status, 0);
    const inherited = { ...variablesOf("scripts/test/command.ts"), npm_config_publish: "true" };
    assert.equal(call(ROOT, file, words, inherited).status, 0);
  });

  it("are noticed under npm itself", () => {
    const args = ["run", "-s", "bench", "pick/uniform-8", "--list"];
    const ended = spawnSync("npm", args, { encoding: "utf8", cwd: ROOT, env });
    assert.equal(ended.status, 2);
    assert.equal(ended.stdout, "");
    assert.match(
      ended.stderr,
      /^npm kept --list for itself: put -- before the command's own options: npm run bench -- pick\/uniform-8 --list$/m,
    );
  });
});

describe("npm ci", () => {
  const cli = process.env.npm_execpath;
  const dry = ["ci", "--dry-run", "--offline"];

  it("has nothing to warn of on the Node that runs npm here", () => {
    const { status, stderr } = spawnSync("npm", dry, { encoding: "utf8", cwd: ROOT, env });
    assert.equal(stderr, "");
    assert.equal(status, 0);
  });

  it("installs no package that wants another Node than the pinned one", {
    skip: cli === undefined && "npm did not start this test, and says nowhere where it is",
  }, () => {
    const args = [cli!, ...dry, "--loglevel=warn"];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: ROOT, env });
    assert.doesNotMatch(stderr, /EBADENGINE/);
    assert.equal(status, 0);
  });
});
