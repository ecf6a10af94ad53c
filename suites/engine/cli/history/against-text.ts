import { aligned, digits, rangeOf } from "../../race-text.ts";
import { against } from "./against.ts";
import type { SavedRun } from "./saved-run.ts";

/** What `--against` prints: each task of a run beside what a saved one has of it. */
export function againstText(now: SavedRun, then: SavedRun, name: string): string {
  const { rows, onlyNow, onlyThen, notes } = against(now, then, name);
  const cells = rows.map(({ label, ratio, verdict }) => [
    label,
    digits(ratio.value),
    rangeOf(ratio),
    verdict,
  ]);
  return `${[
    ...aligned([["task", `now / ${name}`, "interval", "verdict"], ...cells]),
    "",
    ...notes,
    ...(onlyNow.length > 0 ? [`Not in ${name}: ${onlyNow.join(", ")}.`] : []),
    ...(onlyThen.length > 0 ? [`Only in ${name}: ${onlyThen.join(", ")}.`] : []),
  ].join("\n")}\n`;
}
