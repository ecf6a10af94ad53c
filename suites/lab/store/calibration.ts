import { join } from "node:path";
import { type CalibrationRecord, readCalibration } from "../schema/calibration.ts";
import { RESULTS, type RecordIdentity, recordName, recordsIn } from "./results.ts";

/** Where records are published, each under its day. */
export const PUBLISHED_CALIBRATIONS = join(RESULTS, "calibration", "verdicts");

/** Where a record is published. */
export function publishedCalibrationPath(identity: RecordIdentity): string {
  return join(PUBLISHED_CALIBRATIONS, `${recordName(identity, true)}.json.gz`);
}

/** Where a local run's record goes: its name says what it is, as bench records lie in the same folder. */
export function localCalibrationPath(identity: RecordIdentity, folder: string): string {
  return join(folder, `${recordName(identity, false)}-verdicts.json`);
}

export interface PublishedCalibration {
  readonly path: string;
  readonly record: CalibrationRecord;
}

/**
 * The newest published records: of a machine left alone, and beside a disturbance; undefined if there is none. Older ones are
 * superseded, unless their equals count beside those of the newest method: their absolute paths.
 */
export function newestCalibrations(folder = PUBLISHED_CALIBRATIONS): {
  readonly alone: PublishedCalibration | undefined;
  readonly disturbed: PublishedCalibration | undefined;
  readonly superseded: readonly string[];
} {
  const published = recordsIn(folder, readCalibration);
  const method = published.at(-1)?.record.methodVersion;
  const alone = published.findLast(({ record: { isDisturbed } }) => isDisturbed !== true);
  const disturbed = published.findLast(({ record: { isDisturbed } }) => isDisturbed === true);
  const isKept = (one: PublishedCalibration) =>
    one === alone || one === disturbed || one.record.methodVersion === method;
  const superseded = published.filter((one) => !isKept(one)).map(({ path }) => path);
  return { alone, disturbed, superseded };
}

/** The other published runs whose equals count beside those of a record: of its method. */
export function othersBeside(
  { methodVersion, startedAt }: CalibrationRecord,
  folder = PUBLISHED_CALIBRATIONS,
): readonly CalibrationRecord[] {
  return recordsIn(folder, readCalibration)
    .map(({ record }) => record)
    .filter((other) => other.methodVersion === methodVersion && other.startedAt !== startedAt);
}
