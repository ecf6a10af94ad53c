import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { giveDependencies } from "./dependencies.ts";
import { repositoryOf } from "./git.ts";
import { temporaryRepository } from "./repository.synthetic.ts";
import { withWorktrees } from "./worktrees.ts";

const json = (value: unknown) => JSON.stringify(value);
/** A package's files below a folder, whose only export is a text. */
const packageAt = (folder: string, name: string, text: string) => ({
  [`${folder}/package.json`]: json({ name, version: "1.0.0" }),
  [`${folder}/index.js`]: `module.exports = ${json(text)};\n`,
});

const made = temporaryRepository();
after(() => made.remove());
const head = realpathSync(made.root);

/** The package manager's part: a link of a workspace, as npm makes it. */
function linkWorkspace(from: string, to: string): void {
  mkdirSync(dirname(join(head, from)), { recursive: true });
  symlinkSync(to, join(head, from), "junction");
}

const before = made.commit({
  ".gitignore": "node_modules\n",
  "package.json": json({ name: "root", workspaces: ["packages/*"] }),
  "package-lock.json": "{}",
  ...packageAt("packages/core", "@own/core", "old core"),
  ...packageAt("packages/plain", "plain", "old plain"),
  "packages/core/bin.js": "",
});
made.commit({
  ...packageAt("packages/core", "@own/core", "new core"),
  ...packageAt("packages/plain", "plain", "new plain"),
  ...packageAt("packages/added", "@own/added", "added"),
});
made.write({
  ...packageAt("node_modules/@own/kept", "@own/kept", "kept"),
  ...packageAt("node_modules/dep", "dep", "dep"),
  ...packageAt("packages/core/node_modules/dep", "dep", "nested dep"),
  "node_modules/.package-lock.json": "{}",
  "node_modules/.bin/tool": "",
  "node_modules/.cache/built": "of the head",
  ...packageAt("node_modules/.pnpm/stored@1.0.0/node_modules/stored", "stored", "stored"),
});
linkWorkspace("node_modules/@own/core", "../../packages/core");
linkWorkspace("node_modules/@own/added", "../../packages/added");
linkWorkspace("node_modules/plain", "../packages/plain");
linkWorkspace("packages/core/node_modules/plain", "../../plain");
linkWorkspace("node_modules/.bin/own", "../@own/core/bin.js");
linkWorkspace("node_modules/broken", "../nowhere");
linkWorkspace("node_modules/stored", ".pnpm/stored@1.0.0/node_modules/stored");

/** What is done with a worktree of the first commit. */
async function inBase<T>(action: (base: string, said: readonly string[]) => T | Promise<T>): Promise<T> {
  return await withWorktrees(repositoryOf(head), "commits", async (worktrees) => {
    const base = worktrees.add("base", before);
    return await action(base, await giveDependencies({ head, base }, ["packages/core"]));
  });
}

describe("packages that are locked alike", () => {
  it("are links, and those of the repository itself lead to the base's own", async () => {
    await inBase((base, said) => {
      assert.deepEqual(said, ["the base's packages are links to this tree's: they are locked alike"]);
      const at = (folder: string) => createRequire(join(base, folder, "any.js"));
      const seen = (folder: string, name: string) => at(folder)(name) as string;
      assert.equal(seen("", "dep"), "dep");
      assert.equal(seen("", "@own/kept"), "kept");
      assert.equal(seen("", "@own/core"), "old core");
      assert.equal(seen("", "plain"), "old plain");
      assert.equal(seen("packages/core", "plain"), "old plain");
      assert.equal(seen("packages/core", "dep"), "nested dep");
      assert.equal(seen("", "stored"), "stored");
      assert.ok(existsSync(join(base, "node_modules/.bin/tool")), "programs too, for --build");
      assert.ok(!existsSync(join(base, "node_modules/@own/added")), "the base has no such workspace");
    });
  });

  it("are those of the folders around the repository too, the nearest first", async () => {
    const place = realpathSync(mkdtempSync(join(tmpdir(), "hotpath-around-")));
    after(() => rmSync(place, { recursive: true }));
    const [trees, own] = [{ head: join(place, "a/b/head"), base: join(place, "scratch/base") }, "@own/core"];
    cpSync(head, trees.head, { recursive: true, filter: (path) => !path.includes("node_modules") });
    cpSync(trees.head, trees.base, { recursive: true });
    for (const [folder, name] of [
      ["a/b", "near"],
      ["a", "near"],
      ["a", "far"],
    ] as const) {
      const path = join(place, folder, "node_modules", name);
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, "index.js"), `module.exports = "${name} of ${folder}";\n`);
    }
    mkdirSync(join(place, "a/node_modules/@own"));
    symlinkSync(join(trees.head, "packages/core"), join(place, "a/node_modules", own), "junction");
    await giveDependencies(trees, ["packages/core"]);
    const requireAt = createRequire(join(trees.base, "packages/core/any.js"));
    assert.deepEqual(["near", "far"].map(requireAt), ["near of a/b", "far of a"]);
    assert.equal(requireAt.resolve(own), join(trees.base, "packages/core/index.js"));
  });

  it("come without caches, which builds of both commits would share", async () => {
    await inBase((base) => {
      const hidden = readdirSync(join(base, "node_modules")).filter((name) => name.startsWith("."));
      assert.deepEqual(hidden, [".bin"]);
    });
  });

  it("never lead out of the base but to packages of others", async () => {
    await inBase((base) => {
      const links = [
        "@own/core",
        "@own/kept",
        "plain",
        "dep",
        ".bin/own",
        ".bin/tool",
        "../packages/core/node_modules/plain",
        "../packages/core/node_modules/dep",
      ];
      const own = ["@own/core", "plain", ".bin/own", "../packages/core/node_modules/plain"];
      for (const link of links) {
        const path = join(base, "node_modules", link);
        assert.ok(lstatSync(path).isSymbolicLink(), link);
        const isOfBase = realpathSync(path).startsWith(realpathSync(base));
        assert.equal(isOfBase, own.includes(link), link);
      }
    });
  });

  it("are left as they are when the base is removed", async () => {
    await inBase(() => {});
    for (const path of ["node_modules/dep/index.js", "packages/core/index.js"])
      assert.ok(existsSync(join(head, path)), path);
  });
});

