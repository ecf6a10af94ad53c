import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import { assertVersionIsDescribed, packed, ROOT, run, scratchFolder } from "./foreign.trials.ts";

/** Folder of the instrument's package. */
const RACE = "suites/engine";
/**
 * Of the packed file, in bytes. Of it, 12,000 are commands, growth and other runtimes, whose processes run the engine of the lab; and
 * 3,000 are bytes and flames; 3,500 are workflows for pull requests, and what README and changelog say of them; 1,000 are
 * a stand-in for Deno.bench, and globals of runners; 1,500 are llms.txt and a tour.
 */
const MOST_PACKED = 116_000;

describe("hotpath-race in a foreign folder", () => {
  const scratch = scratchFolder();
  let racing: string;
  let folder: string;
  let packedBytes: number;
  /** What the README has a reader type in the clone: the command, and what packs it for elsewhere. */
  const [use, pack] = [
    ...readFileSync(join(ROOT, "README.md"), "utf8").matchAll(/^ {4}(.*hotpath-race.*)$/gm),
  ].map(([, line]) => line!.split(" ")) as [string[], string[]];
  before(() => {
    const file = packed("hotpath-race", pack.slice(1), ROOT, scratch);
    packedBytes = statSync(file).size;
    racing = join(scratch, "racing");
    mkdirSync(racing);
    writeFileSync(join(racing, "package.json"), "{}");
    run("npm", ["install", "--silent", "--offline", "--no-audit", "--logs-max=0", file], racing);
    folder = join(racing, "node_modules", "hotpath-race");
    writeFileSync(
      join(racing, "bench.mjs"),
      // So far apart that the fewest processes tell.
      `const many = Array.from({ length: 100 }, (_, at) => -at);
      export const sort = { sort: () => [2, 1, 3].sort(), toSorted: () => many.toSorted() };`,
    );
  });

  /** What the command of the package printed on stdout, and its exit code. */
  function command(...args: string[]) {
    const { status, stdout, stderr } = spawnSync("npx", ["--no-install", "hotpath-race", ...args], {
      cwd: racing,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  }

  it("holds its build, its description and its licence, is small, and needs no other package", () => {
    assert.deepEqual(readdirSync(folder).sort(), [
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "dist",
      "hotpath-race.js",
      "llms.txt",
      "package.json",
      "workflows",
    ]);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    assert.equal(manifest.dependencies, undefined);
    for (const peer of Object.keys(manifest.peerDependencies))
      assert.deepEqual(manifest.peerDependenciesMeta[peer], { optional: true });
    assertVersionIsDescribed(folder);
    assert.ok(packedBytes < MOST_PACKED, `${packedBytes} bytes`);
  });

  it("has all that its files lead to, and declarations that lead to no other package", () => {
    for (const file of globSync("dist/**/*.{js,d.ts}", { cwd: folder })) {
      const text = readFileSync(join(folder, file), "utf8");
      for (const [, name] of text.matchAll(/(?:\bfrom ?|\bimport ?|new URL\()"([^"\s()]+)"/g)) {
        const target = file.endsWith(".d.ts") ? name!.replace(/\.js$/, ".d.ts") : name!;
        assert.ok(
          name!.startsWith("node:") || existsSync(join(folder, dirname(file), target)),
          `${file} imports ${name}`,
        );
      }
    }
  });

  it("has a command that lists, races, and refuses what is wrong, and writes nothing else", () => {
    const before = readdirSync(racing, { recursive: true })
      .filter((path) => !`${path}`.includes(".cache"))
      .sort();
    const listed = command("bench.mjs", "--list");
    assert.deepEqual(
      [listed.status, listed.stdout],
      [0, "bench.mjs: 2 tasks in 1 group\n  sort\n    sort\n    toSorted\n"],
    );
    const raced = command("bench.mjs", "--quick", "--budget", "10s", "--json", "-");
    assert.equal(raced.status, 0, raced.stderr);
    const { tool, races } = JSON.parse(raced.stdout);
    assert.equal(
      tool,
      `hotpath-race ${JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version}`,
    );
    assert.deepEqual(races[0].rows.map(({ task }: { task: string }) => task).sort(), ["sort", "toSorted"]);
    const refused = command("bench.mjs", "--group", "print");
    assert.deepEqual(
      [refused.status, refused.stdout, refused.stderr.split("\n").at(-2)],
      [2, "", "there is no group print; there are: sort"],
    );
    assert.deepEqual(
      readdirSync(racing, { recursive: true })
        .filter((path) => !`${path}`.includes(".cache"))
        .sort(),
      before,
    );
  });

  it("lists TypeScript of a package that says CommonJS, with Node alone", () => {
    const project = join(racing, "project");
    mkdirSync(project);
    for (const [name, text] of Object.entries({
      "package.json": '{"type":"commonjs"}',
      "a.ts": `import { Opt } from "./opt"; import sum from "./sum"; const opt: Opt = { one: sum };
        export const task = { [opt.one + __filename.slice(-4)]: () => 1 };`,
      "sum.ts": `import { one } from "./opt"; import { two } from "./old"; export default one + two;`,
      "opt.ts": "export interface Opt { one: number } export const one = 1;",
      "old.js": "exports.two = 2;",
    }))
      writeFileSync(join(project, name), text);
    const { stdout, stderr } = command("project/a.ts", "--list");
    assert.equal(stdout, "project/a.ts: 1 task in 1 group\n  task\n    3a.ts\n", stderr);
    rmSync(project, { recursive: true });
  });

  it("is a command in a clone, as the README has it, where npm links it before it is built", () => {
    const clone = join(scratch, "clone");
    const workspace = join(clone, RACE);
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(clone, "package.json"), JSON.stringify({ workspaces: [RACE] }));
    for (const file of readdirSync(folder)) {
      if (file !== "dist") cpSync(join(folder, file), join(workspace, file), { recursive: true });
    }
    run("npm", ["install", "--silent", "--offline", "--no-audit", "--logs-max=0"], clone);
    cpSync(join(folder, "dist"), join(workspace, "dist"), { recursive: true });
    writeFileSync(join(clone, "bench.js"), "exports.one = () => 1;");
    const [npx, ...words] = use;
    assert.match(run(npx!, ["--no-install", ...words, "--list"], clone), /^bench\.js: 1 task\b/);
    run("git", ["init", "--quiet"], clone);
    run(npx!, ["--no-install", "hotpath-race", "init", "--ci", "github"], clone);
    assert.deepEqual(readdirSync(join(clone, ".github/workflows")), readdirSync(join(folder, "workflows")));
  });

  it("races its example, whose third competitor loses events", () => {
    const example = readFileSync(join(ROOT, RACE, "examples", "counter.race.ts"), "utf8");
    const briefly = example.replace("(import.meta.url, counter)", "(import.meta.url, counter, BRIEFLY)");
    const options = "{ workers: [1, 2], exactly: { forks: 1, rounds: 2, warmUpSlices: 2 } }";
    writeFileSync(join(racing, "counter.race.ts"), `const BRIEFLY = ${options};\n${briefly}`);
    const printed = run(process.execPath, ["counter.race.ts"], racing);
    assert.match(printed, /^one counter for all workers: 1 worker\n/);
    assert.match(printed, /\none counter for all workers: 2 workers\n/);
    assert.match(printed, /\nadd +\S+ ns\/event .* baseline\n/);
  });
});
