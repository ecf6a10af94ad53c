import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { inRoles, syntheticGroup, syntheticRecord } from "../../suites/engine/judge/judge.synthetic.ts";
import { METHOD_VERSION } from "../../suites/engine/schema/envelope.ts";
import type { BenchRecord, SimulationRecord } from "../../suites/engine/schema/record.ts";
import { readVerdicts } from "../../suites/engine/schema/verdict.ts";
import { treeOf } from "../../suites/lab/schema/flame.ts";
import { publishedFolder, RESULTS } from "../../suites/lab/store/results.ts";
import { acrossRuntimes, withinRuntime } from "../../suites/lab/verdicts/runtimes.synthetic.ts";
import { formatRatio } from "../../suites/reporter/src/index.ts";
import { pageScript, pageStyle } from "./bundle.ts";
import { commentOn, publishedData } from "./data.ts";
import { HOME, hashOf, type View, viewOf } from "./page/address.ts";
import { compared } from "./page/comparison.ts";
import { contestOf, figuresOf, judgedAt, pointsOf, racesIn } from "./page/contest.ts";
import { growthOf } from "./page/curve.ts";
import { functionsOf } from "./page/flames.ts";
import { matrixOn, runtimesIn } from "./page/matrices.ts";
import { primitivesOf, recordFrom, withOwn } from "./page/own-records.ts";
import { stripsOf } from "./page/processes.ts";
import { DATA_VERSION, type PrimitiveData, type RecordFile } from "./page/site-data.ts";
import { csvOf, markdownOf, matrixMarkdownOf, ndjsonOf } from "./page/texts.ts";

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
    summary: `${name} is made up`,
    memory: "none",
    traits: { order },
    isFloor: false,
    isVariant: false,
  });
  return {
    version: DATA_VERSION,
    primitive: "synthetic",
    oracle: "none",
    competitors: [said("base", "kept"), said("half", "lost"), said("double", "kept"), said("equal", "lost")],
    traits: [{ key: "order", title: "order", meaning: "Whether it is kept." }],
    scenarios: [{ scenario: "test", isHeadline: true }],
    records: records.map((record, index) => ({ file: `${index}.json`, record })),
    runtimeRecords: [],
    flames: [],
    trends: [],
    simulated: [],
  };
}

const data = dataWith({ ...syntheticRecord([group], 1), simulations: [simulation] });
/** Of two runtimes: what each competitor costs on the other, and who is fast on that. */
const onRuntimes: RecordFile = {
  file: "runtimes.json",
  record: syntheticRecord(
    [
      acrossRuntimes("half", { node24: 20, bun: 10 }, 1),
      acrossRuntimes("base", { node24: 20, bun: 40 }, 2),
      withinRuntime("node24", { base: 20, half: 20 }, 2),
      withinRuntime("bun", { base: 40, half: 10 }, 2),
    ],
    1,
  ),
};
const AT: View = { ...HOME, primitive: "synthetic", scenario: "test" };
const namesOf = (view: View, of = data) =>
  contestOf(of, view)!.roles.flatMap(({ rivals }) => rivals.map(({ row }) => row.competitor));

describe("the address of a view", () => {
  const whole: View = {
    primitive: "pick",
    scenario: "uniform-8",
    show: "quality",
    workers: 2,
    runtime: "bun",
    base: "cas-ring",
    record: "a.json",
    other: "b.json",
    needs: { order: ["rotation", "by deadline"], progress: ["lock-free"] },
    most: { "resonance/load8by8": 1.5 },
    along: "resonance/load8by8",
    flame: "flame-a",
    against: "flame-b~against",
    worker: "worker 1",
    series: "pick/uniform-8/cas-ring/2w on a machine",
  };

  it("leads back to it", () => {
    assert.deepEqual(viewOf(hashOf(whole)), whole);
    assert.deepEqual(viewOf(hashOf(HOME)), HOME);
  });

  it("says only what is not as the page chooses it, for people to read", () => {
    assert.equal(hashOf(AT), "#synthetic/test");
    assert.equal(hashOf({ ...AT, needs: { order: ["a", "b"] } }), "#synthetic/test?need.order=a,b");
  });

  it("asks for nothing where it cannot be read", () => {
    const view = viewOf("#pick/uniform-8?workers=many&show=all&most.resonance/x=much&need.order=");
    assert.deepEqual(view, { ...HOME, primitive: "pick", scenario: "uniform-8" });
  });
});

