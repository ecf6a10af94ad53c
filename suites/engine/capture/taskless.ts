import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { messageOf } from "../measure/plan/failures.ts";
import { labelOfFile } from "./reason.ts";

/** How a file comes to have tasks. */
const DESCRIBE = "describe tasks with tinybench, mitata, vitest or benchmark, or export functions";

/** Where a file's text tells that another runtime, or a package that has no stand-in, runs it. */
const DENO = /\bDeno\.(?:bench|test)\b|\bfrom\s*["']https?:/;
const BUN = /\bfrom\s*["']bun(?::\w+)?["']/;
const PACKAGE = /["'](bench-?node|benny|cronometro|fastbench|iso-bench|matcha|nanobench|tachometer)["']/;
/** Where an error does, or tells of a runner's global. */
const DENO_ERROR = /^Deno(?: is not defined|\.[\w.]+ is not a function)$|Received protocol 'https?:'/;
const BUN_ERROR = /^Bun is not defined$|Received protocol 'bun:'/;
const RUNNER = /^(suite|describe|bench|benchmark|it|test) is not defined$/;
/** What a file measures by itself with. */
const CLOCK = /\b(console\.time|process\.hrtime|performance\.now|Date\.now|new Date)\b/;

/** Why an import failed, where that is what the file is written for. A file that `hasHarness` has one that it can have here. */
export function strangerReason(url: string, error: unknown, hasHarness: boolean): string | undefined {
  const said = messageOf(error);
  const [, runner] = RUNNER.exec(said) ?? [];
  const other = DENO_ERROR.test(said)
    ? "Deno"
    : BUN_ERROR.test(said)
      ? "Bun"
      : hasHarness
        ? undefined
        : (otherOf(textOf(url)) ?? (runner && `a runner that has ${runner}()`));
  const instead = said.includes("protocol 'http")
    ? "import packages by their names, and install them"
    : `leave out what only ${other} has`;
  const mend = hasHarness ? instead : DESCRIBE;
  return other && `${labelOfFile(url)} is written for ${other}: ${mend}`;
}

/** Why a file has no task, in one line that is ready to print: what it is by its text, or else `otherwise`. */
export function tasklessReason(url: string, otherwise: string): string {
  const text = textOf(url);
  const other = otherOf(text);
  const [clock] = CLOCK.exec(text) ?? [];
  const own = clock === undefined ? otherwise : `times its work itself, by ${clock}`;
  return `${labelOfFile(url)} ${other === undefined ? own : `is written for ${other}`}: ${DESCRIBE}`;
}

function otherOf(text: string): string | undefined {
  return DENO.test(text) ? "Deno" : BUN.test(text) ? "Bun" : PACKAGE.exec(text)?.[1];
}

function textOf(url: string): string {
  return readFileSync(fileURLToPath(url), "utf8");
}
