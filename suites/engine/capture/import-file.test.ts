import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { after, describe, it, mock } from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import list, { type Listed, type ListMessage } from "./list.ts";
import { labelOf } from "./task.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "hotpath-import-")));
const before = process.cwd();
process.chdir(root);
after(() => {
  process.chdir(before);
  rmSync(root, { recursive: true });
});

let folders = 0;

type Files = Readonly<Record<string, string>>;

/** Lists the first of these files, which are written into a folder of their own: labels of its tasks, or why there are none. */
async function listed(files: Files, links?: Files): Promise<readonly string[] | string> {
  const found = await listing(files, links);
  return "refused" in found ? found.refused : found.tasks.map(labelOf);
}

/** As `listed`, when its thread has said this. */
async function begun(said: ListMessage, files: Files) {
  const started = once(process, "worker");
  const found = listed(files);
  const [thread] = (await started) as [Worker];
  await new Promise<void>((resolve) => thread.on("message", (message) => message === said && resolve()));
  return { found };
}

function listing(files: Files, links: Files = {}): ReturnType<typeof list> {
  const folder = join(root, String(folders++));
  for (const [name, written] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), written);
  }
  for (const [name, target] of Object.entries(links)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    symlinkSync(target, join(folder, name));
  }
  return list({ file: pathToFileURL(join(folder, Object.keys(files)[0]!)).href });
}

/** Each case lists the first of its files, and expects these labels of tasks, or a reason that fits. */
interface Case {
  readonly name: string;
  readonly files: Files;
  /** Symbolic links, and what is in each. */
  readonly links?: Files;
  readonly expected: readonly string[] | RegExp;
}

/** That a file is this, and how it comes to have tasks. */
function taskless(what: string): RegExp {
  const mend = "describe tasks with tinybench, mitata, vitest or benchmark, or export functions";
  return new RegExp(`^\\d+/a\\.\\w+ ${what}: ${mend}$`);
}

const TASK = "export const task = () => 1;";
const ESM = '{"type":"module"}';
const CJS = '{"type":"commonjs"}';

