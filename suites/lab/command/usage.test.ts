import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { plainLine } from "../../engine/schema/lines.ts";
import { commandLine } from "./usage.ts";

it("a line rules no terminal, whatever it quotes", () => {
  assert.equal(plainLine("no \x1b]0;title\x07file\r\n\tis named so"), "no  ]0;title file is named so");
});

describe("a command as it would be typed again", () => {
  const fileOf = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
  const flags = ["--harmony-struct"];

  it("is npm's, with words quoted that a shell would take apart", () => {
    const words = ["pick/uniform-8", "--precision", "1%", "--out", "my results"];
    assert.equal(
      commandLine("bench", words, { flags: [] }),
      'npm run bench -- pick/uniform-8 --precision "1%" --out "my results"',
    );
    assert.equal(commandLine("bench", [], { flags: [] }), "npm run bench");
  });

  it("is node's where the language has flags, with the file that node was given", () => {
    assert.equal(
      commandLine("bench", ["pick", "--seed", "7"], { file: fileOf("scripts/bench.ts"), flags }),
      "node --harmony-struct scripts/bench.ts pick --seed 7",
    );
    assert.equal(
      commandLine("flame", [], { file: fileOf("scripts/flame/command.ts"), flags }),
      "node --harmony-struct scripts/flame/command.ts",
    );
  });
});
