import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { git } from "./git.ts";
import { temporaryRepository } from "./repository.synthetic.ts";
import { type Worktrees, withWorktrees } from "./worktrees.ts";

const made = temporaryRepository();
const { repository, root } = made;
const hash = made.commit({ "a.ts": "export const a = 1;\n" });
const place = realpathSync(mkdtempSync(join(tmpdir(), "hotpath-place-")));
after(() => {
  made.remove();
  rmSync(place, { recursive: true });
});

const within = <T>(action: (worktrees: Worktrees) => Promise<T>) =>
  withWorktrees(repository, "compare", action, place);
/** How many folders there are, and how many worktrees git knows besides the repository. */
const left = () => [
  readdirSync(place).length,
  git(root, "worktree", "list", "--porcelain").match(/^worktree .*/gm)!.length - 1,
];

/** A process that holds a worktree until it is asked to end. */
async function holder(): Promise<ChildProcess> {
  const program = `
    import { withWorktrees } from ${JSON.stringify(new URL("worktrees.ts", import.meta.url).href)};
    await withWorktrees(${JSON.stringify(repository)}, "compare", async (worktrees) => {
      worktrees.add("base", ${JSON.stringify(hash)});
      process.stdout.write("ready");
      await new Promise((resolve) => setInterval(resolve, 2 ** 30));
    }, ${JSON.stringify(place)});`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

/** The exit code, or the signal that it died of. */
async function endedBy(signal: NodeJS.Signals, child: ChildProcess): Promise<unknown> {
  const ended = once(child, "exit");
  child.kill(signal);
  const [code, killedBy] = await ended;
  return code ?? killedBy;
}

describe("worktrees", () => {
  it("hold a commit, and are gone afterwards", async () => {
    await within(async (worktrees) => {
      assert.ok(existsSync(join(worktrees.add("base", hash), "a.ts")));
      assert.deepEqual(left(), [1, 1]);
    });
    assert.deepEqual(left(), [0, 0]);
  });

  it("are gone after an exception, also where git could not make one", async () => {
    const failing = within(async (worktrees) => {
      worktrees.add("base", hash);
      throw new Error("on purpose");
    });
    await assert.rejects(failing, /on purpose/);
    const unknown = within(async (worktrees) => worktrees.add("base", "0".repeat(40)));
    await assert.rejects(unknown, /invalid reference|bad object|not a valid/i);
    assert.deepEqual(left(), [0, 0]);
  });

  it("are gone after a signal", { skip: process.platform === "win32" && "no signals" }, async () => {
    assert.equal(await endedBy("SIGTERM", await holder()), 130);
    assert.deepEqual(left(), [0, 0]);
  });

  it("that a killed process left are removed by the next, and a living process's are not", async () => {
    const [killed, living] = await Promise.all([holder(), holder()]);
    await endedBy("SIGKILL", killed);
    assert.deepEqual(left(), [2, 2], "nobody has cleaned up yet");
    await within(async () => {});
    assert.deepEqual(left(), [1, 1]);
    await endedBy("SIGTERM", living);
    assert.deepEqual(left(), [0, 0]);
  });

  it("are taken off git's list also where their folder is gone", async () => {
    await endedBy("SIGKILL", await holder());
    for (const name of readdirSync(place)) rmSync(join(place, name), { recursive: true });
    assert.deepEqual(left(), [0, 1]);
    await within(async () => {});
    assert.deepEqual(left(), [0, 0]);
  });
});
