import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, it } from "node:test";
import { pathToFileURL } from "node:url";
import { type CaseFile, casesRun } from "../cases.synthetic.ts";
import { golden } from "../golden.trials.ts";
import { packageRootOf } from "./package-root.ts";
import { Refusal } from "./reason.ts";
import { runnableOf } from "./typescript.ts";

const root = mkdtempSync(join(tmpdir(), "hotpath-typescript-"));
after(() => rmSync(root, { recursive: true }));

function written(name: string, text: string): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

let cases = 0;

/** What is to be run of the first of these files, with its format, or why it cannot be. */
function runnable(files: readonly CaseFile[]): string {
  // Node remembers where it found a package: each case has a folder of its own.
  const folder = `case-${cases++}`;
  const [path] = files.map(({ name, text }) => written(join(folder, name), text));
  const url = pathToFileURL(path!).href;
  try {
    const { format, source, hasItsLines } = runnableOf(url, files[0]!.text, [url]);
    return `${format}${hasItsLines ? "" : ", with other lines"}\n${source}`;
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return error.message.replaceAll(/\S*case-\d+\//g, "");
  }
}

it("what Node is given of TypeScript, and of modules in a package that says CommonJS", async (test) => {
  const file = "testdata/typescript.md";
  golden(test, file, await casesRun(test, file, async (files) => runnable(files)));
});

it("the package that a file belongs to is past a package.json that says nothing, or only how JavaScript is written", () => {
  written("above/package.json", '{"name":"above"}');
  for (const [index, text] of ["", "null", '"text"', "[1]", "{", '{"type":"module"}'].entries()) {
    written(`above/${index}/package.json`, text);
    assert.equal(packageRootOf(written(`above/${index}/bench/a.js`, "")), join(root, "above"));
  }
});
