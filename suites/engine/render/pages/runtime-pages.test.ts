import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { syntheticRecord } from "../../judge/judge.synthetic.ts";
import { judgedRecord } from "../../judge/judge.ts";
import { acrossRuntimes, RUNTIMES, withinRuntime } from "../../judge/runtimes.synthetic.ts";
import {
  checkRecord,
  type GroupRecord,
  isOnRuntimes,
  recordText,
  type SurveyRecord,
} from "../../schema/record.ts";
import { readVerdicts, verdictText } from "../../schema/verdict.ts";
import { raceBlocks } from "../tables/races.ts";
import { newestOf } from "./newest.ts";
import { recordPage } from "./pages.ts";
import { newestMatrices, runtimePages } from "./runtime-pages.ts";

const ACROSS = acrossRuntimes("cas-ring", { node24: 20, bun: 8 });
const WITHIN = [
  withinRuntime("node24", { "cas-ring": 20, other: 40 }),
  withinRuntime("bun", { "cas-ring": 20, other: 5 }),
];

function published(file: string, ...groups: GroupRecord[]) {
  return { file, record: syntheticRecord(groups, 7) };
}

function pagesOf(...records: ReturnType<typeof published>[]) {
  const newest = newestOf(records, ["test"])!;
  const pages = runtimePages("synthetic", newest, { question: "Which one?", standings: new Map() });
  return new Map([...pages].map(([file, page]) => [file, page.replaceAll("\u00a0", " ")]));
}

