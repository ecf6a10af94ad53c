import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { contractOf, isCompetitorName, primitives } from "../../structures/catalog.ts";
import { command, runCommand } from "../../suites/engine/schema/command.ts";
import { EXIT, nearestFirst, parseName, sayWritten, UsageError } from "../../suites/engine/schema/usage.ts";
import { writeIndexes } from "../../suites/engine/store/generated.ts";
import { writeAll } from "../../suites/engine/store/results.ts";
import { competitorFile } from "./competitor.ts";
import { primitiveFiles } from "./primitive.ts";

const COMMAND = command({
  about:
    "Lays out a new competitor or a new primitive, which passes its tests and races, to be changed from there.",
  usage: {
    "npm run new -- competitor PRIMITIVE NAME": `one file, structures/PRIMITIVE/competitors/NAME.ts: the primitive's
      oracle under a new name`,
    "npm run new -- primitive NAME": `structures/NAME with a contract, a law, a competitor that keeps it, a mutant that
      breaks it, their test and an example; suites/NAME with one scenario`,
  },
  words: {
    NAME: "lower-case words joined by hyphens: the mechanism of a competitor, what a primitive is about",
  },
  options: {},
  after: `The shelf, the page of results and the exports of package.json are made again, as by npm run report; for a primitive
    the package is built. Nothing that was written by hand is overwritten.`,
  exits: {
    0: "done",
    2: "the request was wrong, nothing was written",
  },
});

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

await runCommand(COMMAND, async ({ words }) => {
  const files = await filesOf(words);
  const taken = [...files.keys()].find((path) => existsSync(join(ROOT, path)));
  if (taken !== undefined) throw new UsageError(`${taken} exists: choose another name`);
  const written = writeAll(new Map([...files].map(([path, text]) => [join(ROOT, path), text])));
  sayWritten([...written, ...(await writeIndexes())]);
  // An example imports the package by its name, which leads to what was built.
  if (words[0] === "primitive") execFileSync("npm", ["run", "-s", "build"], { cwd: ROOT, stdio: "inherit" });
  return EXIT.ok;
});

/** By their path from the repository's folder. */
async function filesOf([word, ...names]: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const [first, second] = names;
  const kind = word === undefined ? undefined : parseName("new", word, ["competitor", "primitive"]);
  if (kind === "competitor" && names.length === 2) {
    if (!primitives().includes(first!)) {
      const known = nearestFirst(primitives(), first!).join(", ");
      throw new UsageError(`${first} is no primitive; there are, nearest first: ${known}`);
    }
    checkName(second!);
    const { oracle } = await contractOf(first!);
    return competitorFile({ root: ROOT, primitive: first!, oracle, name: second! });
  }
  if (kind === "primitive" && names.length === 1) {
    checkName(first!);
    const folder = ["structures", "suites", "results"].find((top) => existsSync(join(ROOT, top, first!)));
    if (folder !== undefined) throw new UsageError(`${folder}/${first} exists: choose another name`);
    return primitiveFiles(first!);
  }
  throw new UsageError(
    "say what is new: npm run new -- competitor PRIMITIVE NAME, or npm run new -- primitive NAME",
  );
}

function checkName(name: string): void {
  if (isCompetitorName(`${name}.ts`) && /^[a-z]/.test(name)) return;
  throw new UsageError(
    `${name} is no name here: give lower-case words joined by hyphens, beginning with a letter`,
  );
}
