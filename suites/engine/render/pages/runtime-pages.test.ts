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
import { runtimesPage } from "./runtime-pages.ts";

const ACROSS = acrossRuntimes("cas-ring", { node24: 20, bun: 8 });
const WITHIN = [
  withinRuntime("node24", { "cas-ring": 20, other: 40 }),
  withinRuntime("bun", { "cas-ring": 20, other: 5 }),
];

function published(file: string, ...groups: GroupRecord[]) {
  return { file, record: syntheticRecord(groups, 7) };
}

function pageOf(...records: ReturnType<typeof published>[]) {
  const newest = newestOf(records, ["test"])!;
  const page = runtimesPage("synthetic", newest, { question: "Which one?", standings: new Map() });
  return page.replaceAll("\u00a0", " ");
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
    const page = runtimesPage("synthetic", newest, { question: "Which one?", standings: new Map() });
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

describe("the page of races on several runtimes", () => {
  const page = pageOf(published("record.json", ACROSS, ...WITHIN));

  it("has a table of each runtime by itself, and one of each competitor by itself", () => {
    assert.match(page, /^# Results on several runtimes: synthetic$/m);
    const [, within, across] = page.split(
      /^### (?:Competitors on each runtime|Each competitor on all runtimes)$/m,
    );
    assert.match(within!, /^#### 1 worker$/m);
    assert.match(within!, /^\| other +\| +\*\*(?:1\.9\d|2\.0\d?) [^|]+ \| +\*\*0\.25 [^|]+ \|$/m);
    assert.match(across!, /^\| cas-ring +\| .* \*\*0\.40 /m);
    assert.match(page, /\[the results of synthetic\]\(\.\.\/\.\.\/synthetic\/README\.md\)/);
    assert.match(page, /^Made from `record\.json` by `npm run report`\./m);
  });

  it("says who leads on each runtime", () => {
    assert.match(page, /^\| Node\.js 24\.21\.0 +\| +– \| baseline \| cas-ring +\| 1.worker /m);
    assert.match(page, /^\| Bun 1\.4\.5 +\| 0\.25 [^|]+ \| faster +\| other +\| 1.worker /m);
  });

  it("is of the newest record of each scenario, whole: its other competitors and runtimes are superseded", () => {
    const older = published("older.json", acrossRuntimes("gone", { node24: 20, deno: 8 }));
    const newest = pageOf(older, published("newer.json", ACROSS));
    assert.match(newest, /^\| cas-ring /m);
    assert.match(newest, /^Made from `newer\.json` by/m);
    assert.doesNotMatch(newest, /gone|deno|older\.json/);
  });
});