describe("a contest", () => {
  it("is of the newest record that has the scenario, unless another is asked for", () => {
    const two = dataWith(syntheticRecord([group], 1), syntheticRecord([group], 2), {
      ...syntheticRecord([{ ...group, scenario: "other" }], 3),
    });
    assert.equal(contestOf(two, AT)!.source.file, "1.json");
    assert.equal(contestOf(two, { ...AT, record: "0.json" })!.source.file, "0.json");
    assert.equal(contestOf(two, { ...AT, scenario: "none" }), undefined);
  });

  it("is at the most workers that have a core each, unless others are asked for", () => {
    const at = (workers: number, oversubscribed: boolean) => ({ ...group, workers, oversubscribed });
    const several = dataWith(syntheticRecord([at(1, false), at(2, false), at(4, true)], 1));
    assert.equal(contestOf(several, AT)!.conditions.workers, 2);
    assert.equal(contestOf(several, { ...AT, workers: 4 })!.conditions.workers, 4);
    assert.deepEqual(contestOf(several, AT)!.workers, [1, 2, 4]);
  });

  it("is at other workers of the newest record that has them, which a record that is asked for may lack", () => {
    const at = (workers: number, oversubscribed: boolean) => ({ ...group, workers, oversubscribed });
    const two = dataWith(
      syntheticRecord([at(1, false), at(2, false)], 1),
      syntheticRecord([at(4, true), at(8, true)], 2),
    );
    const seen = (asked: Partial<typeof AT>) => {
      const { source, workers, conditions } = contestOf(two, { ...AT, ...asked })!;
      return [source.file, conditions.workers, workers];
    };
    assert.deepEqual(seen({}), ["0.json", 2, [1, 2, 4, 8]]);
    assert.deepEqual(seen({ workers: 8 }), ["1.json", 8, [1, 2, 4, 8]]);
    assert.deepEqual(seen({ workers: 2, record: "1.json" }), ["1.json", 4, [4, 8]]);
  });

  it("takes any competitor for the baseline, and the raced one for a name that is none", () => {
    assert.equal(contestOf(data, { ...AT, base: "half" })!.baseline, "half");
    assert.equal(contestOf(data, { ...AT, base: "none" })!.baseline, "base");
  });

  it("keeps who is what is required, and the baseline, and ranks them anew", () => {
    assert.deepEqual(namesOf({ ...AT, needs: { order: ["kept"] } }), ["base", "double"]);
    assert.deepEqual(namesOf({ ...AT, needs: { order: ["lost"] }, base: "equal" }), ["half", "equal"]);
    const contest = contestOf(data, { ...AT, needs: { order: ["kept"] } })!;
    assert.deepEqual(contest.unfit, ["half", "equal"]);
    const ranks = contest.roles[0]!.rivals.map(({ rank }) => rank);
    assert.deepEqual(ranks, [
      { place: 1, leads: true },
      { place: 2, leads: false },
    ]);
  });

  it("keeps who has a figure of at most so much; who lacks it is left out", () => {
    assert.deepEqual(
      figuresOf(data).map(({ key }) => key),
      ["quality/late"],
    );
    assert.deepEqual(namesOf({ ...AT, most: { "quality/late": 3 } }), ["base", "double"]);
  });

  it("is of the lab's own runtime, unless another is asked for", () => {
    const both = { ...data, runtimeRecords: [onRuntimes] };
    assert.equal(contestOf(both, AT)!.source.file, "0.json");
    const onBun = contestOf(both, { ...AT, runtime: "bun" })!;
    assert.deepEqual([onBun.source.file, onBun.scenario], ["runtimes.json", "test"]);
    assert.deepEqual(namesOf({ ...AT, runtime: "bun" }, both), ["half", "base"]);
    assert.equal(contestOf(both, { ...AT, runtime: "deno" }), undefined);
  });

  it("has a part for each role", () => {
    const roles = dataWith(syntheticRecord([inRoles(group, "reader", "writer")], 1));
    assert.deepEqual(
      contestOf(roles, AT)!.roles.map(({ role, rivals }) => [role, rivals.length]),
      [
        ["reader", 4],
        ["writer", 4],
      ],
    );
  });
});

