import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  competitorsOf,
  contractOf,
  entryForFile,
  isCompetitorName,
  primitives,
} from "../../structures/catalog.ts";
import { CANDIDATE_NAME } from "../../suites/lab/candidates.ts";
import { command, runCommand } from "../../suites/lab/command/command.ts";
import { EXIT, nearestFirst, parseName, sayWritten, UsageError } from "../../suites/lab/command/usage.ts";
import { writeIndexes } from "../../suites/lab/store/generated.ts";
import { writeAll } from "../../suites/lab/store/results.ts";
import { loadSuites } from "../../suites/lab/suites.ts";
import { competitorFile } from "./competitor.ts";
import { primitiveFiles } from "./primitive.ts";
import { scenarioFile } from "./scenario.ts";

const COMMAND = command({
  about:
    "Writes a new competitor, candidate, scenario or primitive that passes its tests and races, for you to change.",
  usage: {
    "npm run new -- competitor PRIMITIVE NAME": `one file, structures/PRIMITIVE/competitors/NAME.ts: the primitive's
      oracle under a new name`,
    "npm run new -- candidate [PRIMITIVE] PATH": `one file outside the repository, for npm run bench -- --candidate PATH: the
      oracle with all that it imports, so that it can be moved; a picker's if no PRIMITIVE is named`,
    "npm run new -- scenario PRIMITIVE NAME": `one file, suites/PRIMITIVE/scenarios/NAME.ts: a headline scenario under a new
      name`,
    "npm run new -- primitive NAME": `structures/NAME with a contract, a law, a competitor that keeps it, its rival, a
      mutant that breaks the law, their test and an example; suites/NAME with one scenario`,
  },
  words: {
    NAME: "lower-case words joined by hyphens: the mechanism of a competitor, what a primitive is about",
    PATH: "path of a file named like a competitor, with .ts, .mts, .js or .mjs: my-idea.ts",
  },
  isPath: (word) => /[/\\]|\.m?[jt]s$/.test(word),
  options: {},
  after: `For a competitor or a primitive, the shelf, the page of results and the exports of package.json are made again, as by
    npm run report. For a primitive, the package is built. Hand-written files are never overwritten.`,
  exits: {
    0: "done",
    2: "the request was wrong, nothing was written",
  },
});

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

await runCommand(COMMAND, async ({ words }) => {
  const files = await filesOf(words);
  const taken = [...files.keys()].find((path) => existsSync(resolve(ROOT, path)));
  if (taken !== undefined) throw new UsageError(`${taken} exists: choose another name`);
  const written = writeAll(new Map([...files].map(([path, text]) => [resolve(ROOT, path), text])));
  const [kind] = words;
  const isListed = kind === "competitor" || kind === "primitive";
  sayWritten([...written, ...(isListed ? await writeIndexes() : [])]);
  // An example imports the package by its name, which leads to what was built.
  if (kind === "primitive")
    for (const script of [["package"], ["tidy", "--", "--lower-budgets"]])
      execFileSync("npm", ["run", "-s", ...script], { cwd: ROOT, stdio: "inherit" });
  return EXIT.ok;
});

/** By their path: what is not absolute begins in the repository's folder. */
async function filesOf([word, ...names]: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const kind =
    word === undefined
      ? undefined
      : parseName("new", word, ["competitor", "candidate", "scenario", "primitive"]);
  const [first, second] = names;
  if (kind === "candidate" && (names.length === 1 || names.length === 2)) {
    const path = resolve(names.at(-1)!);
    const primitive = names.length === 1 ? "pick" : knownPrimitive(first!);
    checkCandidateName(path, primitive);
    const { oracle } = await contractOf(primitive);
    // Rollup takes longer to load than all else here.
    const { candidateText } = await import("./candidate.ts");
    return new Map([[path, await candidateText({ root: ROOT, primitive, oracle })]]);
  }
  if (kind === "competitor" && names.length === 2) {
    const primitive = knownPrimitive(first!);
    checkName(second!);
    const { oracle } = await contractOf(primitive);
    return competitorFile({ root: ROOT, primitive, oracle, name: second! });
  }
  if (kind === "scenario" && names.length === 2) {
    const primitive = knownPrimitive(first!);
    checkName(second!);
    const suites = await loadSuites();
    return await scenarioFile(suites.find(({ suite }) => suite.primitive === primitive)!, second!);
  }
  if (kind === "primitive" && names.length === 1) {
    checkName(first!);
    const folder = ["structures", "suites", "results"].find((top) => existsSync(join(ROOT, top, first!)));
    if (folder !== undefined) throw new UsageError(`${folder}/${first} exists: choose another name`);
    return primitiveFiles(first!);
  }
  throw new UsageError(
    "say what to make: npm run new -- competitor PRIMITIVE NAME, candidate [PRIMITIVE] PATH, scenario PRIMITIVE NAME, or primitive NAME",
  );
}

function knownPrimitive(name: string): string {
  if (primitives().includes(name)) return name;
  throw new UsageError(
    `${name} is no primitive; there are, nearest first: ${nearestFirst(primitives(), name).join(", ")}`,
  );
}

function checkCandidateName(path: string, primitive: string): void {
  const file = basename(path);
  if (!CANDIDATE_NAME.test(file))
    throw new UsageError(
      `${file} is not a candidate's name: give lower-case words joined by hyphens, and .ts, .mts, .js or .mjs, as in my-idea.ts`,
    );
  const { name } = entryForFile(path);
  if (competitorsOf(primitive).some((competitor) => competitor.name === name))
    throw new UsageError(`${primitive} already has a competitor named ${name}: choose another name`);
}

function checkName(name: string): void {
  if (isCompetitorName(`${name}.ts`) && /^[a-z]/.test(name)) return;
  throw new UsageError(
    `${name} is not a valid name: give lower-case words joined by hyphens, beginning with a letter`,
  );
}
