import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Statement } from "../../claims.ts";
import { samplesByMetric } from "../../judge/assemble-metrics.ts";
import { judgeClaims } from "../../judge/claims.ts";
import { syntheticRecord } from "../../judge/judge.synthetic.ts";
import { judgedRecord, judgeRecord } from "../../judge/judge.ts";
import { judgeSimulation, judgeSurvey } from "../../judge/metrics.ts";
import {
  type BenchRecord,
  checkRecord,
  type SimulationRecord,
  type SurveyRecord,
} from "../../schema/record.ts";
import { cellsOf, raceOf } from "../pictures/races.synthetic.ts";
import { metricsText, recordPage, shortProvenance } from "./pages.ts";

const survey: SurveyRecord = {
  primitive: "synthetic",
  scenario: "held",
  title: "what they hold",
  metrics: {
    bytes: { title: "Bytes", unit: "B", digits: 1 },
    pause: { title: "Pause", unit: "us", digits: 0 },
  },
  absent: [{ competitor: "giant", reason: "too large" }],
  cells: [
    {
      name: "synthetic/test/first",
      competitor: "first",
      baseline: true,
      forks: [
        { bytes: 16, pause: 3 },
        { bytes: 16, pause: 9 },
      ],
    },
    { name: "synthetic/test/still", competitor: "still", baseline: false, forks: [{ bytes: 20.25 }] },
    {
      name: "synthetic/test/mutant",
      competitor: "mutant",
      baseline: false,
      failure: { kind: "law", reason: "it lost 3" },
      forks: [{ bytes: 1, pause: 1 }],
    },
  ],
};

describe("a page of a run that was disturbed", () => {
  const quiet = syntheticRecord([], 1);
  const linesOf = (after: Partial<BenchRecord["after"]>) => {
    const record = checkRecord({ ...quiet, after: { ...quiet.after, ...after } }, "it");
    return {
      page: recordPage("Results", judgedRecord(record), "record.json"),
      short: shortProvenance(record),
    };
  };

  it("says by whom, in one line, and what others had of the cores", () => {
    const { page, short } = linesOf({ seconds: 60, othersCores: 1.31, stolenCores: 0.3, waiting: 0.42 });
    const by = "other processes (1.3 of 2 cores busy), other virtual machines (0.3 of 2 cores stolen)";
    assert.ok(page.includes(`\n- Disturbed by: ${by}\n`), page);
    assert.match(
      page,
      /^- Load: .*, other processes on 1\.31 cores, some process waiting .* 42 % of the time$/m,
    );
    assert.ok(short.endsWith(` · disturbed by ${by}`), short);
  });

  it("says nothing of that where nothing disturbed, or nothing is known", () => {
    const { page, short } = linesOf({ seconds: 60, othersCores: 0.02 });
    assert.doesNotMatch(`${page}${short}`, /disturbed/i);
    assert.match(page, /^- Load: 0 before, 0 after, other processes on 0\.02 cores$/m);
    assert.match(linesOf({}).page, /^- Load: 0 before, 0 after$/m);
  });
});

it("a page of races says how often laws were checked, as far as its records do", () => {
  const said = (...accountsEvery: readonly (number | undefined)[]) => {
    const groups = accountsEvery.map((accountEvery, index) => {
      const group = raceOf({ reference: 100, slow: 200 }, index + 1);
      return accountEvery === undefined ? group : { ...group, accountEvery };
    });
    const record = checkRecord(syntheticRecord(groups, 9), "it");
    const page = recordPage("Results", judgedRecord(record), "record.json");
    return /^- Laws were checked (.*), on all operations up to then\. /m.exec(page)?.[1];
  };
  assert.equal(said(20, 20), "in one round of 20 and in the last of each process");
  assert.equal(said(20, 10), "at least twice in each process");
  assert.equal(said(20, undefined), "at least twice in each process");
  assert.equal(said(undefined), "at least twice in each process");
});

