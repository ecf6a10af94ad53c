import { Compile } from "typebox/compile";
import type { GroupRecord } from "../../engine/schema/record.ts";
import { misfitOf } from "../../engine/schema/values.ts";
import { checkEnvelope, readJson } from "./envelope-file.ts";
import {
  type BenchRecord,
  type RecordContents,
  RecordSchema,
  type SimulationRecord,
  type SurveyRecord,
} from "./record.ts";

/** All that a record holds of scenarios, of whatever kind. */
export function partsOf({
  groups,
  simulations,
  surveys = [],
}: RecordContents): readonly (GroupRecord | SimulationRecord | SurveyRecord)[] {
  return [...groups, ...simulations, ...surveys];
}

/** Whether its races and surveys are of several runtimes, or of another than the record's own. */
export function isOnRuntimes({ groups, surveys = [] }: Pick<BenchRecord, "groups" | "surveys">): boolean {
  return [...groups, ...surveys].some(({ runtimes }) => runtimes !== undefined);
}

/**
 * Throws an Error with one line, and `remedy` at its end, if these records were measured by different versions of the
 * method.
 */
export function checkOneMethod(
  records: readonly { readonly name: string; readonly record: Pick<BenchRecord, "methodVersion"> }[],
  remedy: string,
): void {
  const [first] = records;
  const other = records.find(({ record }) => record.methodVersion !== first!.record.methodVersion);
  if (other === undefined) return;
  const of = ({ name, record }: typeof other) => `${name} is of method ${record.methodVersion}`;
  throw new Error(`${of(first!)} and ${of(other)}, whose figures do not compare: ${remedy}`);
}

const validator = Compile(RecordSchema);

/** Records of earlier methods held ratios of paired slices, of which nothing reads any more. */
const OLDEST_METHOD = 4;

/** Reads and checks a record. Throws an Error whose one-line message says what is wrong with the file. */
export function readRecord(path: string): BenchRecord {
  return checkRecord(readJson(path, "bench"), path);
}

/** As `readRecord`, for a value that is already parsed; `name` stands for it in the message. */
export function checkRecord(value: unknown, name: string): BenchRecord {
  if (validator.Check(value)) return value;
  checkEnvelope(value, "bench", name);
  const { methodVersion } = value as Partial<BenchRecord>;
  if (typeof methodVersion === "number" && methodVersion < OLDEST_METHOD)
    throw new Error(`${name} is of method ${methodVersion}, which is no longer read: race it again`);
  throw new Error(`${name} is damaged: ${misfitOf(validator.Errors(value))}`);
}

/** An object that holds no other: lines of a key and a string, number, true, false or null each. */
const OBJECT_OF_VALUES = /\{\n(?: *"\w+": (?:"(?:[^"\\\n]|\\.)*"|[-\w.+]+),?\n)+ *\}/g;

/** A value as JSON in lines, each object that holds no other on one: so that a diff shows which were made anew. */
export function jsonText(value: unknown): string {
  const pretty = JSON.stringify(value, null, 1);
  // A string cannot hold a line break here, so none is ever taken for layout.
  return `${pretty.replace(OBJECT_OF_VALUES, (object) => object.replace(/\n */g, " "))}\n`;
}

/** So deep lie the cells of a record and its columns: each stands on a line of its own. */
const LEVELS_IN_LINES = 4;

/** A record, of whatever kind, as text: one line for each cell, so that a diff shows which were made anew. */
export function recordText(record: object): string {
  return `${inLines(record, LEVELS_IN_LINES, "")}\n`;
}

/** A value as JSON whose objects and arrays have a line for each entry, down to `levels` levels. */
function inLines(value: unknown, levels: number, indent: string): string {
  if (levels === 0 || typeof value !== "object" || value === null) return JSON.stringify(value);
  const deeper = `${indent} `;
  const entries = Array.isArray(value)
    ? value.map((entry) => inLines(entry, levels - 1, deeper))
    : Object.entries(value)
        .filter(([, entry]) => entry !== undefined)
        .map(([key, entry]) => `${JSON.stringify(key)}: ${inLines(entry, levels - 1, deeper)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (entries.length === 0) return `${open}${close}`;
  return `${open}\n${deeper}${entries.join(`,\n${deeper}`)}\n${indent}${close}`;
}
