import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { after, describe, it, mock } from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { type CaseFile, casesRun } from "../cases.synthetic.ts";
import { golden } from "../golden.trials.ts";
import list, { type Listed, type ListMessage } from "./list.ts";
import { labelOf } from "./task.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "hotpath-import-")));
const before = process.cwd();
process.chdir(root);
after(() => {
  process.chdir(before);
  rmSync(root, { recursive: true });
});

let folders = 0;

type Files = Readonly<Record<string, string>>;

function listing(files: Files, links: Files = {}): ReturnType<typeof list> {
  const folder = join(root, `case-${folders++}`);
  const place = (name: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    return join(folder, name);
  };
  for (const [name, written] of Object.entries(files)) writeFileSync(place(name), written);
  for (const [name, target] of Object.entries(links)) symlinkSync(target, place(name));
  return list({ file: pathToFileURL(join(folder, Object.keys(files)[0]!)).href });
}

/** Labels of the tasks of the first of these files, a line each, or why there are none. What differs by chance is left out. */
async function listed(files: Files, links?: Files): Promise<string> {
  const found = await listing(files, links);
  const text = "refused" in found ? found.refused : found.tasks.map(labelOf).join("\n");
  return text
    .replaceAll(`${root}/`, "")
    .replaceAll(/\bcase-\d+/g, "here")
    .replaceAll(/\b\d[\d.,]{8,}/g, "#");
}

/** As `listed`, when its thread has said this. */
async function begun(said: ListMessage, files: Files) {
  const started = once(process, "worker");
  const found = listed(files);
  const [thread] = (await started) as [Worker];
  await new Promise<void>((resolve) => thread.on("message", (message) => message === said && resolve()));
  return { found };
}

const TASK = "export const task = () => 1;";

describe("importing a bench file", { concurrency: 2 }, () => {
  for (const what of ["finds", "isolates", "ends", "refuses"]) {
    it(what, async (test) => {
      const file = `testdata/import-${what}.md`;
      const outcome = (given: readonly CaseFile[]) => {
        const { link = [], file = [] } = Object.groupBy(given, ({ language }) =>
          language === "link" ? "link" : "file",
        );
        const texts = (those: readonly CaseFile[]) =>
          Object.fromEntries(those.map(({ name, text }) => [name, text]));
        return listed(texts(file), texts(link));
      };
      golden(test, file, await casesRun(test, file, outcome));
    });
  }

  it("reads what a file of cases cannot hold: marks of byte order, and line ends of another system", async () => {
    const json = { "a.mjs": `import j from "./j.json"; export const task = { [Object.keys(j)]: () => 1 };` };
    const text = '\uFEFF{"__proto__":{"a":1},"b":2}';
    assert.equal(await listed({ ...json, "j.json": text }), "task / __proto__,b");
    const shell = "#!/usr/bin/env node\r\nexport const task = { [import.meta.main]: () => 1 };";
    assert.equal(await listed({ "a.mjs": shell }), "task / true");
  });
});

