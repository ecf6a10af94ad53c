import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  cpSync,
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

const PACKAGE = resolve(import.meta.dirname, "..");
const LAB = resolve(PACKAGE, "../../../..");

/** Holds a copy of the sources, the packed file, and a folder that has nothing but the package and its dependency. */
let scratch: string;
let foreign: string;

function run(command: string, args: string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

before(() => {
  scratch = mkdtempSync(join(tmpdir(), "benchmark-reporter-markdown-"));

  // Packing builds dist. In a copy, at the same depth below the configuration it extends, it can neither pull the dist
  // away from tests that import it now nor pack what an older build has left there.
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

test("the examples of the README print in a foreign folder what the README says", () => {
  const readme = readFileSync(join(PACKAGE, "README.md"), "utf8");
  const examples = [...readme.matchAll(/```js\n([^`]*)```\n\n```markdown\n([^`]*)```\n/g)];
  assert.equal(examples.length, 2);
  for (const [, code, output] of examples) {
    writeFileSync(join(foreign, "example.mjs"), code!);
    assert.equal(run(process.execPath, ["example.mjs"], foreign), output);
  }
});

test("the published types hold without tinybench, mitata or the types of node", () => {
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
    `import { fromLab, fromMitata, fromTinybench, type Table, toMarkdown } from 'benchmark-reporter-markdown';
export const table: Table = { title: 'T', provenance: [], columns: [], rows: [], legend: [] };
export const markdown: string = toMarkdown(table, { headingLevel: 3 });
export const adapters = [fromLab, fromMitata, fromTinybench];
// @ts-expect-error: a table without a title, which would pass unnoticed if the types had become \`any\`.
toMarkdown({ ...table, title: undefined });
`,
  );
  assert.equal(run(join(LAB, "node_modules/.bin/tsc"), ["-p", "."], foreign), "");
});
