import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TONES } from "../../suites/lab/pictures/dark.ts";
import { pageScript, pageStyle } from "./bundle.ts";
import type { Published } from "./data.ts";
import { DATA_VERSION, primitiveFile, type SiteIndex, VEGA_FILES } from "./page/site-data.ts";

/**
 * The site's files by their paths in `folder`: one page, with its code and colours, and files of data for each primitive.
 * Those are scripts that hand their data to the page, because a page that is opened from a disk may read nothing else.
 */
export async function siteFiles(
  folder: string,
  published: readonly Published[],
  repository: string,
): Promise<Map<string, string>> {
  const index: SiteIndex = {
    version: DATA_VERSION,
    repository,
    primitives: published.map(({ entry }) => entry),
  };
  return new Map([
    ...published.map(({ data }) => [join(folder, primitiveFile(data.primitive)), dataText(data)] as const),
    ...VEGA_FILES.map((file) => [join(folder, file), vegaText(file)] as const),
    [join(folder, "index.html"), await pageText(index)],
  ]);
}

async function pageText(index: SiteIndex): Promise<string> {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>hotpath-lab</title>
<link rel="icon" href="data:,">
<style>
${coloursText()}
${pageStyle()}</style>
</head>
<body>
<header></header>
<main id="content" tabindex="-1"><noscript>This page judges records in the browser and needs JavaScript. The same tables stand in results/ as markdown.</noscript></main>
<footer>
<label>A record of your own, which stays in this browser: choose it, or drop it on the page <input type="file" accept=".json,.gz" multiple></label>
<p role="status"></p>
</footer>
<script type="application/json" id="index">${scriptJson(index)}</script>
<script type="module">${await pageScript()}</script>
</body>
</html>
`;
}

function dataText(data: object): string {
  return `receiveLabData(${scriptJson(data)});\n`;
}

/** A file of vega's own, which its packages have beside what Node loads, behind their licence. */
function vegaText(file: (typeof VEGA_FILES)[number]): string {
  const folder = dirname(dirname(fileURLToPath(import.meta.resolve(basename(file, ".min.js")))));
  const licence = readFileSync(join(folder, "LICENSE"), "utf8");
  return `/*\n${licence}*/\n${readFileSync(join(folder, "build", basename(file)), "utf8")}`;
}

/** The tones of all pictures as properties of the page; in its pictures they replace the light ones, as in those of pages. */
function coloursText(): string {
  const tones = Object.entries(TONES).map(([name, { light, dark }]) => {
    const property = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const inPictures = ["fill", "stroke"].map((of) => `.picture [${of}="${light}"]{${of}:var(${property})}`);
    return { property: `${property}:light-dark(${light},${dark})`, inPictures: inPictures.join("\n") };
  });
  return [
    `:root{color-scheme:light dark;${tones.map(({ property }) => property).join(";")}}`,
    ...tones.map(({ inPictures }) => inPictures),
  ].join("\n");
}

/** JSON that may stand in a script. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
