import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { after, before, test } from "node:test";
import { HARNESS_COLUMNS } from "./harness-columns.ts";
import * as functions from "./index.ts";

const PACKAGE = resolve(import.meta.dirname, "..");
const LAB = resolve(PACKAGE, "../..");

/** Holds a copy of the sources, the packed file, and a folder that has nothing but the package and its dependency. */
let scratch: string;
let foreign: string;

function run(command: string, args: string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

before(() => {
  scratch = mkdtempSync(join(tmpdir(), "benchmark-reporter-markdown-"));

  // Packing builds dist. It is a copy at the same depth below the configuration it extends. So it can neither pull the
  // dist away from tests that import it now nor pack what an older build has left there.
  const lab = join(scratch, "lab");
  const copy = join(lab, relative(LAB, PACKAGE));
  const isOutput = (path: string) => ["dist", "node_modules"].includes(relative(PACKAGE, path));
  cpSync(PACKAGE, copy, { recursive: true, filter: (path) => !isOutput(path) });
  cpSync(join(LAB, "tsconfig.json"), join(lab, "tsconfig.json"));
  symlinkSync(join(LAB, "node_modules"), join(lab, "node_modules"));
  run("npm", ["pack", "--silent", "--offline", "--logs-max=0", "--pack-destination", scratch], copy);

  const [packed] = readdirSync(scratch).filter((name) => name.endsWith(".tgz"));
  foreign = join(scratch, "foreign");
  const installed = join(foreign, "node_modules/benchmark-reporter-markdown");
  mkdirSync(installed, { recursive: true });
  run("tar", ["-xzf", join(scratch, packed!), "--strip-components=1", "-C", installed], scratch);
  symlinkSync(join(LAB, "node_modules/markdown-table"), join(foreign, "node_modules/markdown-table"));
});

after(() => rmSync(scratch, { recursive: true, force: true }));

test("the package holds its build, its description and its licence, and nothing else", () => {
  const installed = join(foreign, "node_modules/benchmark-reporter-markdown");
  assert.deepEqual(readdirSync(installed).sort(), ["LICENSE", "README.md", "dist", "package.json"]);
  const sources = readdirSync(import.meta.dirname).filter((name) => !name.endsWith(".test.ts"));
  assert.deepEqual(
    readdirSync(join(installed, "dist")).sort(),
    sources.flatMap((name) => [name.replace(/ts$/, "d.ts"), name.replace(/ts$/, "js")]).sort(),
  );
});

test("a program that installs the package runs no script of it, and learns what it needs", () => {
  const installed = join(foreign, "node_modules/benchmark-reporter-markdown");
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const onInstall = ["preinstall", "install", "postinstall", "prepare"];
  assert.deepEqual(
    Object.keys(manifest.scripts).filter((name) => onInstall.includes(name)),
    [],
  );
  assert.deepEqual(Object.keys(manifest.dependencies), ["markdown-table"]);
  const entries = Object.values<{ types: string; default: string }>(manifest.exports);
  const paths = entries.flatMap(({ types, default: main }) => [types, main]);
  for (const path of [...paths, manifest.bin[manifest.name]])
    assert.ok(existsSync(join(installed, path)), path);
  for (const field of ["description", "keywords", "license", "engines", "sideEffects", "publishConfig"]) {
    assert.ok(field in manifest, field);
  }
});

const README = readFileSync(join(PACKAGE, "README.md"), "utf8");

/** Runs a module of this text in the foreign folder. */
function printed(code: string): string {
  writeFileSync(join(foreign, "example.mjs"), code);
  return run(process.execPath, ["example.mjs"], foreign);
}

/** The example below this heading, with the output that stands behind it, if any. */
function exampleUnder(heading: string): { readonly code: string; readonly output: string | undefined } {
  const section = README.slice(README.indexOf(`\n### ${heading}\n`));
  const example = /```js\n([\s\S]*?\n)```\n(?:\n```markdown\n([\s\S]*?\n)```\n)?/;
  const [, code, output] = example.exec(section)!;
  return { code: code!, output };
}

test("the examples of the README print in a foreign folder what the README says", () => {
  for (const heading of ["Filled in by hand", "Judged results"]) {
    const { code, output } = exampleUnder(heading);
    assert.equal(printed(code), output);
  }
});

test("the example for tinybench prints what the README says of the bench that was recorded", () => {
  // It replaces tinybench; its results are the ones that tinybench once gave for this example.
  const recorded = join(PACKAGE, "fixtures/tinybench-6.json");
  const stub = join(foreign, "node_modules/tinybench");
  mkdirSync(stub, { recursive: true });
  writeFileSync(join(stub, "package.json"), '{ "type": "module", "exports": "./index.js" }');
  writeFileSync(
    join(stub, "index.js"),
    `import { readFileSync } from "node:fs";
const recorded = JSON.parse(readFileSync(${JSON.stringify(recorded)}, "utf8"));
export class Bench {
  constructor({ name }) {
    if (name === recorded.name) Object.assign(this, recorded);
  }
  add(name) {
    if (!this.tasks.some((task) => task.name === name)) throw new Error(name);
    return this;
  }
  async run() {}
}
`,
  );
  const { code, output } = exampleUnder("tinybench");
  const withoutMachine = (text: string) => text.replace(/^- Machine: .*$/m, "");
  assert.equal(withoutMachine(printed(code)), withoutMachine(output!));
});

test("the example for mitata runs with mitata", () => {
  const link = join(foreign, "node_modules/mitata");
  symlinkSync(join(LAB, "node_modules/mitata"), link);
  const table = printed(exampleUnder("mitata").code);
  assert.match(table, /^## Lookup\n\n- Harness: mitata\n/);
  assert.match(table, /^\| \*\*Map\*\* +\|.*\| baseline +\|/m);
  assert.match(table, /^\| object †? *\|/m);
});

test("the examples for Vitest read what Vitest wrote, and write the summary of a step", () => {
  const { code } = exampleUnder("vitest bench");
  for (const version of [4, 5]) {
    const fixture = join(PACKAGE, `fixtures/vitest-${version}.json`);
    for (const name of ["bench.json", "before.json", "after.json"])
      copyFileSync(fixture, join(foreign, name));
    assert.match(printed(code), /^\| Map †? *\|/m);
    assert.match(printed(exampleUnder("A saved report, or two").code), /^\| Map †? *\|/m);
    const command = join(foreign, "node_modules/benchmark-reporter-markdown/dist/cli.js");
    assert.match(run(process.execPath, [command, "bench.json"], foreign), /^\| Map †? *\|/m);
  }
  const [, ...summarize] = exampleUnder("The summary of a GitHub Actions step").code.split("\n");
  const summary = join(foreign, "summary.md");
  const withSummary =
    code.replace("import { fromVitest", "import { appendStepSummary, fromVitest") + summarize.join("\n");
  writeFileSync(join(foreign, "example.mjs"), withSummary);
  execFileSync(process.execPath, ["example.mjs"], {
    cwd: foreign,
    env: { ...process.env, GITHUB_STEP_SUMMARY: summary },
    stdio: "ignore",
  });
  assert.match(readFileSync(summary, "utf8"), /^\n## vitest bench\n/);
});

test("the reporter for Vitest is what it names by --reporter", () => {
  const code = 'import Reporter from "benchmark-reporter-markdown/vitest"; new Reporter().onTestRunEnd([]);';
  assert.equal(printed(code), "");
});

test("the README names every option, column and function", () => {
  const tables = README.split(/^## /m).find((part) => part.startsWith("Tables of a harness\n"))!;
  const options = [
    "title",
    "provenance",
    "baseline",
    "statistic",
    "sort",
    "columns",
    "timeUnit",
    "clockTick",
  ];
  for (const name of [...HARNESS_COLUMNS, ...options]) assert.ok(tables.includes(`\`${name}\``), name);
  for (const name of Object.keys(functions)) assert.ok(README.includes(`${name}(`), name);
});

test("the published types hold without tinybench, mitata, Vitest or the types of node", () => {
  writeFileSync(
    join(foreign, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        target: "es2022",
        lib: ["es2022"],
        module: "nodenext",
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        skipLibCheck: false,
      },
      files: ["consumer.mts"],
    }),
  );
  writeFileSync(
    join(foreign, "consumer.mts"),
    `import { fromLab, fromMitata, fromTinybench, fromVitest, type Table, toMarkdown } from 'benchmark-reporter-markdown';
export const table: Table = { title: 'T', provenance: [], columns: [], rows: [], legend: [] };
export const markdown: string = toMarkdown(table, { headingLevel: 3 });
import Reporter from 'benchmark-reporter-markdown/vitest';
new Reporter({ baseline: 'a', outputFile: 'bench.md' }).onTestRunEnd([]);
export const adapters = [fromLab, fromMitata, fromTinybench, fromVitest];
// @ts-expect-error: a table without a title, which would pass unnoticed if the types had become \`any\`.
toMarkdown({ ...table, title: undefined });
`,
  );
  assert.equal(run(join(LAB, "node_modules/.bin/tsc"), ["-p", "."], foreign), "");
});
