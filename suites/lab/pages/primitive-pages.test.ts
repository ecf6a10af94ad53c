import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { LABELS, raceOf } from "../pictures/races.synthetic.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import type { BenchRecord, OverviewRecord, SimulationRecord, SurveyRecord } from "../schema/record.ts";
import { newestOf } from "./newest.ts";
import { headlinePicture, type PrimitiveBesides, primitivePages } from "./primitive-pages.ts";

const { simulation, survey } = JSON.parse(
  readFileSync(join(import.meta.dirname, "testdata", "unraced.json"), "utf8"),
) as { readonly simulation: SimulationRecord; readonly survey: SurveyRecord };

const time = (title: string) => ({ title, unit: "us", digits: 1 });

function tailAt(workers: number): SurveyRecord {
  const forks = [{ p50: workers / 10, p999: 70 }];
  return {
    ...survey,
    scenario: `tail-${workers}`,
    metrics: { p50: time("p50"), p999: time("p99.9"), emptyP50: time("Empty p50") },
    tail: { family: "tail", workers, oversubscribed: workers > 2, intervalUs: 5 },
    cells: [{ name: "", competitor: "even", baseline: true, forks }],
  };
}

const COSTS = { even: 20, random: 10, nothing: 1, dear: 40, dearer: 60 };

function raced(workers: number) {
  return raceOf(COSTS, workers, { sliceNoise: 0.001, forkNoise: 0, seed: 1 });
}

const RECORD: BenchRecord = {
  ...syntheticRecord([raced(2), { ...raced(2), scenario: "other", title: "made up too" }], 1),
  simulations: [simulation],
  surveys: [survey],
};

/** Overviews of the same columns. */
function overview(title: string): OverviewRecord {
  const columns = ["fleet", "held"].map((scenario, index) => {
    return { title: scenario, unit: "", digits: 0, scenario, metric: ["peak", "Bytes"][index]! };
  });
  return { primitive: "synthetic", title, variants: [], columns };
}

const ANSWER = {
  text: "Written on 2026-11-20.\n\nTake *even*.\n",
  inShort: "Take *even*.",
  writtenOn: "2026-11-20",
};
const BESIDES: PrimitiveBesides = {
  question: "Which?",
  answer: undefined,
  overview: undefined,
  headline: new Set(["test"]),
  labels: new Map([["synthetic", LABELS]]),
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

function newest(record: BenchRecord) {
  return newestOf([{ file: "a.json", record }], SCENARIOS)!;
}

function pagesOf(of: Partial<BenchRecord> = {}, changes: Partial<PrimitiveBesides> = {}) {
  return primitivePages("synthetic", newest({ ...RECORD, ...of }), { ...BESIDES, ...changes });
}

/** A primitive of which nothing is left to say, and one of which everything is. */
const BARE = pagesOf({ groups: [], simulations: [], surveys: [survey] });
const WHOLE = pagesOf(
  {
    groups: [
      { ...raced(2), absent: [{ competitor: "giant", reason: "too large" }] },
      ...RECORD.groups.slice(1),
    ],
    surveys: [survey, tailAt(1), tailAt(4)],
    overviews: [overview("In short")],
  },
  {
    answer: ANSWER,
    // Today's overview still has the same columns.
    overview: { ...overview("Of today") },
    headline: new Set(["test", "fleet"]),
    labels: new Map([["synthetic", { ...LABELS, yardsticks: new Map([["random", "even"]]) }]]),
    sections: ["## Elsewhere\n\nMade up.\n"],
    flames: ["test", "other"].map((scenario) => ({
      file: `flame-${scenario}-even-2w.svg`,
      alt: `where ${scenario} spends it`,
      scenario,
      title: `${scenario}/even/2w`,
    })),
  },
);

it("all pages of a primitive", (t) => {
  const otherColumns = { ...overview("Of today"), columns: overview("").columns.toReversed() };
  const formerly = pagesOf({ overviews: [overview("Of old")] }, { overview: otherColumns });
  goldenCases(t, "testdata/primitive.md", {
    ...Object.fromEntries(WHOLE),
    "README.md without races, answer or picture": BARE.get("README.md")!,
    "README.md with headline simulations, which no overview has": pagesOf(
      {},
      { headline: new Set(["fleet"]) },
    ).get("README.md")!,
    "README.md with an overview of other columns than today": formerly.get("README.md")!,
  });
});

it("shows the answer and one picture, and under all other headings something to unfold", () => {
  const [, ...sections] = pagesOf().get("README.md")!.split(/^## /m);
  assert.deepEqual(
    sections.filter((section) => !/^.+\n\n<details>\n/.test(section)),
    [],
  );
});

it("a page is refused where it would take the place of what people wrote", () => {
  const groups = [{ ...raced(2), scenario: "answer" }];
  assert.throws(() => pagesOf({ groups }), {
    message: "the page of synthetic/answer would overwrite answer.md: rename the scenario",
  });
});

it("the headline picture is of the first headline race, then of a headline simulation, and of no other", () => {
  const of = (changes: Partial<BenchRecord>, ...headline: string[]) =>
    headlinePicture(newest({ ...RECORD, ...changes }), new Set(headline), undefined)?.file;
  assert.equal(of({}, "fleet", "other"), "other-ratios.svg");
  const simulations = [{ ...simulation, scenario: "before" }, simulation];
  assert.equal(of({ simulations }, "fleet"), "fleet-series.svg");
  assert.equal(of({}), undefined);
  // The curve of a race that has no picture of its own.
  const point = (at: number) => ({ curve: "size", along: "things", at });
  const alone = (at: number) => ({ ...raced(1), scenario: `size-${at}`, point: point(at) });
  assert.equal(of({ groups: [alone(1), alone(10), alone(100)] }, "size-10", "fleet"), "curve-size.svg");
});