it("a race's tables are in sight at the most workers with a core each, and folded away at all others", () => {
  const groups = [1, 2, 4].map((workers) => raceOf({ reference: 100, slow: 200 }, workers));
  const page = recordPage("Results", judgedRecord(syntheticRecord(groups, 9)), "record.json");
  assert.match(page, /^### 2 workers\n\n\| Competitor /m);
  for (const folded of ["1 worker", "4 workers, oversubscribed"]) {
    const start = `### ${folded}\n\n<details>\n<summary>Its tables</summary>\n\n| Competitor `;
    assert.ok(page.includes(start), folded);
  }
});

it("a tail's table has the greatest of its maxima, and says how it was surveyed", () => {
  const tail = { family: "tail", workers: 2, intervalUs: 5, oversubscribed: false, sharesBeyond: [0.5] };
  const tailed: SurveyRecord = {
    ...survey,
    metrics: {
      p50: { title: "p50", unit: "us", digits: 2 },
      max: { title: "Max", unit: "us", digits: 2, over: "greatest" },
    },
    tail,
    cells: [{ ...survey.cells[0]!, forks: [0.1, 0.2, 0.9].map((us) => ({ p50: us, max: 10 * us })) }],
  };
  const text = metricsText(judgeSurvey(tailed), 2);
  assert.match(text, /0\.20 \(0\.10-0\.90\) +\| 9\.00 \(1\.00-9\.00\)/);
  assert.match(text, /Each of 2 workers has one operation due at a random moment of every 5 us/);
  assert.doesNotMatch(text, /Oversubscribed/);
  const crowded = { ...tailed, tail: { ...tail, oversubscribed: true } };
  assert.match(metricsText(judgeSurvey(crowded), 2), /Oversubscribed: there are more workers than cores/);
});

it("a wide table has its first figures in sight, and the others folded where they would fill more than the screen", () => {
  const keys = Array.from({ length: 20 }, (_, index) => `figure ${index}`);
  const wide = (competitors: number): SurveyRecord => ({
    ...survey,
    metrics: Object.fromEntries(keys.map((key) => [key, { title: key, unit: "B", digits: 0 }])),
    cells: Array.from({ length: competitors }, (_, index) => ({
      name: "",
      competitor: `number ${index}`,
      baseline: index === 0,
      forks: [Object.fromEntries(keys.map((key) => [key, index]))],
    })),
  });
  assert.doesNotMatch(metricsText(judgeSurvey(wide(2)), 2), /<details>/);
  const text = metricsText(judgeSurvey(wide(40)), 2);
  const [, before, named, folded, after] =
    /^(.+)<details>\n<summary>More figures: (.+)<\/summary>\n(.+)<\/details>\n(.+)$/s.exec(text)!;
  const figuresIn = (tables: string) => tables.match(/figure \d+(?= \()/g)!;
  assert.ok(figuresIn(before!).length > 1);
  assert.deepEqual([...figuresIn(before!), ...figuresIn(folded!)], keys);
  assert.deepEqual(named!.split("; "), figuresIn(folded!));
  assert.match(after!, /^\n- Surveyed: each competitor ran alone /);
  assert.doesNotMatch(`${before}${folded}`, /^- /m);
});

it("a survey's table has the middle and the range of each figure, and no figure of one that failed", () => {
  const rowOf = (name: string) =>
    rowsIn(metricsText(judgeSurvey(survey), 2))
      .find(([first]) => first === name)!
      .slice(1);
  assert.deepEqual(rowOf("**first**"), ["16.0", "6 (3-9)", "–"]);
  assert.deepEqual(rowOf("still"), ["20.3", "–", "–"]);
  assert.match(rowOf("mutant").at(-1)!, /it lost 3/);
  assert.ok(!rowOf("mutant").includes("1.0"));
  assert.match(metricsText(judgeSurvey(survey), 2), /in 2 processes of its own, .+ in brackets, the range\./);
  const cells = survey.cells.map((cell) => ({ ...cell, forks: cell.forks.slice(0, 1) }));
  assert.match(
    metricsText(judgeSurvey({ ...survey, cells }), 2),
    /alone in a process of its own\. No two are paired/,
  );
  assert.match(metricsText(judgeSurvey(survey), 2), /Not here, too large: giant\./);
});

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);

/** A simulation from twenty seeds, one of whose competitors settles from some of them only. */
const simulation: SimulationRecord = {
  primitive: "synthetic",
  scenario: "fleet",
  title: "a fleet",
  metrics: {
    peak: { title: "Peak", unit: "messages/s", digits: 0 },
    settled: { title: "Settled", unit: "h", digits: 1 },
  },
  seeds: SEEDS,
  cells: [
    seeded("even", true, () => ({ peak: 17, settled: 0 })),
    seeded("random", false, (seed) => ({ peak: 20 + seed, ...(seed > 8 ? { settled: 2 } : {}) })),
    seeded("fixed", false, () => ({ peak: 10_000 })),
  ],
};

function seeded(
  competitor: string,
  baseline: boolean,
  metricsOf: (seed: number) => Record<string, number>,
): SimulationRecord["cells"][number] {
  const samples = samplesByMetric(SEEDS.map(metricsOf), ["peak", "settled"]);
  return {
    name: `synthetic/test/${competitor}`,
    competitor,
    baseline,
    metrics: metricsOf(SEEDS[0]!),
    samples,
    series: {},
  };
}

/** The same, where a fleet that has not settled has not done so in the time there was. */
const timed: SimulationRecord = {
  ...simulation,
  metrics: {
    ...simulation.metrics,
    settled: { title: "Settled", unit: "h", digits: 1, absentMeans: "never" },
  },
};

function recordOf(more: Partial<BenchRecord>): BenchRecord {
  const group = raceOf({ even: 20, random: 10 }, 2, { sliceNoise: 0, forkNoise: 0, seed: 1 });
  return { ...syntheticRecord([group], 1), simulations: [simulation], surveys: [survey], ...more };
}

/** The cells of a text's tables, row by row, as they are printed. */
function rowsIn(text: string): string[][] {
  return cellsOf(text.split("\n").filter((line) => line.startsWith("|")));
}

describe("a simulation's table", () => {
  it("from twenty seeds has the median, 5 % to 95 %, and how many have a figure that not all have", () => {
    const text = metricsText(judgeSimulation(simulation), 2);
    assert.deepEqual(rowsIn(text).slice(2), [
      ["**even**", "17", "0.0"],
      ["random", "31 (21-39)", "2.0, in 12 of 20"],
      ["fixed", "10000", "–"],
    ]);
    assert.match(text, /^- From 20 seeds: the median .* 5 % to 95 %/m);
    assert.match(text, /^- Some seeds lack a figure: /m);
    const whole = { ...simulation, cells: simulation.cells.slice(0, 1) };
    assert.doesNotMatch(metricsText(judgeSimulation(whole), 2), /Some seeds/);
  });

  it("from fewer seeds has the range", () => {
    const cells = simulation.cells.map((cell) => ({
      ...cell,
      samples: Object.fromEntries(
        Object.entries(cell.samples!).map(([key, figures]) => [key, figures.slice(0, 19)]),
      ),
    }));
    const text = metricsText(judgeSimulation({ ...simulation, seeds: SEEDS.slice(0, 19), cells }), 2);
    assert.deepEqual(rowsIn(text)[3]!.slice(0, 2), ["random", "30 (21-39)"]);
    assert.match(text, /^- From 19 seeds: the median .* the least and the greatest of them\.$/m);
    assert.doesNotMatch(text, /95 %/);
  });

  it("counts a seed without a figure as later than all others where that is what it means", () => {
    const text = metricsText(judgeSimulation(timed), 2);
    assert.deepEqual(
      rowsIn(text)
        .slice(2)
        .map(([, , settled]) => settled),
      ["0.0", "2.0 (2.0-never)", "never"],
    );
    assert.match(text, /^- never: it did not happen within the simulated time/m);
    assert.doesNotMatch(text, /Some seeds/);
    const { seeds: _, ...rest } = timed;
    const cells = rest.cells.map(({ samples: __, ...cell }) => cell);
    assert.deepEqual(rowsIn(metricsText(judgeSimulation({ ...rest, cells }), 2))[4]!.slice(1, 3), [
      "10000",
      "never",
    ]);
  });

  it("from one seed has its figures and says nothing of seeds", () => {
    const { seeds: _, ...rest } = simulation;
    const cells = rest.cells.map(({ samples: __, ...cell }) => cell);
    const text = metricsText(judgeSimulation({ ...rest, cells }), 2);
    assert.deepEqual(rowsIn(text)[3], ["random", "21", "–"]);
    assert.doesNotMatch(text, /seeds/);
  });
});

describe("an overview", () => {
  const columns = [
    { title: "Peak", unit: "messages/s", digits: 0, scenario: "fleet", metric: "peak" },
    { title: "Settled", unit: "h", digits: 0, scenario: "fleet", metric: "settled" },
    { title: "Bytes", unit: "B", digits: 0, scenario: "held", metric: "bytes" },
    { title: "Cost", unit: "ns", digits: 0, scenario: "test", workers: 2 },
    { title: "Alone", unit: "ns", digits: 0, scenario: "test", workers: 1 },
    { title: "Elsewhere", unit: "", digits: 0, scenario: "missing", metric: "peak" },
  ];
  const overview = { primitive: "synthetic", title: "In short", variants: ["fixed"], columns };

  it("has medians and ranges of simulations, surveys and races side by side, without variants and what was not run, and a dash for what is not there", () => {
    const first = { ...survey.cells[0]!, competitor: "random" };
    const surveys = [{ ...survey, cells: [first, ...survey.cells.slice(1)] }];
    const record = recordOf({ overviews: [overview], surveys });
    checkRecord(record, "it");
    const page = recordPage("Results", judgedRecord(record), "record.json");
    const [titles, , ...rows] = rowsIn(page).slice(0, 4);
    assert.deepEqual(titles, ["Competitor", "Peak (messages/s)", "Settled (h)", "Bytes (B)", "Cost (ns)"]);
    assert.deepEqual(rows, [
      ["even", "17", "0", "–", "20"],
      ["random", "31 (21-39)", "2, in 12 of 20", "16", "10"],
    ]);
    const spread = surveys[0]!.cells.map((cell) => ({
      ...cell,
      forks: [...cell.forks, { bytes: 20 }],
    }));
    const wider = recordOf({ overviews: [overview], surveys: [{ ...survey, cells: spread }] });
    assert.match(
      recordPage("Results", judgedRecord(wider), "record.json"),
      /^\| random .* 31 \(21-39\) .* 16 \(16-20\) /m,
    );
    assert.match(page, /^- A dash: the competitor has no such figure, or does not take part/m);
    assert.ok(page.indexOf("## In short") < page.indexOf("- Machine: "));
    assert.match(page, /^## Where the numbers come from\n\n- Machine: /m);
  });

  const pageWith = (...overviews: NonNullable<BenchRecord["overviews"]>) =>
    recordPage("Results", judgedRecord(recordOf({ overviews, simulations: [timed] })), "record.json");

  it("has a row for each competitor of any column, in the order in which they appear", () => {
    const raced = { ...overview, columns: columns.toReversed() };
    assert.deepEqual(
      rowsIn(pageWith(raced))
        .slice(2, 7)
        .map(([competitor, cost, bytes]) => [competitor, cost, bytes]),
      [
        ["random", "10", "–"],
        ["even", "20", "–"],
        ["first", "–", "16"],
        ["still", "–", "20"],
        ["mutant", "–", "–"],
      ],
    );
  });

  it("says never where that is what a missing figure means", () => {
    const [, , , , fixed] = rowsIn(pageWith({ ...overview, variants: [] }));
    assert.deepEqual(fixed, ["fixed", "10000", "never", "–", "–"]);
  });

  it("is none where fewer than two of its columns were run", () => {
    const rest = { ...overview, columns: columns.slice(3) };
    assert.equal(pageWith(rest), pageWith());
  });

  it("says whose it is where there are several", () => {
    assert.match(pageWith(overview), /^## In short$/m);
    assert.match(pageWith(overview, overview), /^## synthetic: In short$/m);
  });
});

describe("what sources say", () => {
  const bound = { kind: "metric", scenario: "fleet", metric: "peak" } as const;
  const claims = {
    primitive: "synthetic",
    source: "A document",
    author: "nobody",
    conditions: "None.",
    statements: [
      {
        quote: "It peaks at 35",
        translation: "It goes up to 35",
        reading: "the peak is about there",
        evidence: [
          { ...bound, competitor: "random", atLeast: 20, atMost: 45, says: "35" },
          { kind: "faster", scenario: "test", workers: 2, competitor: "random", than: "even" },
        ],
        beyond: [{ ...bound, competitor: "fixed", atMost: 45 }],
        note: "The source has 40 clients more.",
      },
      {
        quote: "Elsewhere it does not",
        reading: "of another scenario",
        evidence: [{ ...bound, scenario: "other", competitor: "random", atMost: 1 }],
      },
    ],
  } as const;

  it("of a simulation stands between its heading and its table: quote, its figure, ours, and the finding", () => {
    const record = recordOf({});
    const page = recordPage("Results", judgedRecord(record), "record.json", {
      claims: [judgeClaims(claims, judgeRecord(record))],
    });
    const section = page.slice(page.indexOf("## synthetic/fleet"), page.indexOf("| Competitor | Peak"));
    assert.equal(
      section,
      `## synthetic/fleet: a fleet

What [the source](../claims/README.md) says about it, and what the lab measured:

> It peaks at 35
>
> In English: It goes up to 35

Read as: the peak is about there.

| What                      | Ours       | Finding                          | The source | Held to       | Within         |
| :------------------------ | :--------- | :------------------------------- | :--------- | :------------ | :------------- |
| random, Peak (messages/s) | 31\u00a0(21\u201139) | holds                            | 35         | from 20 to 45 | 20 of 20 seeds |
| fixed, Peak (messages/s)  | 10000      | beyond the source, does not hold | –          | at most 45    | 0 of 20 seeds  |

As a whole: [holds](../claims/README.md).

Note: The source has 40 clients more.

`,
    );
    assert.doesNotMatch(page, /Elsewhere/);
  });

  it("has no column for the source where that has no figure, and is nothing where it says nothing of the scenario", () => {
    const record = recordOf({});
    const pageWith = (statement: Statement) => {
      const judged = judgeClaims({ ...claims, statements: [statement] }, judgeRecord(record));
      return recordPage("Results", judgedRecord(record), "record.json", { claims: [judged] });
    };
    const [said, elsewhere] = claims.statements;
    const { beyond: _, ...figureless } = {
      ...said,
      evidence: [{ ...bound, competitor: "random", atMost: 45 }] as const,
    };
    assert.match(pageWith(figureless), /^\| What +\| Ours +\| Finding +\| Held to +\|/m);
    assert.doesNotMatch(pageWith(figureless), /As a whole/);
    assert.equal(pageWith(elsewhere), recordPage("Results", judgedRecord(record), "record.json"));
  });

  it("has a statement's note at the first scenario that it has a figure of, and there alone", () => {
    const again = { ...simulation, scenario: "again" };
    const record = recordOf({ simulations: [again, simulation] });
    const [said] = claims.statements;
    const both = {
      ...said,
      evidence: [said.evidence[0], { ...said.evidence[0], scenario: "again" }],
    } as const;
    const judged = judgeClaims({ ...claims, statements: [both] }, judgeRecord(record));
    const page = recordPage("Results", judgedRecord(record), "record.json", { claims: [judged] });
    assert.equal(page.split("> It peaks at 35\n").length - 1, 2);
    assert.equal(page.split("Note: ").length - 1, 1);
    assert.ok(page.indexOf("Note: ") < page.indexOf("## synthetic/fleet"));
  });
});
