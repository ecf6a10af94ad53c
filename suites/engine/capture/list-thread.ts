import { createHash } from "node:crypto";
import fs, { readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { present } from "../words/present.ts";
import { importFile } from "./import-file.ts";
import type { ListMessage, ListRequest } from "./list.ts";
import { keysOf } from "./task.ts";

/** The thread in which a file is listed: imports it and reports its tasks, or why it cannot, in one line. */
const { seed, ...file } = workerData as ListRequest;
const files: Record<string, string> = {};
const read = readFileSync;
const note = (path: string) => {
  const { href } = pathToFileURL(path);
  files[href] ??= createHash("sha256").update(read(path)).digest("base64url");
};
noteReads(note);
const packages: Record<string, string> = {};
let threads = 0;
process.on("worker", () => threads++);
try {
  const { tasks, workers, perOperation, hasRun, importMs } = await importFile(file, seed, {
    stoodIn: () => say("stood in"),
    loaded(url) {
      say("loaded");
      files[url] = createHash("sha256")
        .update(readFileSync(fileURLToPath(url)))
        .digest("base64url");
    },
    resolved(specifier, url, parent) {
      const isPackage =
        /^[^./#]/.test(specifier) && url.startsWith("file:") && !specifier.startsWith("file:");
      if (isPackage && !parent.includes("/node_modules/")) packages[specifier] = url;
    },
  });
  const keys = keysOf(tasks);
  say({
    ...file,
    tasks: tasks.map(({ isBaseline = false, refused }, index) => ({
      ...keys[index]!,
      isBaseline,
      ...present({ refused, perOperation: perOperation[index] }),
    })),
    ...(workers === undefined ? {} : { workerCounts: workers.counts, hasLaw: workers.law !== undefined }),
    importMs,
    files,
    packages,
    hasRun,
    hasThreads: threads > 0,
  });
} catch (error) {
  const { message, cause } = error as Error;
  say({ refused: message, ...(cause === undefined ? {} : { isAfterRun: true }) });
}

function say(message: ListMessage): void {
  parentPort!.postMessage(message);
}

/** Has what this thread reads by itself noted, such as WebAssembly. What a package says of itself is no code. */
function noteReads(note: (path: string) => void): void {
  const readers: readonly (readonly [object, string])[] = [
    [fs, "readFileSync"],
    [fs, "readFile"],
    [fs.promises, "readFile"],
  ];
  for (const [owner, name] of readers) {
    const original = Reflect.get(owner, name) as (...given: readonly unknown[]) => unknown;
    const noting = (path: unknown, ...given: readonly unknown[]) => {
      const found = path instanceof URL ? fileURLToPath(path) : typeof path === "string" ? resolve(path) : "";
      const isCode = !/(?:^|[\\/])(?:package|tsconfig)\.json$/.test(found);
      if (isCode && fs.statSync(found, { throwIfNoEntry: false })?.isFile()) note(found);
      return original.call(owner, path, ...given);
    };
    Reflect.set(owner, name, noting);
  }
  syncBuiltinESMExports();
}
