import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  watch,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { PROFILES } from "../../measure/plan/plan.ts";
import { confinedUnless, listFile } from "../list-files.ts";
import { UsageError } from "../usage.ts";
import { type FilesOptions, sidesOfFiles } from "./files.ts";
import { git } from "./git.ts";
import { type CommitsOptions as MachineOptions, raceCommits } from "./race-commits.ts";
import { temporaryRepository } from "./repository.synthetic.ts";
import type { Side } from "./sides.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "hotpath-commits-test-")));
const made = temporaryRepository();
process.env.TMPDIR = place;
after(() => {
  made.remove();
  rmSync(place, { recursive: true });
});

const root = realpathSync(made.root);
const BENCH = "bench/parse.bench.mjs";
const bench = (tasks: string) => `import { parse } from "../src/parse.mjs";\n${tasks}`;
const parsing = (times: number) =>
  `export const parse = () => { let n = 0; while (n < ${times}) n++; return n; };\n`;
const first = made.commit({
  "package.json": JSON.stringify({ name: "own" }),
  "src/parse.mjs": parsing(200),
  [BENCH]: bench("export const kept = () => parse();\nexport const removed = () => parse();\n"),
});
made.commit({ "README.md": "Only words.\n" });
const unchanged = git(root, "rev-parse", "HEAD");
made.commit({
  "src/parse.mjs": parsing(4000),
  [BENCH]: bench("export const kept = () => parse();\nexport const added = () => parse();\n"),
  "bench/other.bench.mjs": "export const other = () => 1;\n",
});

type CommitsOptions = MachineOptions & FilesOptions;

/** Lists files of the form above by their text: what importing finds is not the subject here. */
async function list(path: string): Promise<{ listed: Side } | { reason: string }> {
  const text = readFileSync(path, "utf8");
  const imported = [...text.matchAll(/from "(\..*?)"/g)].map(([, to]) => join(dirname(path), to!));
  const files = [path, ...imported].map((file) => {
    const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
    return [pathToFileURL(file).href, hash];
  });
  const names = [...text.matchAll(/export const (\w+)/g)].map(([, name]) => name!);
  if (names.length === 0) return { reason: `${path} has no task` };
  return {
    listed: {
      file: pathToFileURL(path).href,
      ending: "pause",
      importMs: 0,
      tasks: names.map((name) => ({ groups: [], name, ordinal: 0, isBaseline: false })),
      files: Object.fromEntries(files),
      packages: text.includes('"own"')
        ? { own: pathToFileURL(join(root, "node_modules/own/i.js")).href }
        : {},
    },
  };
}

const options = (more: Partial<CommitsOptions> = {}): CommitsOptions => ({
  base: first,
  folder: root,
  files: [join(root, BENCH)],
  list,
  failOn: "slower",
  profile: { ...PROFILES.standard, exactly: { forks: 1, rounds: 2, warmUpSlices: 2 } },
  budgetMs: 60_000,
  seed: 1,
  signal: new AbortController().signal,
  ...more,
});
const compared = (more?: Partial<CommitsOptions>) => raceCommits(options(more), sidesOfFiles(options(more)));

function assertNothingLeft(): void {
  assert.deepEqual(readdirSync(place), []);
  assert.equal(git(root, "worktree", "list").split("\n").length, 1);
  assert.equal(git(root, "worktree", "prune", "--dry-run", "--verbose"), "");
  assert.ok(!existsSync(join(root, ".git/worktrees")));
}

/** Asserts that it rejects with one line, and leaves nothing. */
async function assertRefused(more: Partial<CommitsOptions>, message: RegExp): Promise<Error> {
  let refusal: Error | undefined;
  await assert.rejects(compared(more), (error: Error) => {
    refusal = error;
    assert.match(error.message, message);
    assert.ok(!error.message.includes("\n"));
    return true;
  });
  assertNothingLeft();
  return refusal!;
}

