import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import {
  competitorsOf,
  type Entry,
  entryForFile,
  examinationOf,
  primitives,
} from "../../structures/catalog.ts";
import type { Described } from "../engine/measure/plan/described.ts";
import { askFork, type Lost } from "../engine/measure/run/process.ts";
import { plainLine } from "../engine/schema/lines.ts";
import type { CandidateAnswer, CandidateQuestion } from "./candidate.ts";
import { UsageError } from "./command/usage.ts";
import type { Request } from "./plan/asked.ts";

/**
 * Competitors from outside the repository. The calling process imports none of them. Each is asked, and examined, in a
 * process of its own, which is killed where it does not answer.
 */
export interface Candidate {
  readonly entry: Entry;
  readonly primitive: string;
  readonly described: Described;
}

/** Module of what a fork does with a candidate. */
const { href: CANDIDATE } = new URL("./candidate.ts", import.meta.url);

/** What the file of a candidate may be called: a competitor's name, and what ends in a module. */
export const CANDIDATE_NAME = /^[a-z0-9]+(-[a-z0-9]+)*\.m?[jt]s$/;
/** A process starts in less than a second, and a module that defines a competitor has nothing to wait for; in ms. */
const IMPORT_LIMIT_MS = 15_000;
/** In ms. The lab's slowest takes a third of it on a machine with eight times as much work as cores. */
const EXAMINATION_LIMIT_MS = 60_000;

/**
 * Asks every file which primitive it competes in. Throws a UsageError for a file that is no competitor, or has a name
 * that is taken.
 */
export async function loadCandidates(
  files: readonly string[],
  filters: readonly string[],
  limitMs = IMPORT_LIMIT_MS,
): Promise<Candidate[]> {
  const named = new Set(filters.map((filter) => filter.split("/")[0]));
  const asked = primitives().filter((primitive) => named.has(primitive));
  const candidates: Candidate[] = [];
  for (const file of files) {
    const candidate = await loadCandidate(file, asked.length > 0 ? asked : primitives(), limitMs);
    const { entry, primitive } = candidate;
    const taken = [
      ...competitorsOf(primitive),
      ...candidates.filter((other) => other.primitive === primitive).map((other) => other.entry),
    ];
    if (taken.some(({ name }) => name === entry.name)) {
      throw new UsageError(
        `--candidate ${file}: ${primitive} already has a competitor named ${entry.name}; rename the file`,
      );
    }
    candidates.push(candidate);
  }
  return candidates;
}

async function loadCandidate(
  file: string,
  possible: readonly string[],
  silenceMs: number,
): Promise<Candidate> {
  const refused = (reason: string) => new UsageError(`--candidate ${file} ${reason}`);
  if (!existsSync(file)) throw refused("cannot be read: there is no such file");
  if (!CANDIDATE_NAME.test(basename(file))) {
    throw refused(
      "is not named like a competitor: lower-case words joined by hyphens, and .ts, .mts, .js or .mjs, as in two-choices.ts",
    );
  }
  const entry = entryForFile(resolve(file));
  const answer = await ask({ kind: "describe", url: entry.url, possible, size: "full" }, silenceMs);
  if (answer.kind === "described") return { entry, ...answer };
  if (answer.kind === "unfit") throw refused(answer.reason);
  throw refused(`cannot be imported: ${lossOf(answer)}; a module may only define its competitor`);
}

/** In a process of its own. */
async function ask(question: CandidateQuestion, silenceMs: number): Promise<CandidateAnswer | Lost> {
  const answer = await askFork(
    { kind: "call", module: CANDIDATE, argument: question },
    { estimateMs: 0, silenceMs },
  );
  return answer.kind === "called" ? (answer.value as CandidateAnswer) : (answer as Lost);
}

/** Why there is no answer to a question. */
function lossOf(answer: CandidateAnswer | Lost): string {
  return answer.kind === "lost" ? answer.failure.reason : "it answered in the place of its process";
}

/** Candidates as a request has them. */
export function requested(candidates: readonly Candidate[]): Pick<Request, "candidates" | "described"> {
  const byPrimitive = Map.groupBy(candidates, ({ primitive }) => primitive);
  return {
    candidates: new Map(
      [...byPrimitive].map(([primitive, own]) => [primitive, own.map(({ entry }) => entry)]),
    ),
    described: new Map(candidates.map(({ entry, described }) => [entry.url, described])),
  };
}

/**
 * Applies all laws to each candidate, alone and under workers, and reports on stderr what was tried and what was found.
 * A candidate that breaks a law would be measured at something else than its work. Returns whether all were kept.
 */
export async function examineCandidates(candidates: readonly Candidate[]): Promise<boolean> {
  const say = (line: string) => process.stderr.write(`${plainLine(line)}\n`);
  let allKept = true;
  for (const { entry, primitive } of candidates) {
    const { tries } = await examinationOf(primitive);
    say(`${entry.name} is examined: ${tries}`);
    const answer = await ask({ kind: "examine", url: entry.url, primitive }, EXAMINATION_LIMIT_MS);
    const broken = answer.kind === "examined" ? answer.broken : [lossOf(answer)];
    for (const sentence of broken) say(`${entry.name}: ${sentence}`);
    say(
      broken.length === 0
        ? `${entry.name} keeps every law of ${primitive}`
        : `${entry.name} gets no number, and nothing was raced: mend it, or remove its --candidate`,
    );
    allKept &&= broken.length === 0;
  }
  return allKept;
}
