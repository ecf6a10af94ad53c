import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { git } from "../../suites/engine/cli/commits/git.ts";
import { temporaryRepository } from "../../suites/engine/cli/commits/repository.synthetic.ts";
import { syntheticGroup, syntheticRecord } from "../../suites/engine/judge/judge.synthetic.ts";
import { type BenchRecord, checkRecord, readRecord, recordText } from "../../suites/engine/schema/record.ts";
import {
  checkRefused,
  itCanBeInterrupted,
  itRefuses,
  type Refusals,
  refusing,
} from "../../suites/lab/command/command.trials.ts";

/** A lab of its own with two commits, so that what is being worked on in this one makes no difference. */
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const lab = temporaryRepository();
const COMPARE = join(lab.root, "scripts/compare/command.ts");
for (const folder of ["structures", "suites", "scripts", "package.json"]) {
  const isSource = (path: string) => !["node_modules", "dist"].includes(basename(path));
  cpSync(join(ROOT, folder), join(lab.root, folder), { recursive: true, filter: isSource });
}
symlinkSync(join(ROOT, "node_modules"), join(lab.root, "node_modules"), "junction");
const LEMIRE = "structures/draws/competitors/lemire.ts";
const lemire = readFileSync(join(ROOT, LEMIRE), "utf8");
lab.commit({ ".gitignore": "node_modules\nresults\n" });
/** The same picker of numbers, which throws 2000 words away before it takes one. */
const slowLemire = lemire.replace(
  "let word = nextWord();",
  "for (let thrown = 0; thrown < 2000; thrown++) nextWord();\n        let word = nextWord();",
);
const slowCommit = lab.commit({ [LEMIRE]: slowLemire });

/** Where the calls make their temporary folders: empty when they are done. */
const folder = mkdtempSync(join(tmpdir(), "hotpath-compare-test-"));
const place = join(folder, "place");
after(() => {
  lab.remove();
  rmSync(folder, { recursive: true });
});
cpSync(join(ROOT, "package.json"), join(place, "unrelated.json"));

/** A test runner that prints in colours has its tests do so. */
const { FORCE_COLOR: _, ...inherited } = process.env;
const environment = { ...inherited, TMPDIR: place };

/** No call here takes long; one that does races what it should have refused. */
const LIMIT_MS = 60_000;

function call(...args: readonly string[]) {
  return spawnSync(process.execPath, [COMPARE, ...args], {
    encoding: "utf8",
    cwd: folder,
    env: environment,
    timeout: LIMIT_MS,
  });
}

function assertNothingLeft(): void {
  assert.deepEqual(readdirSync(place), ["unrelated.json"]);
  assert.equal(git(lab.root, "worktree", "list").split("\n").length, 1);
}

const COSTS = { forks: 4, rounds: 20, workers: 1, sliceNoise: 0.003, forkNoise: 0.001, roundNoise: 0.1 };

function recordFile(name: string, change: Partial<BenchRecord> = {}, ringNs = 20): string {
  const group = syntheticGroup({ ...COSTS, costsNs: { locked: 50, ring: ringNs }, seed: 1 });
  writeFileSync(join(folder, name), recordText({ ...syntheticRecord([group], 1), ...change }));
  return name;
}

describe("compare refuses what it cannot do, in one line, before doing anything", () => {
  const record = recordFile("record.json");
  const smoke = recordFile("smoke.json", { size: "smoke" });
  const foreign = recordFile("foreign.json", { groups: [] });
  writeFileSync(join(folder, "damaged.json"), "{");

  const refusals: Refusals = [
    [[], /say what to compare/],
    [["mian"], /mian is not a revision.*git: bad revision 'mian'.*nearest first: main/],
    [["main", "draws/bound-9"], /no cell is named "draws\/bound-9"/],
    [["main", "heartbeats"], /the request has no race/],
    [["main", "--profile", "quik"], /--profile quik is unknown.*quick/],
    [["main", "--frobnicate"], /--frobnicate/],
    [["main", record], /record.json is a record, which needs one other record/],
    [[record, record, "draws"], /remove draws/],
    [[record, record, "--seed", "1"], /remove --seed/],
    [[record, "nowhere.json"], /nowhere.json cannot be read/],
    [[record, "damaged.json", "--force"], /damaged.json is damaged/],
    [[record, smoke], /not of one kind \(sizes full and smoke\): --force/],
    [[record, foreign], /no raced cell in common/],
    [
      [record, recordFile("method.json", { methodVersion: 1 }), "--force"],
      /record\.json is of method \d+ and method\.json is of method 1, whose figures do not compare: measure both by one$/m,
    ],
  ];
  itRefuses(refusals, refusing(COMPARE, { cwd: folder, env: environment }), assertNothingLeft);

  it("without a place for temporary files", () => {
    const env = { ...inherited, TMPDIR: join(folder, "nowhere") };
    const args = [COMPARE, "main~1", "--out", join(folder, "refused")];
    const ended = spawnSync(process.execPath, args, { encoding: "utf8", cwd: folder, env });
    checkRefused(ended, /^temporary files cannot be written to .*nowhere \(ENOENT\): set TMPDIR to/);
    assert.ok(!existsSync(join(folder, "refused")));
  });
});