const RESOLVED: readonly Case[] = [
  {
    name: "TypeScript where an import says JavaScript",
    files: {
      "a.mjs": `import { b } from "./b.js"; import { c } from "./c.mjs"; import { d } from "./d.jsx";
        export const task = { [b + c + d]: () => 1 };`,
      "b.ts": "export const b: string = 'b';",
      "c.mts": "export const c: string = 'c';",
      "d.tsx": "export const d: string = 'd';",
      "package.json": ESM,
    },
    expected: ["task / bcd"],
  },
  {
    name: "TypeScript where a require says JavaScript",
    files: {
      "a.cjs": `exports[require("./b.js").b + require("./c.cjs").c] = () => 1;`,
      "b.ts": "const b: string = 'b'; exports.b = b;",
      "c.cts": "const c: string = 'c'; exports.c = c;",
    },
    expected: ["bc"],
  },
  {
    name: "imports without an extension, and of folders",
    files: {
      "a.ts": `import b from "./b"; import { c } from "./c"; export const task = { [b + c]: () => 1 };`,
      "b.js": "export default 'b';",
      "c/index.ts": "export const c: string = 'c';",
      "package.json": ESM,
    },
    expected: ["task / bc"],
  },
  {
    name: "requires without an extension, and of folders",
    files: {
      "a.cjs": `exports[require("./b").b + require("./c").c] = () => 1;`,
      "b.ts": "const b: string = 'b'; exports.b = b;",
      "c/index.cts": "const c: string = 'c'; exports.c = c;",
    },
    expected: ["bc"],
  },
  {
    name: "TypeScript that Node does not strip in a package",
    files: {
      "a.mjs": `import { b } from "b"; export const task = { [b]: () => 1 };`,
      "node_modules/b/package.json": '{"type":"module","exports":"./b.ts"}',
      "node_modules/b/b.ts": "export const b: string = 'b';",
    },
    expected: ["task / b"],
  },
  {
    name: "syntax that Node does not strip",
    files: {
      "a.ts": `import { N } from "./n.ts"; import { view } from "./view.js";
        enum E { small = "e" }
        class P { constructor(readonly size: string) {} }
        const mark = (_: unknown, { name }: { name: string | symbol }) => void marks.push(String(name));
        const marks: string[] = [];
        class D { @mark run() {} }
        export const task = { [E.small + new P("p").size + N.n + marks + view() + D.name]: () => 1 };`,
      "n.ts": "export namespace N { export const n = 'n'; }",
      "view.tsx": "const h = (name: string) => name; export const view = () => <b />;",
      "package.json": ESM,
      "tsconfig.json": '{ "compilerOptions": { "jsx": "react", "jsxFactory": "h" } }',
    },
    expected: ["task / epnrunbD"],
  },
  {
    name: "a module in a package that says CommonJS, with what CommonJS has",
    files: {
      "a.ts": `import b from "./b"; export const task = { [b + typeof require + typeof __filename]: () => 1 };`,
      "b.js": "export default 'b';",
      "package.json": CJS,
    },
    expected: ["task / bfunctionstring"],
  },
  {
    name: "a file that both imports and requires",
    files: {
      "a.ts": `const { b } = require("./b.cjs"); import { sep } from "node:path";
        exports[b + typeof sep] = () => 1;`,
      "b.cjs": "exports.b = 'b';",
    },
    expected: ["bstring"],
  },
  {
    name: "an import of a type that does not say so",
    files: {
      "a.ts": `import { Opt, b } from "./b.ts"; const a: Opt = "a"; export const task = { [a + b]: () => 1 };`,
      "b.ts": "export interface None {} export type Opt = string; export const b = 'b';",
      "package.json": ESM,
    },
    expected: ["task / ab"],
  },
  {
    name: "JSON that is no JavaScript as it stands",
    files: {
      "a.mjs": `import j from "./j.json"; export const task = { [Object.keys(j)]: () => 1 };`,
      "j.json": '\uFEFF{"__proto__":{"a":1},"b":2}',
    },
    expected: ["task / __proto__,b"],
  },
  {
    name: "JSON without an attribute, with one, and by require",
    files: {
      "a.mjs": `import whole, { version } from "./j.json"; import same from "./j.json" with { type: "json" };
        import { createRequire } from "node:module";
        const required = createRequire(import.meta.url)("./j.json");
        export const task = { [version + whole.version + same.version + required.version]: () => 1 };`,
      "j.json": '{"version":"1","a-b":2,"default":3}',
    },
    expected: ["task / 1111"],
  },
];

