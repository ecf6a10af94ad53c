import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { threadId } from "node:worker_threads";
import { isCommonJs, packageTypeOf, stripped } from "../measure/load/written.ts";
import { withProcesses } from "./processes.ts";
import { labelOfFile, Refusal, TYPED, unparsedReason } from "./reason.ts";

/** What Node runs in place of a file that it cannot load by itself. */
export interface Runnable {
  readonly format: "module" | "commonjs";
  readonly source: string;
  /** Whether its lines are those of the file. */
  readonly hasItsLines: boolean;
}

/** A line that begins as one with a decorator, which Node leaves as it is and V8 does not parse. */
const DECORATOR = /^[\t ]*(?:export (?:default )?)?(?:class\b.*\{[\t ]*)?@[\w$]/m;
/** What is no code, though it may look like that. */
const COMMENT_OR_TEXT =
  /\/\*[\s\S]*?\*\/|\/\/.*|`(?:\\[\s\S]|[^`\\])*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
/** Statements of ECMAScript modules; calls of `import` are in CommonJS too. */
const MODULE_SYNTAX = /^[\t ]*(?:import\b(?!\s*[(.])|export\b)/m;
const COMMON_JS = /\brequire\s*\(|\bmodule\.exports\b|\b__(?:dirname|filename)\b/;
const EXPORTED = /\bmodule\.exports\b|(?<![\w$.])exports\s*[.[]/;
const MODULE_ONLY = /\bimport\.meta\b|\bcreateRequire\b/;

/**
 * What Node runs of a file with types or JSX, or of one in a CommonJS package that is written as a module. Node strips
 * what it can. The rest is for the esbuild of the first of these places that has one, which are addresses of files. So is a
 * module where CommonJS is expected; without an esbuild it is loaded as a module. Throws a Refusal for what needs an esbuild
 * where none is.
 */
export function runnableOf(url: string, text: string, places: readonly string[]): Runnable {
  const type = typeOf(url);
  return kept(`${url}\n${type}\n${text}`, () => {
    const plain = strippedOf(url, text);
    const code = text.replace(COMMENT_OR_TEXT, "");
    const isMixed = COMMON_JS.test(code) && !MODULE_ONLY.test(code);
    const isModule = type === undefined ? !isMixed && !isCommonJs(plain ?? text) : type === "module";
    const isStripped = plain !== undefined && !isDecorated(plain);
    if (isStripped && !isModule && isCommonJs(plain))
      return { format: "commonjs", source: plain, hasItsLines: true };
    if (!isStripped || !isModule) {
      const format = isModule ? "module" : "commonjs";
      const source = transpiled(url, format, places);
      if (source !== undefined) return { format, source, hasItsLines: false };
    }
    if (!isStripped) throw needing(url, "has syntax that Node cannot strip:");
    if (isMixed && !isModule && EXPORTED.test(code))
      throw needing(url, "both imports and assigns exports: write one of them, or");
    const source = TYPED.test(url) ? withoutUnused(plain) : plain;
    return {
      format: "module",
      source: isMixed && !isModule ? withCommonJs(source) : source,
      hasItsLines: true,
    };
  });
}

function needing(url: string, what: string): Refusal {
  return new Refusal(`${labelOfFile(url)} ${what} npm install esbuild beside it`);
}

/** A module with what CommonJS has, on its first line. */
function withCommonJs(source: string): string {
  const own = "const require = process.getBuiltinModule('module').createRequire(import.meta.url)";
  const paths = "{ filename: __filename, dirname: __dirname } = import.meta";
  return source.replace(/^(#!.*\r?\n)?/, `$1${own}, ${paths}; `);
}

/**
 * A module with types without the imports that it does not use as values. They may be of types, which TypeScript leaves out
 * as well; Node looks for values.
 */
function withoutUnused(plain: string): string {
  const isText = (one: string) => /^["'`]/.test(one);
  const code = plain.replace(TEXT_OR_IMPORT, (whole) => (isText(whole) ? whole : ""));
  const used = new Set(code.match(/[\w$]+/g));
  const isUsed = (name: string) => used.has(/[\w$]*$/.exec(name.trim())![0]);
  return plain.replace(TEXT_OR_IMPORT, (whole: string, own = "", braces = "", from?: string) => {
    const names: string[] = braces.split(",");
    const isEmpty = (name: string) => name.trim() === "";
    if (from === undefined || [own, ...names].every((name) => isEmpty(name) || isUsed(name))) return whole;
    const named = names
      .filter(isUsed)
      .map((name) => name.trim())
      .join(", ");
    const clause = [isUsed(own) && own, named && `{ ${named} }`].filter(Boolean).join(", ");
    // Lines keep their numbers.
    const lines = "\n".repeat(whole.split("\n").length - 1);
    return clause === "" ? lines : `import ${clause} ${from}${lines}`;
  });
}

const TEXT_OR_IMPORT = new RegExp(
  `${COMMENT_OR_TEXT.source}|${/^[\t ]*import\b\s*([\w$]+)?[\s,]*(?:\{([^}]*)\})?\s*(\bfrom\b\s*["'][^"'\n]*["'][^\n;]*)/.source}`,
  "gm",
);

function isDecorated(text: string): boolean {
  return DECORATOR.test(text) && DECORATOR.test(text.replace(COMMENT_OR_TEXT, ""));
}

/** Whether it is a module by its syntax in a package that says CommonJS. */
export function isMisplacedModule(url: string, text: string): boolean {
  return MODULE_SYNTAX.test(text) && typeOf(url) === "commonjs" && !isCommonJs(text);
}

function typeOf(url: string): string | undefined {
  const letter = /\.([cm])[jt]s$/.exec(url)?.[1];
  return letter === undefined ? packageTypeOf(url) : letter === "m" ? "module" : "commonjs";
}

/** Undefined for what Node cannot strip. */
function strippedOf(url: string, text: string): string | undefined {
  if (!TYPED.test(url)) return text;
  try {
    return /x$/.test(url) ? undefined : stripped(text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") return undefined;
    throw new Refusal(unparsedReason(url, error as Error));
  }
}

/** Undefined where there is no esbuild. */
function transpiled(url: string, format: Runnable["format"], places: readonly string[]): string | undefined {
  const esbuild = esbuildOf(places);
  if (esbuild === undefined) return undefined;
  const { outputFiles } = withProcesses(() =>
    esbuild.buildSync({
      entryPoints: [fileURLToPath(url)],
      bundle: false,
      write: false,
      logLevel: "silent",
      platform: "node",
      format: format === "module" ? "esm" : "cjs",
      target: `node${process.versions.node}`,
    }),
  );
  return outputFiles[0]!.text;
}

/** The part of esbuild's API that is used here. A build of one file reads its tsconfig, which a transformation does not. */
interface Esbuild {
  buildSync(options: Readonly<Record<string, unknown>>): {
    readonly outputFiles: readonly { readonly text: string }[];
  };
}

/** By which packages a project comes by its esbuild. */
const ROUTES = [["esbuild"], ["tsx", "esbuild"], ["vite", "esbuild"], ["vitest", "vite", "esbuild"]];

/** Loaded so that it starts no thread in here, as only declared ones may work beside a race's. */
function esbuildOf(places: readonly string[]): Esbuild | undefined {
  const { ESBUILD_WORKER_THREADS: before } = process.env;
  process.env.ESBUILD_WORKER_THREADS = "0";
  try {
    for (const place of places) {
      for (const route of ROUTES) {
        const found = requiredBy(route, place);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  } finally {
    if (before === undefined) delete process.env.ESBUILD_WORKER_THREADS;
    else process.env.ESBUILD_WORKER_THREADS = before;
  }
}

function requiredBy(route: readonly string[], place: string): Esbuild | undefined {
  try {
    const path = route.reduce((from, name) => createRequire(from).resolve(name), place);
    return createRequire(place)(path) as Esbuild;
  } catch {
    return undefined;
  }
}

/**
 * Where a run keeps what was made of files, for its other threads. A confined process has a folder for itself, which goes with
 * the run.
 */
const KEPT = process.permission?.has("fs.write", tmpdir()) === true ? join(tmpdir(), "runnable") : undefined;

function kept(of: string, make: () => Runnable): Runnable {
  if (KEPT === undefined) return make();
  const file = join(KEPT, createHash("sha256").update(of).digest("hex"));
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Runnable;
  } catch {
    // Not made yet.
  }
  const made = make();
  mkdirSync(KEPT, { recursive: true });
  // Other threads may read it at any moment.
  const unfinished = `${file}-${process.pid}-${threadId}`;
  writeFileSync(unfinished, JSON.stringify(made));
  renameSync(unfinished, file);
  return made;
}
