import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { examineCandidates, loadCandidates, requested } from "./candidates.ts";
import { UsageError } from "./command/usage.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-candidates-"));
after(() => rmSync(folder, { recursive: true }));

const moduleAt = (path: string) => JSON.stringify(new URL(`../../structures/${path}`, import.meta.url));
const HONEST = `export { default } from ${moduleAt("pick/competitors/cas-ring.ts")};\n`;

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("a candidate is refused in one line, and imported in no process but its own", () => {
  const refusals: readonly [name: string, text: string, message: RegExp][] = [
    ["exits.ts", "process.exit(0);", /cannot be imported: its process exited with code 0; a module may only/],
    ["dies.ts", 'process.kill(process.pid, "SIGKILL");', /its process died of SIGKILL/],
    ["loops.ts", "for (;;);", /its process was silent for 3 s and was killed/],
    [
      "rejects.ts",
      `setTimeout(() => Promise.reject(new Error("nobody listens"))); await new Promise(() => {});`,
      /cannot be imported: it threw: nobody listens, outside of any call; a module may only/,
    ],
    ["throws.ts", 'const a = 1;\nthrow new Error("no\\nway");', /\/throws\.ts:2:7 Error: no$/],
    ["syntax.ts", "export default {\n  a: = 1,\n};", /\/syntax\.ts:2:6 SyntaxError: Expression expected$/],
    ["script.js", "export default {\n  a: = 1,\n};", /\/script\.js:2:6 SyntaxError: Unexpected token '='$/],
    [
      "absent.ts",
      'import "./nowhere.ts";',
      /Cannot find module.*; npm run new -- candidate PATH lays out one/,
    ],
    ["no-default.ts", "export const picker = {};", /fits no contract.*pick: it has no default export/],
    ["Odd_Name.ts", HONEST, /Odd_Name\.ts is not named like a competitor: lower-case words/],
    ["common.cjs", "module.exports = {};", /is not named like a competitor.* \.ts, \.mts, \.js or \.mjs/],
    [
      "patches.ts",
      `Math.random = () => 0;\n${HONEST}`,
      /cannot be raced: it replaced Math\.random, which all/,
    ],
    [
      "threads.ts",
      `import { Worker } from "node:worker_threads";\nnew Worker(";", { eval: true }).unref();\n${HONEST}`,
      /cannot be raced: it starts a thread where it is imported$/,
    ],
    [
      "flags.ts",
      `import { setFlagsFromString } from "node:v8";\nsetFlagsFromString("--no-turbofan");\n${HONEST}`,
      /cannot be raced: it changes V8's flags where it is imported$/,
    ],
    ["cas-ring.ts", HONEST, /pick already has a competitor named cas-ring; rename the file/],
  ];
  for (const [name, text, message] of refusals) {
    it(name, async () => {
      await assert.rejects(loadCandidates([file(name, text)], [], 3_000), (error: Error) => {
        assert.ok(error instanceof UsageError);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /\n/);
        return true;
      });
    });
  }

  it("two of one name", async () => {
    const both = [file("mine.ts", HONEST), file("mine.mjs", "")];
    writeFileSync(both[1]!, `export * from "./mine.ts"; export { default } from "./mine.ts";`);
    await assert.rejects(loadCandidates(both, ["pick"]), /already has a competitor named mine/);
  });
});

it("a candidate is known by data: its primitive, and where it takes part", async () => {
  const mask = moduleAt("pick/competitors/shuffled-round-robin-mask.ts");
  const path = file("mask.js", `export { default } from ${mask};`);
  const [candidate] = await loadCandidates([path], []);
  assert.equal(candidate!.entry.name, "mask");
  assert.equal(candidate!.primitive, "pick");
  assert.match(candidate!.described.scenarios["uniform-7"]!.absent ?? "", /power of two/);
  assert.equal(candidate!.described.scenarios["uniform-8"]!.absent, undefined);
  const { candidates, described } = requested([candidate!]);
  assert.deepEqual(candidates.get("pick"), [candidate!.entry]);
  assert.equal(described.get(candidate!.entry.url), candidate!.described);
});

describe("a candidate is examined", () => {
  const isGood = async (name: string, text: string) =>
    examineCandidates(await loadCandidates([file(name, text)], ["pick"]));

  it("and found good where it keeps every law", async () => {
    assert.equal(await isGood("honest.ts", HONEST), true);
  });

  it("and found out where it breaks one that no total of a race shows", async () => {
    const mutant = moduleAt("pick/pick.mutants.ts?first-and-last");
    assert.equal(await isGood("ends-only.ts", `export { default } from ${mutant};`), false);
  });

  it("and found out where it ends its process", async () => {
    const text = `import honest from ${moduleAt("pick/competitors/per-worker-random.ts")};
      export default { ...honest, format() { process.exit(0); } };`;
    assert.equal(await isGood("leaves.ts", text), false);
  });
});
