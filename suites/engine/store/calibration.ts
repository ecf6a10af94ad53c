import { join } from "node:path";
import { type CalibrationRecord, type Part, readCalibration } from "../schema/calibration.ts";
import { RESULTS, type RecordIdentity, recordName, recordsIn } from "./results.ts";

/** Where records of a part are published, each under its day. */
export function publishedCalibrations(part: Part): string {
  return join(RESULTS, "calibration", part);
}

/** Where a record is published. */
export function publishedCalibrationPath(identity: RecordIdentity, part: Part): string {
  return join(publishedCalibrations(part), `${recordName(identity, true)}.json`);
}

/** Where a local run's record goes: its name says what it is, as bench records lie in the same folder. */
export function localCalibrationPath(identity: RecordIdentity, part: Part, folder: string): string {
  return join(folder, `${recordName(identity, false)}-${part}.json`);
}

/** The newest published record of a part; undefined if there is none. */
export function newestCalibration(
  part: Part,
  folder = publishedCalibrations(part),
): { readonly path: string; readonly record: CalibrationRecord } | undefined {
  return recordsIn(folder, readCalibration).at(-1);
}
