import type { CalibrationRecord, VerdictsRecord } from "../../schema/calibration.ts";
import { asWritten } from "../../tables/as-written.ts";
import type { Block } from "../../tables/blocks.ts";
import { readingsPage, readingsSummary } from "./calibration-readings.ts";
import { verdictsBlocks, verdictsPage } from "./calibration-verdicts.ts";

/**
 * A calibration's record as markdown. Pure: the text depends on the records and its file's name alone. `others` are further
 * runs whose equals count.
 */
export function calibrationPage(
  written: CalibrationRecord,
  fileName: string,
  others: readonly CalibrationRecord[] = [],
): string {
  const record = asWritten(written);
  return record.part === "verdicts"
    ? verdictsPage(record, fileName, others.filter(isOfVerdicts))
    : readingsPage(record, fileName);
}

/** The summary for a terminal, when all is measured. */
export function calibrationBlocks(
  record: CalibrationRecord,
  fileName: string,
  others: readonly CalibrationRecord[] = [],
): readonly Block[] {
  return record.part === "verdicts"
    ? verdictsBlocks(record, fileName, others.filter(isOfVerdicts))
    : [readingsSummary(record)];
}

function isOfVerdicts(record: CalibrationRecord): record is VerdictsRecord {
  return record.part === "verdicts";
}
