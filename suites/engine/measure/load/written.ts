import { readFileSync } from "node:fs";
import { findPackageJSON, stripTypeScriptTypes } from "node:module";
import { basename } from "node:path";
import { compileFunction } from "node:vm";

/** What a module's text is, and what Node makes of it. */

/** Whether a text without types parses as CommonJS. */
export function isCommonJs(text: string): boolean {
  try {
    compileFunction(text, ["exports", "require", "module", "__filename", "__dirname"]);
    return true;
  } catch {
    return false;
  }
}

/** What the package of a file says that its JavaScript is; undefined where it says nothing. */
export function packageTypeOf(url: string): string | undefined {
  const path = findPackageJSON(url);
  // Where there is no package, Node 24 names the module itself.
  if (path === undefined || basename(path) !== "package.json") return undefined;
  return packageAt(path).type;
}

/** Of what a package.json says, the part that is used here. */
interface Package {
  readonly name?: string;
  readonly type?: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** What the package.json at a path says; one that is no object of JSON says nothing. */
export function packageAt(path: string): Package {
  try {
    const said: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof said === "object" && said !== null && !Array.isArray(said) ? said : {};
  } catch {
    return {};
  }
}

/** Without its types, which leave blanks. */
export function stripped(text: string): string {
  const { emitWarning } = process;
  // Node warns that the function is experimental. What it does to a text, Node does to every file that it runs.
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}