describe("two records", () => {
  it("exit with 3 where something is slower, and with 0 where nothing is", () => {
    const base = recordFile("base.json");
    const slower = call(base, recordFile("slower.json", {}, 30));
    assert.equal(slower.status, 3, slower.stderr);
    assert.match(slower.stdout, /^1 slower, 0 faster, 0 same, 0 cannot tell, 1 not judged of 2\n/);
    const same = call(base, base);
    assert.equal(same.status, 0, same.stdout);
  });

  it("of two sizes are compared by force, and marked", () => {
    const { status, stdout } = call("base.json", "smoke.json", "--force", "--json");
    assert.equal(status, 0);
    assert.match(JSON.parse(stdout).summary, /^forced: sizes full and smoke\. /);
  });
});

describe("two revisions", () => {
  it("that are one differ in nothing, and nothing is raced", () => {
    const { status, stdout } = call("HEAD");
    assert.equal(status, 0);
    assert.match(stdout, /^nothing differs: the working tree is its base/);
    assert.match(call("main", slowCommit).stdout, /^nothing differs: they are one commit/);
    const { rows, notes } = JSON.parse(call("HEAD", "--json").stdout);
    assert.deepEqual(rows, []);
    assert.match(notes[0], /^nothing differs/);
  });

  it("that differ in files no competitor reads are not raced, which programs hear too", () => {
    lab.write({ "suites/new.txt": "" });
    git(lab.root, "config", "status.showUntrackedFiles", "no");
    const { status, stdout, stderr } = call("HEAD", "--json");
    git(lab.root, "config", "--unset", "status.showUntrackedFiles");
    rmSync(join(lab.root, "suites/new.txt"));
    assert.equal(status, 0, stderr);
    assert.match(JSON.parse(stdout).notes[0], /^nothing to race between [0-9a-f]+ and working-tree$/);
    assertNothingLeft();
  });

  it("race where they differ, in crews named after them, and leave a record and nothing else", () => {
    const out = join(folder, "out");
    const { status, stdout, stderr } = call(
      "HEAD~1",
      "HEAD",
      "--size",
      "smoke",
      "--workers",
      "1",
      "--out",
      out,
      "--json",
    );
    // Whether so few slices suffice for a verdict is the machine's business; that there are numbers is ours.
    assert.ok(status === 3 || status === 0, stderr);
    const { rows, summary } = JSON.parse(stdout);
    // wasm-lemire takes what it says of itself from lemire.
    const cells = rows.map(({ cell }: { cell: string }) => cell);
    assert.deepEqual(cells.toSorted(), ["draws/bound-7/lemire/1w", "draws/bound-7/wasm-lemire/1w"]);
    const { ratio } = rows[cells.indexOf("draws/bound-7/lemire/1w")];
    assert.ok(ratio.value > 5, `${ratio.value}`);
    assert.ok(stderr.includes(summary), "the table is on stderr");
    assert.match(stderr, /\d+ competitors have the same code in both and were not\sraced/);
    const [saved, page] = readdirSync(out).sort();
    assert.ok(page!.endsWith(".md"));
    const { groups } = readRecord(join(out, saved!));
    const names = groups[0]!.cells.map(({ competitor }) => competitor);
    assert.match(names[0]!, /^lemire@[0-9a-f]{7,}$/);
    assert.ok(names.includes(`lemire@${slowCommit.slice(0, names[0]!.split("@")[1]!.length)}`), names.join());
    checkRecord(JSON.parse(readFileSync(join(out, saved!), "utf8")), saved!);
    assertNothingLeft();
  });

  it("whose contracts differ are refused in one line that names the primitive, and raced by force", () => {
    const contract = "structures/draws/draws.contract.ts";
    const text = readFileSync(join(lab.root, contract), "utf8");
    lab.write({
      [contract]: text.replace("export interface", "export interface Added {}\nexport interface"),
    });
    const request = ["HEAD", "draws/bound-7/lemire/1w", "--size", "smoke"];
    const { status, stderr } = call(...request);
    const forced = call(...request, "--force", "--out", join(folder, "forced"));
    lab.write({ [contract]: text });
    assert.equal(status, 2, stderr);
    assert.match(stderr, /^draws: its contract .* is not that at working-tree[^\n]*--force[^\n]*\n$/);
    assert.match(
      forced.stdout.replaceAll(/\s+/g, " "),
      /^forced: different contracts of draws\. [^.]* of 1 /,
    );
    assertNothingLeft();
  });
});

describe("compare is interrupted", () => {
  const out = join(folder, "interrupted");
  const args = [COMPARE, "HEAD~1", "--workers", "1", "--out", out];
  itCanBeInterrupted({ args, words: "fork 1", out, env: environment }, assertNothingLeft);
});
