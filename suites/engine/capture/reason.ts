import { readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { packageAt, stripped } from "../measure/load/written.ts";
import { messageOf } from "../measure/plan/failures.ts";
import { nearest } from "./package-root.ts";

/** Why a file cannot be raced, in one line that is ready to print. */
export class Refusal extends Error {}

/** The same without the name of the bench file, which `reasonOf` adds. */
export class Fault extends Error {}

/** What an import did not find, and which file wanted it. */
export interface Missing {
  readonly specifier: string;
  readonly parent: string;
}

/** Of an address, that its text has types or JSX. */
export const TYPED = /\.(?:[cm]?ts|tsx|jsx)$/;

/** How Deno names a package: by where it comes from, and with a version. */
const OF_DENO = /^(?:npm|jsr):\/?((?:@[^/]+\/)?[^/@]+)(?:@[^/]*)?(\/.*)?$/;

/** A specifier as Node writes it, where Deno's names a package. */
export const asNodeNames = (specifier: string) => specifier.replace(OF_DENO, "$1$2");

/** Of a specifier, that it leads to a file rather than to a package. */
export const PATH = /^(?:\.{0,2}\/|\.{1,2}$|file:)/;

/** As a reader knows a file: from the package's root, in which the process runs. */
export function labelOfFile(url: string): string {
  return url.startsWith("file:") ? relative(process.cwd(), fileURLToPath(url)) : url;
}

/** Without the mark that Node 22 puts before what does not parse. */
function lineOf(error: unknown): string {
  return messageOf(error).replace(/^x /, "");
}

/** What is known of an import beside its error. */
export interface Trail {
  /** URL of the bench file. */
  readonly main: string;
  /** The files that were loaded, in their order, and whether V8 knows the lines in each as they are. */
  readonly loaded: ReadonlyMap<string, boolean>;
  readonly missing?: Missing | undefined;
}

/** Why an import failed, in one line: what is wrong where, and how to mend it. */
export function reasonOf(error: unknown, { main, loaded, missing }: Trail): string {
  const file = labelOfFile(main);
  if (error instanceof Refusal) return error.message;
  if (error instanceof Fault) return `${file}: ${error.message}`;
  if (!(error instanceof Error)) return `${file} throws while it is imported: ${messageOf(error)}`;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ERR_INVALID_PACKAGE_CONFIG") return `${file} cannot be loaded: ${lineOf(error)}`;
  if (missing !== undefined) return missingReason(missing, main, code);
  const denied = deniedBy(error);
  if (denied !== undefined) return `${file} ${denied} while it is imported: --allow-write permits that`;
  const [built] = (error as { readonly errors?: readonly BuildError[] }).errors ?? [];
  if (built?.location?.file !== undefined)
    return `${built.location.file} cannot be loaded: ${built.text} (line ${built.location.line})`;
  const found = placeOf(error);
  const place = found && loaded.get(found.url) !== false ? found : undefined;
  const message = lineOf(error);
  if (error instanceof SyntaxError) {
    const [, name] = /does not provide an export named '(.*)'/.exec(message) ?? [];
    if (found !== undefined && name !== undefined && TYPED.test(found.url))
      return `${labelOfFile(found.url)} imports ${name}, which is no value there: if it is a type, write import type for ${name}, or npm install esbuild`;
    if (place !== undefined)
      return `${labelOfFile(place.url)} cannot be loaded: ${message} (line ${place.line})`;
    // Node does not say in which module it is.
    const fault = [...loaded.keys()].map(faultIn).find((reason) => reason !== undefined);
    if (fault !== undefined) return fault;
  }
  const where = place === undefined ? "" : ` (${labelOfFile(place.url)}:${place.line})`;
  return `${file} throws while it is imported: ${error.name}: ${message}${where}`;
}

/** Why V8 cannot parse a file, if it is so: in the words of Node's parser of TypeScript. */
function faultIn(url: string): string | undefined {
  if (!/\.[cm]?[jt]s$/.test(url)) return undefined;
  try {
    stripped(readFileSync(fileURLToPath(url), "utf8"));
    return undefined;
  } catch (error) {
    return unparsedReason(url, error as Error);
  }
}

/** That Node's parser of TypeScript refuses a file. */
export function unparsedReason(url: string, error: Error): string {
  const line = /^:(\d+)|,-\[(\d+):/
    .exec(error.stack ?? "")
    ?.slice(1)
    .find((number) => number !== undefined);
  const where = line === undefined ? "" : ` (line ${line})`;
  return `${labelOfFile(url)} cannot be loaded: ${lineOf(error)}${where}`;
}

/** What an error says that this process may not do: "writes FILE", "starts COMMAND"; undefined of other errors. */
export function deniedBy(error: unknown): string | undefined {
  const { code, permission, resource } = Object(error) as DeniedError;
  if (code !== "ERR_ACCESS_DENIED") return undefined;
  if (permission === "FileSystemWrite") return `writes ${resource}`;
  return permission === "ChildProcess" ? `starts a process (${resource})` : undefined;
}

interface DeniedError extends NodeJS.ErrnoException {
  readonly permission?: string;
  readonly resource?: string;
}

/** As esbuild has it. */
interface BuildError {
  readonly text: string;
  readonly location?: { readonly file: string; readonly line: number };
}

function missingReason({ specifier, parent }: Missing, main: string, code: string | undefined): string {
  const file = labelOfFile(parent);
  if (PATH.test(specifier)) {
    // A folder of benchmarks may have a package.json of its own, below the one that builds.
    const isBuilt = (manifest: string) => packageAt(manifest).scripts?.build !== undefined;
    const mend = nearest("package.json", fileURLToPath(main), isBuilt)
      ? "if the package's build makes it, npm run build"
      : "mend its path";
    return `${file} imports ${specifier}, which is not there: ${mend}`;
  }
  const config = aliasingConfig(specifier, parent);
  if (config !== undefined)
    return `${file} imports ${specifier} by the paths of ${labelOfFile(config)}, which are not supported: import it by its own path`;
  if (specifier.startsWith("#"))
    return `${file} imports ${specifier}, which "imports" in package.json does not have: mend one of them`;
  const bare = asNodeNames(specifier);
  const name = bare.split("/", bare.startsWith("@") ? 2 : 1).join("/");
  if (specifier.startsWith("jsr:") || name.startsWith("@std/"))
    return `${file} imports ${specifier}, which is not installed: npx jsr add ${name}`;
  const own = ownPackage(name, parent);
  if (own !== undefined) {
    const which = own.folder === "" ? "the package itself" : `the package in ${own.folder}`;
    if (code === "ERR_PACKAGE_PATH_NOT_EXPORTED")
      return `${file} imports ${specifier}, which ${which} does not export: mend one of them`;
    const build = own.isBuilt ? `npm run build${own.folder === "" ? "" : " there"}` : "build it";
    return `${file} imports ${specifier}, which is ${which} and not built: ${build}`;
  }
  const isThere = nearest(join("node_modules", name), fileURLToPath(parent)) !== undefined;
  return isThere
    ? `${file} imports ${specifier}, which the installed ${name} does not have: mend its path, or install another version`
    : `${file} imports ${specifier}, which is not installed: npm install, or npm install ${name}`;
}

/** The package of this name that is the importing file's own, or one that its repository links. Its folder is as a reader knows it. */
function ownPackage(name: string, parent: string): { folder: string; isBuilt: boolean } | undefined {
  const path = fileURLToPath(parent);
  const isSelf = (manifest: string) => packageAt(manifest).name === name;
  const installed = nearest(join("node_modules", name), path);
  const linked = installed === undefined ? undefined : join(realpathSync(installed), "package.json");
  const isLink = linked !== undefined && !linked.includes(`${sep}node_modules${sep}`);
  const manifest = nearest("package.json", path, isSelf) ?? (isLink ? linked : undefined);
  if (manifest === undefined) return undefined;
  return {
    folder: relative(process.cwd(), dirname(manifest)),
    isBuilt: packageAt(manifest).scripts?.build !== undefined,
  };
}

/** The tsconfig.json near a file that gives this specifier a path of its own. */
function aliasingConfig(specifier: string, parent: string): string | undefined {
  const path = nearest("tsconfig.json", fileURLToPath(parent));
  if (path === undefined) return undefined;
  const [, paths = ""] = /"paths"\s*:\s*\{([^}]*)\}/.exec(readFileSync(path, "utf8")) ?? [];
  const aliases = [...paths.matchAll(/"([^"*]+)\*?"\s*:\s*\[/g)].map(([, key]) => key!);
  return aliases.some((alias) => specifier.startsWith(alias)) ? pathToFileURL(path).href : undefined;
}

/** This package's own files, in which stand-ins throw what the real libraries do. */
const OWN = new URL("../", import.meta.url).href;

/** The first place in a file, of another package than this one, that an error's stack names. */
function placeOf({ stack = "" }: Error): { readonly url: string; readonly line: string } | undefined {
  for (const [, place, line] of String(stack).matchAll(/(?<=[\s(]|^)((?:file:\/\/)?\/[^\s():]+):(\d+)/gm)) {
    const url = place!.startsWith("file:") ? place! : pathToFileURL(place!).href;
    if (!url.startsWith(OWN)) return { url, line: line! };
  }
  return undefined;
}
