import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { git } from "../engine/cli/commits/git.ts";
import { checkCommitted, currentCommit } from "./git.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "hotpath-git-")));
after(() => rmSync(folder, { recursive: true }));
const repository = join(folder, "repository");
mkdirSync(repository);
git(repository, "init", "--quiet");
const identity = [
  "-c",
  "user.name=nobody",
  "-c",
  "user.email=nobody@localhost",
  "-c",
  "commit.gpgsign=false",
];
git(repository, ...identity, "commit", "--quiet", "--allow-empty", "--message", "made up");

describe("what needs a commit", () => {
  const refused = (place: string) => {
    try {
      checkCommitted(currentCommit(place), "it", place);
    } catch (error) {
      return (error as Error).message;
    }
    return undefined;
  };

  it("has one in a repository without changes", () => {
    assert.equal(refused(repository), undefined);
    assert.match(currentCommit(repository)!.hash, /^[0-9a-f]{40}$/);
  });

  it("reports changes", () => {
    writeFileSync(join(repository, "new"), "");
    assert.match(refused(repository)!, /^it needs a git work tree without uncommitted changes: commit or/);
    rmSync(join(repository, "new"));
  });

  it("reports that there is no repository", () => {
    assert.equal(currentCommit(folder), null);
    assert.equal(refused(folder), `it needs a commit: ${folder} is no git work tree: clone the repository`);
  });

  it("reports that the repository is another user's, and how to let git read it", (context) => {
    const variables = {
      GIT_TEST_ASSUME_DIFFERENT_OWNER: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_SYSTEM: "/dev/null",
    };
    const before = { ...process.env };
    context.after(() => {
      process.env = before;
    });
    Object.assign(process.env, variables);
    assert.equal(currentCommit(repository), null);
    assert.match(
      refused(repository)!,
      /^it needs a commit: .*\/repository belongs to another user, .*: git config --global --add safe\.directory '.*\/repository'$/,
    );
  });
});
