import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { threadId } from "node:worker_threads";
import { isCommonJs, packageTypeOf, stripped } from "../measure/load/written.ts";
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
const MODULE_ONLY = /\bimport\.meta\b|\bcreateRequire\b/;

/**
 * What Node runs of a file with types or JSX, or of one in a CommonJS package that is written as a module. Node strips
 * what it can. The rest is for the esbuild of the first of these places that has one, which are addresses of files. Throws a
 * Refusal where none has.
 */
export function runnableOf(url: string, text: string, places: readonly string[]): Runnable {
  const type = typeOf(url);
  return kept(`${url}\n${type}\n${text}`, () => {
    const plain = strippedOf(url, text);
    const code = text.replace(COMMENT_OR_TEXT, "");
    const isMixed = COMMON_JS.test(code) && !MODULE_ONLY.test(code);
    const isModule = type === undefined ? !isMixed && !isCommonJs(plain ?? text) : type === "module";
    const format = isModule ? "module" : "commonjs";
    const asWritten = { format, source: plain ?? "", hasItsLines: true } as const;
    const needed = neededFor(url, plain, isModule, isMixed);
    if (needed === undefined && !(isModule && importsUnused(url, plain!))) return asWritten;
    const source = transpiled(url, format, places);
    if (source !== undefined) return { format, source, hasItsLines: false };
    if (needed === undefined) return asWritten;
    throw new Refusal(`${labelOfFile(url)} ${needed}npm install esbuild beside it`);
  });
}

/** Why Node cannot run what it has stripped, up to how esbuild mends it; undefined where it can. */
function neededFor(
  url: string,
  plain: string | undefined,
  isModule: boolean,
  isMixed: boolean,
): string | undefined {
  if (plain === undefined || isDecorated(plain)) return "has syntax that Node cannot strip: ";
  if (isModule || isCommonJs(plain)) return undefined;
  if (isMixed) return "both imports and requires: write one of them, or ";
  const extension = TYPED.test(url) ? ".mts" : ".mjs";
  return `is a module in a package that says CommonJS: name it ${extension}, or `;
}

/**
 * Whether a module with types imports a name that it does not use as a value. That may be a type, which TypeScript and esbuild
 * leave out; Node looks for a value.
 */
function importsUnused(url: string, plain: string): boolean {
  if (!TYPED.test(url)) return false;
  const names: string[] = [];
  const rest = plain.replace(IMPORTED, (_, clause: string) => {
    names.push(...(clause.match(/[\w$]+(?=\s*(?:[,}]|$))/g) ?? []));
    return "";
  });
  const used = new Set(rest.replace(COMMENT_OR_TEXT, "").match(/[\w$]+/g));
  return names.some((name) => !used.has(name));
}
/** The names between `import` and `from`. */
const IMPORTED = /^[\t ]*import\s+([\w$\s,{}]+?)\s*\bfrom\b/gm;

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
  const { outputFiles } = esbuild.buildSync({
    entryPoints: [fileURLToPath(url)],
    bundle: false,
    write: false,
    logLevel: "silent",
    platform: "node",
    format: format === "module" ? "esm" : "cjs",
    target: `node${process.versions.node}`,
  });
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
