import { spawn, spawnSync } from "node:child_process";
import { stripTypeScriptTypes } from "node:module";
import { relative } from "node:path";
import type { Readable } from "node:stream";
import { Random } from "../../structures/shared/sfc32.ts";
import { UsageError } from "../../suites/lab/command/usage.ts";
import { faulty } from "./plant.ts";

/** Stryker knows what can be wrong with a source. It is asked for that alone, by its mutation server protocol. */

/** Pinned: another version has other mutants, and the same seed draws others. npx keeps it outside the repository. */
export const STRYKER = "@stryker-mutator/core@10.1.1";

/** A source with one change, by characters of it. */
export interface Mutant {
  /** Path from the top. */
  readonly file: string;
  readonly line: number;
  readonly from: number;
  readonly to: number;
  readonly replacement: string;
  /** Stryker's name of the kind of change. */
  readonly mutator: string;
}

/** What the packages in structures are built from. */
const BUILDS = ["tsconfig.build.json", "structures/interleave/tsconfig.json"];

/** The sources of structures that its packages publish, as the compiler finds them. */
export function publishedSources(root: string): string[] {
  const paths = BUILDS.flatMap((build) => sourcesOf(root, build)).map((path) => relative(root, path));
  return paths.filter((path) => areaOf(path) !== undefined && !path.endsWith(".d.ts")).sort();
}

function sourcesOf(root: string, build: string): string[] {
  return spawnSync("tsc", ["-p", build, "--listFilesOnly"], { cwd: root, encoding: "utf8" }).stdout.split(
    "\n",
  );
}

/** The folder of structures that a file stands in: a primitive, or what they share. */
export function areaOf(file: string): string | undefined {
  return /^structures\/([^/]+)\//.exec(file)?.[1];
}

/** All that Stryker would change in these files but their texts, which only a reader can judge; `read` gives each file. */
export async function discover(
  root: string,
  files: readonly string[],
  read: (file: string) => string,
): Promise<Mutant[]> {
  const found = await discovered(root, files);
  return files.flatMap((file) => mutantsIn(file, read(file), found[file]?.mutants ?? []));
}

export function mutantsIn(file: string, source: string, found: readonly Discovered[]): Mutant[] {
  const lines = lineStarts(source);
  return found
    .filter(({ mutatorName }) => mutatorName !== "StringLiteral")
    .map((mutant) => placed(file, mutant, lines))
    .filter((mutant) => isSyntax(faulty(source, mutant)));
}

export interface Discovered {
  readonly location: { readonly start: Position; readonly end: Position };
  readonly mutatorName: string;
  readonly replacement: string;
}

/** Both from 1 on. */
interface Position {
  readonly line: number;
  readonly column: number;
}

async function discovered(
  root: string,
  files: readonly string[],
): Promise<Readonly<Record<string, { readonly mutants: readonly Discovered[] }>>> {
  const args = ["--yes", "--package", STRYKER, "stryker", "serve", "stdio", "--", "--mutate", files.join()];
  const server = spawn("npx", args, { cwd: root, stdio: ["pipe", "pipe", "ignore"] });
  const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "discover", params: {} });
  server.stdin.write(`Content-Length: ${Buffer.byteLength(request)}\r\n\r\n${request}`);
  try {
    return JSON.parse(await body(server.stdout)).result.files;
  } finally {
    // It would wait for the next request.
    server.kill();
  }
}

/** Of the first message, which gives its length in bytes. */
async function body(stream: Readable): Promise<string> {
  let received = Buffer.alloc(0);
  for await (const chunk of stream) {
    received = Buffer.concat([received, chunk as Buffer]);
    const [head, length] = /^Content-Length: (\d+)\r\n\r\n/.exec(received.toString("latin1", 0, 64)) ?? [];
    if (head !== undefined && received.length >= head.length + Number(length))
      return received.toString("utf8", head.length, head.length + Number(length));
  }
  throw new UsageError(`npx could not start ${STRYKER}: is the npm registry within reach?`);
}

function placed(file: string, { location, mutatorName, replacement }: Discovered, lines: readonly number[]) {
  const at = ({ line, column }: Position) => lines[line - 1]! + column - 1;
  return {
    file,
    line: location.start.line,
    from: at(location.start),
    to: at(location.end),
    // The replacement of an expression must stay one operand of the code around it.
    replacement: isStatement(replacement, mutatorName) ? replacement : `(${replacement})`,
    mutator: mutatorName,
  };
}

function isStatement(replacement: string, mutator: string): boolean {
  return mutator === "BlockStatement" || /^(case\b|default:|for \()/.test(replacement);
}

function lineStarts(source: string): number[] {
  return [0, ...Array.from(source.matchAll(/\n/g), ({ index }) => index + 1)];
}

/** Whether a runtime would begin to run it. What it cannot even read shows nothing about the tests. */
function isSyntax(source: string): boolean {
  try {
    stripTypeScriptTypes(source);
    return true;
  } catch {
    return false;
  }
}

export function byArea(mutants: readonly Mutant[]): Map<string, Mutant[]> {
  return Map.groupBy(mutants, ({ file }) => areaOf(file)!);
}

/**
 * The given number from each area, or all where there are no more: the same ones for the same seed and sources. One of each area
 * after the other, so that what was tried when a run is cut off is a sample as well.
 */
export function sampleOf(mutants: readonly Mutant[], size: number, seed: number): Mutant[] {
  const areas = [...byArea(mutants).values()].map((area, stream) => new Random(seed, stream).shuffle(area));
  return Array.from({ length: size }, (_, index) => areas.flatMap((area) => area[index] ?? [])).flat();
}
