import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Report } from "./report.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-bytes-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Each is raced against ten equals of its own; in two of three groups against one with an object more, too. */
const KINDS = {
  none: "1",
  object: "{ a: 1 }",
  parse: "JSON.parse(text)",
  text: "text.repeat(3) + text.length",
  map: "new Map([[1, { a: 1 }]])",
  sort: "numbers.toSorted()",
  large: "new Array(2000).fill(1)",
  match: "text.match(/[a-z]+/g)",
  class: "new (class { b = { c: [1, 2] } })()",
  bytes: "new Uint8Array(64)",
};
const GROUPS = 30;
const PLANTED = 20;
const EQUALS = 10;

/** A module in which nothing is shared: each task is code of its own. */
function benchFile(): string {
  const kinds = Object.values(KINDS);
  const groups = Array.from({ length: GROUPS }, (_, group) => {
    const work = kinds[group % kinds.length]!;
    const run = group % 3 === 2 ? "async () =>" : "() =>";
    const equals = Array.from({ length: 1 + EQUALS }, (_, index) => `equal${index}: ${run} (${work})`);
    const planted = group < PLANTED ? [`planted: ${run} [${work}]`] : [];
    return `export const group${group} = {\n  ${[...equals, ...planted].join(",\n  ")},\n};\n`;
  });
  return [
    'const text = JSON.stringify({ a: [1, 2, 3], b: "some words of text" });',
    "const numbers = [5, 3, 8, 1];",
    ...groups,
  ].join("\n");
}

it("no equal of 300 allocates more or less, and each of 20 with an object more does", () => {
  const [file, json] = [join(folder, "equals.bench.mjs"), join(folder, "out.json")];
  writeFileSync(file, benchFile());
  const command = fileURLToPath(new URL("./command.ts", import.meta.url));
  const call = [
    command,
    file,
    "--quick",
    "--budget",
    "30m",
    "--seed",
    "69",
    "--baseline",
    "equal0",
    "--json",
    json,
  ];
  const { stdout, stderr } = spawnSync(process.execPath, call, { encoding: "utf8" });
  process.stdout.write(stdout);
  const { races } = JSON.parse(readFileSync(json, "utf8")) as Report;
  const rows = races.flatMap((race) => race.rows.filter(({ task }) => task !== race.baseline));
  const countsOf = (of: typeof rows) => {
    const verdicts = Map.groupBy(of, ({ allocates }) => allocates?.verdict ?? "none");
    return Object.fromEntries([...verdicts].map(([verdict, { length }]) => [verdict, length]));
  };
  assert.ok(rows.length >= GROUPS * EQUALS, stderr);
  const equals = countsOf(rows.filter(({ task }) => task !== "planted"));
  const planted = countsOf(rows.filter(({ task }) => task === "planted"));
  process.stdout.write(`equals ${JSON.stringify(equals)}, planted ${JSON.stringify(planted)}\n`);
  assert.deepEqual(
    { more: equals.more ?? 0, less: equals.less ?? 0, planted },
    { more: 0, less: 0, planted: { more: PLANTED } },
  );
});
