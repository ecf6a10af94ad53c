import { spawnSync } from "node:child_process";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { contractOf, examinationOf, loadCompetitor } from "../../../../structures/catalog.ts";
import { firstLine } from "../../../../structures/shared/examination.ts";
import { describeCompetitor } from "../plan/described.ts";
import type { DescribedCandidate, DescribeJob, ExamineJob, ForkMessage } from "../plan/protocol.ts";
import { assertBuiltins } from "./builtins.ts";
import { loadSuites } from "./load.ts";

/** What a fork does with a candidate: code of which nothing is known, not even that it ends. */

const CAN_BE_MOVED = "npm run new -- candidate PATH lays out one that imports nothing of the lab";

/** Finds the primitive whose contract a candidate fits: of several, the one that asks the most of it. */
export async function describeCandidate({ url, possible, size }: DescribeJob): Promise<DescribedCandidate> {
  let threads = 0;
  // Not that of the process's own watch, of which an event is due.
  await setImmediate();
  process.on("worker", () => threads++);
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
export async function examineCandidate({ url, primitive }: ExamineJob): Promise<ForkMessage> {
  const { examine } = await examinationOf(primitive);
  return { kind: "examined", broken: (await examine(url)).map(firstLine) };
}

/** Why a module cannot be imported, with file, line and column where Node tells them. */
export function importFault(error: unknown, url: string): string {
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
