import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Random } from "../../structures/shared/sfc32.ts";
import { PROFILES } from "../../suites/engine/measure/plan/plan.ts";
import { METHOD_VERSION } from "../../suites/engine/schema/envelope.ts";
import { UsageError } from "../../suites/lab/command/usage.ts";
import { makePlan } from "../../suites/lab/plan/make-plan.ts";
import { syntheticRequest } from "../../suites/lab/request.synthetic.ts";
import { syntheticLine } from "../../suites/lab/series/history.synthetic.ts";
import type { HistoryLine } from "../../suites/lab/series/history.ts";
import { deal, dueGroups, parseShard, type Section, sectionOf, sectionsOf } from "./choice.ts";

function section(
  name: string,
  estimateMs: number,
  competitors: readonly string[] = ["baseline", "rival"],
): Section {
  const [primitive, scenario, workers] = name.split("/");
  const cells = competitors.map((competitor) => [primitive, scenario, competitor, workers].join("/"));
  return { name, groups: [], cells, estimateMs };
}

/** Of a hundred seconds to a thousand each. */
function randomSections(count: number, seed: number): Section[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, index) =>
    section(`synthetic/s${index}/${1 + (index % 2)}w`, 100 + random.below(900)),
  );
}

function linesFor(
  sections: readonly Section[],
  night: number,
  other: Partial<HistoryLine> = {},
): HistoryLine[] {
  return sections.flatMap(({ cells }) => cells.map((cell) => syntheticLine(night, { cell, ...other })));
}

const names = (sections: readonly Section[]) => sections.map(({ name }) => name);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

it("shards of a night are read as they are typed, and refused where they make no sense", () => {
  assert.deepEqual(parseShard("1/1"), { index: 1, count: 1 });
  assert.deepEqual(parseShard("3/12"), { index: 3, count: 12 });
  for (const text of ["", "0/2", "3/2", "1", "1/0", "a/b", "1/2/3", "-1/2", "1.5/2", "1/1000"])
    assert.throws(() => parseShard(text), UsageError, text);
});

it("the section of a cell is that of all its roles", () =>
  assert.equal(sectionOf({ cell: "p/a/rival/1w/reader" }), "p/a/1w"));

