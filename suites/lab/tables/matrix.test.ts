import assert from "node:assert/strict";
import { it } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { withCosts } from "../../engine/judge/judge.synthetic.ts";
import type { GroupRecord } from "../../engine/schema/record.ts";
import { broken, LABELS } from "../pictures/races.synthetic.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import { judgeRecord } from "../verdicts/judge-record.ts";
import { acrossRuntimes, withAbsent, withinRuntime } from "../verdicts/runtimes.synthetic.ts";
import { blocksMarkdown } from "./blocks.ts";
import { cellTexts, matrixLegend, matrixOf, matrixTables, withinTables } from "./matrix.ts";
import { raceTables } from "./races.ts";

/** Verdicts of faster and slower, the same, and what a crew that is lucky or not in each process leaves open. */
const DECIDED = acrossRuntimes("decided", { node24: 20, bun: 8, deno: 40 });
const EQUAL = acrossRuntimes("equal", { node24: 10, bun: 10, deno: 10 });
const OPEN = acrossRuntimes("open", { node24: 12, bun: 12, deno: 12 }, 1, {
  noisy: { "open@bun": 0.05, "open@deno": 0.05 },
});
/** Of a crew that takes a third of its time in half of the processes. */
const EITHER = withCosts(
  acrossRuntimes("either", { node24: 25, bun: 50, deno: 25 }),
  ({ competitor }, fork) => (competitor === "either@bun" && fork < 3 ? 1 / 3 : 1),
);
const HALF = withAbsent(acrossRuntimes("half", { node24: 30, bun: 24 }), "half@deno", "no Atomics.pause");
const COSTS = { base: 20, quick: 10, nothing: 1 };
const NAMES = ["node24", "bun", "deno"] as const;

function judged(groups: readonly GroupRecord[]) {
  return judgeRecord(syntheticRecord(groups, 7)).races;
}

function matrixIn(...groups: readonly GroupRecord[]) {
  return matrixOf(judged(groups));
}

/** Races between runtimes, a competitor each. */
const MATRICES: Readonly<Record<string, readonly GroupRecord[]>> = {
  "every verdict, the cheapest on the first runtime first": [DECIDED, EQUAL, OPEN, EITHER, HALF],
  "a panel for each worker count": [acrossRuntimes("decided", { node24: 20, bun: 8, deno: 40 }, 2), DECIDED],
  "a broken law, a runtime that it was not raced on, another baseline": [
    broken(DECIDED, "decided@bun", "a pick was lost"),
    withAbsent(acrossRuntimes("elsewhere", { bun: 5, deno: 6 }), "elsewhere@node24", "no flag"),
    acrossRuntimes("two", { node24: 20, bun: 8 }),
    withinRuntime("node24", { decided: 20 }),
  ],
  "a competitor of one runtime alone": [
    DECIDED,
    withinRuntime("node24", { decided: 20, lone: 10 }),
    withAbsent(withinRuntime("bun", { decided: 20 }), "lone", "no Atomics.pause"),
  ],
  "runtimes in the order asked for, whatever the first competitor runs on": [
    acrossRuntimes("elsewhere", { deno: 5, bun: 6 }),
    ...NAMES.map((name) => withinRuntime(name, { decided: 20 })),
  ],
};

/** Races on each runtime by itself. */
const WITHIN: Readonly<Record<string, readonly GroupRecord[]>> = {
  "ratios to the baseline of the same runtime": [
    withinRuntime("node24", COSTS),
    withinRuntime("bun", { ...COSTS, quick: 40 }),
    DECIDED,
  ],
  "a broken law, and one that is absent": [
    broken(withinRuntime("node24", COSTS), "quick", "a pick was lost"),
    withAbsent(withinRuntime("bun", { base: 20, nothing: 1 }), "quick", "no Atomics.pause"),
  ],
  "absent everywhere": (["node24", "bun"] as const).map((name) =>
    withAbsent(withinRuntime(name, COSTS), "giant", "too large"),
  ),
};

it("the tables of runtimes, each competitor by itself and each runtime by itself", (t) => {
  const matrices = Object.entries(MATRICES).map(([name, groups]) => {
    return [name, blocksMarkdown(matrixTables(matrixIn(...groups)!))];
  });
  const within = Object.entries(WITHIN).map(([name, groups]) => {
    return [name, blocksMarkdown(withinTables(judged(groups), LABELS))];
  });
  const legends = [NAMES, ["node24", "deno"] as const].map((names) => {
    const races = acrossRuntimes("any", Object.fromEntries(names.map((name) => [name, 20])));
    return [`legend: ${names.join(", ")}`, matrixLegend(matrixIn(races)!.runtimes).join("\n")];
  });
  goldenCases(t, "testdata/runtimes.md", Object.fromEntries([...matrices, ...within, ...legends]));
});

it("a table of all is one: the more cells it has, the wider their intervals, which hold those of their own tables", () => {
  const bunIn = (...groups: GroupRecord[]) => {
    const [cell] = matrixIn(...groups)!.panels[0]!.rows.find((row) => row.competitor === "decided")!.others;
    assert.ok(cell?.reason === undefined);
    return cell!.ratio;
  };
  const many = Array.from({ length: 20 }, (_, index) =>
    acrossRuntimes(`other-${index}`, { node24: 10, bun: 10, deno: 10 }),
  );
  const [alone, among] = [bunIn(DECIDED), bunIn(DECIDED, ...many)];
  assert.ok(among.high / among.low > alone.high / alone.low);
  const row = judged([DECIDED])[0]!.rows.find(({ competitor }) => competitor === "decided@bun");
  assert.deepEqual(row?.noNumber === undefined && row?.ratio, alone);
});

it("there is no matrix where no competitor was raced on two", () => {
  assert.equal(matrixIn(withinRuntime("bun", { decided: 20 })), undefined);
});

it("an interval that says nothing is unknown", () => {
  const ratio = { value: 113, low: 1e-20, high: 4e22 };
  const texts = cellTexts({ ratio, verdict: "cannot tell" });
  assert.deepEqual(texts, { value: "113", interval: "(unknown)", sign: " ?" });
});

it("a runtime's own figures are those of its own table", () => {
  const group = withinRuntime("node24", COSTS);
  const own = blocksMarkdown([raceTables(judged([group])[0]!, LABELS)[0]!.rivals]);
  const [, ratio] = /^\| quick +\| +([^|]+?) +\| \*\*faster/m.exec(own)!;
  const all = blocksMarkdown(withinTables(judged([group]), LABELS));
  assert.ok(all.replaceAll("\u2011", "-").replaceAll("\u00a0", " ").includes(`**${ratio}**`), ratio);
});
