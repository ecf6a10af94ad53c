import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { versionsIn } from "./compiled-code.ts";

/** A file as V8 writes it, from `region address-in-it size tier-and-name` in hexadecimal. */
function fileOf(...lines: readonly string[]): string {
  return lines.map((line) => `${line.replace(" ", "")}\n`).join("");
}

const A = "7f7154";
const B = "7f71dc";
const MARK_A = `${A} 00b140 504 JS:+hotpathCrew1Worker0 :3:22`;
const MARK_B = `${B} 00b140 504 JS:^hotpathCrew2Worker0 :3:22`;
const RUN = "run file:///a/pick.ts:182:8";

describe("the versions in a file of V8's", () => {
  const cases: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>])[] = [
    ["none without a mark", [`${A} 00c600 40c JS:*${RUN}`], {}],
    ["none where nothing was optimised", [MARK_A, `${A} 00c600 1a JS:^${RUN}`], { 1: "" }],
    ["the size of what calls enter", [MARK_A, `${A} 00c600 40c JS:*${RUN}`], { 1: "1036" }],
    [
      "by the region of the thread, in any order",
      [`${B} 00c600 3c8 JS:*${RUN}`, MARK_A, `${A} 00c600 40c JS:*${RUN}`, MARK_B],
      { 1: "1036", 2: "968" },
    ],
    [
      "the last code, also at an address that was used before",
      [MARK_A, `${A} 00c600 40c JS:*${RUN}`, `${A} 00c600 3c8 JS:*${RUN}`],
      { 1: "968" },
    ],
    ["Maglev's, if nothing better came", [MARK_A, `${A} 00c600 40c JS:+${RUN}`], { 1: "+1036" }],
    [
      "Maglev's again where the better code was thrown away",
      [MARK_A, `${A} 00c600 3c8 JS:*${RUN}`, `${A} 00d600 40c JS:+${RUN}`],
      { 1: "+1036" },
    ],
    [
      "Maglev's again where better code for one closure was thrown away",
      [MARK_A, `${A} 00c600 3c8 JS:*'${RUN}`, `${A} 00d600 40c JS:+'${RUN}`],
      { 1: "+1036'" },
    ],
    [
      "that of a loop, where calls have none as good",
      [MARK_A, `${A} 00c600 40c JS:+'${RUN}`, `${A} 00d600 208 JS:*${RUN}`, `${A} 00e600 40c JS:+'${RUN}`],
      { 1: "520" },
    ],
    [
      "that of calls, where both are there",
      [MARK_A, `${A} 00d600 208 JS:*${RUN}`, `${A} 00c600 40c JS:*'${RUN}`, `${A} 00e600 209 JS:*${RUN}`],
      { 1: "1036'" },
    ],
    [
      "all functions of the name, each by its place",
      [MARK_A, `${A} 00c600 40c JS:*${RUN}`, `${A} 00d600 64 JS:*run /home/of two/b.js:1:1`],
      { 1: "100,1036" },
    ],
    ["those with promises, too", [MARK_A, `${A} 00c600 64 JS:*runAsync file:///b.ts:1:1`], { 1: "100" }],
    [
      "of no other function, whatever is in its name",
      [MARK_A, `${A} 00c600 64 JS:*get run of it /b.js:1:1`, `${A} 00d600 64 JS:*runner /b.js:1:1`],
      { 1: "" },
    ],
  ];
  for (const [what, lines, expected] of cases) {
    it(`are ${what}`, () => {
      const versions = Object.entries(expected).map(([crew, version]) => [
        `hotpathCrew${crew}Worker0`,
        version,
      ]);
      assert.deepEqual(Object.fromEntries(versionsIn(fileOf(...lines))), Object.fromEntries(versions));
    });
  }

  it("are without the last line where that is not whole", () => {
    const torn = fileOf(MARK_A, `${A} 00c600 40c JS:*${RUN}`, `${A} 00d600 3c8 JS:*${RUN}`).slice(0, -1);
    assert.deepEqual([...versionsIn(torn).values()], ["1036"]);
  });
});