describe("what is shown beside the ranking", () => {
  it("is the front of those that are fast and good", () => {
    const rows = contestOf(data, AT)!.roles[0]!.rivals.map(({ row }) => row);
    const points = pointsOf(rows, figuresOf(data)[0]!);
    assert.deepEqual(
      points.map(({ row, value, isFront }) => [row.competitor, value, isFront]),
      [
        ["half", 9, true],
        ["base", 3, true],
        ["double", 1, true],
      ],
    );
    const worse = {
      of: new Map([...figuresOf(data)[0]!.of, ["double", { value: 4, low: 4, high: 4, having: 1, of: 1 }]]),
    };
    assert.equal(pointsOf(rows, worse as never).at(-1)!.isFront, false);
  });

  it("is every process, and which of them weigh", () => {
    const [cell] = group.cells.filter(({ competitor }) => competitor === "half");
    const any = cell!.roles.worker!.any;
    const strayed = {
      ...group,
      cells: group.cells.map((other) =>
        other === cell
          ? {
              ...cell,
              roles: { worker: { any: { costNs: { ...any.costNs, p50: any.costNs.p50.with(0, 30) } } } },
            }
          : other,
      ),
    };
    const half = (base: string) =>
      stripsOf([strayed], "worker", base).find(({ competitor }) => competitor === "half")!.processes;
    assert.equal(half("base").length, TRUTH.forks);
    assert.deepEqual(
      half("base").map(({ weighs }) => weighs),
      [false, ...new Array(TRUTH.forks - 1).fill(true)],
    );
    assert.ok(Math.abs(half("double")[1]!.ratio - 0.25) < 0.01, "to another baseline");
  });

  it("is how costs grow with workers, or with the size of a curve", () => {
    const workers = dataWith(syntheticRecord([group, { ...group, workers: 4 }], 1));
    const byWorkers = growthOf(contestOf(workers, AT)!)!;
    assert.deepEqual([byWorkers.along, byWorkers.steps.map(({ at }) => at)], ["workers", [2, 4]]);
    const sized = [10, 1000].map((at) => ({
      ...group,
      scenario: `size-${at}`,
      point: { curve: "size", along: "things", at },
    }));
    const bySize = growthOf(contestOf(dataWith(syntheticRecord(sized, 1)), { ...AT, scenario: "size-10" })!)!;
    assert.deepEqual([bySize.along, bySize.steps.map(({ at }) => at)], ["things", [10, 1000]]);
    assert.equal(growthOf(contestOf(data, AT)!), undefined);
  });

  it("is how ratios moved between two records, where they compare", () => {
    const slower = syntheticGroup({ ...TRUTH, costsNs: { ...TRUTH.costsNs, half: 14 }, seed: 6 });
    const side = (record: BenchRecord) => ({
      source: { file: "any.json", record },
      judged: judgedAt(record, record.groups, 2),
    });
    const [before, after] = [side(syntheticRecord([group], 1)), side(syntheticRecord([slower], 2))];
    const { obstacles, rows } = compared(before, after);
    assert.deepEqual(obstacles, []);
    const verdictOf = (name: string) => rows.find(({ cell }) => cell.includes(`/${name}/`))!.change?.verdict;
    assert.equal(verdictOf("half"), "slower");
    assert.notEqual(verdictOf("double"), "slower");
    const older = side({ ...syntheticRecord([group], 1), methodVersion: 2 });
    const apart = compared(older, after);
    assert.deepEqual(apart.obstacles, [`measured by different methods: 2 and ${METHOD_VERSION}`]);
    assert.ok(apart.rows.every(({ change }) => change === undefined));
  });

  it("is each competitor beside itself on other runtimes, at as many workers", () => {
    const matrixAt = (workers: number, unfit: readonly string[] = []) =>
      matrixOn(
        { ...data, runtimeRecords: [onRuntimes] },
        { scenario: "test", conditions: { workers }, unfit },
      );
    const ratiosAt = (workers: number) => {
      const { matrix } = matrixAt(workers)!;
      assert.deepEqual(
        matrix.runtimes.map(({ name }) => name),
        ["node24", "bun"],
      );
      const [panel] = matrix.panels;
      return [
        panel!.title,
        ...panel!.rows.map(({ competitor, others: [onBun] }) => {
          return [competitor, onBun!.reason ?? formatRatio(onBun!.ratio).split(" ")[0]];
        }),
      ];
    };
    const alone = "it runs on one of these runtimes alone";
    assert.deepEqual(ratiosAt(2), ["2 workers", ["base", "2.00"], ["half", alone]]);
    assert.deepEqual(ratiosAt(1), ["1 worker", ["half", "0.50"]]);
    assert.deepEqual(ratiosAt(8), ratiosAt(2), "the most workers, where as many were not raced");
    assert.deepEqual(
      matrixAt(2, ["base"])!.matrix.panels[0]!.rows.map(({ competitor }) => competitor),
      ["half"],
    );
    const text = matrixMarkdownOf(matrixAt(1)!, "#here");
    assert.match(text, /^## synthetic\/test on several runtimes: made up\n/);
    assert.match(text, /^\| half +\|.*\*\*0\.50/m);
    assert.match(text, /\[This view\]\(#here\), made from `runtimes\.json`/);
    const scenarios = readVerdicts(ndjsonOf(matrixAt(2)!.races), "verdicts").races.map(
      (race) => race.scenario,
    );
    assert.ok(scenarios.length > 1 && scenarios.every((scenario) => scenario.startsWith("test")));
  });

  it("is the time of each function, of one that calls itself once", () => {
    const frame = (
      depth: number,
      name: string,
      samples: number,
      part: "thread" | "structure" = "structure",
    ) => {
      return { depth, name, samples, part };
    };
    const tree = treeOf([
      frame(0, "cell", 10, "thread"),
      frame(1, "worker 0", 10, "thread"),
      frame(2, "pick", 10),
      frame(3, "pick", 6),
      frame(4, "next", 2),
    ]);
    assert.deepEqual(
      functionsOf(tree).map(({ name, self, total }) => [name, self, total]),
      [
        ["pick", 0.8, 1],
        ["next", 0.2, 0.2],
      ],
    );
  });
});

describe("what is taken away", () => {
  const contest = contestOf(data, { ...AT, base: "half", needs: { order: ["kept"] } })!;

  it("is a table of what is shown, with the way back", () => {
    const text = markdownOf(data, contest, "https://example.org/#synthetic/test");
    assert.match(text, /^## synthetic\/test: made up\n/);
    assert.match(text, /\| \*\*half\*\* +\| +1 \| baseline +\| 1 \+ /);
    assert.match(text, /\| double +\|.* \| 3 +\|/);
    assert.doesNotMatch(text, /equal/);
    assert.match(text, /\[This view\]\(https:\/\/example\.org\/#synthetic\/test\), made from `0\.json`/);
  });

  it("is verdicts that the lab can read", () => {
    const [race] = readVerdicts(ndjsonOf([contest.judged]), "verdicts").races;
    assert.deepEqual(
      race!.rows.map(({ competitor }) => competitor),
      ["half", "base", "base~aa1", "double"],
    );
  });

  it("is a line of CSV for each row, with the numbers in full", () => {
    const [heading, ...lines] = csvOf([contest.judged])
      .trimEnd()
      .split("\r\n")
      .map((line) => line.split(","));
    const row = contest.roles[0]!.rivals[1]!.row;
    assert.equal(lines.length, contest.judged.rows.length);
    const line = lines.find(([cell]) => cell === row.cell)!;
    const inColumn = (column: string) => line[heading!.indexOf(column)];
    assert.deepEqual(
      ["baseline", "median", "ratio.value", "ratio.low", "verdict"].map(inColumn),
      ["half", row.median, row.ratio!.value, row.ratio!.low, row.verdict].map(String),
    );
  });
});

describe("a record of one's own", () => {
  const text = JSON.stringify(syntheticRecord([group], 9));

  it("is shown as the newest", () => {
    const mine = recordFrom("mine.json", text);
    assert.deepEqual(primitivesOf(mine), ["synthetic"]);
    assert.equal(contestOf(withOwn(data, [mine]), AT)!.source.file, "mine.json");
    assert.equal(withOwn({ ...data, primitive: "other" }, [mine]).records.length, 1);
  });

  it("is shown beside others on several runtimes, if it is of some", () => {
    const shown = withOwn(data, [recordFrom("mine.json", JSON.stringify(onRuntimes.record))]);
    assert.deepEqual(shown.records, data.records);
    assert.deepEqual(
      runtimesIn(shown)
        .get("test")!
        .map(({ name }) => name),
      ["node24", "bun"],
    );
    assert.equal(contestOf(shown, { ...AT, runtime: "bun" })!.source.isOwn, true);
  });

  for (const [what, wrong, line] of [
    ["no JSON", text.slice(0, 100), /^mine\.json is no record: it is not JSON$/],
    ["a record of something else", '{"kind":"flame"}', /^mine\.json is not a record of npm run bench$/],
    [
      "a record of another version",
      text.replace('"schemaVersion":3', '"schemaVersion":1'),
      /^mine\.json has schema version 1/,
    ],
    [
      "a record that lacks a part",
      text.replace('"looks"', '"lucks"'),
      /^mine\.json is damaged: \/groups\/0 /,
    ],
  ] as const) {
    it(`is refused in one line if it is ${what}`, () => {
      assert.throws(() => recordFrom("mine.json", wrong), { message: line });
    });
  }
});

describe("what the page is made of", () => {
  it("says of a trait what the contract's comment does", () => {
    const source = `/** What comes first. */\nexport type Order = "a";\nexport interface X {\n  readonly order: Order;\n  /**\n   * Of its own:\n   *\n   * two lines.\n   */\n  readonly mine: boolean;\n}`;
    assert.equal(commentOn(source, "order"), "What comes first.");
    assert.equal(commentOn(source, "mine"), "Of its own: two lines.");
    assert.equal(commentOn(source, "none"), "");
  });

  it("is light", async () => {
    const bytes = gzipSync((await pageScript()) + pageStyle()).length;
    assert.ok(bytes < 150_000, `${bytes} bytes`);
  });
});

const allPublished = await publishedData();

describe("the published records, judged as the page does", () => {
  for (const { data: published } of allPublished) {
    const { primitive } = published;
    it(`${primitive}: has the digits of its pages`, () => {
      const headlines = published.scenarios
        .filter(({ isHeadline }) => isHeadline)
        .map(({ scenario }) => scenario);
      for (const scenario of racesIn(published).filter((name) => headlines.includes(name)))
        checkDigits(published, { ...HOME, scenario }, join(RESULTS, primitive));
    });
    const onRuntimes = runtimesIn(published);
    if (onRuntimes.size === 0) continue;
    it(`${primitive}: has them of other runtimes, too`, () => {
      for (const [scenario, runtimes] of onRuntimes) {
        const { name: runtime } = runtimes.at(-1)!;
        checkRatios(published, { ...HOME, scenario, runtime }, publishedFolder(primitive, true));
      }
    });
  }
});

/** Every row that the page gives away stands on the scenario's page in the folder. */
function checkDigits(data: PrimitiveData, view: View, folder: string): void {
  const page = readFileSync(join(folder, `${view.scenario}.md`), "utf8");
  for (const workers of contestOf(data, view)!.workers) {
    const text = markdownOf(data, contestOf(data, { ...view, workers })!, "#");
    for (const row of text.match(/^\|.*\|$/gm)!) {
      assert.ok(page.includes(row), `${view.scenario} at ${workers} workers: ${row}`);
    }
  }
}

/** Every ratio that the page gives away stands on the page of all runtimes, in a row of its competitor. */
function checkRatios(data: PrimitiveData, view: View, folder: string): void {
  const page = readFileSync(join(folder, "README.md"), "utf8");
  const rows = page.replaceAll("\u2011", "-").replaceAll("\u00a0", " ").split("\n");
  for (const workers of contestOf(data, view)!.workers) {
    const text = markdownOf(data, contestOf(data, { ...view, workers })!, "#");
    const ratios = [...text.matchAll(/^\| ([\w-]+) .*?\| +(\d[\d.]* \([^|)]+\)) +\|/gm)];
    assert.ok(ratios.length > 0);
    for (const [, name, ratio] of ratios) {
      const isThere = rows.some((row) => row.startsWith(`| ${name} `) && row.includes(ratio!));
      assert.ok(isThere, `${view.scenario} at ${workers} workers: ${name} ${ratio}`);
    }
  }
}
