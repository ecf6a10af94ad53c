import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { after, describe, it } from "node:test";
import { filesAt } from "./find-files.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-find-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function found(...paths: string[]) {
  const { files, remarks } = filesAt(paths.map((path) => join(folder, path)));
  return {
    files: files.map((file) => relative(folder, file)),
    remarks: remarks.map((line) => line.replace(folder, "")),
  };
}

for (const file of [
  ...[
    "src/parse.bench.ts",
    "src/parse.ts",
    "src/deep/bench-print.mjs",
    "src/deep/benchmark.cjs",
    "src/workbench.js",
  ],
  ...["src/a.benchmark.js", "src/node_modules/x/x.bench.js", "src/.cache/y.bench.js", "src/dist/z.bench.js"],
  ...["src/types.bench.d.ts", "src/run.bench.test.ts", "plain/sort.js", "plain/notes.md", "empty/notes.md"],
  ...["react/a.bench.tsx", "react/b.bench.jsx", "react/c.tsx", "linked/own.bench.js"],
]) {
  mkdirSync(join(folder, dirname(file)), { recursive: true });
  writeFileSync(join(folder, file), "");
}

symlinkSync(join(folder, "plain/sort.js"), join(folder, "linked/sort.bench.js"));
symlinkSync(join(folder, "linked"), join(folder, "linked/again"));
symlinkSync(join(folder, "nowhere.js"), join(folder, "linked/gone.bench.js"));

describe("bench files", () => {
  it("are in a folder and below it by their names, and not what a project was given or builds", () => {
    assert.deepEqual(found("src"), {
      files: [
        "src/a.benchmark.js",
        "src/deep/bench-print.mjs",
        "src/deep/benchmark.cjs",
        "src/parse.bench.ts",
      ],
      remarks: ["/src: 2 other files are not named like benchmarks; give by name what is to race"],
    });
  });

  it("may have JSX", () => {
    assert.deepEqual(found("react"), {
      files: ["react/a.bench.tsx", "react/b.bench.jsx"],
      remarks: ["/react: 1 other file is not named like benchmarks; give by name what is to race"],
    });
  });

  it("may be links to files; folders are not followed by links", () => {
    assert.deepEqual(found("linked").files, ["linked/own.bench.js", "linked/sort.bench.js"]);
  });

  it("are each taken once, by whatever way they are named", () => {
    const path = join(folder, "plain/sort.js");
    const link = join(folder, "linked/sort.bench.js");
    assert.deepEqual(filesAt([path, `${folder}/./plain/sort.js`, link]).files, [path]);
  });

  it("are all of a folder that has none named like one", () => {
    assert.deepEqual(found("plain"), { files: ["plain/sort.js"], remarks: [] });
  });

  it("are each taken once, whatever their names, in the order of the words", () => {
    assert.deepEqual(found("plain/sort.js", "plain", "src/parse.ts").files, [
      "plain/sort.js",
      "src/parse.ts",
    ]);
  });

  for (const [path, message] of [
    ["missing.js", /missing\.js does not exist: give a bench file or a folder$/],
    ["plain/notes.md", /notes\.md is no JavaScript or TypeScript file$/],
    ["empty", /empty holds no bench file: name files \*\.bench\.js, or give them one by one$/],
  ] as const)
    it(`are refused: ${path}`, () => assert.throws(() => found(path), { message }));
});
