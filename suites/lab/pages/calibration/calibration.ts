import type { CalibrationRecord } from "../../schema/calibration.ts";
import { asWritten } from "../../tables/as-written.ts";
import type { Block } from "../../tables/blocks.ts";
import { readingsPage, readingsSummary } from "./calibration-readings.ts";
import { verdictsBlocks, verdictsPage } from "./calibration-verdicts.ts";

/** A calibration's record as markdown. Pure: the text depends on the record and its file's name alone. */
export function calibrationPage(written: CalibrationRecord, fileName: string): string {
  const record = asWritten(written);
  return record.part === "verdicts" ? verdictsPage(record, fileName) : readingsPage(record, fileName);
}

/** The summary for a terminal, when all is measured. */
export function calibrationBlocks(record: CalibrationRecord, fileName: string): readonly Block[] {
  return record.part === "verdicts" ? verdictsBlocks(record, fileName) : [readingsSummary(record)];
}
