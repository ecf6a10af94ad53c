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
  const shared =
    'const text = JSON.stringify({ a: [1, 2, 3], b: "some words of text" });\nconst numbers = [5, 3, 8, 1];\n';
  return shared + groups.join("\n");
}

it("no equal of 300 takes or allocates more or less, and each of 20 with an object more allocates more", () => {
  const [file, json] = [join(folder, "equals.bench.mjs"), join(folder, "out.json")];
  writeFileSync(file, benchFile());
  const options = ["--quick", "--budget", "30m", "--seed", "69", "--baseline", "equal0", "--json", json];
  const call = [fileURLToPath(new URL("./command.ts", import.meta.url)), file, ...options];
  const { stdout, stderr } = spawnSync(process.execPath, call, { encoding: "utf8" });
  process.stdout.write(stdout);
  const { races } = JSON.parse(readFileSync(json, "utf8")) as Report;
  const rows = races.flatMap((race) => race.rows.filter(({ task }) => task !== race.baseline));
  const [planted, equals] = [true, false].map((is) => rows.filter(({ task }) => (task === "planted") === is));
  const countsOf = (verdicts: readonly string[]) =>
    Object.fromEntries(
      [...Map.groupBy(verdicts, (verdict) => verdict)].map(([one, { length }]) => [one, length]),
    );
  const bytesOf = (of: typeof rows) => countsOf(of.map(({ allocates }) => allocates?.verdict ?? "none"));
  const times = countsOf(equals!.map(({ verdict }) => verdict));
  const bytes = [bytesOf(equals!), bytesOf(planted!)] as const;
  process.stdout.write(`equals ${JSON.stringify([times, bytes[0]])}, planted ${JSON.stringify(bytes[1])}\n`);
  assert.ok(equals!.length >= GROUPS * EQUALS, stderr);
  const { faster = 0, slower = 0, more = 0, less = 0 } = { ...times, ...bytes[0] };
  assert.deepEqual(
    [{ faster, slower, more, less }, bytes[1]],
    [{ faster: 0, slower: 0, more: 0, less: 0 }, { more: PLANTED }],
  );
});
