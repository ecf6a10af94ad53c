import type { Block } from "../../suites/engine/render/tables/blocks.ts";
import { left } from "../../suites/engine/render/tables/columns.ts";
import type { Trial } from "./trial.ts";

/** What abuses came to, as a table: a row for each. Pure. */

export function trialBlocks(trials: readonly Trial[]): Block[] {
  const broken = trials.filter((trial) => trial.broken.length > 0);
  const skipped = trials.filter(({ skipped }) => skipped !== undefined);
  return [
    summaryOf(trials),
    ...broken.flatMap(({ name, broken, ends }) => [
      { title: `${name}: not as promised`, items: broken },
      ...ends.map((text) => `${FENCE}\n${text.replaceAll(FENCE, "")}\n${FENCE}`),
    ]),
    ...(skipped.length === 0
      ? []
      : [{ title: "Not tried", items: skipped.map(({ name, skipped }) => `${name}: ${skipped}`) }]),
    {
      title: "Abuses",
      provenance: [],
      columns: [
        left("name", "Abuse"),
        left("commands", "Command"),
        left("printed", "Printed"),
        left("exits", "Exit"),
        left("kept", "Kept"),
        left("left", "Left"),
        left("promised", "As promised"),
      ],
      rows: trials
        .filter(({ skipped }) => skipped === undefined)
        .map((trial) => ({
          cells: {
            name: trial.name,
            commands: trial.commands.map(code).join(", then "),
            printed: trial.printed.map(code).join(", then "),
            exits: trial.exits.join(", then "),
            kept: trial.kept,
            left: trial.left.length === 0 ? "nothing" : trial.left.map(code).join("; "),
            promised: trial.broken.length === 0 ? "yes" : "**no**",
          },
        })),
      legend: [
        "Printed: the line that tells of it, of the last where none does. Kept: what stands in the folder of the results afterwards. Left: processes, files elsewhere, and what is wrong with the terminal.",
      ],
    },
  ];
}

/** One line. */
export function summaryOf(trials: readonly Trial[]): string {
  const tried = trials.filter(({ skipped }) => skipped === undefined);
  const kept = tried.filter(({ broken }) => broken.length === 0);
  const not = trials.length - tried.length;
  return `${kept.length} of ${tried.length} abuses end as promised${not === 0 ? "" : `, ${not} cannot be tried here`}.`;
}

const FENCE = "```";

/** Longer texts say no more in a table. */
const LONGEST = 160;

/** Text that is no markdown, whatever stands in it. */
function code(text: string): string {
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
  return `\`${shown.replaceAll("`", "'")}\``;
}
