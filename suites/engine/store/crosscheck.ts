import { join } from "node:path";
import { type CrosscheckRecord, crosscheckText, readCrosscheck } from "../schema/crosscheck.ts";
import { RESULTS, type RecordIdentity, recordName, recordsIn, writeWhole } from "./results.ts";

export const PUBLISHED_CROSSCHECKS = join(RESULTS, "crosscheck");

/** Where a record is published. */
export function publishedCrosscheckPath(identity: RecordIdentity): string {
  return join(PUBLISHED_CROSSCHECKS, `${recordName(identity, true)}.json`);
}

/** Where a local run's record goes: its name says what it is, as bench records lie in the same folder. */
export function localCrosscheckPath(identity: RecordIdentity, folder: string): string {
  return join(folder, `${recordName(identity, false)}-crosscheck.json`);
}

export function writeCrosscheck(path: string, record: CrosscheckRecord): void {
  writeWhole(path, crosscheckText(record));
}

/** The newest published record; undefined if there is none. */
export function newestCrosscheck(
  folder = PUBLISHED_CROSSCHECKS,
): { readonly path: string; readonly record: CrosscheckRecord } | undefined {
  return recordsIn(folder, readCrosscheck).at(-1);
}
