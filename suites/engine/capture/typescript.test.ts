import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { packageRootOf } from "./package-root.ts";
import { Refusal } from "./reason.ts";
import { runnableOf } from "./typescript.ts";

const CJS = '{"type":"commonjs"}';
const root = mkdtempSync(join(tmpdir(), "hotpath-typescript-"));
after(() => rmSync(root, { recursive: true }));

function written(name: string, text: string): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe("runnableOf", () => {
  const NEEDY = {
    "enum.ts": "enum E { a }",
    "property.ts": "class P { constructor(readonly a: number) {} }",
    "namespace.ts": "namespace N { export const a = 1; }",
    "decorator.mts": "const mark = () => {};\nclass D { @mark a() {} }",
    "view.tsx": "export const a = <b />;",
  };
  for (const [name, text] of Object.entries(NEEDY)) {
    it(`asks for an esbuild beside ${name} where there is none`, () => {
      const url = pathToFileURL(written(name, text)).href;
      assert.throws(() => runnableOf(url, text, [url]), {
        constructor: Refusal,
        message: new RegExp(`${name} has syntax that Node cannot strip: npm install esbuild beside it$`),
      });
    });
  }

  const OWN = "const require = process.getBuiltinModule('module').createRequire(import.meta.url)";
  const PATHS = "{ filename: __filename, dirname: __dirname } = import.meta; ";
  const IMPORT = 'import { sep } from "node:path";';
  for (const [name, text, source] of [
    ["a.ts", "export const a: 1 = 1;", "export const a    = 1;"],
    ["a.js", "export const a = 1;", "export const a = 1;"],
    ["b.ts", `#!/bin/x\n${IMPORT} sep + __dirname;`, `#!/bin/x\n${OWN}, ${PATHS}${IMPORT} sep + __dirname;`],
    ["c.ts", `${IMPORT} sep + require("a");`, `${OWN}, ${PATHS}${IMPORT} sep + require("a");`],
  ] as const) {
    it(`loads ${name} as a module in a package that says CommonJS, without an esbuild: ${text}`, () => {
      written("misplaced/package.json", CJS);
      const url = pathToFileURL(written(`misplaced/${name}`, text)).href;
      assert.deepEqual(runnableOf(url, text, [url]), { format: "module", source, hasItsLines: true });
    });
  }

  it("says how to mend what imports and assigns exports without an esbuild", () => {
    const text = `import a from "a"; module.exports = a;`;
    const url = pathToFileURL(written("mixed.ts", text)).href;
    assert.throws(
      () => runnableOf(url, text, [url]),
      (error: Error) =>
        error instanceof Refusal &&
        error.message.endsWith(
          "mixed.ts both imports and assigns exports: write one of them, or npm install esbuild beside it",
        ),
    );
  });

  it("finds requires in code alone", () => {
    const text = `import a from "a"; /* require("b") */ // require("c")\nexport const b = "require('d')" + a;`;
    const url = pathToFileURL(written("quoted.ts", text)).href;
    assert.deepEqual(runnableOf(url, text, [url]), { format: "module", source: text, hasItsLines: true });
  });

  for (const [text, source] of Object.entries({
    'import { Opt, b } from "./b.ts"; const a: Opt = b;': 'import { b } from "./b.ts"; const a      = b;',
    'import D, { Opt,\n c as d } from "./b.ts";\nd();': 'import { c as d } from "./b.ts"\n;\nd();',
    'import D from "./b.ts"; // D\nexport {}': "; // D\nexport {}",
    'import D, { O } from "./b.ts"; D();': 'import D from "./b.ts"; D();',
    'import { b } from "./b.ts"; const a = `${b}`;': undefined,
    'export const a = `\nimport D from "./b.ts";\n`;': undefined,
    'import {} from "./b.ts"; import "./c.ts"; import * as d from "./d.ts"; import e, * as f from "./e.ts";':
      undefined,
  })) {
    it(`leaves out what a module may import for its types alone: ${text}`, () => {
      const url = pathToFileURL(written("types.mts", text)).href;
      assert.equal(runnableOf(url, text, [url]).source, source ?? text);
    });
  }

  // Node remembers where it found a package: each case has a folder of its own.
  for (const [via, folder] of [
    ["itself", "itself/node_modules"],
    ["tsx", "tsx/node_modules/tsx/node_modules"],
  ] as const) {
    it(`takes the project's esbuild, by ${via}`, () => {
      written(`${via}/node_modules/tsx/index.js`, "");
      written(
        `${folder}/esbuild/index.js`,
        "exports.buildSync = ({ format }) => ({ outputFiles: [{ text: format }] });",
      );
      const url = pathToFileURL(written(`${via}/enum.ts`, NEEDY["enum.ts"])).href;
      const made = runnableOf(url, NEEDY["enum.ts"], [url]);
      assert.deepEqual(made, { format: "module", source: "esm", hasItsLines: false });
    });
  }

  it("leaves lines and texts that only look like decorators", () => {
    const text = "const a: string = `\n@media`;\n/*\n@mark */";
    const url = pathToFileURL(written("looks.mts", text)).href;
    const made = runnableOf(url, text, [url]);
    assert.deepEqual(made, {
      format: "module",
      source: text.replace(": string", "        "),
      hasItsLines: true,
    });
  });
});

describe("packageRootOf", () => {
  it("passes over a package.json that says nothing", () => {
    for (const [folder, text] of Object.entries({
      empty: "",
      null: "null",
      text: '"text"',
      list: "[1]",
      broken: "{",
    })) {
      written("above/package.json", '{"name":"above"}');
      written(`above/${folder}/package.json`, text);
      const path = written(`above/${folder}/a.js`, "");
      assert.equal(packageRootOf(path), join(root, "above"));
    }
  });

  it("finds the package that a file belongs to, past folders that only say how JavaScript is written", () => {
    written("root/package.json", '{"name":"root"}');
    written("root/esm/package.json", '{"type":"module"}');
    const path = written("root/esm/bench/a.js", "");
    assert.equal(packageRootOf(path), join(root, "root"));
  });
});
