import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { golden, goldenCases } from "../../engine/golden.trials.ts";
import { ofForks } from "../../engine/judge/samples.ts";
import type { GroupRecord, QuartilesRecord } from "../../engine/schema/record.ts";
import type { JudgedMeasured } from "../../engine/schema/verdict.ts";
import { raceOf } from "../pictures/races.synthetic.ts";
import { NO_CONTENDER } from "../schema/contenders.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import type { BenchRecord } from "../schema/record.ts";
import { judgeDocument } from "../statements/judge-document.ts";
import type { Statement } from "../statements/vocabulary.ts";
import { judgeRecord } from "../verdicts/judge-record.ts";
import {
  hasSeveralMethods,
  keepsTable,
  methodOf,
  type Newest,
  newestCurves,
  newestOf,
  type RecordFile,
  sourcesOf,
  withOthers,
} from "./newest.ts";
import { type PrimitiveBesides, primitivePages } from "./primitive-pages.ts";
import { filesText } from "./provenance.ts";

function raced(scenario: string, workers = 1, more: Partial<GroupRecord> = {}, forks = 4): GroupRecord {
  const costsNs = { even: 20, random: 10, third: 30 };
  const group = raceOf(costsNs, workers, { sliceNoise: 0.001, forkNoise: 0, seed: 1, forks });
  return { ...group, scenario, title: `of ${scenario}`, ...more };
}

/** A group that only contenders race: the third is absent. */
function contending(workers: number, reason = NO_CONTENDER): GroupRecord {
  const { cells, ...group } = raced("a", workers);
  const contenders = cells.filter(({ competitor }) => competitor !== "third");
  return { ...group, cells: contenders, absent: [{ competitor: "third", reason }] };
}

function recordOf(day: string, methodVersion: number, ...groups: GroupRecord[]): BenchRecord {
  return { ...syntheticRecord(groups, 1), startedAt: `${day}T12:00:00.000Z`, methodVersion };
}

const COUNTS = [raced("a"), raced("a", 2)];
const SURVEY = { primitive: "synthetic", scenario: "held", title: "what they hold", metrics: {}, cells: [] };
const OLD = {
  ...recordOf("2026-11-20", 2, ...COUNTS, raced("b"), raced("c"), raced("gone")),
  surveys: [SURVEY],
};
const NEW = recordOf("2026-11-21", 3, raced("c"), ...COUNTS);
const FEW = recordOf("2026-11-20", 3, ...COUNTS, raced("a", 4));
const absent = [{ competitor: "third", reason: "made for few" }];
const MANY = recordOf("2026-11-22", 3, raced("a", 8, { absent }), raced("a", 4, { absent }));
const WHOLE = recordOf("2026-11-20", 3, ...COUNTS);
const CONTENDERS = recordOf("2026-11-22", 3, contending(1), contending(2));
const UNABLE = recordOf("2026-11-22", 3, contending(1, "made for few"), contending(2, "made for few"));

/** Of eight processes that saw near cores, these many saw far ones, too, between which `random` takes four times as long. */
function apartIn(processes: number, handovers: { nearNs: number; farNs?: number }, times = 4): GroupRecord {
  const group = raced("a", 2, { handovers, referenceNs: 10 }, 8);
  const enough = (table: QuartilesRecord, times = 1, slices = 40) => {
    const { counts, p50 } = table;
    return { costNs: { ...table, counts: counts.map(() => slices), p50: p50.map((ns) => times * ns) } };
  };
  const cells = group.cells.map((cell) => {
    const roles = Object.entries(cell.roles).map(([role, { any, ...rest }]) => {
      const later = ofForks(any.costNs, (fork) => fork >= 8 - processes);
      const far = enough(later, cell.competitor === "random" ? times : 1);
      return [
        role,
        {
          ...rest,
          any: enough(any.costNs, 1, 80),
          quiet: enough(any.costNs),
          ...(processes === 0 ? {} : { far }),
        },
      ];
    });
    return { ...cell, roles: Object.fromEntries(roles) };
  });
  return { ...group, cells };
}
const FAR = recordOf("2026-11-20", 3, apartIn(3, { nearNs: 50, farNs: 190 }));
const NEAR = recordOf("2026-11-21", 3, apartIn(0, { nearNs: 55 }));

/** Groups that were raced on several runtimes. */
function onRuntimes(day: string, ...groups: GroupRecord[]): BenchRecord {
  return recordOf(day, 3, ...groups.map((group, index) => ({ ...group, scenario: `a@${index}` })));
}
const FAR_TWICE = onRuntimes("2026-11-20", ...FAR.groups, ...FAR.groups);

