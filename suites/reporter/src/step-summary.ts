/** The page that GitHub Actions shows for a step: its summary, a file of markdown that the step appends to. */
import { appendFileSync, statSync } from "node:fs";

/** GitHub shows no summary of a step that is larger, in bytes. */
export const MOST_SUMMARY_BYTES = 1024 ** 2;

/**
 * Appends markdown to the summary of the current step. It puts an empty line before it, so that it does not run into
 * text already there.
 *
 * @param file default: what the environment variable GITHUB_STEP_SUMMARY names.
 * @throws {Error} with one line, if there is no such variable, or the summary would be larger than the 1 MiB that GitHub
 *   takes. Nothing is written then.
 */
export function appendStepSummary(
  markdown: string,
  file: string | undefined = process.env.GITHUB_STEP_SUMMARY,
): void {
  if (file === undefined || file === "") {
    throw new Error(
      "GITHUB_STEP_SUMMARY is not set: GitHub Actions sets it in every step, elsewhere name a file to append to",
    );
  }
  const text = `\n${markdown}`;
  const bytes = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) + Buffer.byteLength(text);
  if (bytes > MOST_SUMMARY_BYTES) {
    throw new Error(
      `the step's summary would have ${bytes} bytes, and GitHub takes ${MOST_SUMMARY_BYTES}: append fewer tables`,
    );
  }
  appendFileSync(file, text);
}
