import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { inRoles } from "../../engine/judge/judge.synthetic.ts";
import type { GroupRecord } from "../../engine/schema/record.ts";
import { samplesByMetric } from "../kinds/assemble-metrics.ts";
import { broken, LABELS, raceOf, slowAtFirst } from "../pictures/races.synthetic.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import type { BenchRecord, OverviewRecord, SimulationRecord, SurveyRecord } from "../schema/record.ts";
import { checkRecord } from "../schema/record-file.ts";
import { judgeDocument } from "../statements/judge-document.ts";
import type { Evidence, SourceDocument, Statement } from "../statements/vocabulary.ts";
import { judgedRecord, judgeRecord } from "../verdicts/judge-record.ts";
import { judgeSimulation, judgeSurvey } from "../verdicts/metrics.ts";
import { type Besides, metricsText, recordPage } from "./pages.ts";
import { severalInShort, shortProvenance } from "./provenance.ts";

interface Data {
  readonly survey: SurveyRecord;
  readonly columns: OverviewRecord["columns"];
  readonly document: SourceDocument;
}

const { survey, columns, document } = JSON.parse(
  readFileSync(join(import.meta.dirname, "testdata", "surveyed.json"), "utf8"),
) as Data;

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

/** The page of a record, which has to be one that can be read. */
function pageOf(more: Partial<BenchRecord>, besides: Besides = {}): string {
  return recordPage("Results", judgedRecord(checkRecord(recordOf(more), "it")), "record.json", besides);
}

/** A page without what is of every page: the provenance, the races and how to read them. */
function partOf(page: string, from: string, to: string): string {
  return page.slice(page.indexOf(from), page.indexOf(to));
}

/** Races without noise, so that all their digits are known. */
function raced(workers: number, more: Partial<GroupRecord> = {}): GroupRecord {
  const costs = { reference: 100, quick: 50, varied: 51, obvious: 400, nothing: 1 };
  return { ...raceOf(costs, workers, { sliceNoise: 0.001, forkNoise: 0.001, seed: 3 }), ...more };
}

/** Each state that a reader can meet in the tables of a race. */
const RACES: Readonly<Record<string, readonly GroupRecord[]>> = {
  "one, two and four workers, of which two have a core each": [
    raced(1, { accountEvery: 20 }),
    raced(2, { accountEvery: 20, handovers: { nearNs: 55, farNs: 170 }, pinned: false }),
    raced(4, { accountEvery: 20 }),
  ],
  "laws checked at two rates": [
    raced(1, { accountEvery: 20, cells: [] }),
    raced(2, { accountEvery: 10, cells: [] }),
  ],
  "one row without a number, one that depends, a fork that was lost": [
    {
      ...slowAtFirst(
        broken(raceOf({ reference: 100, quick: 50, wrong: 60 }, 2, { forks: 12, seed: 4 }), "wrong"),
        "quick",
      ),
      lostForks: [{ fork: 3, reason: "it was killed" }],
      absent: [{ competitor: "giant", reason: "too large" }],
    },
  ],
  "no row with a number": [broken(raced(2), undefined)],
  "two roles": [inRoles(raced(2, { roles: ["reader", "writer"] }), "reader", "writer")],
  "memory of their own": [raced(2, { placement: "own" })],
};

it("a page of races, whole, and the races and the way to read them where they differ", (t) => {
  const labels = new Map([["synthetic", LABELS]]);
  const pages = Object.entries(RACES).map(([name, groups], index) => {
    const judged = judgedRecord(checkRecord(syntheticRecord(groups, 9), "it"));
    const page = recordPage("Results", judged, "record.json", { labels });
    const laws = /^- Laws were checked .*\n/m.exec(page)![0];
    return [name, index === 0 ? page : `${partOf(page, "## synthetic", "## How to read")}${laws}`];
  });
  goldenCases(t, "testdata/races.md", Object.fromEntries(pages));
});

it("where the numbers come from", (t) => {
  const quiet = recordOf({ simulations: [], surveys: [], groups: [] });
  const after = { ...quiet.after, seconds: 60 };
  const stolen = { before: { ...quiet.before, stealSeconds: 1 }, after: { ...after, stealSeconds: 4.25 } };
  const records: Readonly<Record<string, BenchRecord>> = {
    quiet,
    "hardly disturbed": { ...quiet, after: { ...after, othersCores: 0.02 } },
    disturbed: { ...quiet, after: { ...after, othersCores: 1.31, stolenCores: 0.3, waiting: 0.42 } },
    stolen: { ...quiet, ...stolen },
    interrupted: { ...quiet, interrupted: true, commit: null, size: "smoke" },
    "with a quota, flags and changes": {
      ...quiet,
      commit: { hash: "f".repeat(40), dirty: true },
      runtime: { ...quiet.runtime, flags: ["--no-opt"] },
      machine: { ...quiet.machine, cpuQuotaCores: 2.5 },
    },
  };
  const texts = Object.entries(records).map(([name, record]) => {
    const page = recordPage("Results", judgedRecord(checkRecord(record, "it")), "record.json");
    return [name, `${shortProvenance(record)}\n\n${partOf(page, "- Machine", "\n## ") || page}`];
  });
  const several = severalInShort([quiet, records.disturbed!]);
  goldenCases(t, "testdata/provenance.md", { ...Object.fromEntries(texts), several: `${several}\n` });
});

const FIGURES = Array.from({ length: 20 }, (_, index) => `figure ${index}`);

