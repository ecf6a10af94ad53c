import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { entryForFile } from "../../structures/catalog.ts";
import {
  competitorsOfSide,
  differencesOfContracts,
  filesFromLab,
  fingerprintOf,
  packageDifferences,
  type Side,
} from "./side.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-sides-"));
after(() => rmSync(folder, { recursive: true }));

const FILES = {
  "package.json":
    '{ "dependencies": { "piscina": "5.3.2", "undici": "7.30.2" }, "devDependencies": { "wabt": "1" } }',
  "structures/shared/brick.ts": 'import { size } from "./size.ts";\nexport const brick = size;\n',
  "structures/shared/size.ts": "export const size = 4;\n",
  "structures/pick/pick.contract.ts": "export interface Picker {\n  /** Next. */\n  pick(): number;\n}\n",
  "structures/pick/pick.wasm": "bytes",
  "structures/pick/pick.test.ts": "",
  "structures/pick/ring.ts":
    'import { brick } from "../shared/brick.ts";\nimport type { Picker } from "./pick.contract.ts";\nexport default brick as never as Picker;\n',
  "structures/pick/wasm-ring.ts": 'export default new URL("./pick.wasm", import.meta.url);\n',
  "structures/pick/alone.ts": "export default 1;\n",
  "structures/pick/tables/8.bin": "eight",
  "structures/pick/bare-ring.ts": 'export default new URL("pick.wasm", import.meta.url);\n',
  "structures/pick/table-ring.ts":
    "const size = 8;\nexport default new URL(`./tables/$" + "{size}.bin`, import.meta.url);\n",
};

function sideWith(name: string, changes: Readonly<Record<string, string>>): Side {
  const root = join(folder, name);
  for (const [path, text] of Object.entries({ ...FILES, ...changes })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { name, root };
}

const plain = sideWith("plain", {});

describe("a competitor's code", () => {
  const changedIn = (side: Side) =>
    ["alone", "ring", "wasm-ring", "bare-ring", "table-ring"].filter((name) => {
      const fingerprint = ({ root }: Side) =>
        fingerprintOf({ root }, entryForFile(join(root, `structures/pick/${name}.ts`)));
      return fingerprint(plain) !== fingerprint(side);
    });

  for (const [name, path, text, changed] of [
    ["nothing changes", "structures/pick/pick.test.ts", "changed", []],
    ["its own text changes", "structures/pick/alone.ts", "export default 2;\n", ["alone"]],
    ["a brick's brick changes", "structures/shared/size.ts", "export const size = 8;\n", ["ring"]],
    ["a comment does", "structures/shared/size.ts", "export const size = 4; // bytes\n", ["ring"]],
    ["a file changes that it reads", "structures/pick/pick.wasm", "others", ["wasm-ring", "bare-ring"]],
    ["a file that it names in parts", "structures/pick/tables/8.bin", "others", ["table-ring"]],
    ["only a type changes", "structures/pick/pick.contract.ts", "export type Picker = () => number;\n", []],
  ] as const) {
    it(`${changed.length === 0 ? "is the same" : "is another"} where ${name}`, () => {
      assert.deepEqual(changedIn(sideWith(name, { [path]: text })), changed);
    });
  }

  it("is read to the end where imports go in a circle", () => {
    const circle = { "structures/shared/size.ts": 'import "./brick.ts";\nexport const size = 4;\n' };
    assert.deepEqual(changedIn(sideWith("circle", circle)), ["ring"]);
  });
});

describe("contracts", () => {
  const contract = "structures/pick/pick.contract.ts";

  it("differ where a type does, on whichever side, in a line that names the primitive", () => {
    const side = sideWith("retyped", { [contract]: "export interface Picker { pick(): bigint; }\n" });
    const missing = { ...plain, root: join(folder, "nowhere") };
    for (const sides of [
      [side, plain, plain],
      [plain, side, plain],
      [plain, plain, side],
      [plain, missing, plain],
    ]) {
      const [difference, ...others] = differencesOfContracts(["pick"], sides);
      assert.deepEqual(others, []);
      assert.match(
        difference!,
        /^pick: its contract \(structures\/pick\/pick\.contract\.ts\) at .* is not that at .*$/,
      );
    }
  });
});

describe("a side", () => {
  it("has the competitors that its folders have, as the catalog reads its own", () => {
    const competitors = "structures/pick/competitors";
    const side = sideWith("raced", {
      [`${competitors}/ring.ts`]: "",
      [`${competitors}/alone.ts`]: "",
      [`${competitors}/ring.test.ts`]: "",
    });
    const found = competitorsOfSide(side);
    const names = found.get("pick")!.map(({ name }) => name);
    assert.deepEqual(names, ["alone", "ring"]);
    assert.deepEqual([...found.keys()], ["pick"], "bricks are not a primitive");
    assert.equal(competitorsOfSide(plain).size, 0, "competitors beside their contract are of an older lab");
    assert.equal(competitorsOfSide({ root: join(folder, "nowhere") }).size, 0);
  });

  it("says which files of structures the suites bring along that are others there, comments apart", () => {
    const suite = "suites/pick/suite.ts";
    const lab = sideWith("lab", {
      [suite]: 'import "../../structures/shared/brick.ts";\nimport "./other.ts";\n',
      "suites/pick/other.ts": "of the suites",
    });
    const urls = [entryForFile(join(lab.root, suite)).url];
    const size = "structures/shared/size.ts";
    const commented = sideWith("lab-commented", { [size]: "export const size = 4; // bytes\n" });
    const changed = sideWith("lab-changed", { [size]: "export const size = 8;\n" });
    assert.deepEqual(filesFromLab(urls, lab, [plain, commented]), []);
    assert.deepEqual(filesFromLab(urls, lab, [plain, changed]), [size]);
  });

  it("says which packages differ, whichever list names them", () => {
    const packages =
      '{ "dependencies": { "undici": "8.0.0", "wabt": "1" }, "devDependencies": { "yaml": "2" } }';
    const other = sideWith("packages", { "package.json": packages });
    assert.deepEqual(packageDifferences(plain, other), [
      "piscina 5.3.2 -> none",
      "undici 7.30.2 -> 8.0.0",
      "yaml none -> 2",
    ]);
    assert.deepEqual(packageDifferences(plain, plain), []);
  });
});
