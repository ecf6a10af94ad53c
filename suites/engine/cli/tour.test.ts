import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { it } from "node:test";
import { pathToFileURL } from "node:url";
import { golden } from "../golden.trials.ts";
import { outcomeText } from "./commits/table.ts";
import { raceTextOf } from "./report-text.ts";
import { growthsText } from "./scaling/growth-text.ts";

/** What `--json` wrote of a race, without the folder and the machine. */
function recorded(name: string) {
  const file = join(import.meta.dirname, `testdata/tour/${name}.json`);
  return JSON.parse(readFileSync(file, "utf8"), (key, value) =>
    key === "file" && name !== "commits" ? pathToFileURL(resolve(value)).href : value,
  );
}

/** A verdict between marks that no text has: the picture colours it. */
const OPTIONS = { width: 100, styled: (verdict: string) => `\ue000${verdict}\ue001`, histogram: false };
const STYLE =
  "text{font:14px ui-monospace,Menlo,Consolas,monospace;fill:#c9d1d9}.faster{fill:#3fb950}.slower{fill:#f85149}.baseline{fill:#8b949e}";
/** In px: of a character, a line, and the margin. */
const [WIDE, HIGH, MARGIN] = [8.5, 20, 16];

/** A terminal as SVG, in which a command has printed a text. */
function picture(command: string, text: string): string {
  const lines = [`$ ${command}`, "", ...text.trimEnd().split("\n")];
  const columns = Math.max(...lines.map((line) => line.replace(/[\ue000\ue001]/g, "").length));
  const [width, height] = [Math.ceil(columns * WIDE) + 2 * MARGIN, lines.length * HIGH + 2 * MARGIN];
  const rows = lines.map((line, place) => {
    const safe = line.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    const styled = safe.replace(/\ue000(.*)\ue001/, '<tspan class="$1">$1</tspan>');
    return `<text x="${MARGIN}" y="${MARGIN + (place + 0.75) * HIGH}" xml:space="preserve">${styled}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${command}</title><style>${STYLE}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}

it("pictures show what the command says of recorded races", (test) => {
  const [race] = recorded("race").races;
  const { growth } = recorded("growth");
  for (const [name, call, text] of [
    ["race", "join.bench.mjs", raceTextOf(race, OPTIONS)],
    ["commits", "join.bench.mjs --base main", outcomeText(recorded("commits").commits, OPTIONS)],
    ["growth", "sort.bench.mjs", growthsText(growth, OPTIONS)],
  ] as const)
    golden(test, `../tour/${name}.svg`, picture(`npx hotpath-race ${call}`, text));
});
