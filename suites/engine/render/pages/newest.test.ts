import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Statement } from "../../claims.ts";
import { judgeClaims } from "../../judge/claims.ts";
import { syntheticRecord } from "../../judge/judge.synthetic.ts";
import { judgeRecord } from "../../judge/judge.ts";
import { NO_CONTENDER } from "../../schema/contenders.ts";
import type { BenchRecord, GroupRecord } from "../../schema/record.ts";
import type { JudgedMeasured, JudgedScenario } from "../../schema/verdict.ts";
import { raceOf } from "../pictures/races.synthetic.ts";
import {
  filesText,
  hasSeveralMethods,
  keepsTable,
  methodOf,
  type Newest,
  newestCurves,
  newestOf,
  ownOf,
  type RecordFile,
  sourcesOf,
  withOthers,
} from "./newest.ts";
import { type PrimitiveBesides, primitivePages } from "./primitive-pages.ts";

function raced(scenario: string, workers = 1, more: Partial<GroupRecord> = {}): GroupRecord {
  const costsNs = { even: 20, random: 10, third: 30 };
  const group = raceOf(costsNs, workers, { sliceNoise: 0.001, forkNoise: 0, seed: 1 });
  return { ...group, scenario, title: `of ${scenario}`, ...more };
}

function recordOf(day: string, methodVersion: number, ...groups: GroupRecord[]): BenchRecord {
  return { ...syntheticRecord(groups, 1), startedAt: `${day}T12:00:00.000Z`, methodVersion };
}

const SURVEY = { primitive: "synthetic", scenario: "held", title: "what they hold", metrics: {}, cells: [] };

/** All scenarios by method 2, and two of them again by method 3, and one of these once more. */
const RECORDS = [
  {
    file: "old.json",
    record: {
      ...recordOf("2026-11-20", 2, raced("a"), raced("a", 2), raced("b"), raced("c"), raced("gone")),
      surveys: [SURVEY],
    },
  },
  { file: "new.json", record: recordOf("2026-11-21", 3, raced("c"), raced("a"), raced("a", 2)) },
  { file: "newest.json", record: recordOf("2026-11-22", 3, raced("c")) },
];
const ORDER = ["c", "b", "a", "held", "never-raced"];

const BESIDES: PrimitiveBesides = {
  question: "Which?",
  answer: { text: "Written on 2026-11-20.\n\nTake it.\n", inShort: "Take it.", writtenOn: "2026-11-20" },
  overview: undefined,
  headline: new Set(["a", "b"]),
  flames: [],
};

function newest(records: readonly RecordFile[] = RECORDS): Newest {
  return newestOf(records, ORDER)!;
}

describe("the newest of what is published", () => {
  it("has each scenario whole from the newest record that has it, in the order asked for", () => {
    const { verdicts, sources } = newest();
    assert.deepEqual(
      verdicts.races.map(({ scenario, conditions }) => [scenario, conditions.map(({ workers }) => workers)]),
      [
        ["c", [1]],
        ["b", [1]],
        ["a", [1, 2]],
      ],
    );
    assert.deepEqual(
      sources.map(({ file, scenarios }) => [file, [...scenarios.keys()]]),
      [
        ["newest.json", ["c"]],
        ["new.json", ["a"]],
        ["old.json", ["b", "held"]],
      ],
    );
    assert.deepEqual(
      verdicts.metrics.map(({ kind, scenario }) => [kind, scenario]),
      [["survey", "held"]],
    );
    assert.equal(verdicts.races[0], sources[0]!.verdicts.races[0]);
    assert.equal(verdicts.races[2], sources[1]!.verdicts.races[1]);
    assert.deepEqual(
      ownOf(sources[1]!, sources[1]!.record.groups).map(({ scenario }) => scenario),
      ["a", "a"],
    );
  });

  it("does without records that have nothing newest, and scenarios that the suite has no more", () => {
    const { sources } = newest([
      RECORDS[2]!,
      { ...RECORDS[0]!, record: recordOf("2026-11-23", 3, raced("c")) },
    ]);
    assert.deepEqual(
      sources.map(({ file }) => file),
      ["old.json"],
    );
    assert.equal(
      newestOf([{ file: "x", record: recordOf("2026-11-20", 3, raced("gone")) }], ORDER),
      undefined,
    );
    assert.equal(newestOf([], ORDER), undefined);
  });

  it("knows of each scenario the record and the method", () => {
    assert.equal(sourcesOf(newest(), "a")[0].file, "new.json");
    assert.equal(methodOf(newest(), "b"), 2);
    assert.ok(hasSeveralMethods(newest()));
    assert.ok(!hasSeveralMethods(newest(RECORDS.slice(1))));
    assert.throws(() => sourcesOf(newest(), "gone"), /no record has the scenario gone/);
  });

  it("holds no times of different methods against each other", () => {
    const growth = (from: string, to: string) => {
      const at = (scenario: string) => ({ scenario, workers: 1 });
      const evidence: Statement["evidence"] = [
        { kind: "growth", competitor: "random", from: at(from), to: at(to), is: "at most", factor: 2 },
      ];
      const statements = [{ quote: "it does not grow", reading: "so", evidence }];
      const claims = { primitive: "synthetic", source: "A", author: "B", conditions: "", statements };
      const judged = judgeClaims(claims, newest().verdicts, (scenario) => methodOf(newest(), scenario));
      return judged.statements[0]!.evidence[0]!;
    };
    assert.equal(growth("a", "c").finding, "holds");
    const { finding, seen } = growth("b", "c");
    assert.equal(finding, "not measured");
    assert.match(seen, /measured by methods 2 and 3, which do not compare/);
  });
});

