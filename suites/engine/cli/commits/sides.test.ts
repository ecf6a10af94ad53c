import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { temporaryRepository } from "./repository.synthetic.ts";
import { compareSides, loadedIn, ownNamesIn, type Side, whyForeign } from "./sides.ts";

const TREES = { head: join(tmpdir(), "work"), base: join(tmpdir(), "scratch", "base") };
const OWN = new Set(["own", "@own/core"]);

type Files = Readonly<Record<string, string>>;

/** A side whose files are given by their paths in its tree, or from the root with a slash. */
function side(tree: string, files: Files, tasks: readonly string[] = ["a"], packages: Files = {}): Side {
  const urlOf = (path: string) => pathToFileURL(path.startsWith("/") ? path : join(tree, path)).href;
  return {
    file: urlOf("bench.js"),
    ending: "pause",
    importMs: 0,
    tasks: tasks.map((name) => ({ groups: [], name, ordinal: 0, isBaseline: false })),
    files: Object.fromEntries(Object.entries(files).map(([path, hash]) => [urlOf(path), hash])),
    packages: Object.fromEntries(Object.entries(packages).map(([name, path]) => [name, urlOf(path)])),
  };
}

const compared = (head: Side, base: Side) => compareSides(TREES, head, base);
const differing = (head: Files, base: Files) =>
  compared(side(TREES.head, head), side(TREES.base, base)).differing;

describe("the sides of a file", () => {
  it("are the same where all that they load is, by its place and content", () => {
    const files = { "bench.js": "1", "src/a.js": "2" };
    assert.deepEqual(differing(files, files), []);
    assert.deepEqual(differing({ ...files, "src/a.js": "3" }, files), ["src/a.js"]);
    assert.deepEqual(differing({ ...files, "src/b.js": "2" }, files), ["src/b.js"]);
    assert.deepEqual(differing(files, { ...files, "src/b.js": "2" }), ["src/b.js"]);
  });

  it("are the same with packages that the base has as links, or of its own", () => {
    const linked = join(TREES.head, "node_modules/dep/index.js");
    assert.deepEqual(differing({ "node_modules/dep/index.js": "1" }, { [linked]: "1" }), []);
    const installed = { "node_modules/dep/index.js": "1" };
    assert.deepEqual(differing(installed, installed), []);
    assert.deepEqual(differing({ ...installed, "node_modules/dep/index.js": "2" }, installed), [
      "node_modules/dep/index.js",
    ]);
  });

  it("are the same with files of neither: temporary ones, and those of the system", () => {
    const files = { "bench.js": "1" };
    const temporary = (name: string) => ({ ...files, [join(tmpdir(), name)]: name, "/proc/uptime": name });
    assert.deepEqual(differing(temporary("a"), temporary("b")), []);
    assert.deepEqual(loadedIn(TREES.head, side(TREES.head, temporary("a"))), [join(TREES.head, "bench.js")]);
  });

  it("match by groups, name and place among equals", () => {
    const files = { "bench.js": "1" };
    const { pairs, added, gone } = compared(
      side(TREES.head, files, ["a", "new"]),
      side(TREES.base, files, ["gone", "a"]),
    );
    const names = (tasks: readonly { name: string }[]) => tasks.map(({ name }) => name);
    assert.deepEqual(names(pairs.map(({ head }) => head)), ["a"]);
    assert.deepEqual(names(pairs.map(({ base }) => base)), ["a"]);
    assert.deepEqual([names(added), names(gone)], [["new"], ["gone"]]);
  });
});

describe("sides are refused", () => {
  const files = { "bench.js": "1" };
  const published = { own: "node_modules/own/index.js" };
  const head = (packages: Files = {}) => side(TREES.head, files, ["a"], packages);
  const base = (packages: Files = {}) => side(TREES.base, files, ["a"], packages);

  it("where either imports a published package of the repository's own", () => {
    const message = /^it imports own, which is the published one in node_modules, so [^\n]*$/;
    assert.match(whyForeign(head(published), OWN)!, message);
    assert.match(whyForeign(base(published), OWN)!, message);
    const part = { "@own/core/parse": "node_modules/@own/core/parse.js" };
    assert.match(whyForeign(head(part), OWN)!, /^it imports @own\/core\/parse, /);
  });

  it("where the base loads a file of the working tree", () => {
    const crossing = side(TREES.base, { ...files, [join(TREES.head, "src/a.js")]: "1" });
    assert.throws(() => compared(head(), crossing), {
      message: /^the base loads src\/a.js of the working tree, so [^\n]*$/,
    });
  });

  it("and not where the own name leads to the sources, or another name to node_modules", () => {
    const packages = { own: "src/index.js", dep: "node_modules/dep/index.js" };
    assert.equal(whyForeign(head(packages), OWN), undefined);
  });
});

describe("the names of a repository's own packages", () => {
  const made = temporaryRepository();
  after(() => made.remove());
  const named = (name: string, more: object = {}) => JSON.stringify({ name, ...more });
  made.write({
    "package.json": named("root", { workspaces: ["packages/*", "!packages/not"] }),
    "pnpm-workspace.yaml": 'packages:\n  # two\n  - "apps/**"\n  - tools\ncatalog:\n  - fixtures\n',
    "packages/a/package.json": named("@own/a"),
    "packages/not/package.json": named("not"),
    "packages/a/deep/package.json": named("deep"),
    "apps/x/y/package.json": named("app"),
    "tools/package.json": named("tool"),
    "fixtures/package.json": named("lodash"),
    "bench/package.json": named("bench"),
    "be/package.json": named("be"),
  });
  const manifests = [
    "package.json",
    "packages/a/package.json",
    "packages/not/package.json",
    "packages/a/deep/package.json",
    "apps/x/y/package.json",
    "tools/package.json",
    "fixtures/package.json",
    "bench/package.json",
    "be/package.json",
  ];
  const names = (folder: string) => [...ownNamesIn(realpathSync(made.root), folder, manifests)].sort();

  it("are those of workspaces, and of the packages around the file", () => {
    assert.deepEqual(names(""), ["@own/a", "app", "root", "tool"]);
    assert.deepEqual(names("bench/inner"), ["@own/a", "app", "bench", "root", "tool"]);
    assert.deepEqual(names("packages/a/deep"), ["@own/a", "app", "deep", "root", "tool"]);
  });

  it("are none in a folder without packages", () => {
    const empty = mkdtempSync(join(tmpdir(), "hotpath-empty-"));
    after(() => rmSync(empty, { recursive: true }));
    assert.deepEqual([...ownNamesIn(empty, "", [])], []);
  });
});
