import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { golden } from "../../suites/engine/golden.trials.ts";
import { inRoles, syntheticGroup } from "../../suites/engine/judge/judge.synthetic.ts";
import { syntheticRecord } from "../../suites/lab/schema/record.synthetic.ts";
import type { BenchRecord, SimulationRecord } from "../../suites/lab/schema/record.ts";
import { RESULTS } from "../../suites/lab/store/results.ts";
import { withoutPadding } from "../../suites/lab/tables/markdown.ts";
import { raceTables } from "../../suites/lab/tables/races.ts";
import { toMarkdown } from "../../suites/reporter/src/index.ts";
import { pageScript, pageStyle } from "./bundle.ts";
import { commentOn, publishedData } from "./data.ts";
import { choosing, HOME, hashOf, type View, viewOf } from "./page/address.ts";
import { contestOf, labelsIn, racesIn } from "./page/contest.ts";
import { home } from "./page/home.ts";
import { primitivesOf, recordFrom, withOwn } from "./page/own-records.ts";
import { shown } from "./page/shown.ts";
import { DATA_VERSION, type IndexEntry, type PrimitiveData } from "./page/site-data.ts";

const TRUTH = {
  costsNs: { base: 20, half: 10, double: 40, equal: 20.02 },
  workers: 2,
  forks: 8,
  rounds: 40,
  sliceNoise: 0.003,
  forkNoise: 0.001,
  roundNoise: 0.3,
  seed: 5,
};
const group = syntheticGroup(TRUTH);
const slower = syntheticGroup({ ...TRUTH, costsNs: { ...TRUTH.costsNs, half: 14 }, seed: 6 });

const simulation: SimulationRecord = {
  primitive: "synthetic",
  scenario: "quality",
  title: "how good",
  metrics: { late: { title: "late", unit: "ms", digits: 1 } },
  cells: ["base", "half", "double"].map((competitor, index) => ({
    name: `synthetic/quality/${competitor}`,
    competitor,
    baseline: index === 0,
    metrics: { late: [3, 9, 1][index]! },
    series: {},
  })),
};

function dataWith(...records: readonly BenchRecord[]): PrimitiveData {
  const said = (name: string, order: string) => ({
    name,
    summary: `${name} is <made> up`,
    memory: "none",
    traits: { order },
    isLowerBound: false,
    isVariant: false,
  });
  return {
    version: DATA_VERSION,
    primitive: "synthetic",
    oracle: "none",
    competitors: [said("base", "kept"), said("half", "lost"), said("double", "kept"), said("equal", "lost")],
    traits: [{ key: "order", title: "order", meaning: "Whether it is `kept`." }],
    scenarios: [{ scenario: "test", isHeadline: true }],
    records: records.map((record, index) => ({ file: `${index}.json`, record })),
    trends: [],
  };
}

const withSimulation = { ...syntheticRecord([group], 1), simulations: [simulation] };
const data = dataWith(withSimulation);
const at = (workers: number, oversubscribed = false) => ({ ...group, workers, oversubscribed });

describe("the address of a view", () => {
  it("leads back to it", () => {
    const whole =
      "#pick/uniform-8?show=records&workers=2&need.order=rotation,by+deadline&most.resonance/load=1.5";
    assert.equal(hashOf(viewOf(whole)), whole);
    assert.equal(hashOf(HOME), "#");
  });

  it("says only what is not as the page chooses it", () => {
    const view = choosing(viewOf("#synthetic/test?show=processes&base=half"), {
      base: "",
      scenario: "other",
    });
    assert.equal(hashOf(view), "#synthetic/other");
  });
});

describe("a contest", () => {
  const two = dataWith(
    syntheticRecord([at(1), at(2)], 1),
    syntheticRecord([at(4, true), at(8, true)], 2),
    syntheticRecord([{ ...group, scenario: "other" }], 3),
  );
  const equal = ["half", "base", "equal", "double"];
  for (const [what, of, asked, expected] of [
    [
      "the newest record with the most workers that have a core each",
      two,
      "",
      ["0.json", 2, [1, 2, 4, 8], equal],
    ],
    [
      "other workers of the newest record that has them",
      two,
      "workers=8",
      ["1.json", 8, [1, 2, 4, 8], equal],
    ],
    [
      "a record that is asked for, which may lack the workers",
      two,
      "workers=2&record=1.json",
      ["1.json", 4, [4, 8], equal],
    ],
    [
      "the newest for workers and a limit that are no numbers",
      two,
      "workers=x&most.a/b=x",
      ["0.json", 2, [1, 2, 4, 8], equal],
    ],
    [
      "those that are what is required, and the baseline",
      data,
      "need.order=kept",
      ["0.json", 2, [2], ["base", "double"]],
    ],
    [
      "the same beside another baseline",
      data,
      "need.order=lost&base=equal",
      ["0.json", 2, [2], ["half", "equal"]],
    ],
    [
      "those with a figure of at most so much",
      data,
      "most.quality/late=3",
      ["0.json", 2, [2], ["base", "double"]],
    ],
  ] as const) {
    it(`is of ${what}`, () => {
      const { source, conditions, workers, rivals } = contestOf(of, viewOf(`#synthetic/test?${asked}`))!;
      assert.deepEqual(
        [source.file, conditions.workers, workers, rivals.map(({ competitor }) => competitor)],
        expected,
      );
    });
  }
});