describe("a list", () => {
  it("names the files that were loaded or read, and where packages are", async () => {
    const files = {
      "a.mjs": `import "b"; import "./c.ts"; import d from "./d.json"; import { readFileSync } from "node:fs";
        readFileSync(new URL("./e.wasm", import.meta.url)); ${TASK}`,
      "node_modules/b/package.json": '{"exports":"./b.cjs"}',
      "node_modules/b/b.cjs": "require('c')",
      "node_modules/c/index.js": "",
      "c.ts": "",
      "d.json": "{}",
      "e.wasm": "",
    };
    const found = await listing(files);
    assert.ok("files" in found);
    const at = `${pathToFileURL(join(root, `case-${folders - 1}`)).href}/`;
    const names = Object.keys(found.files).map((url) => url.slice(at.length));
    assert.deepEqual(names.sort(), [
      "a.mjs",
      "c.ts",
      "d.json",
      "e.wasm",
      "node_modules/b/b.cjs",
      "node_modules/c/index.js",
    ]);
    assert.equal(found.files[`${at}c.ts`], found.files[`${at}e.wasm`]);
    assert.notEqual(found.files[`${at}c.ts`], found.files[`${at}d.json`]);
    assert.deepEqual(found.packages, { b: `${at}node_modules/b/b.cjs` });
    assert.ok(found.importMs > 0);
    assert.equal(found.ending, "pause");
  });

  it("names the addons that were loaded, from either kind of module", async () => {
    const found = await listing({
      "a.mjs": `import { createRequire } from "node:module"; import "./b.cjs";
        try { createRequire(import.meta.url)("./one.node"); } catch {} ${TASK}`,
      "b.cjs": "try { require('./two'); } catch {}",
      "one.node": "no addon",
      "two.node": "another",
    });
    assert.ok("files" in found);
    const names = Object.keys(found.files).map((url) => url.slice(url.lastIndexOf("/") + 1));
    assert.deepEqual(names.sort(), ["a.mjs", "b.cjs", "one.node", "two.node"]);
  });

  it("goes on after a run only where more tasks come of it", async () => {
    const bench = `import { Bench } from "tinybench"; const bench = new Bench().add("a", () => 1); await bench.run();`;
    const same = await listing({ "a.mjs": bench });
    const more = await listing({ "a.mjs": `${bench} new Bench().add("b", () => 1);` });
    assert.ok("ending" in same && "ending" in more);
    assert.equal(same.ending, "pause");
    assert.equal(more.ending, "go-on");
  });

  it("has the colours that the user wants", async () => {
    process.env.NO_COLOR = "1";
    try {
      const seen = "[process.env.FORCE_COLOR, process.stdout.isTTY, process.stdout.hasColors()]";
      const text = `export const task = { [${seen}]: () => 1 };`;
      assert.equal(await listed({ "a.mjs": text }), "task / ,true,false");
    } finally {
      delete process.env.NO_COLOR;
    }
  });

  it("prints nothing of what the file prints", async () => {
    const print = "await new Promise((resolve) => process.stdout.write('text', resolve));";
    const path = join(root, "prints.mjs");
    writeFileSync(path, `console.log("log"); console.error("error"); ${print} ${TASK}`);
    const workerData = { file: pathToFileURL(path).href, ending: "pause" };
    const options = { workerData, stdout: true, stderr: true, execArgv: [] };
    const worker = new Worker(new URL("./list-thread.ts", import.meta.url), options);
    const messages: unknown[] = [];
    worker.on("message", (message) => messages.push(message));
    const [out, err] = await Promise.all([text(worker.stdout), text(worker.stderr), once(worker, "exit")]);
    assert.equal((messages.at(-1) as Listed).tasks.length, 1);
    assert.deepEqual([out, err], ["", ""]);
  });

  it("is given up where a file runs on for five seconds, or for a minute if it knows a harness", async () => {
    mock.timers.enable({ apis: ["setInterval"] });
    try {
      const endless = "for (;;);";
      const own = await begun("loaded", { "a.mjs": endless });
      mock.timers.tick(5_000);
      mock.timers.tick(5_000);
      assert.match(await own.found, /a\.mjs runs for over 5 s while it is imported, and describes no task: /);
      const other = { "a.mjs": `import "./b.mjs"; ${endless}`, "b.mjs": `import "tinybench";` };
      const harnessed = await begun("stood in", other);
      mock.timers.tick(55_000);
      mock.timers.tick(5_000);
      assert.match(await harnessed.found, /a\.mjs is still being imported after 60 s, which is the limit: /);
    } finally {
      mock.timers.reset();
    }
  });

  it("refuses what is no file", async () => {
    const file = (name: string) => pathToFileURL(join(root, name)).href;
    assert.deepEqual(await list({ file: file("gone.js") }), { refused: "gone.js does not exist" });
    mkdirSync(join(root, "folder"));
    assert.deepEqual(await list({ file: file("folder") }), {
      refused: "folder is a folder: name a file in it",
    });
  });
});
