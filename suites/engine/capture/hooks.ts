import { readFileSync, realpathSync, statSync } from "node:fs";
import { createRequire, type LoadHookContext, type ResolveFnOutput, registerHooks } from "node:module";
import { extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as threads from "node:worker_threads";
import { CONFINEMENT } from "../measure/machine/confinement.ts";
import type { Collection } from "./collection.ts";
import { HARNESSES } from "./harness.ts";
import { DENO_BENCH, denoOf } from "./harnesses/deno.ts";
import { asNodeNames, type Missing, PATH, TYPED } from "./reason.ts";
import { isMisplacedModule, type Runnable, runnableOf } from "./typescript.ts";

/** Under which the stand-ins' modules find what to export, in this thread's global object. */
const SURFACES = Symbol.for("hotpath-race: surfaces");

const STAND_IN = "hotpath-stand-in:";
const THREADS = "node:worker_threads";

/** What `worker_threads` is to a main thread. Threads that it starts may start no process where it may start none. */
const OWN_THREADS = {
  isMainThread: true,
  parentPort: null,
  workerData: null,
  ...(process.permission !== undefined && {
    Worker: class Worker extends threads.Worker {
      constructor(file: string | URL, options?: threads.WorkerOptions) {
        const own = CONFINEMENT.filter((flag) => flag !== "--allow-child-process");
        super(file, { ...options, execArgv: [...(options?.execArgv ?? []), ...own] });
      }
    },
  }),
};

/** A path to a harness's own files. */
const INSTALLED = /^\..*\/node_modules\/(benchmark|mitata|tinybench)\/.*$/;
/** Where a file's text calls what a runner would have made global. */
const GLOBAL_CALL = /^\s*bench(?:\.\w+)?\(/m;

/** Hears what an import finds. */
export interface Finding {
  /** Of a stand-in, that the file knows the harness. */
  stoodIn(): void;
  /** Of a file, and whether V8 knows the lines in it as they are. */
  loaded(url: string, hasItsLines: boolean): void;
  /** Of a package or file, that the one at `parent` names it so. */
  resolved(specifier: string, url: string, parent: string): void;
  /** Of a file or package that is not there; the file may do without it. */
  missed(error: unknown, missing: Missing): void;
}

/**
 * From now on, imports and requires of this thread find what a bench file at `main` is used to. They get stand-ins that add
 * to `collection` in place of benchmark libraries, installed or not; `.ts` where it says `.js`; and JavaScript of TypeScript.
 * The file is the main module, and its thread the main thread.
 */
export function standIn(collection: Collection, main: string, finding: Finding): void {
  const surfaces: Record<string, object> = {
    [THREADS]: { ...threads, ...OWN_THREADS },
  };
  for (const harness of HARNESSES) surfaces[harness.package] = harness.surface(collection);
  (globalThis as Record<symbol, unknown>)[SURFACES] = surfaces;
  makeGlobal(readFileSync(fileURLToPath(main), "utf8"), surfaces, collection, finding);
  // The file's own project before the place where this package's optional peer is.
  const places = [main, import.meta.url];
  registerHooks({
    resolve(specifier, context, next) {
      const known = asNodeNames(specifier).replace(INSTALLED, "$1");
      const name = known === "worker_threads" ? THREADS : known;
      if (Object.hasOwn(surfaces, name))
        return { url: STAND_IN + name, format: "commonjs", shortCircuit: true };
      const { parentURL = main } = context;
      const found = foundBy(() => next(known, context), { specifier, parent: parentURL }, finding);
      finding.resolved(specifier, found.url, parentURL);
      // No `load` is called for an addon.
      if (found.url.endsWith(".node")) finding.loaded(found.url, false);
      return found;
    },
    load(url, context, next) {
      if (url.startsWith(STAND_IN)) {
        const name = url.slice(STAND_IN.length);
        if (name !== THREADS) finding.stoodIn();
        const source = sourceOf(name, surfaces);
        return { format: "commonjs", source, shortCircuit: true };
      }
      if (!url.startsWith("file:")) return next(url, context);
      const path = fileURLToPath(url);
      const text = () => readFileSync(path, "utf8");
      const { href } = pathToFileURL(path);
      if (path.endsWith(".json") && isPlainImport(context)) {
        finding.loaded(url, false);
        const json = text().replace(/^\uFEFF/, "");
        const source = moduleOf(`JSON.parse(${JSON.stringify(json)})`, JSON.parse(json));
        return { format: "module", source, shortCircuit: true };
      }
      const isTyped = TYPED.test(path);
      const loaded = isTyped ? undefined : next(url, context);
      const isMade = isTyped || (loaded?.format === "commonjs" && isMisplacedModule(href, text()));
      const made = isMade ? runnableOf(href, text(), places) : undefined;
      const { format } = made ?? loaded!;
      if (REQUIRES_BESIDE_HOOKS && format === "commonjs" && isImport(context.conditions))
        return { format: "module", source: bridgeTo(href, path), shortCircuit: true };
      finding.loaded(url, made?.hasItsLines ?? true);
      if (made !== undefined) return asMain(href, made);
      return href === main && format === "module"
        ? asMain(href, { format: "module", source: text() })
        : loaded!;
    },
  });

  /** A main module may ask whether it is one. */
  function asMain(url: string, { format, source }: Omit<Runnable, "hasItsLines">) {
    const isAsking = url === main && format === "module" && source.includes("import.meta.main");
    // Behind a line for the shell, which has to be the first.
    const answering = isAsking ? source.replace(/^(#!.*\r?\n)?/, "$1import.meta.main = true;") : source;
    return { format, source: answering, shortCircuit: true };
  }
}

/** What Node finds, or the TypeScript that it is made of. */
function foundBy(next: () => ResolveFnOutput, missing: Missing, finding: Finding): ResolveFnOutput {
  try {
    return next();
  } catch (error) {
    const url = sourceFor(missing.specifier, missing.parent, error);
    if (url !== undefined) return { url, shortCircuit: true };
    finding.missed(error, missing);
    throw error;
  }
}

/** Gives a bench file what its runner has as globals: Deno's, or those of `vitest` and of `matcha`, where it calls them. */
function makeGlobal(
  text: string,
  surfaces: Readonly<Record<string, object>>,
  collection: Collection,
  finding: Finding,
): void {
  if (DENO_BENCH.test(text)) {
    finding.stoodIn();
    Object.assign(globalThis, { Deno: denoOf(collection) });
  } else if (GLOBAL_CALL.test(text)) {
    const { bench, describe, suite } = surfaces.vitest as Record<string, unknown>;
    Object.assign(globalThis, { bench, describe, suite });
  }
}

/** Whether a module imports it without saying what it is, as bundlers allow. */
function isPlainImport({ conditions, importAttributes }: LoadHookContext): boolean {
  return isImport(conditions) && importAttributes.type === undefined;
}

/** Whether what is loaded was imported rather than required, by a list; in Node 22 it may be a Set. */
function isImport(conditions: Iterable<string>): boolean {
  return [...conditions].includes("import");
}

/** Whether CommonJS that a module imports, under hooks, requires by a loader that hears of no hooks. It does in Node 22. */
const REQUIRES_BESIDE_HOOKS = Number(process.versions.node.split(".", 1)[0]) < 24;

/** A module that has what the CommonJS at a path exports. That is required here, because only so are its names known. */
function bridgeTo(url: string, path: string): string {
  const required = `createRequire(${JSON.stringify(url)})(${JSON.stringify(path)})`;
  return `import { createRequire } from "node:module";\n${moduleOf(required, createRequire(url)(path))}`;
}

/** A module of a value, that `expression` gives there, with its names that are ones of JavaScript. */
function moduleOf(expression: string, value: unknown): string {
  const names = Object.keys(Object(value)).filter(
    (key) => /^[A-Za-z_$][\w$]*$/.test(key) && key !== "default",
  );
  const exported = names.map(
    (name, index) => `const _${index} = value.${name}; export { _${index} as ${name} };`,
  );
  return [`const value = ${expression};`, "export default value;", ...exported].join("\n");
}

const OF_TYPESCRIPT: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx", ".jsx"],
  ".jsx": [".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
};
const EXTENSIONS = [".js", ".ts", ".mjs", ".cjs", ".mts", ".cts", ".jsx", ".tsx", ".json"];

/** The file that a specifier leads to by the customs of bundlers, where Node has found none. */
function sourceFor(specifier: string, parent: string, error: unknown): string | undefined {
  // Of a package Node names the file that its package.json leads to.
  const wanted = PATH.test(specifier)
    ? new URL(specifier, parent).href
    : (error as { readonly url?: string }).url;
  if (!wanted?.startsWith("file:")) return undefined;
  const path = fileURLToPath(wanted);
  const extension = extname(path);
  const others = (OF_TYPESCRIPT[extension] ?? []).map((other) => path.slice(0, -extension.length) + other);
  const longer = EXTENSIONS.flatMap((other) => [path + other, join(path, `index${other}`)]);
  const found = [...others, ...longer].find((one) => statSync(one, { throwIfNoEntry: false })?.isFile());
  return found === undefined ? undefined : pathToFileURL(realpathSync(found)).href;
}

/** CommonJS whose assignments Node reads names from, so that both kinds of import find them. */
function sourceOf(name: string, surfaces: Readonly<Record<string, object>>): string {
  const names = Object.keys(surfaces[name]!).filter((key) => key !== "default");
  return [
    `const surface = globalThis[Symbol.for("${SURFACES.description}")][${JSON.stringify(name)}];`,
    "module.exports = surface;",
    ...names.map((key) => `exports.${key} = surface.${key};`),
  ].join("\n");
}
