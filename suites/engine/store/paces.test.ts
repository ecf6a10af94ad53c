import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { NO_PACES } from "../measure/pace.ts";
import { METHOD_VERSION } from "../schema/envelope.ts";
import { readPaces, writePaces } from "./paces.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-paces-"));
after(() => rmSync(folder, { recursive: true }));

const PACES = {
  groups: { "pick/uniform-8/cas-ring/2w quick 0.1": { factor: 1.2, forks: 7.5 } },
  simulations: { "pick/resonance/cas-ring": 38 },
  surveys: { "timers/bytes/hashed-wheel": 900 },
};

it("paces are read as they were written, each machine's own", () => {
  writePaces("made-up-2c", PACES, folder);
  const { groups, simulations, surveys } = readPaces("made-up-2c", folder);
  assert.deepEqual({ groups, simulations, surveys }, PACES);
  assert.deepEqual(readPaces("another", folder), NO_PACES);
  assert.deepEqual(readdirSync(folder), ["paces-made-up-2c.json"]);
});

it("paces that are damaged, foreign or of another method are as good as none", () => {
  const group = { a: { factor: 0 } };
  for (const text of [
    "",
    "{",
    "null",
    "[]",
    JSON.stringify(PACES),
    JSON.stringify({ methodVersion: METHOD_VERSION + 1, ...PACES }),
    JSON.stringify({ methodVersion: METHOD_VERSION, ...PACES, groups: group }),
    JSON.stringify({ methodVersion: METHOD_VERSION, ...PACES, simulations: { a: "38" } }),
  ]) {
    writeFileSync(join(folder, "paces-damaged.json"), text);
    assert.deepEqual(readPaces("damaged", folder), NO_PACES, text);
  }
});

it("paces that cannot be written are done without", () => {
  mkdirSync(join(folder, "paces-blocked.json"));
  writePaces("blocked", PACES, folder);
  assert.deepEqual(readPaces("blocked", folder), NO_PACES);
});
