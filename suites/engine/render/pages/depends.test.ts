import assert from "node:assert/strict";
import { it } from "node:test";
import { judgeScenario } from "../../judge/judge.ts";
import { raceOf } from "../pictures/races.synthetic.ts";
import { dependsPage } from "./depends.ts";

const race = raceOf({ reference: 100, alike: 100, torn: 50 }, 1, {
  forks: 12,
  rounds: 40,
  sliceNoise: 0.002,
  forkNoise: 0.002,
});

/** As if one competitor had been four times as slow in the first four processes. */
function torn() {
  const cells = race.cells.map((cell) => {
    if (cell.competitor !== "torn") return cell;
    const { costNs } = cell.roles.worker!.any;
    const slowed = (column: readonly number[]) => column.map((ns, fork) => (fork < 4 ? 4 * ns : ns));
    const any = { costNs: { ...costNs, p25: slowed(costNs.p25), p50: slowed(costNs.p50) } };
    return { ...cell, roles: { worker: { ...cell.roles.worker!, any } } };
  });
  return judgeScenario([{ ...race, cells }]);
}

it("a row that depends is there with both of its answers", () => {
  const page = dependsPage([{ primitive: "synthetic", races: [torn()] }]);
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