describe("two commits", () => {
  it("race where what they load differs, each its own code", async () => {
    const { rows, remarks, head, base, exitCode } = await compared();
    assert.deepEqual(
      rows
        .map(({ task, verdict }) => [task, verdict === "new" || verdict === "gone" ? verdict : "raced"])
        .sort(),
      [
        ["added", "new"],
        ["kept", "raced"],
        ["removed", "gone"],
      ],
    );
    const kept = rows.find(({ task }) => task === "kept")!;
    // A busy machine may make the shorter one seem half as long as the other: what counts is that they are two.
    assert.ok(kept.headNs! > kept.baseNs!, `${kept.baseNs} to ${kept.headNs} ns, of 200 and 4,000 steps`);
    assert.ok(kept.ratio!.value > 1);
    assert.deepEqual(remarks, [`${BENCH} is itself another in the base: its tasks may do different work`]);
    assert.deepEqual([head.isDirty, base.commit, exitCode], [false, first, 0]);
    assertNothingLeft();
  });

  it("that are too far apart to race are slower where two looks say so", async () => {
    made.write({ "src/parse.mjs": parsing(1_000_000) });
    const { rows, head, exitCode } = await compared({ isAsked: ({ name }) => name === "kept" });
    const never = await compared({ isAsked: ({ name }) => name === "kept", failOn: "never" });
    git(root, "checkout", "--quiet", "--", ".");
    const [{ verdict, reason, headNs, baseNs }] = rows as [(typeof rows)[number]];
    assert.equal(verdict, "slower");
    assert.ok(headNs! > 100 * baseNs!);
    assert.match(reason!, /^too far apart/);
    assert.deepEqual([exitCode, never.exitCode, head.isDirty], [3, 0, true]);
    assertNothingLeft();
  });

  it("do not race where they load the same files", async () => {
    git(root, "checkout", "--quiet", unchanged);
    const { rows, remarks, exitCode } = await compared();
    git(root, "checkout", "--quiet", "main");
    assert.deepEqual(
      rows.map(({ verdict }) => verdict),
      ["unchanged", "unchanged"],
    );
    assert.deepEqual(remarks, []);
    assert.equal(exitCode, 0);
    assertNothingLeft();
  });

  it("do not race a folder of TypeScript whose files import one another, for a commit that adds words", async () => {
    const benchOf = (name: string) =>
      `import { add } from "../src/add.ts";\nexport const ${name} = () => add(1);\n`;
    const before = git(root, "rev-parse", "HEAD");
    const words = made.commit({
      "src/add.ts": "export const add = (to: number): number => to + 1;\n",
      "typed/a.bench.ts": benchOf("a"),
      "typed/b.bench.ts": benchOf("b"),
    });
    made.commit({ "README.md": "More words.\n" });
    const files = ["a", "b"].map((name) => join(root, `typed/${name}.bench.ts`));
    const { rows } = await confinedUnless(false, (confinedTo) => {
      const listAs = (path: string) => listFile(path, { confinedTo, signal: new AbortController().signal });
      return compared({ base: words, files, list: listAs, confinedTo });
    });
    git(root, "reset", "--quiet", "--hard", before);
    assert.deepEqual(
      rows.map(({ verdict }) => verdict),
      ["unchanged", "unchanged"],
    );
  });

  it("do not race a file that the base does not have", async () => {
    const { rows, remarks, exitCode } = await compared({ files: [join(root, "bench/other.bench.mjs")] });
    assert.deepEqual(rows, [{ file: "bench/other.bench.mjs", task: "other", verdict: "new" }]);
    assert.deepEqual(remarks, [
      "bench/other.bench.mjs is new: the base does not have it",
      "nothing was compared, since the base has none of these tasks: give a --base that has some",
    ]);
    assert.equal(exitCode, 2);
  });

  it("name the files that only the base has", async () => {
    const filesIn = (path: string) => {
      if (!existsSync(path)) throw new UsageError("there is none");
      return readdirSync(path).map((file) => join(path, file));
    };
    const goneOf = async (...paths: string[]) => {
      const { remarks } = await compared({ paths, filesIn, isAsked: () => false });
      return remarks.filter((line) => line.includes("gone"));
    };
    const gone = ["src/parse.mjs is gone: only the base has it"];
    assert.deepEqual(await goneOf("bench", "src"), gone);
    assert.deepEqual(await goneOf(join(root, "src")), gone, "by its whole path");
    assert.deepEqual(await goneOf("nowhere", "src"), gone, "beside what the base lacks");
    assert.deepEqual(await goneOf("nowhere"), []);
  });

  it("race only what was asked for", async () => {
    const { rows } = await compared({ isAsked: ({ name }) => name === "removed" });
    assert.deepEqual(rows, [{ file: BENCH, task: "removed", verdict: "gone" }]);
  });

  it("that are one differ in nothing", async () => {
    const { rows, remarks, exitCode } = await compared({ base: "HEAD" });
    assert.deepEqual([rows, exitCode], [[], 0]);
    assert.match(remarks[0]!, /^nothing differs/);
  });

  it("are the base and the working tree, whatever is uncommitted there", async () => {
    made.write({ "src/parse.mjs": parsing(30_000) });
    const outcome = await compared({ base: "HEAD", isAsked: () => false });
    git(root, "checkout", "--quiet", "--", ".");
    assert.equal(outcome.head.isDirty, true);
    assert.deepEqual(outcome.remarks, []);
  });

  it("are both built", async () => {
    const build = "echo 'export const built = () => 1;' >> bench/parse.bench.mjs";
    const { rows, remarks, exitCode } = await compared({
      build,
      isAsked: ({ name }) => name === "built",
      profile: PROFILES.standard,
      budgetMs: 3_000,
    });
    git(root, "checkout", "--quiet", "--", ".");
    assert.deepEqual(
      rows.map(({ task, verdict }) => [task, verdict]),
      [["built", "not raced"]],
    );
    assert.ok(remarks.includes(`both sides were built with: ${build}`));
    assert.equal(exitCode, 2, "there was no time");
  });

  it("say how many commits the base has that the head lacks", async () => {
    git(root, "checkout", "--quiet", first);
    const { remarks } = await compared({ base: "main", isAsked: () => false });
    git(root, "checkout", "--quiet", "main");
    assert.match(
      remarks[0]!,
      /^[0-9a-f]{7} has 2 commits that this one lacks; .*: give the merge base to see this branch alone$/,
    );
    git(root, "checkout", "--quiet", unchanged);
    const one = await compared({ base: "main", isAsked: () => false });
    git(root, "checkout", "--quiet", "main");
    assert.match(one.remarks[0]!, /^[0-9a-f]{7} has 1 commit that/);
  });

  it("hear what is listed before anything races", async () => {
    const told: string[] = [];
    const check: CommitsOptions["check"] = (listed) => {
      told.push(...listed.flatMap(({ listed: { tasks } }) => tasks.map(({ name }) => name)));
      throw new UsageError("there is no task nowhere");
    };
    await assertRefused({ check, announced: () => assert.fail() }, /^there is no task nowhere$/);
    assert.deepEqual(told, ["kept", "added", "kept", "removed"]);
  });

  it("say what will be raced, and how far they are", async () => {
    const lines: string[] = [];
    const shares: (number | undefined)[] = [];
    await compared({
      // Long beside the race on any machine, however busy.
      budgetMs: 600_000,
      announced: (line) => lines.push(line),
      doing(what, share) {
        if (what.startsWith("kept (")) shares.push(share);
      },
    });
    assert.deepEqual(lines, ["1 task to race, 1 new, 1 gone; up to 10 min 0 s"]);
    assert.ok(shares.every((share) => share! >= 0 && share! < 0.1));
  });
});

