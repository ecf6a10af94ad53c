import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { primitives } from "../../structures/catalog.ts";
import { itRefusesAsWritten } from "../../suites/lab/command/command.trials.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-explore-"));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "file"), "");

const call = (args: readonly string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, "command.ts"), ...args], {
    encoding: "utf8",
    cwd: folder,
  });

it("explore makes a page and files of data for each published primitive, and names the page", () => {
  const files = "https://example.org/blob/main/";
  const { status, stderr } = call(["--no-open", "--out", "site", "--repository", files]);
  assert.equal(status, 0, stderr);
  assert.deepEqual(readdirSync(join(folder, "site")).sort(), ["data", "index.html", "vega"]);
  const data = readdirSync(join(folder, "site", "data")).sort();
  assert.deepEqual(
    data,
    primitives()
      .filter((name) => existsSync(new URL(`../../results/${name}/README.md`, import.meta.url)))
      .map((name) => `${name}.js`)
      .sort(),
  );
  const vega = readdirSync(join(folder, "site", "vega"));
  assert.equal(stderr, `wrote site/index.html and ${data.length + vega.length} files beside it\n`);
  assert.ok(readFileSync(join(folder, "site", "index.html"), "utf8").includes(JSON.stringify(files)));
});

describe("explore refuses what it cannot do, in one line, and writes nothing", () => {
  itRefusesAsWritten(join(import.meta.dirname, "testdata/refusals.txt"), call, folder, () =>
    assert.deepEqual(
      readdirSync(folder).filter((name) => name !== "site"),
      ["file"],
    ),
  );
});