const ISOLATED: readonly Case[] = [
  {
    name: "a module is the main one, on a main thread",
    files: {
      "a.mjs": `import { pathToFileURL } from "node:url";
        import { isMainThread, parentPort, workerData } from "worker_threads";
        const isMain = import.meta.url === pathToFileURL(process.argv[1]).href;
        export const task = { [[isMain, process.argv.length, import.meta.main, isMainThread, parentPort, workerData]]: () => 1 };`,
    },
    expected: ["task / true,2,true,true,,"],
  },
  {
    name: "a module is the main one behind a line for the shell",
    files: { "a.mjs": "#!/usr/bin/env node\r\nexport const task = { [import.meta.main]: () => 1 };" },
    expected: ["task / true"],
  },
  {
    name: "CommonJS is the main one, on a main thread",
    files: {
      "a.cjs": `const { isMainThread } = require("node:worker_threads");
        exports[[require.main === module, process.argv[1] === __filename, isMainThread, require("./b.cjs")]] = () => 1;`,
      "b.cjs": "module.exports = require.main === module;",
    },
    expected: ["true,true,true,false"],
  },
  {
    name: "a terminal has colours",
    files: {
      "a.mjs": `const { stdout, stderr, env } = process;
        export const task = { [[stdout.isTTY, stderr.isTTY, stdout.hasColors(), env.FORCE_COLOR]]: () => 1 };`,
    },
    expected: ["task / true,true,true,3"],
  },
  {
    name: "a terminal can be drawn on",
    files: {
      "a.mjs": `const { stdout } = process; const called = [];
        for (const name of ["clearLine", "cursorTo", "moveCursor", "clearScreenDown"])
          await new Promise((resolve) => called.push(stdout[name](0, 0, resolve)));
        export const task = { [[...called, stdout.getWindowSize()]]: () => 1 };`,
    },
    expected: ["task / true,true,true,true,80,24"],
  },
  {
    name: "process.chdir leads to where it is",
    files: { "a.cjs": `process.chdir("."); exports.a = () => 1;` },
    expected: ["a"],
  },
  {
    name: "a clock that it replaces is its own",
    files: {
      "a.mjs": `globalThis.performance = { now: Date.now }; process.hrtime = () => [0, 0];
        setTimeout(() => { globalThis.setTimeout = () => {}; }, 1); await new Promise((resolve) => setTimeout(resolve, 60));
        ${TASK}`,
    },
    expected: ["task"],
  },
  {
    name: "process.exit ends a module as if it had settled",
    files: {
      "a.mjs": `import { bench } from "vitest"; bench("a", () => 1);
        setInterval(() => {}, 1000); process.exit(1); bench("b", () => 1);`,
    },
    expected: ["a"],
  },
  {
    name: "process.exit ends CommonJS as if it had settled",
    files: { "a.cjs": "exports.a = () => 1; process.exit(1); exports.b = () => 1;" },
    expected: ["a"],
  },
  {
    name: "process.exit in a callback ends nothing else",
    files: {
      "a.mjs": `setTimeout(() => process.exit(1)); Promise.resolve().then(() => process.exit(1));
        await new Promise((resolve) => setTimeout(resolve, 60)); ${TASK}`,
    },
    expected: ["task"],
  },
];

const ENDED: readonly Case[] = [
  {
    name: "when a run that is awaited adds nothing more",
    files: {
      "a.mjs": `import { Bench } from "tinybench"; const bench = new Bench().add("a", () => 1); await bench.run();
        console.table(bench.table()); process.exit(1);`,
    },
    expected: ["a"],
  },
  {
    name: "after what a file describes late",
    files: {
      "a.cjs": `const { Bench } = require("tinybench");
        setTimeout(() => new Bench().add("a", () => 1).run(), 200);`,
    },
    expected: ["a"],
  },
  {
    name: "after a run that resolves, where more tasks come of it",
    files: {
      "a.mjs": `import { Bench } from "tinybench";
        for (const name of ["a", "b"]) {
          const bench = new Bench({ name }).add("task", () => 1);
          await bench.run();
          await new Promise((resolve) => setTimeout(resolve, 60));
        }
        throw new Error("its results make no sense");`,
    },
    expected: ["a / task", "b / task"],
  },
  {
    name: "without a task where there is none",
    files: { "a.mjs": "export const size = 3;" },
    expected: taskless("has no task"),
  },
  {
    name: "without a task where workers hold them",
    files: {
      "a.mjs": `import { Worker } from "node:worker_threads"; new Worker("", { eval: true });`,
    },
    expected: /^\d+\/a\.mjs starts workers that hold its tasks; race needs them in the file itself$/,
  },
];

const STRANGERS = {
  "Deno.bench('a', () => 1);": "Deno",
  "import 'jsr:@std/assert'; Deno.test();": "Deno",
  "import a from 'https://deno.land/a.ts'; a();": "Deno",
  "Deno.serve();": "Deno",
  "import { bench } from 'bun:test'; bench();": "Bun",
  "import { file } from 'bun'; file();": "Bun",
  "Bun.file('a');": "Bun",
  "import bench from 'fastbench'; bench();": "fastbench",
  "suite('a', () => {});": "a runner that has suite\\(\\)",
};

