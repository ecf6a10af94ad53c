import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { golden } from "../../suites/engine/golden.trials.ts";
import { gaussian, syntheticGroup } from "../../suites/engine/judge/judge.synthetic.ts";
import { Random } from "../../suites/engine/words/random.ts";
import {
  callsOf,
  checkRefused,
  type Ended,
  itRefusesAsWritten,
} from "../../suites/lab/command/command.trials.ts";
import { syntheticRecord } from "../../suites/lab/schema/record.synthetic.ts";
import type { BenchRecord } from "../../suites/lab/schema/record.ts";
import { readRecord, recordText } from "../../suites/lab/schema/record-file.ts";
import { syntheticLine } from "../../suites/lab/series/history.synthetic.ts";
import { linesOf, readHistory } from "../../suites/lab/series/history.ts";
import { acrossRuntimes } from "../../suites/lab/verdicts/runtimes.synthetic.ts";

/** The commands as a person types them, without npm around them. */
const NIGHTLY = fileURLToPath(new URL("command.ts", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "hotpath-nightly-"));
after(() => rmSync(folder, { recursive: true }));

const { GITHUB_STEP_SUMMARY: _, ...inherited } = process.env;

function call(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { encoding: "utf8", cwd: folder, env: { ...inherited, ...env } } as const;
    execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const STEP = 60;
const CELL = "synthetic/test/rival/1w";
const truth = { workers: 1, forks: 2, rounds: 20, sliceNoise: 0.004, forkNoise: 0.001, roundNoise: 0.05 };

/** What one made-up night measured: a rival that takes half the time of its baseline, and from the step on more. */
function recordOf(night: number): BenchRecord {
  const rival = night < STEP ? 10 : 12;
  const group = syntheticGroup({ ...truth, costsNs: { baseline: 20, rival }, seed: night });
  const { at, commit: hash, profile } = syntheticLine(night);
  return {
    ...syntheticRecord([group], 1),
    startedAt: at,
    finishedAt: at,
    profile,
    commit: { hash, dirty: false },
  };
}

/** The same night's other shard, made elsewhere. */
function otherShard(night: number): BenchRecord {
  const record = recordOf(night);
  const [group] = record.groups;
  const cells = group!.cells.map((cell) => ({ ...cell, name: cell.name.replace("/test/", "/other/") }));
  const machine = { ...record.machine, slug: "other-4c-8g", cpu: "Other", cores: 4 };
  return { ...record, machine, groups: [{ ...group!, scenario: "other", cells }] };
}

function fileOf(name: string, record: object): string {
  const path = join(folder, name);
  writeFileSync(path, recordText(record));
  return path;
}

describe("nightly refuses what it cannot do, in one line, before doing anything", () => {
  writeFileSync(join(folder, "file"), "");
  fileOf("dirty.json", { ...recordOf(0), commit: { hash: "a".repeat(40), dirty: true } });
  fileOf("sound.json", recordOf(0));
  const { groups: _, ...groupless } = recordOf(0);
  fileOf("groupless.json", groupless);
  fileOf("later.json", { ...recordOf(0), methodVersion: 99 });
  fileOf("runtimes.json", { ...recordOf(0), groups: [acrossRuntimes("rival", { node24: 20, bun: 10 })] });
  const history = join(folder, "refused", "history.ndjson");
  const refused = callsOf(NIGHTLY, { cwd: folder, env: inherited });
  itRefusesAsWritten(
    join(import.meta.dirname, "testdata/refusals.txt"),
    (args) => refused(args.includes("--history") ? args : ["--history", history, ...args]),
    folder,
  );

  it("and appends nothing", () => assert.ok(!existsSync(history)));

  it("without a commit, or with changes that belong to none", async () => {
    const places = ["--history", join(folder, "none.ndjson")];
    const message = /nightly needs a git work tree without uncommitted changes/;
    const nowhere = await call(NIGHTLY, places, { GIT_DIR: join(folder, "nowhere") });
    checkRefused(nowhere, /nightly needs a commit: .* is no git work tree: clone the repository$/m);
    // An index that does not exist counts as one without files.
    checkRefused(await call(NIGHTLY, places, { GIT_INDEX_FILE: join(folder, "no-index") }), message);
    assert.ok(!existsSync(join(folder, "none.ndjson")));
  });
});

/** What a summary says first, and of cells without a number. Figures of noise are left out. */
function gistOf({ status, stdout }: Ended): string {
  const lines = stdout
    .split("\n")
    .filter((line) => /^\*\*|^- .* @ |rival\/1w \||in the history already/.test(line));
  return `exit ${status}\n${lines.join("\n")}\n`
    .replaceAll(/\d+\.\d+/g, "#")
    .replaceAll(/\d+ waits? for/g, "others wait for");
}

it("a regression is suspected in its first night, exits with 5 in its second and not from then on; a cell without a number exits with 1", async (test) => {
  const at = (name: string) => join(folder, "steps", name);
  const history = at("history.ndjson");
  const random = new Random(3);
  mkdirSync(at(""));
  const before = Array.from({ length: STEP }, (_, night) =>
    syntheticLine(night, { cell: CELL, ratio: 0.5 * (1 + 0.003 * gaussian(random)) }),
  );
  writeFileSync(history, before.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const places = ["--history", history];
  const track = (path: string, env: NodeJS.ProcessEnv = {}) =>
    call(NIGHTLY, ["--from", path, ...places], env);

  const first = await track(fileOf("first.json", recordOf(STEP)));

  // The second night comes in two shards from two machines.
  const shard = fileOf("a.json", recordOf(STEP + 1));
  writeFileSync(at("page.md"), "before\n");
  const other = await track(fileOf("b.json", otherShard(STEP + 1)));
  const second = await track(shard, { GITHUB_STEP_SUMMARY: at("page.md") });
  assert.equal(readFileSync(at("page.md"), "utf8"), `before\n${second.stdout}`);

  const appended = readFileSync(history, "utf8");
  const again = await track(shard, { GITHUB_STEP_SUMMARY: join(folder, "nowhere", "page.md") });
  assert.equal(readFileSync(history, "utf8"), appended, again.stderr);
  assert.match(again.stderr, /GITHUB_STEP_SUMMARY: .* cannot be appended to \(ENOENT\)/);

  // In the third night a cell of another scenario has no number, which the regression would go before.
  const record = recordOf(STEP + 2);
  const [beside] = otherShard(STEP + 2).groups;
  const failure = { kind: "law" as const, reason: "two holders at once" };
  const cells = beside!.cells.map((cell) =>
    cell.competitor === "rival" ? { ...cell, failure, forks: 0, roles: {} } : cell,
  );
  const broken = { ...record, groups: [...record.groups, { ...beside!, cells }] };
  const third = await track(fileOf("third.json", broken));
  golden(test, "testdata/steps.txt", [first, other, second, again, third].map(gistOf).join("\n"));
  const { lines, damaged } = readHistory(history);
  assert.deepEqual([lines.length, damaged], [STEP + 2 + 4 + 4, []]);
});

it("a shard measures its part of a commit and appends nothing; --from goes on from its record", async () => {
  // A commit that tracks nothing, so no tracked file of the work tree differs from it.
  const git = join(folder, "git");
  execFileSync("git", ["init", "--quiet", "--bare", git]);
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  const commit = (...args: string[]) =>
    execFileSync("git", [`--git-dir=${git}`, ...author, ...args], { encoding: "utf8" }).trim();
  const hash = commit("commit-tree", "-m", "nothing", commit("write-tree"));
  commit("update-ref", "HEAD", hash);
  commit("config", "status.showUntrackedFiles", "no");
  commit("config", "core.bare", "false");

  const history = join(folder, "shards", "history.ndjson");
  const args = "pick/uniform-8/cas-ring --workers 1 --profile quick --budget 1s --shard 1/2".split(" ");
  const places = ["--history", history, "--out", join(folder, "shards", "out")];
  const shard = await call(NIGHTLY, [...args, ...places], { GIT_DIR: git });
  assert.equal(shard.status, 0, shard.stderr);
  assert.match(shard.stderr, /^1 of 1 groups are measured, 1 of them here, 0 wait for later nights$/m);
  assert.match(shard.stderr, /pick\/uniform-8\/1w alone takes about .* more than the budget of 1\.0 s/);
  assert.ok(!existsSync(history));
  const path = join(folder, shard.stdout.trimEnd());
  const record = readRecord(path);
  assert.deepEqual(
    [record.commit, record.profile, record.groups.length],
    [{ hash, dirty: false }, "quick", 1],
  );
  assert.match(record.command, /^npm run nightly -- pick\/uniform-8\/cas-ring .*--shard 1\/2/);

  const whole = await call(NIGHTLY, ["pick/uniform-8", "--from", path, "--history", history]);
  assert.equal(whole.status, 0, whole.stderr);
  assert.match(whole.stdout, /^\*\*0 confirmed .*; 1 group measured, \d+ waits? for later nights\*\*$/m);
  assert.deepEqual(readHistory(history).lines, linesOf(record));
});

it("a night of several runtimes is appended to its own history, each line with the runtime that its cell ran on", async () => {
  const path = fileOf("night-of-runtimes.json", {
    ...recordOf(0),
    groups: [acrossRuntimes("cas-ring", { node24: 20, bun: 10 })],
  });
  const history = join(folder, "night-of-runtimes.ndjson");
  const places = ["--history", history];
  const args = ["pick", "--workers", "1", "--runtimes", "node24", "--from", path, ...places];
  const { status, stdout, stderr } = await call(NIGHTLY, args);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /, Bun 1\.4\.5, Node\.js 24\.21\.0, profile /);
  assert.deepEqual(
    readHistory(history).lines.map(({ cell, runtime, baseline }) => [cell, runtime, baseline]),
    [
      ["synthetic/test@cas-ring/cas-ring@bun/1w", "Bun 1.4.5", "cas-ring@node24"],
      ["synthetic/test@cas-ring/cas-ring@node24/1w", "Node.js 24.21.0", "cas-ring@node24"],
    ],
  );
});
