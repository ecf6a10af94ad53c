import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { withScratch } from "../measure/machine/scratch.ts";
import { askFork } from "../measure/run/process.ts";
import type { Listed, Unlisted } from "./list.ts";
import { packageRootOf } from "./package-root.ts";

/**
 * Files of public repositories are listed as they are, and nothing is written beside them. HOTPATH_FOREIGN names a folder with a
 * repository in each "owner+name", with its dependencies. Only what is there is tried.
 */
const FOLDER = process.env.HOTPATH_FOREIGN;

/** A repository, a file in it, and its numbers of tasks and groups, by a study of 33 repositories in November 2026. */
const STUDIED = `
  fastify/secure-json-parse benchmarks/valid.js 7 1
  fastify/secure-json-parse benchmarks/throw.js 5 1
  fastify/fast-uri benchmark/benchmark.mjs 42 3
  fastify/fast-uri benchmark/equal.mjs 8 1
  ai/nanoid test/benchmark.js 14 1
  planttheidea/fast-equals benchmark/index.js 224 14
  colinhacks/zod packages/bench/object.ts 3 1
  colinhacks/zod packages/bench/string.ts 2 1
  colinhacks/zod packages/bench/object-async.ts 2 1
  unjs/destr test/bench.mjs 30 6
  jshttp/cookie src/parse-cookie.bench.ts 25 2
  jshttp/cookie src/stringify-set-cookie.bench.ts 4 1
  vuejs/core packages/reactivity/__benchmarks__/computed.bench.ts 13 1
  vuejs/core packages/reactivity/__benchmarks__/reactiveArray.bench.ts 27 1
  ai/nanoevents test/benchmark.js 2 1
  piscinajs/piscina benchmark/queue-comparison.js 2 1
  piscinajs/piscina benchmark/piscina-queue-comparison.js 2 1
  delvedor/find-my-way benchmark/uri-decoding.js 21 1
  alexeyraspopov/picocolors benchmarks/simple.mjs 10 1
  alexeyraspopov/picocolors benchmarks/complex.mjs 10 1
  alexeyraspopov/picocolors benchmarks/loading.mjs 10 1
  evanwashere/mitata examples/async.js 4 2
  evanwashere/mitata examples/cacheline.js 6 1
  evanwashere/mitata examples/holey_array.js 25 2
  evanwashere/mitata examples/memcmp.js 14 1
  honojs/hono benchmarks/query-param/src/bench.mts 28 7
  honojs/hono benchmarks/routers/src/bench.mts 96 8
  pillarjs/path-to-regexp src/index.bench.ts 9 4
  epoberezkin/fast-deep-equal benchmark/index.js 12 1
  primus/eventemitter3 benchmarks/run/emit.js 8 1
  primus/eventemitter3 benchmarks/run/add-remove.js 8 1
  ka-weihe/fastest-levenshtein bench.ts 45 1
  uuidjs/uuid examples/benchmark/node.js 15 3
  fastify/deepmerge benchmark/bench.js 6 1
  nodejs/undici benchmarks/fetch/body-arraybuffer.mjs 6 3
`;

/** Files that give no task, of the same study, and why. */
const REFUSED = {
  "fastify/fast-json-stringify benchmark/bench.js": /starts workers that hold its tasks/,
  "delvedor/find-my-way benchmark/bench.js": /starts workers that hold its tasks/,
  "fastify/fast-json-stringify benchmark/bench-thread.js":
    /Cannot read properties of null \(reading 'name'\)/,
  "delvedor/find-my-way benchmark/bench-thread.js": /Cannot read properties of null \(reading 'setupURLs'\)/,
  "evanwashere/mitata examples/library_usage.js": /uses mitata's measure\(\), which gives no task/,
  "lukeed/klona bench/index.js": /imports lodash\/clonedeep/,
};

async function listed(path: string): Promise<Listed | Unlisted> {
  process.chdir(packageRootOf(path));
  return await withScratch("list", async (confinedTo) => {
    const module = new URL("./list.ts", import.meta.url).href;
    const argument = { file: pathToFileURL(path).href };
    const answer = await askFork({ kind: "call", module, argument, confinedTo }, { estimateMs: 60_000 });
    assert.equal(answer.kind, "called");
    return (answer as { readonly value: unknown }).value as Listed | Unlisted;
  });
}

/** What git finds changed or new in a repository, ignored files too. */
function changesIn(folder: string): string {
  return execFileSync("git", ["-C", folder, "status", "--porcelain", "--ignored"], { encoding: "utf8" });
}

describe("files of public repositories", {
  skip: FOLDER === undefined && "HOTPATH_FOREIGN names none",
}, () => {
  const tried = (file: string, check: (found: Listed | Unlisted) => void) => {
    const [repository, within] = file.split(" ");
    const folder = join(FOLDER ?? "", repository!.replace("/", "+"));
    const path = join(folder, within!);
    it(file, { skip: !existsSync(path) && "is not there" }, async () => {
      const before = changesIn(folder);
      check(await listed(path));
      assert.equal(changesIn(folder), before);
    });
  };
  for (const [, file, tasks, groups] of STUDIED.matchAll(/(\S+ \S+) (\d+) (\d+)/g)) {
    tried(file!, (found) => {
      assert.ok("tasks" in found, (found as Unlisted).refused);
      const named = new Set(found.tasks.map((task) => JSON.stringify(task.groups)));
      assert.deepEqual([found.tasks.length, named.size], [Number(tasks), Number(groups)]);
    });
  }
  for (const [file, reason] of Object.entries(REFUSED)) {
    tried(file, (found) => {
      assert.match((found as Unlisted).refused, reason);
    });
  }
});