/** Files that measure their tasks themselves, with what. */
const OWN_CLOCKS = {
  "console.time('a'); console.timeEnd('a');": "console.time",
  "const from = process.hrtime(); process.hrtime(from);": "process.hrtime",
  "const from = performance.now(); performance.now() - from;": "performance.now",
};

const REFUSED: readonly Case[] = [
  ...Object.entries(STRANGERS).map(([text, other]) => ({
    name: `a file for ${other}: ${text}`,
    files: { "a.ts": text, "package.json": ESM },
    expected: taskless(`is written for ${other}`),
  })),
  ...Object.entries(OWN_CLOCKS).map(([text, clock]) => ({
    name: `a file that measures with ${clock}`,
    files: { "a.cjs": text },
    expected: taskless(`times its work itself, by ${clock}`),
  })),
  {
    name: "a file that has a harness, and something of Bun's",
    files: { "a.mjs": `import { bench } from "mitata"; bench("a", () => Bun.file("a")); Bun.file("a");` },
    expected: /^\d+\/a\.mjs is written for Bun: leave out what only Bun has$/,
  },
  ...Object.entries({
    "a module": "await new Promise(() => {}); export const a = () => 1;",
    "a group": `import { bench, describe } from "vitest"; bench("a", () => 1); describe("b", () => new Promise(() => {}));`,
  }).map(([what, text]) => ({
    name: `${what} that awaits what never settles`,
    files: { "a.mjs": text },
    expected: /^\d+\/a\.mjs: it awaits a promise that never settles$/,
  })),
  {
    name: "process.chdir",
    files: { "a.cjs": `process.chdir(__dirname); exports.a = () => 1;` },
    expected:
      /^\d+\/a\.cjs: process\.chdir\(\) would move all threads: find files by __dirname or import\.meta\.dirname$/,
  },
  ...Object.entries({
    "an object without a prototype": "Object.create(null)",
    "an object that is no text": "{ toString() { throw 1; } }",
    "an error without a text": "Object.assign(new Error(), { message: Object.create(null), stack: 1 })",
  }).flatMap(([what, thrown]) =>
    [`throw ${thrown};`, `Promise.reject(${thrown});`].map((text) => ({
      name: `${text.slice(0, 5)} of ${what}`,
      files: { "a.mjs": text },
      expected: /^\d+\/a\.mjs throws while it is imported: (?:Error: )?a value of type object$/,
    })),
  ),
  {
    name: "lists that differ",
    files: { "a.mjs": "export const task = { ['size ' + process.hrtime()]: () => 1 };" },
    expected:
      /the list of tasks differs from import to import: 'task \/ size [\d,]+' is missing in the second$/,
  },
  {
    name: "names that Math.random draws, which differ in each race",
    files: { "a.mjs": "export const task = { [Math.random()]: () => 1 };" },
    expected: /differs from import to import: 'task \/ 0\.\d+' is missing in the second$/,
  },
  {
    name: "an import that fails after a run",
    files: {
      "a.cjs": `const { Suite } = require("benchmark"); new Suite("one").add("a", () => 1).run();
        require("not-there"); new Suite("two").add("b", () => 1).run();`,
    },
    expected: /^\d+\/a\.cjs imports not-there, which is not installed: /,
  },
  {
    name: "an import that fails after a run that is awaited",
    files: {
      "a.mjs": `import { Bench } from "tinybench"; await new Bench().add("a", () => 1).run();
        await import("./b.mjs"); new Bench().add("b", () => 1);`,
      "b.mjs": "const b = ;",
    },
    expected: /^\d+\/b\.mjs cannot be loaded: /,
  },
  {
    name: "workers in a file that uses a harness",
    files: {
      "a.mjs": `import { Bench } from "tinybench"; new Bench().add("a", () => 1); export const workers = { counts: [1] };`,
    },
    expected:
      /^\d+\/a\.mjs: exports workers, which is for files that export functions: remove it or the harness$/,
  },
  {
    name: "workers that are not well-formed, by the file's name",
    files: { "a.mjs": `${TASK} export const workers = { counts: [] };` },
    expected: /^\d+\/a\.mjs: its export 'workers' needs counts, /,
  },
  {
    name: "a module that does not parse",
    files: { "a.mjs": `import "./b.mjs";`, "b.mjs": "\nconst b = ;" },
    expected: /^\d+\/b\.mjs cannot be loaded: .*\(line 2\)$/,
  },
  {
    name: "CommonJS that does not parse",
    files: { "a.cjs": "\nconst b = ;" },
    expected: /^\d+\/a\.cjs cannot be loaded: Unexpected token ';' \(line 2\)$/,
  },
  {
    name: "TypeScript that does not parse",
    files: { "a.ts": "\n\nconst b: = 1;" },
    expected: /^\d+\/a\.ts cannot be loaded: /,
  },
  {
    name: "an export that is not there",
    files: { "a.mjs": `import { b } from "./b.mjs"; ${TASK}`, "b.mjs": "" },
    expected: /^\d+\/a\.mjs cannot be loaded: .*'b' \(line 1\)$/,
  },
  {
    name: "a module that throws",
    files: { "a.mjs": `import "./b.mjs";`, "b.mjs": `\nthrow new TypeError("one line\\nand another");` },
    expected: /^\d+\/a\.mjs throws while it is imported: TypeError: one line \(\d+\/b\.mjs:2\)$/,
  },
  {
    name: "a file that throws in a timer before it has run",
    files: { "a.cjs": `setTimeout(() => { throw new Error("late"); }, 10);` },
    expected: /^\d+\/a\.cjs throws while it is imported: Error: late \(\d+\/a\.cjs:1\)$/,
  },
  {
    name: "a file that leaves a rejection before it has run",
    files: {
      "a.mjs": `Promise.reject(new Error("alone")); await new Promise(() => setInterval(() => {}, 1000));`,
    },
    expected: /^\d+\/a\.mjs throws while it is imported: Error: alone \(\d+\/a\.mjs:1\)$/,
  },
  ...["", "null"].map((text) => ({
    name: `a file whose package.json says '${text}'`,
    files: { "a.ts": "export const a: unknown = () => 1;", "package.json": text },
    expected: /^\d+\/a\.ts cannot be loaded: Invalid package config \/.*\/package\.json\b/,
  })),
  {
    name: "a package that is not installed",
    files: { "a.mjs": `import "./b.mjs";`, "b.mjs": `import "@some/package/part";` },
    expected:
      /^\d+\/b\.mjs imports @some\/package\/part, which is not installed: npm install, or npm install @some\/package$/,
  },
  {
    name: "a part that an installed package does not have",
    files: { "a.cjs": `require("b/part");`, "node_modules/b/index.js": "" },
    expected: /^\d+\/a\.cjs imports b\/part, which the installed b does not have: /,
  },
  {
    name: "its own package, which is not built",
    files: {
      "a.mjs": `import "b/part";`,
      "package.json": '{"name":"b","exports":{"./part":"./dist/part.js"},"scripts":{"build":"tsc"}}',
    },
    expected: /^\d+\/a\.mjs imports b\/part, which is the package in \d+ and not built: npm run build there$/,
  },
  {
    name: "its own package, by a link of a workspace",
    files: {
      "a.cjs": `require("b");`,
      "packages/b/package.json": '{"name":"b","main":"dist/b.js"}',
    },
    links: { "node_modules/b": "../packages/b" },
    expected: /^\d+\/a\.cjs imports b, which is the package in \d+\/packages\/b and not built: build it$/,
  },
  {
    name: "a part that its own package does not export",
    files: { "a.mjs": `import "b/other";`, "package.json": '{"name":"b","exports":{"./part":"./part.js"}}' },
    expected: /^\d+\/a\.mjs imports b\/other, which the package in \d+ does not export: mend one of them$/,
  },
  {
    name: "a file that only a build makes",
    files: { "a.cjs": `require("./dist/b.js");`, "package.json": '{"scripts":{"build":"tsc"}}' },
    expected:
      /^\d+\/a\.cjs imports \.\/dist\/b\.js, which is not there: if the package's build makes it, npm run build$/,
  },
  {
    name: "a value that only its types have",
    files: {
      "a.ts": `import { b } from "./b.ts"; export const task = { [b]: () => 1 };`,
      "b.ts": "export type b = string;",
      "package.json": ESM,
    },
    expected:
      /^\d+\/a\.ts imports b, which is no value there: if it is a type, write import type for b, or npm install esbuild$/,
  },
  {
    name: "a name that package.json does not import",
    files: { "a.cjs": `require("#x");`, "package.json": '{"imports":{}}' },
    expected: /^\d+\/a\.cjs imports #x, which "imports" in package\.json does not have: mend one of them$/,
  },
  {
    name: "a package that tsconfig.json has in another list",
    files: {
      "a.ts": `import "not-there";`,
      "package.json": ESM,
      "tsconfig.json": '{ "compilerOptions": { "not-there": ["a"], "paths": { "@/*": ["./*"] } } }',
    },
    expected: /^\d+\/a\.ts imports not-there, which is not installed: /,
  },
  ...["p%q/a", "p#q/a", "p?q/a"].flatMap((name): Case[] =>
    ["cjs", "mjs"].map((extension) => ({
      name: `what ${name}.${extension} throws`,
      files: { [`${name}.${extension}`]: `\nthrow new Error("thrown");` },
      expected: / throws while it is imported: Error: thrown \(\d+\/p.q\/a\.[cm]js:2\)$/,
    })),
  ),
  {
    name: "a path of tsconfig.json",
    files: {
      "a.ts": `import { b } from "@/b"; export const task = b;`,
      "b.ts": TASK,
      "tsconfig.json": '{ "compilerOptions": { /* short */ "paths": { "@/*": ["./*"] } } }',
    },
    expected:
      /^\d+\/a\.ts imports @\/b by the paths of \d+\/tsconfig\.json, which are not supported: import it by its own path$/,
  },
];

