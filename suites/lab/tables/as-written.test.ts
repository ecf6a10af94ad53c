import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toTerminal } from "../../reporter/src/index.ts";
import { recordPage } from "../pages/pages.ts";
import { raceOf } from "../pictures/races.synthetic.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import { checkRecord } from "../schema/record-file.ts";
import { judgedRecord } from "../verdicts/judge-record.ts";
import { asWritten, codeSpan } from "./as-written.ts";

/** Texts, and the markdown that shows them. */
const TEXTS: Readonly<Record<string, string>> = {
  "<script>alert(1)</script>": "\\<script>alert(1)\\</script>",
  "a < b, 3 > 2, R&D, 50 %": "a < b, 3 > 2, R&D, 50 %",
  "&lt;b&#62;": "\\&lt;b\\&#62;",
  "**bold** _it_ snake_case": "\\*\\*bold\\*\\* \\_it\\_ snake_case",
  "`code` a|b c\\|d $x$": "\\`code\\` a\\|b c\\\\\\|d \\$x\\$",
  "![i](http://x) www.x.org": "!\\[i\\](http:\\//x) www\\.x.org",
  "@team/all mail@x.org #1": "@<!-- -->team/all mail@<!-- -->x.org #<!-- -->1",
  "cas-ring~aa1 cas-ring@node24 ~~no~~": "cas-ring~aa1 cas-ring@node24 \\~~no\\~\\~",
};

describe("text of a record", () => {
  for (const [text, markdown] of Object.entries(TEXTS)) {
    it(`is shown as it is written: ${text}`, () => {
      assert.equal(asWritten(text), markdown);
      const columns = [{ key: "text", title: "Text", align: "left" }] as const;
      const table = {
        title: "T",
        provenance: [],
        columns,
        legend: [],
        rows: [{ cells: { text: markdown } }],
      };
      assert.equal(toTerminal(table, { width: 80, colour: false }).split("\n").at(-2), text, "at a terminal");
    });
  }

  it("is replaced wherever it stands, and what was one object stays one", () => {
    const shared = { cpu: "<b>" };
    const copy = asWritten({ list: [shared, 1, null], set: new Set(["*"]), map: new Map([["*", shared]]) });
    assert.deepEqual(copy.list, [{ cpu: "\\<b>" }, 1, null]);
    assert.deepEqual([...copy.set], ["\\*"]);
    assert.equal(copy.map.get("\\*"), copy.list[0]);
  });

  it("is code whatever signs are in it", () => {
    assert.deepEqual(["a", "a`b", "``"].map(codeSpan), ["`a`", "``a`b``", "``` `` ```"]);
  });
});

it("a page has no markup of its record, wherever that has a text", () => {
  const evil = "<img src=x> [l](http://x) `c` **b** @all | #1";
  const quiet = syntheticRecord([], 1);
  const group = raceOf({ reference: 100, slow: 200, broken: 300 }, 2);
  const cells = group.cells.map((cell) =>
    cell.competitor === "broken" ? { ...cell, failure: { kind: "law" as const, reason: `${evil} 1` } } : cell,
  );
  const record = {
    ...quiet,
    command: `${evil} 2`,
    profile: `${evil.replace("//", "")} 3`,
    machine: { ...quiet.machine, cpu: `${evil} 4`, platform: `${evil} 5`, kernel: `${evil} 6` },
    runtime: { ...quiet.runtime, version: `${evil} 7`, engine: `${evil} 8`, flags: [`${evil} 9`] },
    groups: [
      {
        ...group,
        cells,
        title: `${evil} 10`,
        operation: `${evil} 11`,
        columns: { more: { title: `${evil} 12`, unit: `${evil} 13`, reduce: "level" as const } },
        absent: [{ competitor: "none", reason: `${evil} 14` }],
        lostForks: [{ fork: 1, reason: `${evil} 15` }],
      },
    ],
  };
  const page = recordPage("Results", judgedRecord(checkRecord(record, "it")), "record.json");
  assert.ok(page.includes(`- Command: \`\`${evil} 2\`\`\n`));
  const others = page.replace(`\`\`${evil} 2\`\``, "");
  for (const live of [/(?<!\\)<img/, /(?<!\\)\[l/, /(?<!\\)`c/, /(?<!\\)\*\*b/, /@all/, /#1/, /:\/\/x/])
    assert.doesNotMatch(others, live);
  const shown = [...others.matchAll(/\\<img.*? (?=#<)#<!-- -->1 (\d+)/g)].map(([, place]) => Number(place));
  assert.deepEqual(
    [...new Set(shown)].sort((a, b) => a - b),
    [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15],
  );
});
