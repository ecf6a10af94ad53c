import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { golden } from "../../golden.trials.ts";
import { type AskedRuntime, runtimesAsked } from "./asked-runtimes.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-nodes-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A program that answers as a Node of this version. */
function made(path: string, version: string, hooks = "function"): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho ${version} ${hooks} --allow-worker\n`);
  chmodSync(file, 0o755);
  return file;
}

describe("runtimes", { skip: process.platform === "win32" && "no scripts of sh" }, () => {
  const nodes = (...asked: string[]) => runtimesAsked({ nodes: asked, flags: [] });

  it("are found by path, on the PATH, and as the newest of a version that a manager has", (test) => {
    const [path, onPath] = [made("own/node", "v98.7.0"), made("bin/node97", "v97.1.0")];
    made("nvm/versions/node/v96.9.0/bin/node", "v96.9.0");
    const newest = made("nvm/versions/node/v96.10.0/bin/node", "v96.10.0");
    const { PATH, NVM_DIR } = process.env;
    test.after(() => Object.assign(process.env, { PATH, NVM_DIR: NVM_DIR ?? "" }));
    Object.assign(process.env, { PATH: `${join(folder, "bin")}:${PATH}`, NVM_DIR: join(folder, "nvm") });
    const seen = nodes(path, "97", "node96", "v96.9", "96.10.0", process.versions.node);
    assert.deepEqual(
      seen.map(({ file }) => file),
      [path, onPath, newest, join(folder, "nvm/versions/node/v96.9.0/bin/node"), newest, process.execPath],
    );
    assert.deepEqual([...seen[0]!.known], ["--allow-worker"]);
  });

  it("have labels of their own where one is given twice, and the plain one stands before flags", () => {
    const own = process.versions.node;
    const labelled = (seen: readonly AskedRuntime[]) => seen.map(({ label, flags }) => [label, ...flags]);
    assert.deepEqual(labelled(nodes(own, own)), [[own], [`${own} (2)`]]);
    const flagged = labelled(runtimesAsked({ nodes: [], flags: ["--no-opt --no-lazy"] }));
    assert.deepEqual(flagged, [["without"], ["--no-opt --no-lazy", "--no-opt", "--no-lazy"]]);
    assert.deepEqual(nodes(), []);
  });

  it("are refused in one line that says how to mend it", (test) => {
    const own = process.versions.node;
    const [old, broken] = [made("old/node", "v20.1.0", "undefined"), join(folder, "none/node")];
    const asked = {
      "no such version": [own, "1"],
      "one alone": [own],
      "one without a name": ["", own],
      "an old one": [old, own],
      "no program": [broken, own],
    };
    const lineOf = (work: () => unknown) => {
      try {
        return `accepted: ${work()}`;
      } catch (error) {
        return (error as Error).message.replaceAll(folder, "FOLDER");
      }
    };
    const said = Object.entries(asked).map(([what, own]) => `${what}\n    ${lineOf(() => nodes(...own))}\n`);
    const flagged = lineOf(() => runtimesAsked({ nodes: [], flags: ["--no-such-flag"] }));
    golden(test, "testdata/refusals.txt", `${said.join("")}no such flag\n    ${flagged}\n`);
  });
});
