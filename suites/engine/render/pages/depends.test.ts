import assert from "node:assert/strict";
import { it } from "node:test";
import { judgeScenario } from "../../judge/judge.ts";
import { raceOf, slowAtFirst } from "../pictures/races.synthetic.ts";
import { dependsPage } from "./depends.ts";

const race = raceOf({ reference: 100, alike: 100, torn: 50 }, 1, {
  forks: 12,
  rounds: 40,
  sliceNoise: 0.002,
  forkNoise: 0.002,
});

it("a row that depends is there with both of its answers", () => {
  const page = dependsPage([{ primitive: "synthetic", races: [judgeScenario([slowAtFirst(race, "torn")])] }]);
  assert.match(
    page,
    /^\| \[synthetic\/[\w-]+\]\(synthetic\/[\w-]+\.md\), 1w: torn to reference +\| 0\.50 \(.+\) +\| +8 \| +2\.00 \(.+\) +\| +4 \| nothing that was measured +\|$/m,
  );
});

it("no other row is, and a page without any says so", () => {
  const page = dependsPage([{ primitive: "synthetic", races: [judgeScenario([race])] }]);
  assert.match(page, /^No row depends\.$/m);
  assert.doesNotMatch(page, /\|/);
});
