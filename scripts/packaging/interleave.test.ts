import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import { LAB_RUNTIMES, notInstalled, OTHER_RUNTIMES, startOf } from "../../suites/lab/runtimes/runtimes.ts";
import {
  assertVersionIsDescribed,
  FOR_RUNTIMES,
  ForeignFolder,
  packed,
  ROOT,
  run,
  scratchFolder,
  unpack,
} from "./foreign.trials.ts";

/** Folder of the explorer's package. */
const INTERLEAVE = "structures/interleave";
/** Of the packed file, in bytes. */
const MOST_PACKED = 65_500;
/** What a program that is compiled for another runtime needs. */
const TYPES = ["@types/node", "undici-types"];

describe("interleave-shared in a foreign folder", () => {
  const README_BLOCKS = [
    ...readFileSync(join(ROOT, INTERLEAVE, "README.md"), "utf8").matchAll(/^```text\n(.*?\n)```$/gms),
  ].map(([, text]) => text!);
  const EXAMPLES_THAT_PRINT = ["aba", "awaited", "counter", "lost-wake-up", "publication", "seqlock"];
  /** Runs them all, and prints the error of the one that throws. */
  const ALL = `for (const name of ${JSON.stringify(EXAMPLES_THAT_PRINT)})
    await import(\`./\${name}.ENDING\`).catch(({ message }) => console.log(message));`;
  const scratch = scratchFolder();
  let foreign: ForeignFolder;
  let folder: string;
  let packedBytes: number;

  before(() => {
    const file = packed("interleave-shared", ["pack"], join(ROOT, INTERLEAVE), scratch);
    packedBytes = statSync(file).size;
    foreign = new ForeignFolder(join(scratch, "foreign"), TYPES);
    folder = join(foreign.path, "node_modules", "interleave-shared");
    unpack(file, folder);
    for (const name of [...EXAMPLES_THAT_PRINT, "in-node-test"])
      copyFileSync(join(ROOT, INTERLEAVE, "examples", `${name}.ts`), join(foreign.path, `${name}.ts`));
  });

  function assertPrinted(printed: string): void {
    assert.ok(README_BLOCKS.length > 0);
    for (const block of README_BLOCKS) assert.ok(printed.includes(block), printed);
    assert.equal(printed.match(/^Every schedule was visited: /gm)?.length, EXAMPLES_THAT_PRINT.length - 1);
  }

  it("holds its build, its pages and its licence, is small, and needs no other package and no Node", () => {
    assert.deepEqual(readdirSync(folder).sort(), [
      "API.md",
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "dist",
      "package.json",
    ]);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    for (const field of ["dependencies", "peerDependencies"]) assert.ok(!(field in manifest), field);
    assertVersionIsDescribed(folder);
    assert.ok(packedBytes < MOST_PACKED, `${packedBytes} bytes`);
    for (const file of globSync("dist/**/*.{js,d.ts}", { cwd: folder })) {
      const text = readFileSync(join(folder, file), "utf8");
      for (const [, name] of text.matchAll(/^(?:import|export)\b(?:.* from)? "([^"]+)";$/gm)) {
        const target = file.endsWith(".d.ts") ? name!.replace(/\.js$/, ".d.ts") : name!;
        assert.ok(existsSync(join(folder, dirname(file), target)), `${file} imports ${name}`);
      }
    }
  });

  it("prints for each example what its README says", () => {
    assertPrinted(foreign.output("interleavings.js", ALL.replace("ENDING", "ts")));
  });

  it("serves tests of node:test", () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const reporting = ["--test", "--test-reporter=tap", "in-node-test.ts"];
    const tested = spawnSync(process.execPath, reporting, { cwd: foreign.path, env, encoding: "utf8" });
    assert.match(tested.stdout, /^ok 1 - no increment is lost$/m);
  });

  it("explores code that keeps Atomics, once it is registered", () => {
    foreign.write("kept.js", "const { add } = Atomics;\nexport const count = (words) => add(words, 0, 1);");
    const program = `import { check } from "interleave-shared";
    import { count } from "./kept.js";
    const shared = new Int32Array(new SharedArrayBuffer(4));
    try { console.log(check({ shared, threads: [count, count] }).complete); } catch ({ message }) { console.log(message); }`;
    assert.match(foreign.output("unregistered.js", program), /import "interleave-shared\/register" before/);
    assert.equal(
      foreign.output("registered.js", `import "interleave-shared/register";\n${program}`),
      "true\n",
    );
  });

  it("has types that hold strictly, without those of Node, as programs and bundlers resolve modules", () => {
    foreign.write(
      "interleaving.ts",
      `import "interleave-shared/register";
import { type Checked, type Coverage, check, checkAsync, InterleavingError } from "interleave-shared";
import { check as checkModel, WAITS } from "interleave-shared/model";
const words = new Int32Array(new SharedArrayBuffer(4));
const program: Checked<Int32Array> = { shared: words, threads: [(shared) => Atomics.add(shared, 0, 1)] };
export const coverage: Coverage = check(program, { preemptions: 2, random: { schedules: 1, seed: 1 } });
export const awaited: Promise<Coverage> = checkAsync({ shared: words, threads: [async ([count]) => count] });
check({
  shared: { words, bytes: new Uint8Array(words.buffer) },
  attach: ({ words, bytes }, thread) => ({ words, bytes, thread }),
  threads: [({ words, thread }) => Atomics.store(words, 0, thread), [({ bytes }) => bytes[0]]],
  end({ words }, { results }) {
    if (words[0] !== results[0]![0]) throw new InterleavingError("end", "not stored");
  },
});
export const { complete } = checkModel({
  model: { value: 0, next() { return this.value < 9 ? this.value++ : WAITS; } },
  shared: words,
  operations: { next: { call: (shared) => Atomics.add(shared, 0, 1), args: ({ nth }) => [nth] } },
  threads: 2,
  calls: 2,
});
// @ts-expect-error: states are a number, which would pass unnoticed if the types had become \`any\`.
export const states: string = coverage.states;
`,
    );
    for (const [module, moduleResolution] of [
      ["nodenext", "nodenext"],
      ["esnext", "bundler"],
    ]) {
      foreign.assertStrict(["interleaving.ts"], {
        target: "es2022",
        lib: ["es2022"],
        module,
        moduleResolution,
        types: [],
      });
    }
  });

  for (const runtime of OTHER_RUNTIMES) {
    const start = startOf(runtime);
    const skip = start === undefined ? notInstalled(runtime) : false;
    it(`prints for each example what its README says, on ${runtime}`, { skip }, () => {
      const isTyped = LAB_RUNTIMES.includes(runtime);
      if (!isTyped)
        foreign.compile(
          EXAMPLES_THAT_PRINT.map((name) => `${name}.ts`),
          ...FOR_RUNTIMES,
        );
      assertPrinted(foreign.output("interleavings.js", ALL.replace("ENDING", isTyped ? "ts" : "js"), start));
      if (runtime === "deno") run(start!.file, ["check", "--quiet", "interleaving.ts"], foreign.path);
    });
  }
});
