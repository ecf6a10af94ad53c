import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { git, repositoryOf } from "./git.ts";

/** A git repository of its own in a temporary folder, for testing what reads and checks out revisions. */
export function temporaryRepository() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hotpath-repository-")));
  git(root, "init", "--quiet", "--initial-branch=main");
  const write = (files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  };
  return {
    repository: repositoryOf(root),
    root,
    write,
    /** Commits everything, with these files written first; returns the hash. */
    commit(files: Readonly<Record<string, string>>): string {
      write(files);
      git(root, "add", "--all");
      const identity = [
        "-c",
        "user.name=nobody",
        "-c",
        "user.email=nobody@localhost",
        "-c",
        "commit.gpgsign=false",
      ];
      git(root, ...identity, "commit", "--quiet", "--message", "made up");
      return git(root, "rev-parse", "HEAD");
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