/** Records of a primitive, the oldest first. */
const RECORDS: Readonly<Record<string, readonly BenchRecord[]>> = {
  "scenarios of three records, in the order asked for": [OLD, NEW, recordOf("2026-11-22", 3, raced("c"))],
  "a record that has nothing newest": [recordOf("2026-11-20", 3, raced("c")), OLD],
  "worker counts of two records": [FEW, MANY],
  "of another machine": [FEW, { ...MANY, machine: { ...MANY.machine, slug: "another" } }],
  "of another runtime": [FEW, { ...MANY, runtime: { ...MANY.runtime, version: "99.0.0" } }],
  "of another method": [FEW, { ...MANY, methodVersion: 4 }],
  "of other work": [
    FEW,
    { ...MANY, groups: MANY.groups.map((group) => ({ ...group, title: "of other work" })) },
  ],
  "contenders alone: others of the newest record that has them": [OLD, WHOLE, CONTENDERS].map((record) => ({
    ...record,
    methodVersion: 3,
  })),
  "a newer record has every competitor": [CONTENDERS, WHOLE],
  "competitors that are absent for another reason": [WHOLE, UNABLE],
  "contenders of another method": [WHOLE, { ...CONTENDERS, methodVersion: 4 }],
  "an older record of a state that newer ones lack": [FAR, NEAR],
  "an older record of a state that a newer one has": [FAR, FAR, NEAR],
  "an older record of states that the newer one has, too": [FAR, FAR],
  "an older record of a state in which rows say the same": [
    recordOf("2026-11-20", 3, apartIn(3, { nearNs: 50, farNs: 190 }, 1.1)),
    NEAR,
  ],
  "an older record that hardly met another state": [
    recordOf("2026-11-20", 3, apartIn(2, { nearNs: 50, farNs: 190 })),
    NEAR,
  ],
  "older records of several runtimes: each race by its own states": [
    FAR_TWICE,
    onRuntimes("2026-11-21", ...NEAR.groups, ...FAR.groups),
  ],
  "a race that the newest measured in no state, by those beside it": [
    FAR_TWICE,
    onRuntimes("2026-11-21", raced("a", 2), ...NEAR.groups),
  ],
  "an older record where the newest measured no distance": [FAR, recordOf("2026-11-21", 3, raced("a", 2))],
  "a scenario that the suite has no more": [recordOf("2026-11-20", 3, raced("gone"))],
  "no record": [],
};
const ORDER = ["c", "b", "a", "held", "never-raced"];

function filesOf(records: readonly BenchRecord[]): RecordFile[] {
  return records.map((record, index) => ({ file: `${index}.json`, record }));
}

function newest(name: string): Newest {
  return newestOf(filesOf(RECORDS[name]!), ORDER)!;
}