describe("a record of several runtimes", () => {
  const record = syntheticRecord([ACROSS, ...WITHIN], 7);

  it("is read again as it was written, and so are its verdicts", () => {
    assert.deepEqual(checkRecord(JSON.parse(recordText(record)), "it"), record);
    const { verdicts } = judgedRecord(record);
    assert.deepEqual(readVerdicts(verdictText(verdicts), "them"), verdicts);
    assert.deepEqual(
      verdicts.races[0]!.rows.map(({ runtime }) => runtime),
      ["bun", "node24", "node24"],
    );
  });

  it("has the runtimes in its headings, and each with its engine where the numbers come from", () => {
    const page = recordPage("Results", judgedRecord(record), "record.json");
    assert.match(page, /^## synthetic\/test@cas-ring: made up, on Node\.js 24\.21\.0, Bun 1\.4\.5$/m);
    assert.match(page, /^## synthetic\/test@bun: made up, on Bun 1\.4\.5$/m);
    assert.match(page, /^- Raced on bun: Bun 1\.4\.5 \(JavaScriptCore d6375c72affe\)$/m);
    assert.match(page, /^- Raced on node24: Node\.js 24\.21\.0 \(V8 13\.6\)$/m);
  });

  it("tells how far its A/A control is from the baseline, where both crossed processes", () => {
    const told = (group: GroupRecord) => {
      const blocks = raceBlocks(judgedRecord(syntheticRecord([group], 7)).verdicts.races[0]!, undefined);
      return JSON.stringify(blocks).match(
        /A\/A control: node24 once more, in a process of its own, at 1\.00 \([^)]+\) of the baseline\./g,
      );
    };
    assert.equal(told(ACROSS)?.length, 1);
    assert.equal(told(WITHIN[0]!), null);
  });
});

describe("surveys of bytes on several runtimes", () => {
  const survey = (
    runtime: keyof typeof RUNTIMES,
    bytes: readonly number[],
    reason?: string,
  ): SurveyRecord => ({
    primitive: "synthetic",
    scenario: `test@${runtime}`,
    title: "bytes of a thing",
    metrics: { bytes: { title: "Held", unit: "B/thing", digits: 1 } },
    runtimes: [RUNTIMES[runtime]],
    absent: reason === undefined ? [] : [{ competitor: "list", reason }],
    cells:
      reason === undefined
        ? [
            {
              name: `synthetic/test@${runtime}/list`,
              competitor: "list",
              baseline: true,
              forks: bytes.map((each) => ({ bytes: each })),
            },
          ]
        : [],
  });
  const record = {
    ...syntheticRecord([], 7),
    surveys: [survey("node24", [24, 26, 25]), survey("bun", [40]), survey("deno", [], "no counters")],
  };

  it("stand in a table with a column for each runtime, and why one has none below it", () => {
    const newest = newestOf([{ file: "record.json", record: checkRecord(record, "it") }], ["test"])!;
    const page = runtimePages("synthetic", newest, { question: "Which one?", standings: new Map() }).get(
      "README.md",
    )!;
    assert.match(page, /^### Held \(B\/thing\)$/m);
    assert.match(page, /^\| Competitor +\| +node24 \| +bun \| +deno \|$/m);
    assert.match(page, /^\| list +\| +25\.0 \(24\.0.26\.0\) \| +40\.0 \| +– \|$/m);
    assert.match(page, /^- Not here, no counters: list\.$/m);
    assert.match(page, /^- On node24: Node\.js 24\.21\.0 .*bun: Bun 1\.4\.5 /m);
  });

  it("are kept apart from those of the lab's own runtime", () => {
    assert.ok(isOnRuntimes(record));
    assert.ok(!isOnRuntimes(syntheticRecord([], 7)));
  });
});

describe("the pages of races on several runtimes", () => {
  const pages = pagesOf(published("record.json", ACROSS, ...WITHIN));

  it("are one with the matrix, and one of each scenario with all tables", () => {
    assert.deepEqual([...pages.keys()], ["README.md", "test.md"]);
    const page = pages.get("README.md")!;
    assert.match(page, /^# Results on several runtimes: synthetic$/m);
    assert.match(page, /^ {2}<img alt=".*" src="test-runtimes\.svg">$/m);
    assert.match(page, /^\| cas-ring +\| .* \*\*0\.40 /m);
    assert.match(page, /\[the results of synthetic\]\(\.\.\/\.\.\/synthetic\/README\.md\)/);
    assert.match(page, /^Made from `record\.json` by `npm run report`\./m);
    const tables = pages.get("test.md")!;
    for (const heading of ["test@node24", "test@bun", "test@cas-ring"]) {
      assert.match(tables, new RegExp(`^### synthetic/${heading}: made up, on `, "m"));
    }
  });

  it("say who leads on each runtime", () => {
    const page = pages.get("README.md")!;
    assert.match(page, /^\| Node\.js 24\.21\.0 +\| +– \| baseline \| cas-ring +\| 1.worker /m);
    assert.match(page, /^\| Bun 1\.4\.5 +\| 0\.25 [^|]+ \| faster +\| other +\| 1.worker /m);
  });

  it("have a picture that would fill more than the screen folded, and any other in sight", () => {
    const folded = /^<details>\n<summary>The picture<\/summary>\n\n<picture>/m;
    assert.doesNotMatch(pages.get("README.md")!, folded);
    const many = Array.from({ length: 34 }, (_, index) => {
      return acrossRuntimes(`competitor-${index}`, { node24: 20, bun: 8 });
    });
    assert.match(pagesOf(published("many.json", ...many)).get("README.md")!, folded);
  });

  it("are of the newest record of each scenario, whole: its other competitors and runtimes are superseded", () => {
    const older = published("older.json", acrossRuntimes("gone", { node24: 20, deno: 8 }));
    const newer = published("newer.json", ACROSS);
    const newest = newestOf([older, newer], ["test"])!;
    assert.deepEqual(
      newest.sources.map(({ file }) => file),
      ["newer.json"],
    );
    assert.deepEqual(
      newestMatrices(newest).map(({ matrix, files }) => [
        files,
        matrix.panels[0]!.rows.map(({ competitor }) => competitor),
      ]),
      [["newer.json", ["cas-ring"]]],
    );
    assert.doesNotMatch(pagesOf(older, newer).get("README.md")!, /gone/);
  });
});
