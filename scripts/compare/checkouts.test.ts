import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { commitOf, git } from "../../suites/engine/cli/commits/git.ts";
import { temporaryRepository } from "../../suites/engine/cli/commits/repository.synthetic.ts";
import { withCheckouts } from "./checkouts.ts";
import { isDirty, knownCommitOf, openRepository } from "./repository.ts";

const made = temporaryRepository();
const { repository, root } = made;
const first = made.commit({
  "package.json": "{}",
  "structures/a.ts": "export const a = 1;\n",
  "node_modules/kept/index.js": "",
  ".gitignore": "node_modules\n",
});
const second = made.commit({ "structures/a.ts": "export const a = 2;\n" });
const place = realpathSync(mkdtempSync(join(tmpdir(), "hotpath-place-")));
after(() => {
  made.remove();
  rmSync(place, { recursive: true });
});

const worktrees = () => git(root, "worktree", "list", "--porcelain").match(/^worktree .*/gm)!.length;
const leftovers = () => readdirSync(place);

describe("checkouts", () => {
  beforeEach(() => git(root, "checkout", "--quiet", "--", "."));

  it("hold each revision and the working tree as it is, with the packages of the repository", async () => {
    made.write({ "structures/a.ts": "export const a = 3;\n" });
    await withCheckouts(
      repository,
      async (checkouts) => {
        const folders = [
          checkouts.worktree("base", first),
          checkouts.worktree("head", second),
          checkouts.snapshot("tree"),
        ];
        const texts = folders.map((folder) => readFileSync(join(folder, "structures/a.ts"), "utf8"));
        assert.deepEqual(
          texts,
          [1, 2, 3].map((value) => `export const a = ${value};\n`),
        );
        for (const folder of folders) assert.ok(existsSync(join(folder, "node_modules/kept/index.js")));
        made.write({ "structures/a.ts": "export const a = 4;\n" });
        assert.match(readFileSync(join(folders[2]!, "structures/a.ts"), "utf8"), /3/, "as it was then");
        assert.equal(worktrees(), 3);
      },
      place,
    );
    assert.deepEqual(leftovers(), []);
    assert.equal(worktrees(), 1);
    assert.ok(existsSync(join(root, "node_modules/kept/index.js")), "what was linked is not removed");
  });

  it("are gone after an exception, and the exception is not", async () => {
    const failing = withCheckouts(
      repository,
      async (checkouts) => {
        checkouts.worktree("base", first);
        throw new Error("on purpose");
      },
      place,
    );
    await assert.rejects(failing, /on purpose/);
    assert.deepEqual(leftovers(), []);
    assert.equal(worktrees(), 1);
  });

  it("are gone where git could not make one", async () => {
    await assert.rejects(
      withCheckouts(repository, async (checkouts) => checkouts.worktree("base", "0".repeat(40)), place),
      /invalid reference|bad object|not a valid/i,
    );
    assert.deepEqual(leftovers(), []);
    assert.equal(worktrees(), 1);
  });

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    it(`are gone after ${signal}`, { skip: process.platform === "win32" && "no signals" }, async () => {
      const child = await holdCheckout();
      assert.equal(worktrees(), 2);
      const ended = exitOf(child);
      child.kill(signal);
      assert.deepEqual(await ended, { code: 130, signal: null });
      assert.deepEqual(leftovers(), []);
      assert.equal(worktrees(), 1);
    });
  }

  it("that a killed process left are removed by the next, and a living process's are not", async () => {
    const [killed, living] = await Promise.all([holdCheckout(), holdCheckout()]);
    const ended = exitOf(killed);
    killed.kill("SIGKILL");
    await ended;
    assert.equal(leftovers().length, 2, "nobody has cleaned up yet");
    await withCheckouts(repository, async () => {}, place);
    assert.equal(leftovers().length, 1);
    assert.equal(worktrees(), 2);
    const alsoEnded = exitOf(living);
    living.kill("SIGTERM");
    await alsoEnded;
    assert.equal(worktrees(), 1);
  });

  it("are taken off git's list also where their folder is gone", async () => {
    const child = await holdCheckout();
    const ended = exitOf(child);
    child.kill("SIGKILL");
    await ended;
    for (const name of leftovers()) rmSync(join(place, name), { recursive: true });
    assert.equal(worktrees(), 2);
    await withCheckouts(repository, async () => {}, place);
    assert.equal(worktrees(), 1);
    assert.deepEqual(leftovers(), []);
  });
});

describe("a repository", () => {
  it("knows its revisions, and says of others what git says and what there is instead", () => {
    assert.equal(commitOf(repository, "main~1")?.hash, first);
    assert.match(first, new RegExp(`^${commitOf(repository, first)!.short}`));
    assert.equal(commitOf(repository, "mian"), undefined);
    assert.throws(() => knownCommitOf(repository, "mian"), {
      message:
        "mian is not a revision of this repository (git: bad revision 'mian'); branches, nearest first: main",
    });
    assert.throws(() => knownCommitOf(repository, "--all"), /--all is not a revision/, "no option of git's");
  });

  it("says where its clone is shallow how to get the rest", () => {
    const shallow = join(place, "shallow");
    git(place, "clone", "--quiet", "--depth", "1", pathToFileURL(root).href, shallow);
    assert.throws(
      () => knownCommitOf(openRepository(shallow), "main~1"),
      /main~1 is not a revision.*, which is a shallow clone: git fetch --unshallow brings the others; branches/,
    );
    rmSync(shallow, { recursive: true });
  });

  it("is dirty with any change but one of results", () => {
    assert.equal(isDirty(repository), false);
    made.write({ "results/local/x.json": "{}" });
    assert.equal(isDirty(repository), false);
    made.write({ "structures/new.ts": "" });
    assert.equal(isDirty(repository), true);
    rmSync(join(root, "structures/new.ts"));
  });

  it("is asked for in one line where there is none", () => {
    assert.throws(() => openRepository(place), /in a git work tree only: .* is no git work tree: clone/);
  });
});

/** A process that holds a checkout until it is asked to end. */
async function holdCheckout(): Promise<ChildProcess> {
  const program = `
    import { withCheckouts } from ${JSON.stringify(new URL("checkouts.ts", import.meta.url).href)};
    await withCheckouts(${JSON.stringify(repository)}, async (checkouts) => {
      checkouts.worktree("base", ${JSON.stringify(first)});
      process.stdout.write("ready");
      await new Promise((resolve) => setInterval(resolve, 2 ** 30));
    }, ${JSON.stringify(place)});`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return child;
}

function exitOf(child: ChildProcess) {
  return new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on("exit", (code, signal) => resolve({ code, signal }));
  });
}
