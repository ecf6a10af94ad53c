import { existsSync, realpathSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * What npm does between a person and a script: it goes into the package's folder, and keeps every option for itself that
 * stands before a `--`. Its variables in the environment show both.
 */

/** The repository's folder. */
export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The folder that the person stands in: paths that were typed begin there. */
export function callersFolder(): string {
  const { INIT_CWD } = process.env;
  return INIT_CWD !== undefined && isStartedByNpm() ? INIT_CWD : process.cwd();
}

/**
 * Whether npm started this very process, as a script of this package. Whatever a script starts has inherited the
 * variables, for example a test. A test is another file than the script names, or stands in another folder.
 */
function isStartedByNpm(): boolean {
  const { npm_package_json: manifest, npm_lifecycle_script: script = "" } = process.env;
  if (manifest === undefined || !existsSync(manifest)) return false;
  const file = relative(ROOT, realpathSync(process.argv[1]!)).split(sep).join("/");
  return (
    realpathSync(manifest) === join(ROOT, "package.json") &&
    process.cwd() === resolve(ROOT) &&
    script.split(" ").includes(file)
  );
}

/**
 * Options that npm has as well: a person's .npmrc may hold them, and npm passes that on as if it had been typed. They
 * count beside another that npm kept, which has then been typed without a `--` for certain.
 */
const OF_NPM = ["all", "force", "json"];

/** Which options of these names npm kept for itself, with what it took for their values: "true" where it saw none. */
export function keptByNpm(names: readonly string[]): ReadonlyMap<string, string> {
  if (!isStartedByNpm()) return new Map();
  const kept = new Map(
    names.flatMap((name) => {
      const value = process.env[`npm_config_${name.replaceAll("-", "_")}`] ?? "";
      return value === "" ? [] : [[name, value] as const];
    }),
  );
  return [...kept.keys()].every((name) => OF_NPM.includes(name)) ? new Map() : kept;
}

/** A path as it would be typed in `folder`. */
export function pathFrom(folder: string, path: string): string {
  const typed = relative(folder, path);
  return typed === "" || typed.startsWith("-") ? `../../engine/schema/${typed}` : typed;
}
