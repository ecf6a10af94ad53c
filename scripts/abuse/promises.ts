import { checkRecord, readRecord } from "../../suites/engine/schema/record.ts";
import { type Call, type Kept, REFUSED } from "./abuse.ts";
import { type Ended, LIMIT_MS } from "./call.ts";
import { listed, recordsIn, type Scene } from "./scene.ts";

/** The promises that a call has not kept. */
export function brokenPromises({ exit, stdout, stderr, missed }: Ended, call: Call, scene: Scene): string[] {
  const { promised } = call;
  const broken: string[] = [];
  const wanted = [promised.exit].flat();
  const all = stdout + stderr;
  if (exit === undefined) broken.push(`it still ran after ${LIMIT_MS / 1000} s`);
  else if (!wanted.includes(exit)) broken.push(`exit ${exit}, not ${wanted.join(" or ")}`);
  if (missed > 0) broken.push("it ended before everything was done to it");
  const { says, neverSays } = promised;
  if (says !== undefined && !says.test(all)) broken.push(`nothing printed is ${says}`);
  if (neverSays?.test(all)) broken.push(`what is printed is ${neverSays}`);
  if (/^ +at .+:\d+:\d+\)?$/m.test(all)) broken.push("a stack is printed");
  if (promised.exit === REFUSED) broken.push(...notRefused(stdout, stderr, call.inTerminal));
  if (promised.json) broken.push(...notARecord(stdout));
  const kept = promised.kept ?? (promised.exit === REFUSED ? "nothing" : undefined);
  if (kept !== undefined) broken.push(...notKept(kept, scene.out));
  return broken;
}

/** A request that cannot be carried out gets one line. */
function notRefused(stdout: string, stderr: string, inTerminal = false): string[] {
  const text = (inTerminal ? stdout : stderr).trimEnd();
  const lines = text.split("\n").length;
  const broken = lines === 1 && text !== "" ? [] : [`${text === "" ? 0 : lines} lines, not 1`];
  return inTerminal || stdout === "" ? broken : [...broken, "something is on stdout"];
}

function notARecord(stdout: string): string[] {
  try {
    checkRecord(JSON.parse(stdout), "stdout");
    return [];
  } catch (error) {
    return [`stdout is no record: ${(error as Error).message.split("\n")[0]}`];
  }
}

function notKept(kept: Kept, out: string): string[] {
  if (kept === "nothing") {
    const files = listed(out);
    return files.length === 0 ? [] : [`kept, and should not be: ${files.join(", ")}`];
  }
  const [path] = recordsIn(out);
  if (path === undefined) return ["no record is kept"];
  try {
    const { groups, interrupted } = readRecord(path);
    const broken = groups.length >= kept.groups ? [] : [`${groups.length} groups are kept of ${kept.groups}`];
    if (kept.interrupted === undefined || kept.interrupted === interrupted) return broken;
    return [...broken, `the record says ${interrupted ? "" : "not "}that it was interrupted`];
  } catch (error) {
    return [`the record cannot be read: ${(error as Error).message}`];
  }
}

/** What stands in the folder of the results, for the table. */
export function keptIn(out: string): string {
  const [path] = recordsIn(out);
  if (path === undefined) return listed(out).length === 0 ? "nothing" : "no record";
  try {
    const { groups, interrupted } = readRecord(path);
    const state = interrupted ? "interrupted" : "whole";
    return `a ${state} record of ${groups.length} ${groups.length === 1 ? "group" : "groups"}`;
  } catch {
    return "a damaged record";
  }
}