describe("what fails or is refused in one commit alone", () => {
  /** What comes of a working tree in which the bench file is this. */
  const comparedAs = async (text: string, more: Partial<CommitsOptions> = {}) => {
    made.write({ [BENCH]: text });
    const isAsked = ({ name }: { name: string }) => name !== "removed" && name !== "added";
    const { rows, refused, exitCode } = await compared({ isAsked, ...more });
    git(root, "checkout", "--quiet", "--", ".");
    assertNothingLeft();
    assert.deepEqual(refused, []);
    return [exitCode, ...rows.map(({ task, verdict, reason }) => [task, verdict, reason])];
  };
  const KEPT = "export const kept = () => 1;\n";
  const refusing =
    (isRefused: (path: string) => boolean): typeof list =>
    async (path) => {
      const found = await list(path);
      if (!isRefused(path) || !("listed" in found)) return found;
      const tasks = found.listed.tasks.map((task) => ({ ...task, refused: "base: not today" }));
      return { listed: { ...found.listed, tasks } };
    };
  const isHead = (path: string) => path.startsWith(root);

  it("has failed, where that is the head's", async () => {
    assert.deepEqual(await comparedAs("nothing"), [1, ["kept", "failed", `${BENCH} has no task`]]);
    const throwing = "export const kept = () => { throw new Error('base: no'); };\n";
    assert.deepEqual(await comparedAs(throwing), [1, ["kept", "failed", "it threw: base: no"]]);
    const list = refusing(isHead);
    assert.deepEqual(await comparedAs(KEPT, { list }), [1, ["kept", "failed", "base: not today"]]);
    const published = await comparedAs(`import "own";\n${KEPT}`);
    assert.match(String(published), /^1,kept,failed,it imports own, which/);
  });

  it("is no failure but leaves nothing to compare, where that is the base's", async () => {
    const lacking: typeof list = async (path) =>
      isHead(path) ? await list(path) : { reason: `${path}: not today` };
    const noBase = ["kept", "no base", "in the base: not today"];
    assert.deepEqual(await comparedAs(KEPT, { list: lacking }), [2, noBase]);
    const inBase = ["kept", "no base", "in the base: base: not today"];
    assert.deepEqual(await comparedAs(KEPT, { list: refusing((path) => !isHead(path)) }), [2, inBase]);
  });

  it("is refused, where it is both's", async () => {
    const both = await comparedAs(KEPT, { list: refusing(() => true) });
    assert.deepEqual(both, [2, ["kept", "refused", "base: not today"]]);
  });
});