describe("a scenario whose worker counts are of several records", () => {
  const absent = [{ competitor: "third", reason: "made for few" }];
  const EACH = [
    { file: "few.json", record: recordOf("2026-11-20", 3, raced("a"), raced("a", 2), raced("a", 4)) },
    {
      file: "many.json",
      record: recordOf("2026-11-21", 3, raced("a", 8, { absent }), raced("a", 4, { absent })),
    },
  ];
  const [few, many] = EACH as [(typeof EACH)[0], (typeof EACH)[0]];
  const countsOf = (records: typeof EACH) =>
    newest(records).sources.map(({ file, scenarios }) => [file, [...scenarios.get("a")!]]);

  it("has each of them whole from the newest record that has it", () => {
    assert.deepEqual(countsOf(EACH), [
      ["many.json", [8, 4]],
      ["few.json", [1, 2]],
    ]);
    const [race, ...others] = newest(EACH).verdicts.races;
    assert.deepEqual(others, []);
    assert.deepEqual(
      race!.conditions.map(({ workers }) => workers),
      [1, 2, 4, 8],
    );
    const [early, late] = EACH.map(({ record }) => judgeRecord(record).races[0]!);
    const rowsAt = ({ rows }: JudgedScenario, ...counts: number[]) =>
      rows.filter(({ workers }) => counts.includes(workers));
    assert.deepEqual(race!.rows, [...rowsAt(early!, 1, 2), ...rowsAt(late!, 4, 8)]);
    assert.deepEqual(race!.absent, [{ reason: "made for few", competitors: ["third"] }]);
  });

  it("says where each of them is from", () => {
    const published = newest(EACH);
    assert.equal(filesText(published, "a"), "many.json (4, 8 workers) and few.json (1, 2 workers)");
    assert.equal(filesText(newest([few]), "a"), "few.json");
    const pages = primitivePages("synthetic", published, { ...BESIDES, headline: new Set(["a"]) });
    for (const file of ["a.md", "README.md"]) {
      const page = pages.get(file)!;
      assert.match(
        page,
        /^Times of different records do not compare; each ratio is of one\.\n\n- 4, 8 workers: .+ · 2026-11-21 · .+\n- 1, 2 workers: .+ · 2026-11-20 · .+$/m,
      );
      assert.match(page, /^Made from `many\.json`, `few\.json` by/m);
    }
    assert.match(pages.get("README.md")!, /^- Scenarios: a \(1, 2 workers\)$/m);
  });

  it("is of one machine, runtime, method and work, so that a newer record of others has it alone", () => {
    const { machine, runtime } = many.record;
    const others: Partial<BenchRecord>[] = [
      { machine: { ...machine, slug: "another" } },
      { runtime: { ...runtime, version: "99.0.0" } },
      { methodVersion: 4 },
      { groups: many.record.groups.map((group) => ({ ...group, title: "of other work" })) },
    ];
    for (const other of others) {
      assert.deepEqual(countsOf([few, { ...many, record: { ...many.record, ...other } }]), [
        ["many.json", [8, 4]],
      ]);
    }
  });

  it("keeps a worker count that a newer record leaves away, where both can stand on one page", () => {
    const today = { scenario: "a", title: "of a" };
    assert.ok(keepsTable([few], many.record, today, 2));
    assert.ok(!keepsTable([few], many.record, today, 8));
    assert.ok(!keepsTable([few], many.record, { ...today, title: "of other work" }, 2));
    assert.ok(!keepsTable([few], { ...many.record, methodVersion: 4 }, today, 2));
    assert.ok(!keepsTable([], many.record, today, 2));
  });
});

