import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { RunEnding } from "../collection.ts";
import type { ListedTask } from "../list.ts";
import { labelOf } from "../task.ts";

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

/** Imports a bench file of this text in a thread of its own, and does one operation of each task. Rejects as the file does. */
export async function operated(
  text: string,
  { ending = "pause", extension = "mjs" }: { ending?: RunEnding; extension?: "mjs" | "cjs" } = {},
): Promise<Operated> {
  const folder = await mkdtemp(join(tmpdir(), "bench-file-"));
  try {
    const path = join(folder, `file.bench.${extension}`);
    await writeFile(path, text);
    const workerData = {
      file: { file: pathToFileURL(path).href, ending },
      importFile: new URL("../import-file.ts", import.meta.url).href,
      task: new URL("../task.ts", import.meta.url).href,
    };
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`), { workerData });
    const exited = once(worker, "exit").then(([code]) =>
      assert.fail(`the thread has ended with code ${code}`),
    );
    const [operated] = (await Promise.race([once(worker, "message"), exited])) as [Operated];
    await worker.terminate();
    return operated;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Asserts that these are the labels of a file's tasks, in order, and what one operation of each comes to, or why it is refused. */
export async function assertListed(
  expected: Readonly<Record<string, unknown>>,
  ...given: Parameters<typeof operated>
): Promise<void> {
  const { tasks, results } = await operated(...given);
  const listed = tasks.map((task, index) => [labelOf(task), task.refused ?? results[index]]);
  assert.deepEqual(listed, Object.entries(expected));
}