describe("a view", () => {
  const older = { ...syntheticRecord([group], 1), methodVersion: 2 };
  for (const [name, of, asked] of [
    ["ranking", data, ""],
    ["ranking-required", data, "?need.order=kept&base=double&most.quality/late=3"],
    ["ranking-roles", dataWith(syntheticRecord([inRoles(group, "reader", "writer")], 1)), ""],
    ["nobody", data, "/none"],
    ["records-slower", two(slower), "?show=records"],
    ["records-apart", dataWith(older, syntheticRecord([slower], 2)), "?show=records"],
    ["records-one", data, "?show=records"],
  ] as const) {
    it(`is whole: ${name}`, (test) => {
      const view = viewOf(asked.startsWith("/") ? `#synthetic${asked}` : `#synthetic/${asked}`);
      golden(test, `testdata/${name}.txt`, readable(shown(of, view, "../../").text));
    });
  }

  it("is whole: home", (test) => {
    const entry = { primitive: "a", question: "Which?", answer: "**b**", newest: "2026-01-02", scenarios: 3 };
    const nightly: IndexEntry = { ...entry, nights: { last: "2026-01-03", slowerSince: "2026-01-01" } };
    const pages = [[entry], [nightly]].map(
      (primitives) => home({ version: DATA_VERSION, repository: "../../", primitives }).text,
    );
    golden(test, "testdata/home.txt", readable(pages.join("\n")));
  });

  /** Of two records, the newer one with this group. */
  function two(newer: typeof group): PrimitiveData {
    return dataWith(
      syntheticRecord([group, ...(newer.workers === 2 ? [] : [newer])], 1),
      syntheticRecord([newer], 2),
    );
  }
});

/** Without what pictures are made of, a line for each row. */
function readable(markup: string): string {
  return `${markup.replace(/ data-spec="([^"]*)"/g, "").replaceAll(/(<li>|<option|<label)/g, "\n$1")}\n`;
}

describe("a record of one's own", () => {
  const text = JSON.stringify(syntheticRecord([group], 9));

  it("is shown as the newest", () => {
    const mine = recordFrom("mine.json", text);
    assert.deepEqual(primitivesOf(mine), ["synthetic"]);
    assert.equal(contestOf(withOwn(data, [mine]), HOME)!.source.file, "mine.json");
    assert.equal(withOwn({ ...data, primitive: "other" }, [mine]).records.length, 1);
  });

  for (const [what, wrong, line] of [
    ["no JSON", text.slice(0, 100), /^mine\.json is no record: it is not JSON$/],
    ["a record of something else", '{"kind":"flame"}', /^mine\.json is not a record of npm run bench$/],
    [
      "of another version",
      text.replace('"schemaVersion":3', '"schemaVersion":1'),
      /^mine\.json has schema version 1/,
    ],
    ["without a part", text.replace('"looks"', '"lucks"'), /^mine\.json is damaged: \/groups\/0 /],
  ] as const) {
    it(`is refused in one line if it is ${what}`, () => {
      assert.throws(() => recordFrom("mine.json", wrong), { message: line });
    });
  }
});

describe("what the page is made of", () => {
  it("says of a trait what the contract's comment does", () => {
    const source = `/** What comes first. */\nexport type Order = "a";\nexport interface X {\n  readonly order: Order;\n  /**\n   * Of its own:\n   *\n   * two lines.\n   */\n  readonly mine: boolean;\n}`;
    const comments = ["order", "mine", "none"].map((name) => commentOn(source, name));
    assert.deepEqual(comments, ["What comes first.", "Of its own: two lines.", ""]);
  });

  it("is light", async () => {
    const bytes = gzipSync((await pageScript()) + pageStyle()).length;
    assert.ok(bytes < 150_000, `${bytes} bytes`);
  });
});

describe("the published records, judged as the page does", async () => {
  for (const { data: published } of await publishedData()) {
    const { primitive } = published;
    const headlines = new Set(published.scenarios.flatMap((one) => (one.isHeadline ? [one.scenario] : [])));
    it(`${primitive}: has the digits of its pages`, () => {
      for (const scenario of racesIn(published).filter((name) => headlines.has(name))) {
        const page = readFileSync(join(RESULTS, primitive, `${scenario}.md`), "utf8");
        for (const row of rowsOf(published, { ...HOME, scenario }))
          assert.ok(page.includes(row), `${scenario}: ${row}`);
      }
    });
  }
});

/** Every row of the tables of a view at each of its worker counts, as markdown of a committed page. */
function rowsOf(data: PrimitiveData, view: View): string[] {
  return contestOf(data, view)!.workers.flatMap((workers) => {
    const { judged } = contestOf(data, choosing(view, { workers: `${workers}` }))!;
    const [tables] = raceTables(judged, labelsIn(data));
    return [tables!.rivals, tables!.apart].flatMap(
      (table) => (table && withoutPadding(toMarkdown(table)).match(/^\|.*\|$/gm)) ?? [],
    );
  });
}
