import { spawnSync } from "node:child_process";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { contractOf, examinationOf, loadCompetitor } from "../../structures/catalog.ts";
import { assertBuiltins } from "../engine/measure/load/builtins.ts";
import { tagOfFlags } from "../engine/measure/machine/flags.ts";
import { type Described, describeCompetitor } from "../engine/measure/plan/described.ts";
import { firstLine } from "../engine/schema/lines.ts";
import { loadSuites } from "./suites.ts";

/** What a fork is asked about a candidate, whose code may do anything, or never end. */
export type CandidateQuestion = DescribeQuestion | ExamineQuestion;

interface DescribeQuestion {
  readonly kind: "describe";
  readonly url: string;
  /** The primitives whose contract it may fit. */
  readonly possible: readonly string[];
  readonly size: "full" | "smoke";
}

interface ExamineQuestion {
  readonly kind: "examine";
  readonly url: string;
  readonly primitive: string;
}

export type CandidateAnswer =
  | { readonly kind: "described"; readonly primitive: string; readonly described: Described }
  /** It fits no contract, or cannot be imported. */
  | { readonly kind: "unfit"; readonly reason: string }
  | {
      readonly kind: "examined";
      /** A sentence for each law that it broke, which begins with the law's name. */
      readonly broken: readonly string[];
    };

/** Called in a fork of its own (see `CallJob`). */
export default function answer(question: CandidateQuestion): Promise<CandidateAnswer> {
  return question.kind === "describe" ? describeCandidate(question) : examineCandidate(question);
}

const CAN_BE_MOVED = "npm run new -- candidate PATH lays out one that imports nothing of the lab";

/** Finds the primitive whose contract a candidate fits: of several, the one that asks the most of it. */
async function describeCandidate({ url, possible, size }: DescribeQuestion): Promise<CandidateAnswer> {
  let threads = 0;
  // Not the event of the process's own watch, which is due.
  await setImmediate();
  process.on("worker", () => threads++);
  const flags = tagOfFlags();
  try {
    await import(url);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException | undefined)?.code === "ERR_MODULE_NOT_FOUND";
    const help = isMissing ? `; ${CAN_BE_MOVED}` : "";
    return { kind: "unfit", reason: `cannot be imported: ${importFault(error, url)}${help}` };
  }
  await setImmediate();
  if (threads > 0)
    return { kind: "unfit", reason: "cannot be raced: it starts a thread where it is imported" };
  if (tagOfFlags() !== flags)
    return { kind: "unfit", reason: "cannot be raced: it changes V8's flags where it is imported" };
  try {
    assertBuiltins();
  } catch (error) {
    return { kind: "unfit", reason: `cannot be raced: ${(error as Error).message}` };
  }
  const misfits: string[] = [];
  const contracts = await Promise.all(
    possible.map(async (primitive) => ({ primitive, contract: await contractOf(primitive) })),
  );
  const fieldsOf = ({ contract }: (typeof contracts)[number]) => Object.keys(contract.fields).length;
  for (const { primitive, contract } of contracts.sort((a, b) => fieldsOf(b) - fieldsOf(a))) {
    try {
      const traits = await loadCompetitor(url, contract);
      const { suite } = (await loadSuites()).find((loaded) => loaded.suite.primitive === primitive)!;
      return { kind: "described", primitive, described: describeCompetitor(traits, suite, size) };
    } catch (error) {
      misfits.push(`${primitive}: ${firstLine((error as Error).message)}`);
    }
  }
  return { kind: "unfit", reason: `fits no contract that was asked for (${misfits.join("; ")})` };
}

/** Applies every law of its primitive to it, alone and under workers. */
async function examineCandidate({ url, primitive }: ExamineQuestion): Promise<CandidateAnswer> {
  const { examine } = await examinationOf(primitive);
  return { kind: "examined", broken: (await examine(url)).map(firstLine) };
}

/** Why a module cannot be imported, with file, line and column where Node gives them. */
function importFault(error: unknown, url: string): string {
  if (!(error instanceof Error)) return `it threw ${firstLine(String(error))}`;
  const path = fileURLToPath(url);
  const place = placeIn(error.stack) ?? (error instanceof SyntaxError ? placeIn(checked(path)) : undefined);
  const what = `${error.name}: ${firstLine(error.message)}`;
  return place === undefined ? what : `${place} ${what}`;
}

/** `file:line:column` of what Node prints of an error: above the message, with a mark below the column, or in its first frame. */
function placeIn(text = ""): string | undefined {
  const [first = "", ...lines] = text.split("\n");
  const above = /^(?:file:\/\/)?(\/.+):(\d+)$/.exec(first);
  if (above !== null) {
    const mark = lines.find((line) => /^ *\^+ *$/.test(line));
    return `${above[1]}:${above[2]}${mark === undefined ? "" : `:${mark.indexOf("^") + 1}`}`;
  }
  const frame = lines.find((line) => /^ +at .*file:\/\//.test(line));
  return frame === undefined ? undefined : /file:\/\/(\/[^)]+:\d+:\d+)\)?$/.exec(frame)?.[1];
}

/** What Node prints of a JavaScript file that it cannot parse: the error that an import throws does not say where. */
function checked(path: string): string {
  return spawnSync(process.execPath, ["--check", path], { encoding: "utf8" }).stderr;
}
