import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withDearControl } from "../../judge/judge.synthetic.ts";
import { judgedRecord } from "../../judge/judge.ts";
import type { Verdicts } from "../../schema/verdict.ts";
import { raceOf, recordOf } from "../pictures/races.synthetic.ts";
import { faultsOf, HELD, requoted } from "./quotes.ts";

const SURE = { sliceNoise: 0.001, forkNoise: 0, forks: 6 };
const COSTS_NS = { even: 20, random: 10, third: 30 };
/** Nearer to one another than the A/A control of `open` strays. */
const NEAR_NS = { even: 20, random: 18.6, third: 21 };
const { verdicts } = judgedRecord(
  recordOf(
    { ...raceOf(COSTS_NS, 2, SURE), scenario: "told" },
    { ...withDearControl(raceOf(NEAR_NS, 2, SURE), 1.2), scenario: "open" },
  ),
);
const NEWEST: Verdicts = {
  races: verdicts.races.map((race) => ({
    ...race,
    rows: race.rows.map((row) => (row.noNumber === undefined ? { ...row, extra: { parks: 3.5 } } : row)),
  })),
  metrics: [
    {
      ...{ primitive: "synthetic", scenario: "churn", title: "", absent: [], times: 20 },
      kind: "simulation",
      metrics: { peak: { title: "Peak", unit: "messages/s", digits: 0 } },
      rows: [
        {
          ...{ cell: "synthetic/churn/even", competitor: "even", isBaseline: true, figures: {} },
          spreads: { peak: { value: 17, low: 16, high: 17, having: 20, of: 20 } },
        },
      ],
    },
  ],
};

function faults(text: string, path = "results/synthetic/answer.md"): string[] {
  return faultsOf({ path, text }, (primitive) => (primitive === "synthetic" ? NEWEST : undefined));
}

/** What a quote would have to say, as the fault of a wrong one tells it. */
function figureOf(wrong: string, page: string, row: string): string {
  const [fault] = faults(`[${wrong}](${page} "${row}")\n`);
  return / is (.*) in the newest record: /.exec(fault ?? "")?.[1] ?? assert.fail(fault);
}

describe("a quote of a figure", () => {
  it("is one of the newest, to the digit: a ratio, one to another, a time, a metric", () => {
    const ratio = figureOf("0.51 (0.50-0.52)", "told.md", "random/2w");
    assert.match(ratio, /^0\.50 \(0\.\d\d-0\.\d\d\)$/);
    const toThird = figureOf("0.4 (0.3-0.5)", "told.md", "random/2w to third");
    assert.match(toThird, /^0\.33 \(0\.\d\d-0\.\d\d\)$/);
    const time = figureOf("11 ns (10-12)", "told.md", "random/2w");
    assert.match(time, /^10\.0 ns \(/);
    assert.equal(figureOf("11 ns", "told.md", "random/2w"), time, "a time without its interval is one, too");
    assert.equal(figureOf("4", "told.md", "random/2w: parks"), "3.5");
    assert.equal(figureOf("18", "churn.md", "even/peak"), "17 (16-17)");
    assert.equal(figureOf("18 messages/s", "churn.md", "even/peak"), "17 (16-17) messages/s");
    const all = [
      `[${ratio}](told.md "random/2w")`,
      `[${toThird}](told.md "random/2w to third")`,
      `[${time}](told.md "random/2w")`,
      '[3.5](told.md "random/2w: parks")',
      '[17 (16-17)](churn.md "even/peak")',
    ];
    assert.deepEqual(faults(`${HELD}\n\nOf all that race ${all.join(", ")}.\n`), []);
  });

  it("is found from wherever its page is linked, and told by its line", () => {
    const wrong = (page: string) => `# 0001\n\n[1.00 (1.00-1.00)](${page} "random/2w")\n`;
    const [fault] = faults(wrong("../synthetic/told.md"), "results/reviews/0001.md");
    assert.match(fault!, /^results\/reviews\/0001\.md:3: 1\.00 .* record: synthetic\/told\/random\/2w$/);
    assert.equal(faults(wrong("results/synthetic/told.md"), "README.md").length, 1);
  });

  it("is made the newest on request, and nothing else is touched", () => {
    const text = (peak: string) =>
      `It is [${peak}](churn.md\n"even/peak"), not [1](churn.md "even/none"), [2](a.md) or [3](../b/c.md "even/peak").\n`;
    const requote = (old: string) =>
      requoted({ path: "results/synthetic/answer.md", text: old }, () => NEWEST);
    assert.equal(requote(text("18\n(1-2)")), text("17 (16-17)"));
    assert.equal(requote(text("17\n(16-17)")), text("17\n(16-17)"));
  });

  it("may be broken into lines", () => {
    assert.deepEqual(faults('[17\n(16-17)](churn.md\n"even/peak")\n'), []);
  });

  it("names a row that there is", () => {
    for (const row of [
      "random/3w",
      "none/2w",
      "even/2w",
      "random/2w to none",
      "random/2w/reader",
      "random/2w: none",
    ]) {
      assert.deepEqual(faults(`[1.00 (1.00-1.00)](told.md "${row}")`), [
        `results/synthetic/answer.md:1: synthetic/told/${row} is no row with such a figure`,
      ]);
    }
    assert.match(faults('[17](churn.md "even/low")')[0]!, /churn\/even\/low is no row/);
    assert.match(faults('[17](gone.md "even/peak")')[0]!, /gone\/even\/peak is no row/);
    assert.match(faults('[17](../other/churn.md "even/peak")')[0]!, /is no page of a scenario/);
  });
});

describe("a sentence with a ranking word", () => {
  const told = `[${figureOf("1 (1-1)", "told.md", "random/2w")}](told.md "random/2w")`;
  const open = `[${figureOf("1 (1-1)", "open.md", "random/2w")}](open.md "random/2w")`;
  const openToThird = `[${figureOf("1 (1-1)", "open.md", "random/2w to third")}](open.md "random/2w to third")`;

  it("points at no open row", () => {
    assert.deepEqual(faults(`\`random\` is faster, at ${told}.`), []);
    for (const row of [open, openToThird]) {
      assert.match(
        faults(`\`random\` is faster, at ${row}.`)[0]!,
        /"faster" stands beside .* open \(no power\)/,
      );
    }
    assert.equal(faults(`It is the cheapest: ${told}, ${open}.`).length, 1);
  });

  it("is one cell of a table, or ends at a full stop, and a name in it is no word", () => {
    for (const apart of [
      `**It is faster.** Open at ${open}.`,
      `| faster | ${open} |`,
      `- faster\n- ${open}`,
      `\`best-fit\` is at ${open}.`,
      `## Which is best\n\nOpen at ${open}`,
    ]) {
      assert.deepEqual(faults(apart), [], apart);
    }
  });
});

describe("a figure without a row", () => {
  it("is none of a text that is held to the newest records", () => {
    const text =
      "It takes 0.67 (0.56-0.78), or 118 ns (90-130), 4.7 times as much, in [1.2](a.md) of `8.5`.\n";
    assert.deepEqual(faults(`Written for \`a.json\`.\n\n${text}`), []);
    const found = faults(`${HELD}\n\n${text}`).map((fault) => /:3: (.*) names no row/.exec(fault)?.[1]);
    assert.deepEqual(found, ["0.67 (0.56-0.78)", "118 ns (90-130)", "4.7", "1.2"]);
  });

  it("may stand in code", () => {
    assert.deepEqual(faults(`${HELD}\n\n\`\`\`\n0.5 (0.4-0.6)\n\`\`\`\n\n    0.5 (0.4-0.6)\n`), []);
  });
});
