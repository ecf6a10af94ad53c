import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { type BenchRecord, readRecord, recordText } from "../../suites/engine/schema/record.ts";
import { publishedRecords } from "../../suites/lab/store/results.ts";

/** Texts of records in which something is wrong, made from those that the repository keeps. */

/** Path of the newest published record of a primitive. */
export function newestRecord(primitive: string): string {
  return publishedRecords(primitive).at(-1)!;
}

/** A published record with changes, which need not fit. */
export function changedRecord(change: object): string {
  return recordText({ ...unchanged(), ...change });
}

/** By which version of the method that record was measured. */
export function methodOfRecord(): number {
  return unchanged().methodVersion;
}

function unchanged(): BenchRecord {
  return readRecord(newestRecord("draws"));
}

/** A published record whose text is changed. */
export function rewrittenRecord(rewrite: (text: string) => string): string {
  return rewrite(gunzipSync(readFileSync(newestRecord("draws"))).toString());
}

/** The groups of a published record, changed. */
export function changedGroups(change: (group: BenchRecord["groups"][number]) => object): string {
  return changedRecord({ groups: unchanged().groups.map(change) });
}

/** The text of a record of another command. */
export function calibrationRecord(): string {
  const folder = new URL("../../results/calibration/readings/", import.meta.url);
  const name = readdirSync(folder).findLast((file) => file.endsWith(".json.gz"))!;
  return gunzipSync(readFileSync(fileURLToPath(new URL(name, folder)))).toString();
}