/** Where each part is from. */
function fromWhere(records: readonly BenchRecord[]): string {
  const published = newestOf(filesOf(records), ORDER);
  if (published === undefined) return "nothing\n";
  const { verdicts, others, ofOtherStates } = published;
  const competing = (
    rows: readonly { readonly kind: string; readonly competitor: string; readonly workers: number }[],
  ) =>
    rows
      .flatMap(({ kind, competitor, workers }) => (kind === "rival" ? `${competitor} ${workers}w` : []))
      .join(", ");
  const lines = [
    ...verdicts.races.map(({ scenario, rows }) => {
      return `${scenario}, method ${methodOf(published, scenario)}, ${filesText(published, scenario)}: ${competing(rows)}`;
    }),
    ...verdicts.metrics.map(({ kind, scenario }) => `${kind} ${scenario}: ${filesText(published, scenario)}`),
    ...others.map(({ judged, source }) => `others of ${source.file}: ${competing(judged.rows)}`),
    ...ofOtherStates.map(({ judged, source, handoverNs }) => {
      return `${judged.scenario} with cores ${handoverNs} ns apart, ${source.file}: ${competing(judged.rows)}`;
    }),
    ...(hasSeveralMethods(published) ? ["several methods"] : []),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

describe("the newest of what is published", () => {
  it("has each scenario at each worker count whole from the newest record that has it", (t) => {
    const texts = Object.entries(RECORDS).map(([name, records]) => `${name}\n\n${fromWhere(records)}`);
    golden(t, "testdata/newest.txt", texts.join("\n"));
    assert.throws(() => sourcesOf(newest("worker counts of two records"), "gone"), {
      message: "no record has the scenario gone",
    });
  });

  it("has the rows of each record as they were judged there", () => {
    const [race] = newest("worker counts of two records").verdicts.races;
    const [early, late] = [FEW, MANY].map((record) => judgeRecord(record).races[0]!.rows);
    const rowsAt = (rows: typeof early, ...counts: number[]) =>
      rows!.filter(({ workers }) => counts.includes(workers));
    assert.deepEqual(race!.rows, [...rowsAt(early, 1, 2), ...rowsAt(late, 4, 8)]);
    assert.deepEqual(race!.absent, [{ reason: "made for few", competitors: ["third"] }]);
  });

  it("holds no times of different methods against each other", () => {
    const published = newest("scenarios of three records, in the order asked for");
    const growth = (from: string, to: string) => {
      const at = (scenario: string) => ({ scenario, workers: 1 });
      const evidence: Statement["evidence"] = [
        { kind: "growth", competitor: "random", from: at(from), to: at(to), is: "at most", factor: 2 },
      ];
      const statements = [{ quote: "it does not grow", reading: "so", evidence }];
      const document = { primitive: "synthetic", source: "A", author: "B", conditions: "", statements };
      const judged = judgeDocument(document, published.verdicts, (scenario) => methodOf(published, scenario));
      const { finding, seen } = judged.statements[0]!.evidence[0]!;
      return finding === "holds" ? finding : `${finding}: ${seen}`;
    };
    assert.deepEqual(
      [growth("a", "c"), growth("b", "c")],
      [
        "holds",
        "not measured: random at c, 1 worker to itself at b, 1 worker: measured by methods 2 and 3, which do not compare",
      ],
    );
  });

  it("keeps a worker count that a newer record leaves out, where both can stand on one page", () => {
    const today = { scenario: "a", title: "of a" };
    const files = filesOf([FEW]);
    assert.ok(keepsTable(files, MANY, today, 2));
    assert.ok(!keepsTable(files, MANY, today, 8));
    assert.ok(!keepsTable(files, MANY, { ...today, title: "of other work" }, 2));
    assert.ok(!keepsTable(files, { ...MANY, methodVersion: 4 }, today, 2));
    assert.ok(!keepsTable([], MANY, today, 2));
  });

  it("has others in reach of who looks a row up, with what was seen of each two", () => {
    const published = newestOf(filesOf([WHOLE, CONTENDERS]), ORDER)!;
    const [race] = withOthers(published).races;
    const row = (name: string) =>
      race!.rows.find(({ competitor, workers }) => competitor === name && workers === 1) as JudgedMeasured;
    const named = (cells: readonly { readonly cell: string }[]) =>
      cells.map(({ cell }) => cell.split("/")[2]).sort();
    assert.deepEqual(named(row("third").against), ["even", "random"]);
    assert.deepEqual(named(row("even").against), ["random", "third"]);
    const [then] = judgeRecord(WHOLE).races;
    assert.deepEqual(
      row("third"),
      then!.rows.find(({ cell }) => cell === row("third").cell),
    );
    assert.deepEqual(
      [race!, published.verdicts.races[0]!].map(({ conditions }) => conditions.map(({ judged }) => judged)),
      [
        [2, 2],
        [1, 1],
      ],
    );
  });
});

it("a curve is whole from the newest of the records that have the most points", () => {
  const point = (at: number) => ({ point: { curve: "size", along: "things", at } });
  const along = (workers = 1) => [
    raced("a", workers, point(1)),
    raced("b", workers, point(10)),
    raced("c", workers, point(100)),
  ];
  const whole = recordOf("2026-11-20", 2, ...along());
  const curveOf = (record: BenchRecord) =>
    newestCurves(newestOf(filesOf([whole, record]), ORDER)!).map(
      ({ curve, source }) => `${source.file}: ${curve.points.length}`,
    );
  assert.deepEqual(curveOf(recordOf("2026-11-21", 3, raced("b", 1, point(10)))), ["0.json: 3"]);
  assert.deepEqual(curveOf(recordOf("2026-11-21", 3, ...along().slice(0, 2))), ["0.json: 3"]);
  assert.deepEqual(curveOf({ ...whole, startedAt: "2026-11-21T12:00:00.000Z" }), ["1.json: 3"]);
  assert.deepEqual(curveOf(recordOf("2026-11-21", 2, ...along(8))), ["0.json: 3"]);
});

const BESIDES: PrimitiveBesides = {
  question: "Which?",
  answer: undefined,
  overview: undefined,
  headline: new Set(["a", "b"]),
  flames: [],
};

it("pages of several records say what is of which, and compare no methods", (t) => {
  const columns = ["a", "b"].map((scenario) => {
    return { title: `Cost ${scenario}`, unit: "ns", digits: 0, scenario, workers: 1 };
  });
  const overviews = [{ primitive: "synthetic", title: "In short", variants: [], columns }];
  const pagesOf = (...records: readonly BenchRecord[]) =>
    primitivePages("synthetic", newestOf(filesOf(records), ORDER)!, BESIDES);
  const three = pagesOf(
    ...[OLD, NEW, recordOf("2026-11-22", 3, raced("c"))].map((record) => ({ ...record, overviews })),
  );
  const counts = pagesOf(FEW, MANY);
  const others = pagesOf(WHOLE, CONTENDERS);
  const states = pagesOf(FAR, NEAR);
  goldenCases(t, "testdata/several-records.md", {
    "the folder's page, of methods 2 and 3": three.get("README.md")!,
    "a scenario of method 2": three.get("b.md")!,
    "the folder's page, where worker counts are of two records": counts.get("README.md")!,
    "the scenario's": counts.get("a.md")!,
    "the folder's page, where others are of an older record": others.get("README.md")!,
    "the scenario's page with these others": others.get("a.md")!,
    "the folder's page, where an older record has another state": states.get("README.md")!,
    "the scenario's page with that state": states.get("a.md")!,
  });
});
