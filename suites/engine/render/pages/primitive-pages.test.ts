import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { syntheticRecord } from "../../judge/judge.synthetic.ts";
import { METHOD_VERSION } from "../../schema/envelope.ts";
import type { BenchRecord, SimulationRecord, SurveyRecord } from "../../schema/record.ts";
import type { Overview } from "../../suite.ts";
import { raceOf } from "../pictures/races.synthetic.ts";
import { newestOf } from "./newest.ts";
import { headlinePicture, type PrimitiveBesides, primitivePages } from "./primitive-pages.ts";

const simulation: SimulationRecord = {
  primitive: "synthetic",
  scenario: "fleet",
  title: "a fleet",
  metrics: { peak: { title: "Peak", unit: "messages/s", digits: 0 } },
  chart: { title: "messages", unit: "messages/s", lines: [{ key: "sent", title: "sent" }], stepSeconds: 60 },
  cells: [
    { name: "", competitor: "even", baseline: true, metrics: { peak: 17 }, series: { sent: [1, 2, 3] } },
  ],
};

const survey: SurveyRecord = {
  primitive: "synthetic",
  scenario: "held",
  title: "what they hold",
  metrics: Object.fromEntries(
    ["Bytes", "Pause", "Worst", "Last", "Least"].map((title) => [title, { title, unit: "B", digits: 0 }]),
  ),
  cells: [{ name: "", competitor: "even", baseline: true, forks: [{ Bytes: 16 }, { Bytes: 16 }] }],
};

function raced(workers: number) {
  return raceOf({ even: 20, random: 10, nothing: 1, dear: 40, dearer: 60 }, workers, {
    sliceNoise: 0.001,
    forkNoise: 0,
    seed: 1,
  });
}

const record: BenchRecord = {
  ...syntheticRecord([raced(2), { ...raced(2), scenario: "other", title: "made up too" }], 1),
  simulations: [simulation],
  surveys: [survey],
};

const BESIDES: PrimitiveBesides = {
  question: "Which?",
  answer: {
    text: "Written on 2026-11-20.\n\nTake *even*.\n",
    inShort: "Take *even*.",
    writtenOn: "2026-11-20",
  },
  overview: undefined,
  headline: new Set(["test"]),
  standings: new Map([
    [
      "synthetic",
      {
        floors: new Set(["nothing"]),
        oracle: "slow",
        variants: new Set<string>(),
        yardsticks: new Map<string, string>(),
      },
    ],
  ]),
  flames: [],
};

const SCENARIOS = [
  "test",
  "other",
  "fleet",
  "held",
  "tail-1",
  "tail-4",
  "answer",
  "size-1",
  "size-10",
  "before",
];

function newest(record: BenchRecord, file = "a.json") {
  return newestOf([{ file, record }], SCENARIOS)!;
}

function pagesOf(changes: Partial<PrimitiveBesides> = {}, of = record) {
  return primitivePages("synthetic", newest(of), { ...BESIDES, ...changes });
}

function folderPage(changes: Partial<PrimitiveBesides> = {}, of = record): string {
  return pagesOf(changes, of).get("README.md")!;
}

