import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { it } from "node:test";
import { runInNewContext } from "node:vm";
import { mergedProfile } from "./cpu-profile.ts";
import { interactivePage, SHOWING_ALL } from "./interactive.ts";

it("0x's page has every frame, with the lines of the source, loads nothing from elsewhere and reveals no folder", async () => {
  const calls = [
    { name: "pick", file: "structures/pick/competitors/cas-ring.ts", line: 42 },
    { name: "", file: "structures/pick/competitors/cas-ring.ts", line: 50 },
  ];
  const collector = [{ name: "(garbage collector)", file: "", line: 0 }];
  const samples = [
    { calls, sinceUs: 1 },
    { calls: collector, sinceUs: 1 },
  ];
  const page = await interactivePage(mergedProfile([{ worker: "worker 0", samples }]), "pick/a/b/1w");
  const [, tree] = /visualizer\((\{.*?\}), \{"title":"pick\/a\/b\/1w"/s.exec(page) ?? [];
  const { unmerged } = JSON.parse(tree!) as { unmerged: Frame };
  interface Frame {
    readonly name: string;
    readonly value: number;
    readonly children: readonly Frame[];
  }
  const rows = (frame: Frame): [string, number][] => [
    [frame.name, frame.value],
    ...frame.children.flatMap(rows),
  ];
  assert.deepEqual(rows(unmerged), [
    ["root", 2],
    ["worker 0", 2],
    ["pick structures/pick/competitors/cas-ring.ts:42", 1],
    ["anonymous structures/pick/competitors/cas-ring.ts:50", 1],
    ["garbage collector", 1],
  ]);
  const hidden = /exclude = new Set\(\[.*'v8'/;
  assert.match(page, hidden, "0x hides what it takes for V8's own, so that the address has to say otherwise");
  assert.match(page, /parseHistoryState\(window\.location\.hash\.slice\(1\)\)/);
  assert.deepEqual(JSON.parse(decodeURIComponent(SHOWING_ALL.slice(1))).excludeTypes, []);
  assert.equal(page.includes(tmpdir()), false);
  assert.doesNotMatch(page, /<(?:script|link|img)[^>]+(?:src|href)="?https?:/);
});

it("0x's page shows the hottest frames in the last colour of its legend, and leaves other colours as they are", async () => {
  const samples = [{ calls: [], sinceUs: 1 }];
  const page = await interactivePage(mergedProfile([{ worker: "worker 0", samples }]), "pick/a/b/1w");
  const [script] = /(?<=<script>).*?(?=<\/script>)/s.exec(page)!;
  const seen = (fill: string) =>
    runInNewContext(`class CanvasRenderingContext2D { set fillStyle(fill) { this.own = fill; } }
      ${script}
      const context = new CanvasRenderingContext2D();
      context.fillStyle = ${JSON.stringify(fill)};
      context.own`);
  const hottest = "rgba(574,43,166, 0.844)";
  for (const [fill, expected] of [
    ["rgba(1450,40,900, 1.2)", hottest],
    ["rgba(40,575,90, 1)", hottest],
    ["rgba(574,43,166, 0.8440000000000001)", "rgba(574,43,166, 0.8440000000000001)"],
    ["cyan", "cyan"],
  ] as const) {
    assert.equal(seen(fill), expected);
  }
  assert.ok(page.lastIndexOf("--background: white") > page.lastIndexOf("--background: #000"));
});