describe("a scenario whose newest record has contenders alone", () => {
  const others = (reason = NO_CONTENDER) => [{ competitor: "third", reason }];
  const contending = (workers = 1, reason?: string): GroupRecord => {
    const { cells, ...group } = raced("a", workers);
    return {
      ...group,
      cells: cells.filter(({ competitor }) => competitor !== "third"),
      absent: others(reason),
    };
  };
  const oldest = { file: "oldest.json", record: recordOf("2026-11-19", 3, raced("a"), raced("a", 2)) };
  const whole = { file: "whole.json", record: recordOf("2026-11-20", 3, raced("a"), raced("a", 2)) };
  const alone = { file: "alone.json", record: recordOf("2026-11-21", 3, contending(1), contending(2)) };
  const othersIn = (records: readonly RecordFile[]) =>
    newest(records).others.map(({ judged, source }) => [
      source.file,
      judged.rows.map(({ kind, competitor, workers }) => `${kind} ${competitor} ${workers}`),
    ]);
  const thirds = (...counts: number[]) =>
    counts.flatMap((count) => [
      `baseline even ${count}`,
      `aa-control even~aa1 ${count}`,
      `rival third ${count}`,
    ]);

  it("keeps the rows of others from the newest record that has them", () => {
    const published = newest([oldest, whole, alone]);
    assert.deepEqual(
      published.verdicts.races[0]!.rows.filter(({ competitor }) => competitor === "third"),
      [],
    );
    const [[file, rows] = [], ...more] = othersIn([oldest, whole, alone]);
    assert.deepEqual([file, new Set(rows), more], ["whole.json", new Set(thirds(1, 2)), []]);
    assert.deepEqual(
      published.sources.map(({ file }) => file),
      ["alone.json", "whole.json"],
    );
  });

  it("keeps none where a newer record has every competitor, nor absent ones, nor other figures", () => {
    assert.deepEqual(othersIn([oldest, alone, whole]), []);
    const unable = recordOf("2026-11-21", 3, contending(1, "made for few"), contending(2, "made for few"));
    assert.deepEqual(othersIn([whole, { file: "alone.json", record: unable }]), []);
    assert.deepEqual(othersIn([whole, { ...alone, record: { ...alone.record, methodVersion: 4 } }]), []);
  });

  it("has them in reach of who looks a row up, with what was seen of each two", () => {
    const published = newest([whole, alone]);
    const [race] = withOthers(published).races;
    const row = (name: string) =>
      race!.rows.find(({ competitor, workers }) => competitor === name && workers === 1) as JudgedMeasured;
    const named = (cells: readonly { readonly cell: string }[]) =>
      cells.map(({ cell }) => cell.split("/")[2]).sort();
    assert.deepEqual(named(row("third").against), ["even", "random"]);
    assert.deepEqual(named(row("even").against), ["random", "third"]);
    const [then] = judgeRecord(whole.record).races;
    assert.deepEqual(
      row("third"),
      then!.rows.find(({ cell }) => cell === row("third").cell),
    );
    const judgedAt = ({ conditions }: JudgedScenario) => conditions.map(({ judged }) => judged);
    assert.deepEqual(judgedAt(race!), [2, 2]);
    assert.deepEqual(judgedAt(published.verdicts.races[0]!), [1, 1]);
  });

  it("shows them folded away on its page, with the record that they are of", () => {
    const pages = primitivePages("synthetic", newest([whole, alone]), {
      ...BESIDES,
      headline: new Set(["a"]),
    });
    const page = pages.get("a.md")!;
    assert.match(
      page,
      /^- No contenders, and not raced with them: 1 other \(to race them, add --all or name them\)\.$/m,
    );
    assert.match(
      page,
      /<summary>1 other, raced before<\/summary>\n\n.+ · 2026-11-20 · .+\.\n\n## 1 worker\n/,
    );
    assert.match(page, /^Made from `alone\.json`, `whole\.json` by/m);
    assert.equal(page.match(/^\| third +\|/gm)?.length, 2);
    assert.match(pages.get("README.md")!, /^### whole\.json\n\n(- .*\n)*- Scenarios: a \(others\)$/m);
  });
});

describe("a curve of several records", () => {
  const point = (at: number) => ({ point: { curve: "size", along: "things", at } });
  const whole = recordOf(
    "2026-11-20",
    2,
    raced("a", 1, point(1)),
    raced("b", 1, point(10)),
    raced("c", 1, point(100)),
  );
  const fileOf = (record: BenchRecord) => {
    const records = [
      { file: "old.json", record: whole },
      { file: "new.json", record },
    ];
    const curves = newestCurves(newest(records));
    assert.equal(curves.length, 1);
    return [curves[0]!.source.file, curves[0]!.curve.points.length];
  };

  it("is whole from the newest of those that have the most points", () => {
    assert.deepEqual(fileOf(recordOf("2026-11-21", 3, raced("b", 1, point(10)))), ["old.json", 3]);
    assert.deepEqual(fileOf(recordOf("2026-11-21", 3, raced("a", 1, point(1)), raced("b", 1, point(10)))), [
      "old.json",
      3,
    ]);
    assert.deepEqual(fileOf({ ...whole, startedAt: "2026-11-21T12:00:00.000Z" }), ["new.json", 3]);
    const many = [raced("a", 8, point(1)), raced("b", 8, point(10)), raced("c", 8, point(100))];
    assert.deepEqual(fileOf(recordOf("2026-11-21", 2, ...many)), ["old.json", 3]);
  });
});

describe("pages of several records", () => {
  const overviews = [
    {
      primitive: "synthetic",
      title: "In short",
      variants: [],
      columns: ["a", "b"].map((scenario) => ({
        title: `Cost ${scenario}`,
        unit: "ns",
        digits: 0,
        scenario,
        workers: 1,
      })),
    },
  ];
  const withOverview = RECORDS.map(({ file, record }) => ({ file, record: { ...record, overviews } }));
  const pages = primitivePages("synthetic", newest(withOverview), BESIDES);

  it("say of each scenario which record and which method it is of", () => {
    for (const [scenario, file, method] of [
      ["a", "new.json", 3],
      ["b", "old.json", 2],
      ["c", "newest.json", 3],
    ] as const) {
      const page = pages.get(`${scenario}.md`)!;
      assert.ok(page.includes(`Made from \`${file}\` by`), page);
      assert.match(page, new RegExp(`· method ${method}\\.$`, "m"));
    }
  });

  it("say on the first page what is of which record, and compare no methods", () => {
    const page = pages.get("README.md")!;
    assert.match(
      page,
      /^Made Up, .+ · 3 records, 2026-11-20 to 2026-11-22 · method 2 and 3 · \[.+\]\(#where-the-numbers-come-from\)\.$/m,
    );
    assert.match(page, /^\| \[b\]\(b\.md\): of b .*\| +2 \|$/m);
    assert.match(
      page,
      /^- Method: the version that measured it\. Times and ratios of different versions do not/m,
    );
    assert.match(
      page,
      /^- Times of different versions .* do not compare: by method 3 Cost a; by method 2 Cost b\.$/m,
    );
    assert.match(page, /^## synthetic\/b: of b\n\n<details>\n.+\n\n.+ · method 2\.\n\nErrors, counters/m);
    assert.match(
      page,
      /^### old\.json\n\n- Machine: .*\n(- .*\n)*- Method: version 2\n- Scenarios: b, held$/m,
    );
    assert.ok(page.endsWith("Do not edit: change the lab and make it again.\n"));
  });
});
