import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";
import { present } from "../../suites/engine/words/present.ts";
import { findProgram } from "../../suites/shared/processes.ts";

/** A browser for the page's tests. None is installed with the lab; the tests run where one is on the PATH. */
const NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"];

export function browserPath(): string | undefined {
  return findProgram(NAMES);
}

/** Asks nobody on the network. */
const QUIET_FLAGS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export async function openBrowser(executablePath: string): Promise<Browser> {
  // As root Chromium has no sandbox; the pages are the lab's own.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return await chromium.launch({ executablePath, args: [...QUIET_FLAGS, ...sandbox] });
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * What stands in the way of people who see, hear or move otherwise, a line for each thing that axe-core finds, by these rules.
 */
export async function obstaclesOn(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.addScriptTag({ content: axe });
  const options = { resultTypes: ["violations"], ...present({ runOnly: rules }) };
  return await page.evaluate<string[]>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ": " + target.join(" ") + " " + failureSummary)))`,
  );
}