/** A survey of many figures. */
function wide(competitors: number): SurveyRecord {
  return {
    ...survey,
    metrics: Object.fromEntries(FIGURES.map((key) => [key, { title: key, unit: "B", digits: 0 }])),
    cells: Array.from({ length: competitors }, (_, index) => ({
      name: "",
      competitor: `number ${index}`,
      baseline: index === 0,
      forks: [Object.fromEntries(FIGURES.map((key) => [key, index]))],
    })),
  };
}

const TAIL = { family: "tail", workers: 2, intervalUs: 5, oversubscribed: false };
const tailed: SurveyRecord = {
  ...survey,
  metrics: {
    p50: { title: "p50", unit: "us", digits: 2 },
    max: { title: "Max", unit: "us", digits: 2, over: "greatest" },
  },
  tail: TAIL,
  cells: [{ ...survey.cells[0]!, forks: [0.1, 0.2, 0.9].map((us) => ({ p50: us, max: 10 * us })) }],
};

/** The same simulation from fewer seeds; from none it has the figures of its one run. */
function fromSeeds(of: SimulationRecord, seeds: number): SimulationRecord {
  const cells = of.cells.map(({ samples = {}, ...cell }) => {
    const first = Object.entries(samples).map(([key, figures]) => [key, figures.slice(0, seeds)]);
    return seeds === 0 ? cell : { ...cell, samples: Object.fromEntries(first) };
  });
  const { seeds: all, ...rest } = of;
  return { ...rest, cells, ...(seeds === 0 ? {} : { seeds: all!.slice(0, seeds) }) };
}

it("the tables of surveys and simulations", (t) => {
  const oneFork = survey.cells.map((cell) => ({ ...cell, forks: cell.forks.slice(0, 1) }));
  const judged = {
    "a survey of several processes": judgeSurvey(survey),
    "a survey of one process": judgeSurvey({ ...survey, cells: oneFork }),
    "a survey that no competitor took part in": judgeSurvey({ ...survey, cells: [] }),
    "a tail": judgeSurvey(tailed),
    "a tail with more workers than cores": judgeSurvey({
      ...tailed,
      tail: { ...TAIL, oversubscribed: true },
    }),
    "wide, and within a screen": judgeSurvey(wide(2)),
    "wide, and more than a screen": judgeSurvey(wide(9)),
    "a simulation from twenty seeds": judgeSimulation(simulation),
    "all seeds have all figures": judgeSimulation({ ...simulation, cells: simulation.cells.slice(0, 1) }),
    "from nineteen seeds": judgeSimulation(fromSeeds(simulation, 19)),
    "from one run": judgeSimulation(fromSeeds(simulation, 0)),
    "where a missing figure means never": judgeSimulation(timed),
    "where it means never, from one run": judgeSimulation(fromSeeds(timed, 0)),
  };
  const texts = Object.entries(judged).map(([name, of]) => [name, metricsText(of, 2)]);
  goldenCases(t, "testdata/metrics.md", Object.fromEntries(texts));
});

const overview = { primitive: "synthetic", title: "In short", variants: ["fixed"], columns };

it("an overview, before all else", (t) => {
  const first = { ...survey.cells[0]!, competitor: "random" };
  const spread = [first, ...survey.cells.slice(1)].map((cell) => ({
    ...cell,
    forks: [...cell.forks, { bytes: 20 }],
  }));
  const over = (more: Partial<BenchRecord>) =>
    partOf(pageOf(more), "# Results", "## synthetic/test").replace(/^- Machine[^#]*/m, "");
  goldenCases(t, "testdata/overviews.md", {
    "of simulations, surveys and races": over({
      overviews: [overview],
      surveys: [{ ...survey, cells: [first, ...survey.cells.slice(1)] }],
    }),
    "with the range of a survey": over({ overviews: [overview], surveys: [{ ...survey, cells: spread }] }),
    "in the order in which competitors appear": over({
      overviews: [{ ...overview, columns: columns.toReversed() }],
    }),
    "where a missing figure means never": over({
      overviews: [{ ...overview, variants: [] }],
      simulations: [timed],
    }),
    "none, where fewer than two columns were run": over({
      overviews: [{ ...overview, columns: columns.slice(3) }],
    }),
    "two of them": over({ overviews: [overview, overview] }),
  });
});

it("what sources say, between a simulation's heading and its table", (t) => {
  const [said, elsewhere] = document.statements as [Statement, Statement];
  const [bound] = said.evidence as [Extract<Evidence, { kind: "metric" }>];
  const { says: _says, atLeast: _atLeast, ...unsaid } = bound;
  const { beyond: _beyond, ...figureless } = { ...said, evidence: [unsaid as Evidence] };
  const both: Statement = { ...said, evidence: [bound, { ...bound, scenario: "again" }] };
  const again = { ...simulation, scenario: "again" };
  const sections = (statements: readonly Statement[], simulations = [simulation]) => {
    const judged = judgeDocument({ ...document, statements }, judgeRecord(recordOf({ simulations })));
    return (
      partOf(pageOf({ simulations }, { documents: [judged] }), "## synthetic/again", "## synthetic/held") ||
      partOf(pageOf({ simulations }, { documents: [judged] }), "## synthetic/fleet", "## synthetic/held")
    );
  };
  goldenCases(t, "testdata/statements.md", {
    "quote, its figure, ours, and the finding": sections(document.statements),
    "no figure in the source": sections([figureless]),
    "nothing of this scenario": sections([elsewhere]),
    "a note at the first of two scenarios": sections([both], [again, simulation]),
  });
});