describe("the page that a folder opens with", () => {
  it("begins with the question, where the numbers come from in one line, and the answer word for word", () => {
    const start = `# Results: synthetic\n\nWhich?\n\nMade Up, 2 cores, none · commit 0123456789ab · 2026-11-20 · profile standard · method ${METHOD_VERSION}.\n\n`;
    const picture = '<img alt="synthetic/test: which is faster, and by how much: ';
    assert.ok(folderPage().startsWith(`${start}${BESIDES.answer!.text}\n${picture}`));
    assert.ok(folderPage({ answer: undefined }).startsWith(`${start}${picture}`));
  });

  it("has sections that are made elsewhere below what was measured, and is else as it is", () => {
    const [own, page] = [folderPage(), folderPage({ sections: ["## Elsewhere\n\nMade up.\n"] })];
    assert.equal(page.replace("## Elsewhere\n\nMade up.\n\n", ""), own);
    assert.match(page, /Made up\.\n\n## Where the numbers come from\n/);
  });

  it("has a row for each scenario: of a race the fastest that competes, of others what they measure", () => {
    const rows = folderPage()
      .split("\n")
      .filter((line) => line.startsWith("| ["))
      .map((line) => line.split("|").map((cell) => cell.trim()));
    assert.deepEqual(
      rows.map(([, scenario]) => scenario),
      [
        "[test](test.md): made up",
        "[other](other.md): made up too",
        "[fleet](fleet.md): a fleet",
        "[held](held.md): what they hold",
      ],
    );
    const [, , ratio, verdict, fastest, at, baseline, floor] = rows[0]!;
    // No line may end within them, but before an interval.
    assert.deepEqual([at, fastest, verdict, baseline], ["2\u00a0workers", "random", "faster", "even"]);
    assert.match(ratio!, /^0\.50 \(0\.\d+\u20110\.\d+\)$/);
    assert.match(floor!, /^\d\.\d %$/);
    assert.deepEqual(rows[2]!.slice(2, 5), ["1", "1", "Peak"]);
    assert.deepEqual(rows[3]!.slice(2, 5), ["1", "2", "Bytes, Pause, Worst, 2 more"]);
  });

  it("has the tables of headline scenarios without what is folded away, and of no other", () => {
    const page = folderPage();
    assert.match(
      page,
      /^## synthetic\/test: made up\n\n<details>\n.+\n\nErrors, .+\[its own page\]\(test\.md\)\.\n\n### 2 workers\n/m,
    );
    assert.match(page, /^#### Not competing, 2 workers\n\n.*\n.*\n\| nothing \(lower bound\) /m);
    assert.doesNotMatch(page, /<summary>Errors|^## synthetic\/other/m);
    assert.match(
      folderPage({ headline: new Set(["fleet"]) }),
      /^## synthetic\/fleet: a fleet\n\n<details>\n.+\n\n\| Competitor/m,
    );
  });

  it("has the picture of a family of tails with a table for each worker count, and so has each of their pages", () => {
    const time = (title: string) => ({ title, unit: "us", digits: 1 });
    const tailAt = (workers: number): SurveyRecord => ({
      ...survey,
      scenario: `tail-${workers}`,
      metrics: { p50: time("p50"), p999: time("p99.9"), emptyP50: time("Empty p50") },
      tail: { family: "tail", workers, oversubscribed: workers > 2, intervalUs: 5, sharesBeyond: [0.5] },
      cells: [
        {
          name: "",
          competitor: "even",
          baseline: true,
          forks: [{ p50: workers / 10, p999: 70 }],
          curves: [{ response: [100 * workers], empty: [50] }],
        },
      ],
    });
    const pages = pagesOf({}, { ...record, surveys: [survey, tailAt(1), tailAt(4)] });
    const picture = ' src="tail-1-times.svg">';
    const [, section] = pages
      .get("README.md")!
      .split("## synthetic/tail: response times of single operations\n");
    assert.ok(section?.includes(picture));
    assert.match(
      section!,
      /^### 1 worker\n\n.*p50.*p99\.9.*\n.*\n\| \*\*even\*\* +\| +0\.1 +\| +70\.0 +\|$/m,
    );
    assert.match(section!, /^### 4 workers, oversubscribed\n\n(?!.*Empty)/m);
    for (const page of ["tail-1.md", "tail-4.md"]) assert.ok(pages.get(page)!.includes(picture), page);
    assert.ok(!pages.get("held.md")!.includes(picture));
  });

  it("says of headline races how far JavaScript is from its yardsticks", () => {
    const yardsticks = new Map([["random", "even"]]);
    const standings = new Map([["synthetic", { ...BESIDES.standings!.get("synthetic")!, yardsticks }]]);
    const heading = "\n## How far JavaScript is from WebAssembly\n";
    const [before, after] = folderPage({ standings }).split(heading);
    assert.match(before!, /^## Scenarios$/m);
    assert.match(
      after!,
      /^\n<details>\n.+\n\n\|.*\n\|.*\n\| even .* random +\| \[test\]\(test\.md\) .*\n\n- Yardstick: /,
    );
    assert.ok(!folderPage({ standings, headline: new Set() }).includes(heading));
    assert.ok(!folderPage().includes(heading));
  });

  it("leaves simulations to the overview where there is one", () => {
    const columns = ["fleet", "held"].map((scenario, index) => {
      return { title: scenario, unit: "", digits: 0, scenario, metric: ["peak", "Bytes"][index]! };
    });
    const overviews = [{ primitive: "synthetic", title: "In short", variants: [], columns }];
    const page = folderPage({ headline: new Set(["test", "fleet"]) }, { ...record, overviews });
    assert.match(page, /^## In short$/m);
    assert.match(page, /^## synthetic\/test/m);
    assert.doesNotMatch(page, /^## synthetic\/fleet/m);
  });

  it("entitles an overview as its suite does today, if that has the same columns still", () => {
    const columns = ["fleet", "held"].map((scenario, index) => {
      return { title: scenario, unit: "", digits: 0, scenario, metric: ["peak", "Bytes"][index]! };
    });
    const overviews = [{ primitive: "synthetic", title: "Of old", variants: [], columns }];
    const pageToday = (overview: Overview) => folderPage({ overview }, { ...record, overviews });
    assert.match(pageToday({ title: "Of today", columns }), /^## Of today$/m);
    assert.match(pageToday({ title: "Of today", columns: columns.toReversed() }), /^## Of old$/m);
  });

  it("shows the answer and one picture, and under all other headings something to unfold", () => {
    const [, ...sections] = folderPage().split(/^## /m);
    const open = sections.filter((section) => !/^.+\n\n<details>\n/.test(section));
    assert.deepEqual(open, []);
  });

  it("ends with the whole provenance and how to read", () => {
    const [, end] = folderPage().split("## Where the numbers come from\n");
    assert.match(
      end!,
      new RegExp(
        `^\n<details>\n.+\n\n- Machine: Made Up[^#]*- Profile: standard\n- Method: version ${METHOD_VERSION}\n\n</details>\n\n## How to read the tables\n`,
      ),
    );
    assert.match(end!, /\n\nMade from `a\.json` by `npm run report`\. .*\n$/);
  });
});

describe("a scenario's page", () => {
  it("has a link back, its pictures, all figures, and of its own flamegraphs", () => {
    const flames = ["test", "other"].map((scenario) => {
      return {
        file: `flame-${scenario}-even-2w.svg`,
        alt: `where ${scenario} spends it`,
        scenario,
        title: `${scenario}/even/2w`,
      };
    });
    const pages = pagesOf({ flames });
    assert.deepEqual([...pages.keys()], ["README.md", "test.md", "other.md", "fleet.md", "held.md"]);
    const page = pages.get("test.md")!;
    assert.match(
      page,
      /^# synthetic\/test: made up\n\n\[All of synthetic\]\(README\.md\), \[.+\]\(README\.md#how-to-read-the-tables\)\.\n\nMade Up.+\n\n<img .+ src="test-ratios\.svg">\n\n## 2 workers\n/,
    );
    assert.match(pages.get("fleet.md")!, /^\[All of synthetic\]\(README\.md\)\.$/m);
    assert.match(pages.get("held.md")!, /^\[All of synthetic\]\(README\.md\)\.$/m);
    assert.match(
      page,
      /<details>\n<summary>Errors, fairness<\/summary>\n\n\| Competitor .*\n[^<]*\n\n<\/details>\n/,
    );
    assert.match(
      page,
      /^## Flamegraphs\n\n<img alt="where test spends it" src="flame-test-even-2w\.svg">\n\nMade from/m,
    );
    assert.doesNotMatch(page, /flame-other/);
    assert.match(pages.get("README.md")!, /^- \[other\/even\/2w\]\(flame-other-even-2w\.svg\)$/m);
    assert.match(pages.get("fleet.md")!, / src="fleet-series\.svg">/);
    assert.doesNotMatch(pages.get("held.md")!, /Flamegraphs|!\[|<img/);
  });

  it("says who is absent and why, which a page of several scenarios leaves to it", () => {
    const absent = [{ competitor: "giant", reason: "too large" }];
    const pages = pagesOf({}, { ...record, groups: [{ ...raced(2), absent }] });
    assert.match(pages.get("test.md")!, /^- Not here, too large: giant\.$/m);
    assert.doesNotMatch(pages.get("README.md")!, /giant/);
  });

  it("is refused where it would take the place of what people wrote", () => {
    const groups = [{ ...raced(2), scenario: "answer" }];
    assert.throws(() => pagesOf({}, { ...record, groups }), /synthetic\/answer would overwrite answer\.md/);
  });

  it("links to how to read where that is said", () => {
    const page = pagesOf({}, { ...record, groups: [] }).get("fleet.md")!;
    assert.match(page, /^\[All of synthetic\]\(README\.md\)\.$/m);
  });
});

describe("the headline picture", () => {
  const of = (changes: Partial<BenchRecord>, ...headline: string[]) =>
    headlinePicture(newest({ ...record, ...changes }), new Set(headline), undefined)?.file;

  it("is of the first headline race, then of a headline simulation, and of no other", () => {
    assert.equal(of({}, "fleet", "other"), "other-ratios.svg");
    const simulations = [{ ...simulation, scenario: "before" }, simulation];
    assert.equal(of({ simulations }, "fleet"), "fleet-series.svg");
    assert.equal(of({}), undefined);
  });

  it("is the curve of a headline race that has no picture of its own", () => {
    const point = (at: number) => ({ curve: "size", along: "things", at });
    const alone = (at: number) => ({ ...raced(1), scenario: `size-${at}`, point: point(at) });
    assert.equal(of({ groups: [alone(1), alone(10), alone(100)] }, "size-10", "fleet"), "curve-size.svg");
  });
});