describe("a night's choice", () => {
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => section(`p/${name}/1w`, 100)) as [
    ...[Section, Section, Section, Section],
  ];
  const all = [a, b, c, d];
  const grown = [a, b, c, section("p/d/1w", 100, ["baseline", "rival", "newcomer"])];
  const newcomer = { cell: "p/d/newcomer/1w", medianNs: null, ratio: null, verdict: "no number" };
  const readers = linesFor(all, 0).map((line) => ({ ...line, cell: `${line.cell}/reader` }));
  const big = [a, section("p/big/1w", 150), b];
  const huge = [section("p/huge/1w", 10_000), a, b];
  const longAgo = [...linesFor([c], 9), ...linesFor([b], 5), ...linesFor([a, d], 1), ...linesFor([c], 0)];
  const but = (other: Partial<HistoryLine>) => [...linesFor([b, c, d], 0), ...linesFor([a], 1, other)];

  for (const [what, lines, budgetMs, expected, of = all] of [
    ["begins with what was never measured, in the order of the plan", [], 200, "a b"],
    ["leaves what was measured for later", linesFor([a, c], 0), 200, "b d"],
    ["goes on with what was measured longest ago, by the order of the history", longAgo, 200, "a b"],
    ["takes a section for new that has a new competitor", linesFor(all, 0), 100, "d", grown],
    ["counts a cell without a number", [...linesFor(all, 0), syntheticLine(0, newcomer)], 100, "a", grown],
    ["knows cells by name, whatever their role", [...readers, ...linesFor([a], 1)], 100, "b"],
    ["does not count nights of another profile", but({ profile: "quick" }), 100, "a"],
    ["does not count nights of another method", but({ method: METHOD_VERSION - 1 }), 100, "a"],
    ["counts nights of other machines", linesFor([a], 1, { machine: "other-4c-8g" }), 100, "b"],
    ["lets smaller ones go ahead of what does not fit", [], 200, "a b", big],
    ["takes what did not fit first then", linesFor([a, b], 0), 200, "big", big],
    ["measures what is larger than the budget alone", [], 200, "huge", huge],
    ["has it wait for the others then", linesFor(huge.slice(0, 1), 0), 200, "a b", huge],
    ["always has something", [], 1, "a"],
  ] as readonly (readonly [string, readonly HistoryLine[], number, string, (readonly Section[])?])[])
    it(what, () => {
      const [share] = deal(of, lines, "full", budgetMs, 1);
      assert.deepEqual(
        names(share!.sections),
        expected.split(" ").map((name) => `p/${name}/1w`),
      );
    });

  it("covers all within the nights it takes, and lets nothing wait much longer ever after", () => {
    for (const [seed, budgetMs, shards] of [
      [1, 3000, 1],
      [2, 5000, 1],
      [3, 1500, 4],
      [4, 2000, 3],
    ] as const) {
      const sections = randomSections(60, seed);
      const largest = Math.max(...sections.map(({ estimateMs }) => estimateMs));
      const total = sum(sections.map(({ estimateMs }) => estimateMs));
      // A night ends when nothing that waits fits any more.
      const nightsForAll = Math.ceil(total / (shards * (budgetMs - largest)));
      const lines: HistoryLine[] = [];
      const lastSeen = new Map(sections.map(({ name }) => [name, -1]));
      for (let night = 0; night < 10 * nightsForAll; night++) {
        const shares = deal(sections, lines, "full", budgetMs, shards);
        const taken = shares.flatMap((share) => share.sections);
        for (const share of shares) assert.ok(share.estimateMs <= budgetMs);
        lines.push(...linesFor(taken, night));
        for (const { name } of taken) lastSeen.set(name, night);
        for (const [name, seen] of lastSeen) {
          assert.ok(
            night - seen <= nightsForAll,
            `${name} waits since night ${seen}, now ${night}: ${nightsForAll}`,
          );
        }
      }
    }
  });

  it("starves nothing, even where most is larger than the budget", () => {
    const sections = randomSections(20, 5);
    const lines: HistoryLine[] = [];
    const seen = new Set<string>();
    for (let night = 0; night < sections.length; night++) {
      const [share] = deal(sections, lines, "full", 150, 1);
      for (const { name } of share!.sections) seen.add(name);
      lines.push(...linesFor(share!.sections, night));
    }
    assert.equal(seen.size, sections.length);
  });

  it("takes of a section that a night was interrupted in what that night did not finish", async () => {
    const plan = makePlan(await syntheticRequest({ all: true, workers: [1], profile: PROFILES.full }));
    const [section] = sectionsOf(plan.groups, plan.profile).filter(({ groups }) => groups.length > 1);
    assert.ok(section !== undefined);
    const [done, ...left] = section.groups;
    const groupLines = (groups: readonly (typeof done)[], night: number) =>
      groups.flatMap((group) => linesFor(sectionsOf([group!], plan.profile), night));
    const due = (...lines: HistoryLine[]) => dueGroups(section.groups, lines, "full");
    const interrupted = groupLines([done], 3);
    assert.deepEqual(due(), section.groups);
    assert.deepEqual(due(...interrupted), left);
    // Also where all had been measured before, and where the others then are ahead.
    const before = groupLines(section.groups, 1);
    assert.deepEqual(due(...before), section.groups);
    assert.deepEqual(due(...before, ...interrupted), left);
    assert.deepEqual(due(...before, ...interrupted, ...groupLines(left, 4)), [done]);
    // A night that is appended in two pieces is one.
    assert.deepEqual(due(...before, ...interrupted, ...groupLines(left, 3)), section.groups);
  });

  it("covers the lab itself in a few nights of an hour", async () => {
    const asked = { all: true, workers: [1, 2], profile: PROFILES.full };
    const plan = makePlan(await syntheticRequest(asked));
    const sections = sectionsOf(plan.groups, plan.profile);
    assert.equal(sum(sections.map(({ groups }) => groups.length)), plan.groups.length);
    assert.equal(new Set(names(sections)).size, sections.length);
    const hourMs = 3_600_000;
    const nights = Math.ceil(sum(sections.map(({ estimateMs }) => estimateMs)) / hourMs) + 1;
    const lines: HistoryLine[] = [];
    const seen = new Set<string>();
    for (let night = 0; night < nights; night++) {
      const [share] = deal(sections, lines, "full", hourMs, 1);
      // The lab has no group so large that a night would be left half empty.
      assert.ok(share!.estimateMs > 0.9 * hourMs && share!.estimateMs <= hourMs, String(share!.estimateMs));
      for (const { name } of share!.sections) seen.add(name);
      lines.push(...linesFor(share!.sections, night));
    }
    assert.deepEqual(
      names(sections).filter((name) => !seen.has(name)),
      [],
    );
  });
});

describe("shards", () => {
  const sections = randomSections(60, 7);
  const lines = linesFor(sections.slice(0, 30), 0);

  it("are dealt what fits, each section once, in the order of the plan, and the same whenever they are asked", () => {
    for (const count of [1, 2, 3, 7]) {
      const shares = deal(sections, lines, "full", 2000, count);
      assert.equal(shares.length, count);
      const dealt = shares.flatMap((share) => names(share.sections));
      assert.equal(new Set(dealt).size, dealt.length, "no section is in two shards");
      for (const { sections: own, estimateMs } of shares) {
        assert.equal(estimateMs, sum(own.map((one) => one.estimateMs)));
        assert.ok(estimateMs <= 2000);
        assert.deepEqual(
          own,
          sections.filter((one) => own.includes(one)),
        );
      }
      assert.deepEqual(deal(sections, [...lines], "full", 2000, count), shares);
    }
    const everything = deal(sections, lines, "full", 60_000, 4);
    assert.deepEqual(everything.flatMap((share) => names(share.sections)).sort(), names(sections).sort());
  });

  it("have about as much to do as each other, and nothing where there are more of them than sections", () => {
    const largest = Math.max(...sections.map(({ estimateMs }) => estimateMs));
    for (const budgetMs of [2000, 5000, 60_000]) {
      const loads = deal(sections, lines, "full", budgetMs, 4).map(({ estimateMs }) => estimateMs);
      assert.ok(Math.max(...loads) - Math.min(...loads) <= largest, `${loads}`);
    }
    const few = deal(sections.slice(0, 2), [], "full", 2000, 4);
    assert.deepEqual(
      few.map((share) => share.sections.length),
      [1, 1, 0, 0],
    );
  });
});