const TABLES = { finds: RESOLVED, isolates: ISOLATED, ends: ENDED, refuses: REFUSED };

for (const [what, cases] of Object.entries(TABLES)) {
  describe(`importing a bench file ${what}`, { concurrency: 2 }, () => {
    for (const { name, files, links, expected } of cases) {
      it(name, async () => {
        const found = await listed(files, links);
        if (!(expected instanceof RegExp)) assert.deepEqual(found, expected);
        else assert.match(String(found), expected);
      });
    }
  });
}

describe("a list", () => {
  it("names the files that were loaded or read, and where packages are", async () => {
    const files = {
      "a.mjs": `import "b"; import "./c.ts"; import d from "./d.json"; import { readFileSync } from "node:fs";
        readFileSync(new URL("./e.wasm", import.meta.url)); ${TASK}`,
      "node_modules/b/package.json": '{"exports":"./b.cjs"}',
      "node_modules/b/b.cjs": "require('c')",
      "node_modules/c/index.js": "",
      "c.ts": "",
      "d.json": "{}",
      "e.wasm": "",
    };
    const found = await listing(files);
    assert.ok("files" in found);
    const at = `${pathToFileURL(join(root, String(folders - 1))).href}/`;
    const names = Object.keys(found.files).map((url) => url.slice(at.length));
    assert.deepEqual(names.sort(), [
      "a.mjs",
      "c.ts",
      "d.json",
      "e.wasm",
      "node_modules/b/b.cjs",
      "node_modules/c/index.js",
    ]);
    assert.equal(found.files[`${at}c.ts`], found.files[`${at}e.wasm`]);
    assert.notEqual(found.files[`${at}c.ts`], found.files[`${at}d.json`]);
    assert.deepEqual(found.packages, { b: `${at}node_modules/b/b.cjs` });
    assert.ok(found.importMs > 0);
    assert.equal(found.ending, "pause");
  });

  it("names the addons that were loaded, from either kind of module", async () => {
    const found = await listing({
      "a.mjs": `import { createRequire } from "node:module"; import "./b.cjs";
        try { createRequire(import.meta.url)("./one.node"); } catch {} ${TASK}`,
      "b.cjs": "try { require('./two'); } catch {}",
      "one.node": "no addon",
      "two.node": "another",
    });
    assert.ok("files" in found);
    const names = Object.keys(found.files).map((url) => url.slice(url.lastIndexOf("/") + 1));
    assert.deepEqual(names.sort(), ["a.mjs", "b.cjs", "one.node", "two.node"]);
  });

  it("goes on after a run only where more tasks come of it", async () => {
    const bench = `import { Bench } from "tinybench"; const bench = new Bench().add("a", () => 1); await bench.run();`;
    const same = await listing({ "a.mjs": bench });
    const more = await listing({ "a.mjs": `${bench} new Bench().add("b", () => 1);` });
    assert.ok("ending" in same && "ending" in more);
    assert.equal(same.ending, "pause");
    assert.equal(more.ending, "go-on");
  });

  it("has the colours that the user wants", async () => {
    process.env.NO_COLOR = "1";
    try {
      const seen = "[process.env.FORCE_COLOR, process.stdout.isTTY, process.stdout.hasColors()]";
      assert.deepEqual(await listed({ "a.mjs": `export const task = { [${seen}]: () => 1 };` }), [
        "task / ,true,false",
      ]);
    } finally {
      delete process.env.NO_COLOR;
    }
  });

  it("prints nothing of what the file prints", async () => {
    const print = "await new Promise((resolve) => process.stdout.write('text', resolve));";
    const path = join(root, "prints.mjs");
    writeFileSync(path, `console.log("log"); console.error("error"); ${print} ${TASK}`);
    const workerData = { file: pathToFileURL(path).href, ending: "pause" };
    const options = { workerData, stdout: true, stderr: true, execArgv: [] };
    const worker = new Worker(new URL("./list-thread.ts", import.meta.url), options);
    const messages: unknown[] = [];
    worker.on("message", (message) => messages.push(message));
    const [out, err] = await Promise.all([text(worker.stdout), text(worker.stderr), once(worker, "exit")]);
    assert.equal((messages.at(-1) as Listed).tasks.length, 1);
    assert.deepEqual([out, err], ["", ""]);
  });

  it("is given up where a file runs on for five seconds, or for a minute if it knows a harness", async () => {
    mock.timers.enable({ apis: ["setInterval"] });
    try {
      const endless = "for (;;);";
      const own = await begun("loaded", { "a.mjs": endless });
      mock.timers.tick(5_000);
      mock.timers.tick(5_000);
      assert.match(
        String(await own.found),
        taskless("runs for over 5 s while it is imported, and describes no task"),
      );
      const other = { "a.mjs": `import "./b.mjs"; ${endless}`, "b.mjs": `import "tinybench";` };
      const harnessed = await begun("stood in", other);
      mock.timers.tick(55_000);
      mock.timers.tick(5_000);
      assert.match(
        String(await harnessed.found),
        /^\d+\/a\.mjs is still being imported after 60 s, which is the limit: /,
      );
    } finally {
      mock.timers.reset();
    }
  });

  it("refuses what is no file", async () => {
    const file = (name: string) => pathToFileURL(join(root, name)).href;
    assert.deepEqual(await list({ file: file("gone.js") }), { refused: "gone.js does not exist" });
    mkdirSync(join(root, "folder"));
    assert.deepEqual(await list({ file: file("folder") }), {
      refused: "folder is a folder: name a file in it",
    });
  });
});
