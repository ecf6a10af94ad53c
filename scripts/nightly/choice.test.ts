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

describe("shards of a night", () => {
  it("are read as they are typed", () => {
    assert.deepEqual(parseShard("1/1"), { index: 1, count: 1 });
    assert.deepEqual(parseShard("3/12"), { index: 3, count: 12 });
  });

  it("are refused where they make no sense", () => {
    for (const text of ["", "0/2", "3/2", "1", "1/0", "a/b", "1/2/3", "-1/2", "1.5/2", "1/1000"]) {
      assert.throws(() => parseShard(text), UsageError, text);
    }
  });
});

describe("a night's choice", () => {
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => section(`p/${name}/1w`, 100));
  const all = [a!, b!, c!, d!];
  const chosen = (lines: readonly HistoryLine[], budgetMs: number, sections = all) =>
    names(deal(sections, lines, "full", budgetMs, 1)[0]!.sections);

  it("begins with what was never measured, in the order of the plan", () => {
    assert.deepEqual(chosen([], 200), ["p/a/1w", "p/b/1w"]);
    assert.deepEqual(chosen(linesFor([a!, c!], 0), 200), ["p/b/1w", "p/d/1w"]);
  });

  it("goes on with what was measured longest ago, by the order of the history and not its clock", () => {
    const lines = [
      ...linesFor([c!], 9),
      ...linesFor([b!], 5),
      ...linesFor([a!, d!], 1),
      ...linesFor([c!], 0),
    ];
    assert.deepEqual(chosen(lines, 200), ["p/a/1w", "p/b/1w"]);
  });

  it("takes a section for new that has a new competitor, and for measured if a cell has no number", () => {
    const grown = section("p/d/1w", 100, ["baseline", "rival", "newcomer"]);
    const lines = linesFor(all, 0);
    assert.deepEqual(chosen(lines, 100, [a!, b!, c!, grown]), ["p/d/1w"]);
    const failed = { cell: "p/d/newcomer/1w", medianNs: null, ratio: null, verdict: "no number" };
    assert.deepEqual(chosen([...lines, syntheticLine(0, failed)], 100, [a!, b!, c!, grown]), ["p/a/1w"]);
  });

  it("knows cells by name, whatever their role", () => {
    const lines = linesFor(all, 0).map((line) => ({ ...line, cell: `${line.cell}/reader` }));
    assert.equal(sectionOf(lines[0]!), "p/a/1w");
    assert.deepEqual(chosen([...lines, ...linesFor([a!], 1)], 100), ["p/b/1w"]);
  });

  it("does not count nights of another profile or method, but nights of other machines", () => {
    const [first, ...rest] = all;
    for (const other of [{ profile: "quick" }, { method: METHOD_VERSION - 1 }]) {
      assert.deepEqual(chosen([...linesFor(rest, 0), ...linesFor([first!], 1, other)], 100), ["p/a/1w"]);
    }
    assert.deepEqual(chosen(linesFor([first!], 1, { machine: "other-4c-8g" }), 100), ["p/b/1w"]);
  });

  it("lets smaller ones go ahead of what does not fit, which then is first", () => {
    const big = section("p/big/1w", 150);
    assert.deepEqual(chosen([], 200, [a!, big, b!]), ["p/a/1w", "p/b/1w"]);
    assert.deepEqual(chosen(linesFor([a!, b!], 0), 200, [a!, big, b!]), ["p/big/1w"]);
  });

  it("always has something: what is larger than the budget is measured alone", () => {
    const huge = section("p/huge/1w", 10_000);
    assert.deepEqual(chosen([], 200, [huge, a!, b!]), ["p/huge/1w"]);
    assert.deepEqual(chosen(linesFor([huge], 0), 200, [huge, a!, b!]), ["p/a/1w", "p/b/1w"]);
    assert.deepEqual(chosen([], 1, all), ["p/a/1w"]);
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

  it("are dealt what fits, each section once", () => {
    for (const count of [1, 2, 3, 7]) {
      const shares = deal(sections, lines, "full", 2000, count);
      assert.equal(shares.length, count);
      const dealt = shares.flatMap((share) => names(share.sections));
      assert.equal(new Set(dealt).size, dealt.length, "no section is in two shards");
      for (const { sections: own, estimateMs } of shares) {
        assert.equal(estimateMs, sum(own.map((one) => one.estimateMs)));
        assert.ok(estimateMs <= 2000);
      }
    }
    const everything = deal(sections, lines, "full", 60_000, 4);
    assert.deepEqual(everything.flatMap((share) => names(share.sections)).sort(), names(sections).sort());
  });

  it("have about as much to do as each other", () => {
    const largest = Math.max(...sections.map(({ estimateMs }) => estimateMs));
    for (const budgetMs of [2000, 5000, 60_000]) {
      const loads = deal(sections, lines, "full", budgetMs, 4).map(({ estimateMs }) => estimateMs);
      assert.ok(Math.max(...loads) - Math.min(...loads) <= largest, `${loads}`);
    }
  });

  it("choose alike, whenever and in whichever they are asked", () => {
    const first = deal(sections, lines, "full", 2000, 3);
    assert.deepEqual(deal(sections, [...lines], "full", 2000, 3), first);
    for (const { sections: own } of first) {
      assert.deepEqual(
        own,
        sections.filter((one) => own.includes(one)),
        "in the order of the plan",
      );
    }
  });

  it("may have nothing where there are more of them than sections", () => {
    const shares = deal(sections.slice(0, 2), [], "full", 2000, 4);
    assert.deepEqual(
      shares.map((share) => share.sections.length),
      [1, 1, 0, 0],
    );
  });
});
