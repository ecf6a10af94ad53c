import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { packageAt } from "../../measure/load/written.ts";
import { git } from "./git.ts";
import { runCommand } from "./run-command.ts";

/** Lock files in the order in which they are looked for, with what installs exactly what they lock. Each begins with its manager. */
const LOCKS: readonly (readonly [file: string, install: (lock: string) => string])[] = [
  ["npm-shrinkwrap.json", () => "npm ci"],
  ["package-lock.json", () => "npm ci"],
  ["pnpm-lock.yaml", () => "pnpm install --frozen-lockfile"],
  [
    "yarn.lock",
    // The first yarn has another name for it, and no such entry.
    (lock) => `yarn install ${/^__metadata:/m.test(lock) ? "--immutable" : "--frozen-lockfile"}`,
  ],
  ["bun.lock", () => "bun install --frozen-lockfile"],
];

/** What a package's manifest says of other packages: without a lock file, this has to be the same. */
const OF_DEPENDENCIES = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
  "overrides",
  "resolutions",
  "workspaces",
] as const;

/** Two folders with the same repository in it: the user's own, and another commit without its packages. */
export interface Trees {
  /** Top folder of the user's repository, without links in its path. */
  readonly head: string;
  /** Top folder of the other commit's worktree, likewise: alone in a temporary folder. */
  readonly base: string;
}

/**
 * Gives the base its packages. Where they are locked as in the head, they are links to the head's. What leads into the head's own
 * sources, as workspaces do, leads to the base's instead. Where they are locked differently, the package manager of the
 * lock file installs them. `needing` are the folders, relative to both trees, in which packages are imported. Returns
 * what was done, a line each. Throws a UsageError if installing fails, with what was printed as its `cause`.
 */
export async function giveDependencies(
  trees: Trees,
  needing: readonly string[],
  signal?: AbortSignal,
): Promise<string[]> {
  const said: string[] = [];
  for (const root of new Set(needing.flatMap(upwards).map((folder) => rootOf(trees, folder)))) {
    const difference = differenceIn(trees, root);
    if (difference === undefined) continue;
    const { what, install } = difference;
    said.push(`the base's packages come from ${install}: its ${what}`);
    await runCommand(install, join(trees.base, root), signal);
  }
  if (linkAll(trees)) said.push("the base's packages are links to this tree's: they are locked alike");
  return said;
}

/** A folder and the ones around it, the outermost first. */
function upwards(folder: string): string[] {
  if (folder === "" || dirname(folder) === folder) return [folder];
  const around = dirname(folder);
  return [...upwards(around === "." ? "" : around), folder];
}

/** What package managers leave in the folder that they install in, and not in those of its workspaces. */
const OF_INSTALLING = [".package-lock.json", ".modules.yaml", ".yarn-integrity", ".yarn-state.yml"];

/** The folder in which the packages of a folder are installed. */
function rootOf({ head, base }: Trees, folder: string): string {
  const isRoot = (one: string) =>
    lockIn(join(base, one)) !== undefined ||
    OF_INSTALLING.some((file) => existsSync(join(head, one, PACKAGES, file)));
  return upwards(folder).findLast(isRoot) ?? "";
}

/** The lock file of a folder, and the command that installs what it locks; undefined if there is none. */
export function lockIn(folder: string): { file: string; text: string; install: string } | undefined {
  const found = LOCKS.find(([file]) => existsSync(join(folder, file)));
  if (found === undefined) return undefined;
  const [file, install] = found;
  const text = readFileSync(join(folder, file), "utf8");
  return { file, text, install: install(text) };
}

/** What builds the package in a folder, by its package manager; undefined where its manifest has no build. */
export function buildIn(folder: string): string | undefined {
  const [manager] = (lockIn(folder)?.install ?? "npm").split(" ");
  const { scripts } = packageAt(join(folder, "package.json"));
  return scripts?.build === undefined ? undefined : `${manager} run build`;
}

/** How the packages of a folder have to be installed; undefined where those of the head will do, or it needs none. */
function differenceIn({ head, base }: Trees, root: string): { what: string; install: string } | undefined {
  const [ours, theirs] = [join(head, root), join(base, root)];
  if (!existsSync(join(theirs, "package.json"))) return undefined;
  const shown = (file: string) => (root === "" ? file : `${root}/${file}`);
  const lock = lockIn(theirs);
  if (lock !== undefined) {
    const { file, text, install } = lock;
    return textOf(join(ours, file)) === text ? undefined : { what: `${shown(file)} is another`, install };
  }
  if (dependenciesIn(ours) === dependenciesIn(theirs)) return undefined;
  return {
    what: `${shown("package.json")} has other dependencies`,
    install: "npm install --no-package-lock",
  };
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

function dependenciesIn(folder: string): string | undefined {
  const text = textOf(join(folder, "package.json"));
  if (text === undefined) return undefined;
  const manifest = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return JSON.stringify(OF_DEPENDENCIES.map((field) => manifest[field] ?? {}));
}

const PACKAGES = "node_modules";

/**
 * Links the packages of each folder of the base that has none, and of the folders around the head that are not around the base,
 * the nearest first. Returns whether the base has any of the first.
 */
function linkAll(trees: Trees): boolean {
  const { head, base } = trees;
  const folders = git(base, "ls-tree", "-r", "-d", "--name-only", "-z", "HEAD").split("\0").filter(Boolean);
  const linking = ["", ...folders].filter(
    (folder) =>
      !folder.split("/").includes(PACKAGES) &&
      existsSync(join(head, folder, PACKAGES)) &&
      !existsSync(join(base, folder, PACKAGES)) &&
      differenceIn(trees, rootOf(trees, folder)) === undefined,
  );
  for (const folder of linking)
    linkPackages(trees, join(head, folder, PACKAGES), join(base, folder, PACKAGES));
  const aroundBase = new Set(upwards(base));
  for (const folder of upwards(dirname(head)).toReversed()) {
    const packages = join(folder, PACKAGES);
    if (!aroundBase.has(folder) && existsSync(packages))
      linkPackages(trees, packages, join(dirname(base), PACKAGES));
  }
  return linking.length > 0;
}

const PROGRAMS = ".bin";

/**
 * Makes the folder `to` of links to what the packages folder `from` has, scopes and programs one by one. Other entries with a dot
 * are caches and stores: what one commit's build writes there, the other's must not read. Packages in a store are linked by
 * their own paths.
 */
function linkPackages(trees: Trees, from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (name.startsWith(".") && name !== PROGRAMS) continue;
    const isFolder = name.startsWith("@") || name === PROGRAMS;
    if (isFolder && lstatSync(source).isDirectory()) linkPackages(trees, source, target);
    else link(trees, source, target);
  }
}

function link({ head, base }: Trees, source: string, target: string): void {
  // A link that leads nowhere, as package managers leave some, is of no use there either.
  if (!existsSync(source)) return;
  const real = realpathSync(source);
  const within = relative(head, real);
  const isOwn = !within.startsWith("..") && !within.split(sep).includes(PACKAGES);
  const led = isOwn ? join(base, within) : real;
  // A workspace that the base does not have is no package of the base; of a nearer folder it may have this one.
  if (existsSync(led) && !existsSync(target))
    symlinkSync(led, target, lstatSync(led).isDirectory() ? "junction" : "file");
}
