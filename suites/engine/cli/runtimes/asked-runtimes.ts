import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { firstLine } from "../../schema/lines.ts";
import type { Request } from "../arguments.ts";
import { UsageError } from "../usage.ts";

/** A Node, or this one with a flag, that was started once and can race. */
export interface AskedRuntime {
  /** As a table shows it, which no other has. */
  readonly label: string;
  readonly file: string;
  readonly flags: readonly string[];
  /** The flags that it knows. */
  readonly known: ReadonlySet<string>;
}

/** The runtimes that were asked for, the baseline first; none where tasks race on this one alone. Throws a UsageError for one that cannot race. */
export function runtimesAsked({ nodes, flags }: Pick<Request, "nodes" | "flags">): AskedRuntime[] {
  if (flags.length > 0) {
    const own = { label: "without", file: process.execPath, flags: [] };
    const others = flags.map((flag) => ({ label: flag, file: process.execPath, flags: flag.split(" ") }));
    return [own, ...others].map(started("--with"));
  }
  if (nodes.length === 1 || nodes.includes(""))
    throw new UsageError("--node races versions beside one another: give two or more, as 22,24");
  const labels = nodes.map((text, place) => {
    const before = nodes.slice(0, place).filter((one) => one === text).length;
    return before === 0 ? text : `${text} (${before + 1})`;
  });
  return nodes.map((text, place) =>
    started("--node")({ label: labels[place]!, file: fileOf(text), flags: [] }),
  );
}

/** A path as it is; of a version this process's own, what is called so on the PATH, or the newest that a version manager has. */
function fileOf(text: string): string {
  if (text.includes("/") || text.includes("\\")) return resolve(text);
  const version = text.replace(/^(?:node)?[-@v]?/, "");
  if (isVersion(process.version, version)) return process.execPath;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const called = [`node${version}`, `node-${version}`].flatMap((name) =>
    folders.map((folder) => join(folder, name)),
  );
  const managed = managers().flatMap(([folder, ...within]) =>
    (existsSync(folder) ? readdirSync(folder) : [])
      .filter((name) => isVersion(name, version))
      .sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
      .map((name) => join(folder, name, ...within)),
  );
  const found = [...called, ...managed].find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new UsageError(
    `--node ${text} is not here: give the path of its executable, or install it by nvm, fnm, volta, mise or asdf`,
  );
}

/** Where version managers keep Nodes, and where the executable is in the folder of one. */
function managers(): readonly (readonly [string, ...string[]])[] {
  const { NVM_DIR, FNM_DIR, VOLTA_HOME } = process.env;
  const at = (...path: string[]) => join(homedir(), ...path);
  const executable = ["bin", "node"] as const;
  return [
    [join(NVM_DIR ?? at(".nvm"), "versions", "node"), ...executable],
    [join(FNM_DIR ?? at(".local", "share", "fnm"), "node-versions"), "installation", ...executable],
    [join(VOLTA_HOME ?? at(".volta"), "tools", "image", "node"), ...executable],
    [at(".local", "share", "mise", "installs", "node"), ...executable],
    [at(".asdf", "installs", "nodejs"), ...executable],
  ];
}

function isVersion(name: string, wanted: string): boolean {
  return wanted !== "" && `${name.replace(/^v/, "")}.`.startsWith(`${wanted}.`);
}

/** What a Node says of itself: whether it can race, and its flags. */
const ASK = `[process.version, typeof require("module").registerHooks, ...process.allowedNodeEnvironmentFlags].join(" ")`;

function started(option: string) {
  return ({ label, file, flags }: Omit<AskedRuntime, "known">): AskedRuntime => {
    const { stdout, stderr, error, status } = spawnSync(file, [...flags, "-p", ASK], { encoding: "utf8" });
    if (error !== undefined || status !== 0)
      throw new UsageError(
        `${option} ${label} does not start: ${error?.message ?? (firstLine(stderr).replace(`${file}: `, "") || `it ends with code ${status}`)}`,
      );
    const [version, hooks, ...known] = stdout.trim().split(" ");
    if (hooks !== "function")
      throw new UsageError(`${option} ${label} is ${version}: a race needs Node 22.15 or newer`);
    return { label, file, flags, known: new Set(known) };
  };
}
