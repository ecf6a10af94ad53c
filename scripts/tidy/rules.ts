import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { CodeFile } from "./budgets.ts";

/** What the files of an area may import, besides packages and their own area. The instrument, a package, imports no other. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "structures/interleave": [],
  structures: ["structures/interleave"],
  "suites/reporter": [],
  "suites/engine": ["suites/reporter"],
  suites: ["structures", "structures/interleave", "suites/engine"],
  // Joins the instrument with structures and suites, and keeps its results.
  "suites/lab": ["structures", "structures/interleave", "suites", "suites/engine", "suites/reporter"],
  // Examples are tested with the commands.
  scripts: [
    "structures",
    "structures/interleave",
    "suites",
    "suites/reporter",
    "suites/engine",
    "suites/lab",
    "examples",
  ],
};
/** The one direction of data within the engine and the lab: a folder imports from itself and from the earlier ones. */
const ENGINE_LAYERS = [
  "schema",
  "measure/machine",
  "measure/plan",
  "measure/load",
  "measure/fork",
  "measure/remote",
  "capture",
  "measure/run",
  "judge",
  "table",
];
/** All other rooms of the lab may import these. */
const LAB_LAYERS = [
  "schema",
  "kinds",
  "plan",
  "series",
  "proof",
  "verdicts",
  "tables",
  "statements",
  "pictures",
  "pages",
];
/**
 * What any layer of the engine may import, and imports none: vocabulary, words in shared memory, and arithmetic. All other
 * files there see every layer.
 */
const ENGINE_LEAVES = ["define-race.ts", "lab.ts", "race.ts", "statistics.ts", "words"];
/** Joins all layers, as files outside of any folder do. */
const ENGINE_COMMAND = "cli";
const VAGUE_NAMES = /(^|[-.])(utils?|helpers?|common|misc)([-.]|$)/;
const COMPETITOR_LABELS = ["Promise", "Progress", "Threads", "Cost", "Memory", "Limits", "Bet", "Source"];
const SUITE_LABELS = ["Question", "Workload", "Not measured", "How to run"];

/** All code of the repository in this folder. */
export function codeIn(root: string): CodeFile[] {
  return ["structures", "suites", "scripts"]
    .flatMap((folder) => sourceFiles(join(root, folder)))
    .map((path) => ({
      name: relative(root, path).split(sep).join("/"),
      text: readFileSync(path, "utf8"),
    }));
}

/** What is out of order in the repository of this folder, one line each. */
export function problemsIn(root: string, files: readonly CodeFile[] = codeIn(root)): string[] {
  return files.flatMap((file) => check(root, file));
}

function check(root: string, { name, text }: CodeFile): string[] {
  const path = join(root, name);
  const found = importsOf(text).flatMap((specifier) => wrongImport(root, path, specifier));
  if (VAGUE_NAMES.test(name.split("/").at(-1)!)) found.push("its name says nothing about what is in it");
  if (/^structures\/[^/]+\/competitors\//.test(name)) {
    found.push(...missingLabels(text, COMPETITOR_LABELS));
    if (/^ \* .*\(review\b/m.test(text))
      found.push("its header states an outcome: that belongs to the review");
  }
  if (/^suites\/(?!engine\/)[^/]+\/suite\.ts$/.test(name)) found.push(...missingLabels(text, SUITE_LABELS));
  return found.map((problem) => `${name}: ${problem}`);
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:^|\s)(?:from|import) "([^"]+)"|import\("([^"]+)"\)/g)].map(
    ([, from, dynamic]) => from ?? dynamic!,
  );
}

function wrongImport(root: string, path: string, specifier: string): string[] {
  // Tests write modules of their own, whose imports lead nowhere here; the compiler sees to all others.
  if (!specifier.startsWith(".") || !existsSync(resolve(dirname(path), specifier))) return [];
  const target = relative(root, resolve(dirname(path), specifier)).split(sep);
  const own = areaOf(relative(root, path).split(sep));
  const area = areaOf(target);
  const wrong: string[] = [];
  // A test of a suite may look at what the lab makes of it, and any test takes what all try with.
  const isLooking =
    path.endsWith(".test.ts") &&
    ((own === "suites" && area === "suites/lab") || target.at(-1)!.endsWith(".trials.ts"));
  if (area !== own && !MAY_IMPORT[own]!.includes(area) && !isLooking)
    wrong.push(`${own} must not import ${target.join("/")}`);
  if (target[0] === "scripts" && !isWithinOneCommand(root, path, target))
    wrong.push(`nothing imports a script, this imports ${target.join("/")}`);
  // A test may look at what its subject comes to, layers further on.
  if (path.endsWith(".test.ts")) return wrong;
  const [from, to] = [layerOf(relative(root, path).split(sep)), layerOf(target)];
  if (from !== undefined && to !== undefined && from.house === to.house && to.storey > from.storey)
    wrong.push(`${from.name} must not import ${target.join("/")}: data goes one way`);
  if (own === "suites" && to?.house === "engine" && to.storey >= 0)
    wrong.push(`a suite must not import ${target.join("/")}: it describes, the engine carries it out`);
  if (target.at(-1)!.endsWith(".test.ts"))
    wrong.push(`nothing imports a test, this imports ${target.join("/")}`);
  return wrong;
}

/** A top folder, or a folder in it that has rules of its own. */
function areaOf([top, folder]: readonly string[]): string {
  const own = `${top}/${folder}`;
  return Object.hasOwn(MAY_IMPORT, own) ? own : top!;
}

/** A larger command has a folder of its own, whose files import one another. */
function isWithinOneCommand(root: string, path: string, [folder, command, file]: readonly string[]): boolean {
  const own = relative(root, path).split(sep);
  return file !== undefined && own.length > 2 && own[0] === folder && own[1] === command;
}

/** Where a file stands in the direction of data. */
interface Layer {
  readonly house: "engine" | "lab";
  readonly name: string;
  /** From -1 for the engine's leaves. */
  readonly storey: number;
}

/** Undefined for what is neither the engine's nor the lab's, and for rooms of the lab that may import all others. */
function layerOf([top, house, ...path]: readonly string[]): Layer | undefined {
  if (top !== "suites" || path.length === 0) return undefined;
  const within = path.join("/");
  if (house === "lab") {
    const storey = LAB_LAYERS.findIndex((layer) => within.startsWith(`${layer}/`));
    return storey < 0 ? undefined : { house, name: `lab/${LAB_LAYERS[storey]}`, storey };
  }
  if (house !== "engine") return undefined;
  if (ENGINE_LEAVES.includes(path[0]!.replace(".test.ts", ".ts")))
    return { house, name: "a leaf of the engine", storey: -1 };
  const storey = ENGINE_LAYERS.findIndex((layer) => within.startsWith(`${layer}/`));
  if (storey >= 0) return { house, name: ENGINE_LAYERS[storey]!, storey };
  const joins = path.length === 1 || path[0] === ENGINE_COMMAND;
  return joins ? { house, name: "what joins the layers", storey: ENGINE_LAYERS.length } : undefined;
}

function missingLabels(text: string, labels: readonly string[]): string[] {
  return labels
    .filter((label) => !new RegExp(`^ \\* ${label}\\b.*:`, "m").test(text))
    .map((label) => `its header has no line "${label}:"`);
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs|cjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.split(sep).some((part) => ["node_modules", "dist", "testdata"].includes(part)));
}