describe("packages that are locked differently", () => {
  /** In place of the package managers: notes how it was called, or fails. */
  const programs = join(head, ".git", "programs");
  const called = join(head, ".git", "called");
  mkdirSync(programs);
  for (const manager of ["npm", "pnpm", "yarn", "bun"]) {
    const text = `#!/bin/sh\necho "$(basename $0) $*" > ${called}\n[ -z "$FAILS" ] || { echo not today; exit 3; }\nmkdir node_modules\n`;
    writeFileSync(join(programs, manager), text, { mode: 0o755 });
  }
  const { PATH } = process.env;
  process.env.PATH = `${programs}:${PATH}`;
  after(() => {
    process.env.PATH = PATH;
  });

  const installing = async (lock: string, ours: string, theirs: string): Promise<string | undefined> => {
    const repository = temporaryRepository();
    rmSync(called, { force: true });
    try {
      const hash = repository.commit({
        "package.json": "{}",
        ".gitignore": "node_modules\n",
        [lock]: theirs,
      });
      repository.write({ [lock]: ours, "node_modules/dep/index.js": "" });
      return await withWorktrees(repositoryOf(repository.root), "commits", async (worktrees) => {
        const base = worktrees.add("base", hash);
        const [said] = await giveDependencies({ head: realpathSync(repository.root), base }, ["bench"]);
        assert.ok(!existsSync(join(base, "node_modules/dep")), "nothing is linked");
        return said;
      });
    } finally {
      repository.remove();
    }
  };

  for (const [lock, text, install] of [
    ["package-lock.json", "{}", "npm ci"],
    ["npm-shrinkwrap.json", "{}", "npm ci"],
    ["pnpm-lock.yaml", "", "pnpm install --frozen-lockfile"],
    ["yarn.lock", "# yarn lockfile v1\n", "yarn install --frozen-lockfile"],
    ["yarn.lock", "__metadata:\n  version: 8\n", "yarn install --immutable"],
    ["bun.lock", "{}", "bun install --frozen-lockfile"],
    ["package.json", '{"dependencies":{"dep":"1"}}', "npm install --no-package-lock"],
  ] as const) {
    it(`are installed by what ${lock} is of: ${install}`, async () => {
      const said = await installing(lock, `${text} `.replace('"1"', '"2"'), text);
      assert.ok(said!.startsWith(`the base's packages come from ${install}: its ${lock} `), said);
    });
  }

  it("and a failure shows what was printed", async () => {
    process.env.FAILS = "yes";
    after(() => delete process.env.FAILS);
    await assert.rejects(installing("package-lock.json", "{ }", "{}"), (error: Error) => {
      assert.match(error.message, /^npm ci failed in .* \(exit 3\)$/);
      assert.equal(error.cause, "not today\n");
      return true;
    });
    delete process.env.FAILS;
  });

  it("of a project elsewhere in the repository, which no bench file needs, are left alone", async () => {
    const repository = temporaryRepository();
    const files = { "package.json": "{}", "site/package.json": "{}", "site/package-lock.json": "{}" };
    const hash = repository.commit({ ...files, ".gitignore": "node_modules\n" });
    repository.write({ "site/package-lock.json": "{ }", "site/node_modules/dep/index.js": "" });
    rmSync(called, { force: true });
    await withWorktrees(repositoryOf(repository.root), "commits", async (worktrees) => {
      const base = worktrees.add("base", hash);
      assert.deepEqual(await giveDependencies({ head: repository.root, base }, ["bench"]), []);
      assert.ok(!existsSync(join(base, "site/node_modules")));
    });
    assert.ok(!existsSync(called));
    repository.remove();
  });
});
