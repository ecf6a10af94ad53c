import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { WriteError, writeWhole } from "./write-whole.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-whole-"));
after(() => rmSync(folder, { recursive: true }));

describe("a file that is written whole", () => {
  it("has its text, and nothing is beside it, also in folders that are new", () => {
    const path = join(folder, "new", "below", "file");
    for (const text of ["first", "second"]) {
      writeWhole(path, text);
      assert.equal(readFileSync(path, "utf8"), text);
    }
    assert.deepEqual(readdirSync(join(folder, "new", "below")), ["file"]);
  });

  it("is the one that a link leads to", () => {
    const [file, link] = [join(folder, "linked"), join(folder, "link")];
    writeFileSync(file, "");
    symlinkSync(file, link);
    writeWhole(link, "text");
    assert.ok(lstatSync(link).isSymbolicLink());
    assert.equal(readFileSync(file, "utf8"), "text");
  });

  it("is a line of error where it cannot be written, and nothing of it is left", () => {
    const blocked = join(folder, "blocked");
    mkdirSync(join(blocked, "name"), { recursive: true });
    writeFileSync(join(folder, "file"), "");
    for (const [path, code] of [
      [join(blocked, "name"), "EISDIR"],
      [join(folder, "file", "below"), "EEXIST"],
    ] as const) {
      assert.throws(
        () => writeWhole(path, "text"),
        (error) =>
          error instanceof WriteError && error.message.startsWith(`${path} cannot be written (${code}): `),
      );
    }
    assert.deepEqual(readdirSync(blocked), ["name"]);
  });

  it("is no device afterwards that it was not before", {
    skip: !existsSync("/dev/full") && "no such device",
  }, () => {
    assert.throws(() => writeWhole("/dev/full", "text"), { code: "ENOSPC" });
    assert.ok(statSync("/dev/full").isCharacterDevice());
  });
});
