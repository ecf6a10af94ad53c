import { join } from "node:path";
import { type CalibrationRecord, type Part, readCalibration } from "../schema/calibration.ts";
import { RESULTS, type RecordIdentity, recordName, recordsIn } from "./results.ts";

/** Where records of a part are published, each under its day. */
export function publishedCalibrations(part: Part): string {
  return join(RESULTS, "calibration", part);
}

/** Where a record is published. */
export function publishedCalibrationPath(identity: RecordIdentity, part: Part): string {
  return join(publishedCalibrations(part), `${recordName(identity, true)}.json.gz`);
}

/** Where a local run's record goes: its name says what it is, as bench records lie in the same folder. */
export function localCalibrationPath(identity: RecordIdentity, part: Part, folder: string): string {
  return join(folder, `${recordName(identity, false)}-${part}.json`);
}

export interface PublishedCalibration {
  readonly path: string;
  readonly record: CalibrationRecord;
}

/**
 * The newest published records of a part: of a machine left alone, and beside a disturbance; undefined if there is none. Older
 * ones are superseded, unless their equals count beside those of the newest method: their absolute paths.
 */
export function newestCalibrations(
  part: Part,
  folder = publishedCalibrations(part),
): {
  readonly alone: PublishedCalibration | undefined;
  readonly disturbed: PublishedCalibration | undefined;
  readonly superseded: readonly string[];
} {
  const published = recordsIn(folder, readCalibration);
  const method = published.at(-1)?.record.methodVersion;
  const alone = published.findLast(({ record }) => !isDisturbed(record));
  const disturbed = published.findLast(({ record }) => isDisturbed(record));
  const isKept = (one: PublishedCalibration) =>
    one === alone || one === disturbed || (part === "verdicts" && one.record.methodVersion === method);
  const superseded = published.filter((one) => !isKept(one)).map(({ path }) => path);
  return { alone, disturbed, superseded };
}

function isDisturbed(record: CalibrationRecord): boolean {
  return record.part === "verdicts" && record.isDisturbed === true;
}

/** The other published runs whose equals count beside those of a record: of its method. */
export function othersBeside(
  { part, methodVersion, startedAt }: CalibrationRecord,
  folder = publishedCalibrations(part),
): readonly CalibrationRecord[] {
  if (part !== "verdicts") return [];
  return recordsIn(folder, readCalibration)
    .map(({ record }) => record)
    .filter((other) => other.methodVersion === methodVersion && other.startedAt !== startedAt);
}
