import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgeScenario } from "../../judge/judge.ts";
import { raceOf, slowAtFirst } from "../pictures/races.synthetic.ts";
import { glanceText } from "./glance.ts";

const CALM = { forks: 12, rounds: 40, sliceNoise: 0.002, forkNoise: 0.002 };

function glanceOf(text: string, race = raceOf({ base: 20, half: 10 }, 2, CALM)): string {
  const races = [judgeScenario([race])];
  return glanceText([{ primitive: "pick", question: "Which one?", answer: { text }, races }]);
}

describe("what to take at a glance", () => {
  it("is the items of an answer, with the ratio of each and links from the folder above", () => {
    const text = `**Take half.**\n\n- **With 2 workers** take \`half\`: it is [faster](test.md)\n  there.\n- Other.\n`;
    assert.match(
      glanceOf(text),
      /^\*\*\[pick\]\(pick\/README\.md\)\.\*\* Which one\?\n\n- \*\*With 2 workers\*\* take `half`: it is \[faster\]\(pick\/test\.md\)\n {2}there\.\n {2}- test, to `base`: `half` 0\.50 \(0\.\d+-0\.\d+\), faster, 12 processes\.\n$/,
    );
  });

  it("has both ratios of one that depends", () => {
    const race = slowAtFirst(raceOf({ base: 20, half: 10 }, 2, CALM), "half");
    assert.match(
      glanceOf("- **With 2 workers** take `half` ([why](test.md)).\n", race),
      /test, to `base`: `half` 0\.\d+ \(.+\) in 8 processes and \d\.\d+ \(.+\) in 4 processes\.\n$/,
    );
  });

  it("has one of each competitor that is named, but the baseline", () => {
    const race = raceOf({ base: 20, half: 10, more: 30 }, 2, CALM);
    assert.match(
      glanceOf("- **With 2 workers** take `half`, not `more` or `base` ([why](test.md)).\n", race),
      /test, to `base`: `half` 0\.50 \(.+\), faster, 12 processes; `more` 1\.50 \(.+\), slower, 12 processes\.\n$/,
    );
    assert.doesNotMatch(glanceOf("- **With 2 workers** take `base` ([why](test.md)).\n"), /test, to/);
  });

  it("has no ratio where nothing was raced: at other worker counts, and in simulations", () => {
    for (const item of [
      "- **With 1 worker** take `half` ([why](test.md)).",
      "- **With many workers** take `half` ([why](test.md)).",
      "- **With 2 workers** take `other` ([why](test.md)).",
      "- **With 2 workers** take `half` ([why](elsewhere.md)).",
    ])
      assert.ok(glanceOf(`${item}\n`).trimEnd().endsWith(".md))."), item);
  });

  it("has simulated figures where an item begins with no number of workers, of all that it names", () => {
    const simulated = {
      title: "test on a server with 64 workers",
      byCompetitor: new Map([
        ["base", "2.00 (1.50-7.00)"],
        ["half", "4.00 (no band)"],
        ["more", "9.00 (no band)"],
      ]),
    };
    const of = (text: string) =>
      glanceText([{ primitive: "pick", question: "Which?", answer: { text }, races: [], simulated }]);
    assert.match(
      of("- **With many workers** take `half`, not `base` or `other`: `half`.\n"),
      /`half`\.\n {2}- test on a server with 64 workers: `half` 4\.00 \(no band\); `base` 2\.00 \(1\.50-7\.00\)\.\n$/,
    );
    for (const item of ["- **With many workers** take `other`.", "- **With 2 workers** take `half`."])
      assert.ok(of(`${item}\n`).endsWith(`${item}\n`), item);
  });

  it("is empty where no answer has such items", () => {
    assert.equal(glanceOf("**Take it.**\n\n- Other.\n"), "");
    assert.equal(glanceText([{ primitive: "pick", question: "", answer: undefined, races: [] }]), "");
  });
});
