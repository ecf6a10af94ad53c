import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { callOf } from "./arguments.ts";
import { madeOutput } from "./output.synthetic.ts";
import { raceFiles } from "./race-files.ts";
import type { Report } from "./report.ts";

const FILE = fileURLToPath(new URL("./race-files.synthetic.mjs", import.meta.url));
const EXACTLY = { forks: 1, rounds: 2, warmUpSlices: 2 };
const folder = mkdtempSync(join(tmpdir(), "hotpath-cli-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What a call printed, and its exit code. */
async function raced(...args: string[]) {
  return racedUntil(undefined, ...args);
}

/** As `raced`, interrupted as soon as this was printed. */
async function racedUntil(seen: string | undefined, ...args: string[]) {
  const stop = new AbortController();
  const call = callOf(args);
  assert.ok(call.kind === "race");
  const { printed, output } = madeOutput(stop.signal, (all) => {
    if (seen !== undefined && all.includes(seen)) stop.abort();
  });
  return { code: await raceFiles(call.request, output, EXACTLY), ...printed };
}

describe("hotpath-race", () => {
  it("races a task on several runtimes, with a flag that only one of them has", async () => {
    const bench = join(folder, "flags.bench.mjs");
    const task = `() => { if (globalThis.gc) throw new Error("gc is here"); }`;
    writeFileSync(bench, `export const a = ${task};\nexport const throughput = { bytes: 1e3 };\n`);
    const { code, out } = await raced(bench, "--with", "--expose-gc", "--json", "-");
    const { races } = JSON.parse(out) as Report;
    const seen = races.map(({ group, baseline, rows }) => [
      ...[group, baseline],
      ...rows.map(({ task, ns, remarks }) => [task, ns === null ? remarks : "has a number"]),
    ]);
    const rows = [
      ["without", "has a number"],
      ["--expose-gc", ["worker 0: gc is here"]],
    ];
    assert.deepEqual(seen, [["a", "without", ...rows]]);
    const { ns, throughput } = races[0]!.rows[0]!;
    assert.deepEqual(throughput!.unit, "bytes");
    assert.equal(throughput!.perSecond.value, 1e12 / ns!.value);
    assert.equal(code, 1);
  });

  it("races the example of llms.txt", async () => {
    const text = readFileSync(new URL("../llms.txt", import.meta.url), "utf8");
    const bench = join(folder, "join.bench.mjs");
    writeFileSync(bench, /^```js\n([\s\S]*?)^```$/m.exec(text)![1]!);
    const { code, out } = await raced(bench, "--json", "-");
    const { races, refused } = JSON.parse(out) as Report;
    const tasks = races.flatMap(({ rows }) => rows.filter(({ ns }) => ns !== null).map(({ task }) => task));
    assert.deepEqual([tasks.sort(), refused, code], [["join", "loop", "reduce"], [], 0]);
  });

  it("lists tasks by file and group", async () => {
    const { code, out } = await raced(FILE, "--list");
    assert.equal(
      out,
      `${FILE}: 3 tasks in 2 groups\n  parse\n    JSON.parse\n    twice\n  print\n    throws\n`,
    );
    assert.equal(code, 0);
  });

  it("lists them for a program, alone on stdout or beside the list in a file", async () => {
    const task = { isBaseline: false, refused: null };
    const expected = {
      version: 1,
      tool: "hotpath-race 0",
      files: [
        {
          file: pathToFileURL(FILE).href,
          tasks: [
            { groups: ["parse"], task: "JSON.parse", ...task },
            { groups: ["parse"], task: "twice", ...task },
            { groups: ["print"], task: "throws", ...task },
          ],
        },
      ],
      refused: [],
    };
    assert.deepEqual(JSON.parse((await raced(FILE, "--list", "--json", "-")).out), expected);
    const json = join(folder, "list.json");
    assert.match((await raced(FILE, "--list", "--json", json)).out, /: 3 tasks in 2 groups\n/);
    assert.deepEqual(JSON.parse(readFileSync(json, "utf8")), expected);
  });

  it("races group by group, says what it costs first, and writes what is asked for", async () => {
    const [json, markdown] = [join(folder, "out.json"), join(folder, "out.md")];
    const { code, out, err, all } = await raced(FILE, "--seed", "7", "--json", json, "--markdown", markdown);
    assert.equal(code, 1, "a task throws");
    assert.match(err, /\n3 tasks in 2 groups: about \d/);
    assert.ok(all.indexOf("3 tasks in 2 groups: about") < all.indexOf("looking at"), all);
    assert.ok(all.indexOf("3 tasks in 2 groups: about") < all.indexOf("JSON.parse "), all);
    assert.match(out, /race-files\.synthetic\.mjs: parse\n\ntask .*\n/);
    assert.match(out, /\nJSON\.parse .* baseline\n/);
    assert.match(err, /\.mjs: print \/ throws: it threw: not today\n/);
    assert.match(out, /\nNo law was checked: .*\nSeed 7\.\n$/);
    const report = JSON.parse(readFileSync(json, "utf8")) as Report;
    assert.deepEqual([report.version, report.tool, report.seed], [1, "hotpath-race 0", 7]);
    const [parse] = report.races;
    assert.deepEqual([parse!.group, parse!.baseline, parse!.processes], ["parse", "JSON.parse", 1]);
    assert.deepEqual(parse!.rows.map(({ task }) => task).sort(), ["JSON.parse", "twice"]);
    assert.match(readFileSync(markdown, "utf8"), /^### .*: parse\n\n\| task /);
  });

  it("says of tasks that have one name in which group each is", async () => {
    const path = join(folder, "twins.bench.mjs");
    const thrower = (why: string) => `{ same: () => { throw new Error("${why}"); } }`;
    writeFileSync(path, `export const read = ${thrower("no")};\nexport const write = ${thrower("no")};\n`);
    const { err } = await raced(path);
    assert.deepEqual(err.match(/(?<=: )\w+ \/ same: .*/g), [
      "read / same: it threw: no",
      "write / same: it threw: no",
    ]);
  });

  it("prints JSON and nothing else on stdout where that is asked for", async () => {
    const { code, out } = await raced(FILE, "--group", "PARSE", "--baseline", "twice", "--json", "-");
    const { races } = JSON.parse(out) as Report;
    assert.deepEqual(
      races.map(({ group, baseline }) => [group, baseline]),
      [["parse", "twice"]],
    );
    assert.equal(code, 0);
  });

  it("says in one line why a file gives no tasks, and races the others", async () => {
    const [empty, broken] = [join(folder, "empty.mjs"), join(folder, "broken.mjs")];
    writeFileSync(empty, "export const nothing = 1;\n");
    writeFileSync(broken, 'throw new Error("not\\nthis one");\n');
    const { code, err } = await raced(empty, broken, "--json", join(folder, "none.json"));
    assert.match(err, /empty\.mjs has no task: /);
    assert.match(err, /broken\.mjs.*not/);
    assert.equal(code, 2, "there is nothing to race");
    assert.ok(!existsSync(join(folder, "none.json")));
  });

  it("keeps what is decided where it is interrupted", async () => {
    const { code, out, err } = await racedUntil("JSON.parse ", FILE, "--seed", "7");
    assert.equal(code, 130);
    assert.match(out, /\nSeed 7\.\n$/);
    assert.match(err, /\ninterrupted: 1 table decided\n$/);
    assert.doesNotMatch(err, /not today/);
  });

  it("shows names as one line without what steers a terminal", async () => {
    const path = join(folder, "named.bench.mjs");
    writeFileSync(
      path,
      'export const group = { "a\\u001b[2J\\nb": () => 1, c: () => { throw new Error("\\u001b[2J"); } };',
    );
    const list = await raced(path, "--list");
    assert.match(list.out, /\n {4}a \[2J b\n/);
    const { all } = await raced(path, "--histogram");
    assert.ok(!all.includes("\u001b"), all);
  });

  const refusals: readonly [readonly string[], RegExp][] = [
    [["--group", "x"], /^there is no group x; there are: parse, print$/],
    [["--group", "parse", "--task", "x"], /^there is no task x; there are: JSON\.parse, twice$/],
    [["--baseline", "x"], /^there is no task to compare with x; there are: JSON\.parse, twice, throws$/],
    [
      ["--workers", "2"],
      /^--workers is for files that export `workers`, and none of these does: leave it out$/,
    ],
    [["--json", tmpdir()], /^\/.* is a folder: give a file$/],
    [["--markdown", "no-such-folder/"], /^no-such-folder\/ is a folder: give a file$/],
    [["--json", "x".repeat(300)], /^x+ cannot be written \(ENAMETOOLONG\): give another file$/],
    [["--json", "no/such/folder"], /^no\/such\/folder cannot be written \(ENOENT\): give another file$/],
  ];
  for (const [args, message] of refusals)
    it(`is refused before anything is raced: ${args.join(" ")}`, () =>
      assert.rejects(raced(FILE, ...args), { name: "Error", message }));
});
