import { join } from "node:path";
import { TONES } from "../../suites/engine/render/pictures/dark.ts";
import { pageScript, pageStyle } from "./bundle.ts";
import type { Published } from "./data.ts";
import { DATA_VERSION, primitiveFile, runtimesFile, type SiteIndex } from "./page/site-data.ts";

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
    ...published.flatMap(({ data, onRuntimes }) => [
      [join(folder, primitiveFile(data.primitive)), dataText(data)] as const,
      ...(onRuntimes === undefined
        ? []
        : [[join(folder, runtimesFile(data.primitive)), dataText(onRuntimes)] as const]),
    ]),
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
<div id="page"><noscript>This page judges records in the browser and needs JavaScript. The same tables stand in results/ as markdown.</noscript></div>
<script type="application/json" id="index">${scriptJson(index)}</script>
<script>${await pageScript()}</script>
</body>
</html>
`;
}

function dataText(data: object): string {
  return `receiveLabData(${scriptJson(data)});\n`;
}

/** The tones of all pictures as properties of the page. */
function coloursText(): string {
  const tones = Object.entries(TONES).map(
    ([name, { light, dark }]) =>
      `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:light-dark(${light},${dark})`,
  );
  return `:root{color-scheme:light dark;${tones.join(";")}}`;
}

/** JSON that may stand in a script. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