describe("two commits of which a file changes while it races", () => {
  it("keep their rows, and have failed", async () => {
    const doing = (what: string) => {
      if (what.startsWith("kept")) appendFileSync(join(root, "src/parse.mjs"), "// edited\n");
    };
    const { rows, remarks, exitCode } = await compared({ doing });
    git(root, "checkout", "--quiet", "--", ".");
    assert.ok(rows.find(({ task }) => task === "kept")!.headNs! > 0);
    assert.match(remarks.join("\n"), /^src\/parse.mjs was changed while it raced, so .*: start again/m);
    assert.equal(exitCode, 1);
  });
});

describe("a file of two commits is refused in one line", () => {
  const reasonOf = async (text: string, more: Partial<CommitsOptions> = {}) => {
    made.write({ [BENCH]: text });
    const { refused, exitCode } = await compared(more);
    git(root, "checkout", "--quiet", "--", ".");
    assert.equal(exitCode, 2);
    assertNothingLeft();
    assert.equal(refused[0]!.file, BENCH);
    return refused[0]!.reason;
  };

  it("where it cannot be listed on both sides", async () => {
    const nowhere: typeof list = async (path) => ({ reason: `${path}: not today` });
    assert.equal(await reasonOf("export const kept = () => 1;\n", { list: nowhere }), "not today");
  });
});

describe("two commits are refused in one line, and nothing is left", () => {
  it("without the base", async () => {
    await assertRefused(
      { base: "mian" },
      /^mian is no commit of this repository \(git: bad rev.*\), did you mean main\? git branch.*git fetch/,
    );
  });

  it("without the base's history", async () => {
    const shallow = join(place, "shallow");
    git(place, "clone", "--quiet", "--depth", "1", pathToFileURL(root).href, shallow);
    const refused = compared({ folder: shallow, files: [join(shallow, BENCH)], base: "origin/main~1" });
    await assert.rejects(refused, {
      message: /^origin\/main~1 is no commit.*this clone is shallow: check out with fetch-depth: 0,[^\n]*$/,
    });
    rmSync(shallow, { recursive: true });
  });

  it("without a repository", async () => {
    const message = /^commits are compared in a git work tree only: .* is no git work tree: clone/;
    await assertRefused({ folder: place }, message);
  });

  it("with a file from elsewhere", async () => {
    await assertRefused({ files: [import.meta.filename] }, / is outside of the repository .*: leave it out$/);
  });

  it("where the build fails, with what it printed", async () => {
    const { cause } = await assertRefused(
      { build: "echo not today; exit 3" },
      /^echo not today; exit 3 failed in .* \(exit 3\)$/,
    );
    assert.equal(cause, "not today\n");
  });

  it("with a build in a folder that the base lacks", async () => {
    made.write({ "late/new.txt": "" });
    const message = /^--build runs in late\/ of both commits, and the base has no such folder: call/;
    await assertRefused({ build: "true", folder: join(root, "late") }, message);
    rmSync(join(root, "late"), { recursive: true });
  });
});

/** Whether a process is there, or by a negative number any of a group. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("two commits are interrupted", () => {
  const program = `
    import { raceCommits } from ${JSON.stringify(new URL("race-commits.ts", import.meta.url).href)};
    import { sidesOfFiles } from ${JSON.stringify(new URL("files.ts", import.meta.url).href)};
    const signal = new AbortController().signal;
    const options = ${JSON.stringify(options())};
    await raceCommits({ ...options, signal }, sidesOfFiles({ ...options, signal, build: "echo $$ > begun; mv begun building; sleep 600; true" }));`;

  for (const signal of ["SIGINT", "SIGTERM"] as const)
    it(`by ${signal}, and nothing is left`, {
      skip: process.platform === "win32" && "no signals",
    }, async () => {
      // It is renamed when it holds the number: a file that is still empty would be read as 0, this process's own group.
      const building = new Promise((resolve) => {
        const watching = watch(root, (_, name) => {
          if (name !== "building") return;
          watching.close();
          resolve(undefined);
        });
      });
      const child = spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio: "inherit" });
      const ended = once(child, "exit");
      await building;
      child.kill(signal);
      assert.deepEqual(await ended, [130, null]);
      const pid = Number(readFileSync(join(root, "building"), "utf8"));
      rmSync(join(root, "building"));
      // It ends soon after the signal that it gets.
      while (isAlive(-pid)) await setImmediate();
      assertNothingLeft();
    });
});
