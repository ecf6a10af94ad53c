import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { commitOf, git } from "../../suites/engine/cli/commits/git.ts";
import type { CommitsOutcome } from "../../suites/engine/cli/commits/outcome.ts";
import { temporaryRepository } from "../../suites/engine/cli/commits/repository.synthetic.ts";
import { withWorktrees } from "../../suites/engine/cli/commits/worktrees.ts";
import { callsOf, itCanBeInterrupted, itRefusesAsWritten } from "../../suites/lab/command/command.trials.ts";
import { checkRecord, readRecord } from "../../suites/lab/schema/record-file.ts";
import { sidesOfCompetitors } from "./competitors.ts";

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

describe("compare refuses what it cannot do, in one line, before doing anything", () => {
  const refused = callsOf(COMPARE, { cwd: folder, env: environment });
  itRefusesAsWritten(join(import.meta.dirname, "testdata/refusals.txt"), refused, folder);
  after(assertNothingLeft);
});

/** What `--json` printed. */
const outcomeIn = ({ stdout }: { readonly stdout: string }): CommitsOutcome => JSON.parse(stdout).commits;

describe("two revisions", () => {
  it("that are one differ in nothing, and nothing is raced", () => {
    const told = [call("HEAD", "--json"), call("main", slowCommit, "--json")].map((ended) => {
      assert.equal(ended.status, 0, ended.stderr);
      const { rows, remarks } = outcomeIn(ended);
      return [...rows, ...remarks];
    });
    assert.deepEqual(told, [
      ["nothing differs: the base is the commit that is checked out"],
      ["nothing differs: they are one commit"],
    ]);
  });

  it("that differ in files no competitor reads are not raced", () => {
    lab.write({ "suites/new.txt": "" });
    git(lab.root, "config", "status.showUntrackedFiles", "no");
    const ended = call("HEAD", "--json");
    git(lab.root, "config", "--unset", "status.showUntrackedFiles");
    rmSync(join(lab.root, "suites/new.txt"));
    assert.equal(ended.status, 0, ended.stderr);
    const { rows } = outcomeIn(ended);
    assert.deepEqual([...new Set(rows.map(({ verdict }) => verdict))], ["unchanged"]);
    assertNothingLeft();
  });

  it("race where they differ, in crews named after them, and leave a record and nothing else", () => {
    const out = join(folder, "out");
    const smoke = ["--size", "smoke", "--workers", "1", "--out", out, "--json"];
    const ended = call("HEAD~1", "HEAD", ...smoke);
    // Whether so few slices suffice for a verdict is the machine's business; that there are numbers is ours.
    assert.ok(ended.status === 3 || ended.status === 0, ended.stderr);
    const raced = outcomeIn(ended).rows.filter(({ ratio }) => ratio !== undefined);
    const [one] = raced;
    assert.deepEqual([one?.task, raced.length], ["draws/bound-7/lemire/1w", 1]);
    assert.ok(one!.ratio!.value > 5, `${one!.ratio!.value}`);
    assert.match(ended.stderr, /^1 task to race, \d+ unchanged$/m);
    assert.match(ended.stderr, /^task +base +head +ratio +verdict$/m, "the table is on stderr");
    const [saved, page] = readdirSync(out).sort();
    assert.ok(page!.endsWith(".md"));
    const { groups } = readRecord(join(out, saved!));
    const names = groups[0]!.cells.map(({ competitor }) => competitor);
    assert.match(names[0]!, /^lemire@[0-9a-f]{7,}$/);
    assert.ok(names.includes(`lemire@${slowCommit.slice(0, names[0]!.split("@")[1]!.length)}`), names.join());
    checkRecord(JSON.parse(readFileSync(join(out, saved!), "utf8")), saved!);
    assertNothingLeft();
  });

  it("whose contracts differ are raced, and a line below the table says so", () => {
    const contract = "structures/draws/draws.contract.ts";
    const text = readFileSync(join(lab.root, contract), "utf8");
    lab.write({
      [contract]: text.replace("export interface", "export interface Added {}\nexport interface"),
    });
    const request = ["HEAD", "draws/bound-7/lemire/1w", "--size", "smoke"];
    const { stdout } = call(...request, "--out", join(folder, "contracts"));
    lab.write({ [contract]: text });
    assert.match(stdout, /^draws: its contract .* is not that at working-tree: one suite may not be/m);
    assertNothingLeft();
  });
});

describe("the working tree", () => {
  it("races as it was when it was copied, with the packages of the repository", async () => {
    const sides = sidesOfCompetitors({
      asked: { filters: [] },
      record: () => assert.fail(),
      stop: () => {},
    } as never);
    await withWorktrees(lab.repository, "compare", async (worktrees) => {
      const commit = commitOf(lab.repository, "main~1")!;
      const { base, head } = await sides.checkOut(
        worktrees,
        { base: commit, head: commit, isTree: true },
        [],
      );
      assert.equal(readFileSync(join(base, LEMIRE), "utf8"), lemire);
      assert.equal(readFileSync(join(head, LEMIRE), "utf8"), slowLemire);
      assert.notEqual(realpathSync(join(head, LEMIRE)), realpathSync(join(lab.root, LEMIRE)));
      for (const tree of [base, head]) assert.ok(existsSync(join(tree, "node_modules/typescript")));
    });
  });
});

describe("compare is interrupted", () => {
  const out = join(folder, "interrupted");
  const args = [COMPARE, "HEAD~1", "--workers", "1", "--out", out];
  itCanBeInterrupted({ args, words: "seed", out, env: environment }, assertNothingLeft);
});
