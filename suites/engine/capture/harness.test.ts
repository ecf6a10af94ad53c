import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { Worker } from "node:worker_threads";
import { type CaseFile, casesRun } from "../cases.synthetic.ts";
import { golden } from "../golden.trials.ts";
import { timesItself } from "./harnesses/tinybench.ts";
import type { ListedTask } from "./list.ts";
import { labelOf } from "./task.ts";

/** What a bench file came to whose tasks were opened in turn, one operation each. */
interface Operated {
  readonly tasks: readonly ListedTask[];
  /** What each operation came to, awaited; undefined for refused tasks. */
  readonly results: readonly unknown[];
  /** What the file has pushed to `globalThis.log`. */
  readonly log: readonly unknown[];
}

const THREAD = `
import { parentPort, workerData } from "node:worker_threads";
const { importFile } = await import(workerData.importFile);
const { keysOf } = await import(workerData.task);
globalThis.log = [];
const { tasks } = await importFile(workerData.file, 1);
const results = [];
for (const { refused, open } of tasks) {
  if (refused !== undefined) { results.push(undefined); continue; }
  const { run, parameters = [], beforeEach, afterEach } = await open();
  await beforeEach?.();
  results.push(await run(...parameters.map((make) => make())));
  await afterEach?.();
}
const keys = keysOf(tasks);
parentPort.postMessage({
  tasks: tasks.map(({ isBaseline = false, refused }, index) => ({ ...keys[index], isBaseline, refused })),
  results,
  log: globalThis.log,
});
`;

/** What a bench file comes to in a thread of its own that does one operation of each of its tasks. */
async function operated([file]: readonly CaseFile[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "bench-file-"));
  try {
    const path = join(folder, file!.name);
    await writeFile(path, file!.text);
    const workerData = {
      file: { file: pathToFileURL(path).href, ending: file!.remark || "pause" },
      importFile: new URL("./import-file.ts", import.meta.url).href,
      task: new URL("./task.ts", import.meta.url).href,
    };
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`), { workerData });
    const exited = once(worker, "exit").then(([code]) =>
      assert.fail(`the thread has ended with code ${code}`),
    );
    const [found] = (await Promise.race([once(worker, "message"), exited])) as [Operated];
    await worker.terminate();
    return linesOf(found).join("\n");
  } catch (error) {
    return String(error).replaceAll(/[^\s(]*\/(?=file\.bench)/g, "");
  } finally {
    await rm(folder, { recursive: true });
  }
}

function linesOf({ tasks, results, log }: Operated): string[] {
  const shown = (value: unknown) => inspect(value, { depth: null, breakLength: Number.POSITIVE_INFINITY });
  return [
    ...tasks.map((task, index) => {
      const mark = task.isBaseline ? ", the baseline" : "";
      return task.refused === undefined
        ? `${labelOf(task)}${mark}: ${shown(results[index])}`
        : `${labelOf(task)}${mark} is refused: ${task.refused}`;
    }),
    ...log.map((logged) => `  log: ${shown(logged)}`),
  ];
}

/** What is listed in which order, what an operation comes to, what is refused, and what the file hears of its runs. */
describe("tasks of a bench file", { concurrency: 2 }, () => {
  for (const what of ["benchmark-js", "deno", "mitata", "tinybench", "vitest", "exported"])
    it(what, async (test) => {
      const file = `testdata/${what}.md`;
      golden(test, file, await casesRun(test, file, operated));
    });

  it("time themselves where tinybench would take their word for it", () => {
    assert.ok(timesItself({ overriddenDuration: 0 }));
    for (const result of [
      undefined,
      null,
      1,
      {},
      { overriddenDuration: undefined },
      { overriddenDuration: -1 },
    ])
      assert.ok(!timesItself(result), inspect(result));
  });
});
