import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { publishedRecords, writeAll } from "../../suites/lab/store/results.ts";
import { browserPath, obstaclesOn, openBrowser } from "./browser.ts";
import { publishedData } from "./data.ts";
import { SHOWS, type Show } from "./page/address.ts";
import { siteFiles } from "./site.ts";

/**
 * The page as a person has it: from a disk, in a real browser. With HOTPATH_SCREENSHOTS=DIR a picture of every view is
 * left there.
 */
const executable = browserPath();
const skip = executable === undefined && "no chromium, google-chrome or chrome is on the PATH";
const folder = mkdtempSync(join(tmpdir(), "hotpath-explore-"));
after(() => rmSync(folder, { recursive: true }));

const NARROW = { width: 390, height: 844 };
const USUAL = { width: 1280, height: 900 };

/** A scenario that has something to show in a view, and little of it, because all of it is looked through. */
const WHERE: Readonly<Record<Show, string>> = {
  ranking: "#locks/short-section",
  records: "#draws/bound-7?show=records",
};

/** Seventy nights of a cell that scatter by 0.4 %, and from the sixtieth on it is slower by a fifth. */
const NIGHTS = Array.from({ length: 70 }, (_, night) => {
  const ratio = (night < 60 ? 0.5 : 0.6) * (1 + 0.004 * Math.sin(3 * night));
  const line = {
    version: 1,
    at: new Date(Date.UTC(2026, 8, 1 + night)).toISOString(),
    commit: night.toString(16).padStart(7, "0"),
    machine: "made-up-2c-1g",
    runtime: "Node.js 24.0.0",
    method: 3,
    profile: "quick",
    cell: "draws/bound-7/lemire/1w",
    workers: 1,
    oversubscribed: false,
    state: "quiet",
    medianNs: 10,
    ratio,
    low: ratio,
    high: ratio,
    floor: 0.01,
    baseline: "unsigned-modulo",
    forks: 8,
    verdict: "faster",
  };
  return `${JSON.stringify(line)}\n`;
}).join("");

describe("the page in a browser", { skip }, () => {
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];

  before(async () => {
    const history = join(folder, "history.ndjson");
    writeFileSync(history, NIGHTS);
    browser = await openBrowser(executable!);
    writeAll(await siteFiles(folder, await publishedData([history]), "../../"));
    page = await browser.newPage({ viewport: USUAL });
    page.on("pageerror", ({ message }) => faults.push(message));
  });
  after(async () => await browser?.close());

  const show = async (hash: string) => {
    // An address that differs behind the # alone would be another view of the same page, with what was done there.
    await page.goto("about:blank");
    await page.goto(pathToFileURL(join(folder, "index.html")).href + hash);
    await page.locator("main > div").waitFor();
  };

  it("has a colour for every colour that its style asks for", async () => {
    await show("");
    const undefinedOnes = await page.evaluate<string[]>(`(() => {
      const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
      const texts = rules.map((rule) => rule.cssText).join("");
      const asked = new Set([...texts.matchAll(/var\\((--[a-z-]+)\\)/g)].map(([, name]) => name));
      const set = new Set([...texts.matchAll(/(--[a-z-]+):/g)].map(([, name]) => name));
      return [...asked].filter((name) => !set.has(name));
    })()`);
    assert.deepEqual(undefinedOnes, []);
  });

  it("leads from the questions to a view of the reader's choice, whose address leads back to it", async () => {
    await show("");
    await page.getByRole("navigation", { name: "Primitives" }).getByRole("link", { name: "pick" }).click();
    await page.getByRole("combobox", { name: "Scenario" }).selectOption("uniform-8");
    await page.getByLabel("1", { exact: true }).check();
    await page.getByRole("combobox", { name: "Baseline" }).selectOption("cas-ring");
    await page.getByRole("columnheader", { name: "Ratio to cas-ring" }).first().waitFor();
    await page.getByText("What is required").click();
    await page.getByRole("group", { name: "order", exact: true }).getByLabel("rotation").check();
    await page.getByText(/are not what is required/).waitFor();
    const asked = "#pick/uniform-8?workers=1&base=cas-ring&need.order=rotation";
    assert.ok(page.url().endsWith(asked), page.url());
    const seen = await page.locator("main section section").first().textContent();
    await page.reload();
    await page.locator("main > div").waitFor();
    assert.equal(await page.locator("main section section").first().textContent(), seen);
    await page.getByLabel("a figure that is to be limited").selectOption({ index: 1 });
    await page.getByRole("spinbutton").fill("0");
    await page.getByRole("spinbutton").press("Enter");
    await page.getByText(/^1 compete/).waitFor();
    await page.getByRole("link", { name: "Require nothing" }).click();
    await page.getByText(/^\d\d compete\./).waitFor();
  });

  it("works by keys, and what was open stays open", async () => {
    await show("#draws/bound-7");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate("document.activeElement.id"), "content");
    await page.getByText("How sure this is").click();
    await page.getByRole("combobox", { name: "Baseline" }).focus();
    await page.keyboard.press("l");
    await page.getByRole("columnheader", { name: "Ratio to lemire" }).first().waitFor();
    assert.equal(await page.evaluate("document.activeElement.id"), "base", "the focus stays");
    await page.getByText(/^Intervals hold for the whole table/).waitFor();
  });

  it("says what a point of a picture is, under a pointer, and gives the picture away", async () => {
    await show("#locks/short-section?workers=2");
    await page.locator(".picture svg path[aria-label^='ticket, 2 workers: ratio ']").hover();
    await page.locator(".picture[title^='ticket, 2 workers: ratio ']").waitFor();
    await page.getByLabel("Save this picture, or see its source").click();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Save as SVG" }).click();
    assert.match(readFileSync(await (await download).path(), "utf8"), /^<svg/);
  });

  it("tells what the nights confirmed", async () => {
    await show("");
    await page.getByRole("status").getByRole("link", { name: "draws" }).click();
    await page
      .getByText("Nights have confirmed 1 time that something got slower, the last time on 2026-10-31.")
      .waitFor();
    await page.getByRole("cell", { name: /slower by 20 %/ }).waitFor();
  });

  it("shows a record of the reader's own, and says in a line what is wrong with another", async () => {
    await show("");
    const file = page.locator("input[type=file]");
    await file.setInputFiles({ name: "bad.json", mimeType: "application/json", buffer: Buffer.from("{") });
    await page.getByText("bad.json is no record: it is not JSON").waitFor();
    await file.setInputFiles(publishedRecords("draws").at(-1)!);
    await page.getByText(/is shown among the records of draws; it has not left this browser/).waitFor();
    await page.getByText(/is yours\.$/).waitFor();
    const dropped = await page.evaluateHandle(
      `(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(["{}"], "dropped.json"));
        return transfer;
      })()`,
    );
    await page.locator("main").dispatchEvent("drop", { dataTransfer: dropped });
    await page.getByText("dropped.json is not a record of npm run bench").waitFor();
  });

  const SLOTS = ["data/slots.js", "#slots"] as const;
  const AGAIN = "is missing, or cannot be read: make the site again with npm run explore";
  const SENSELESS = "cannot be shown, and may be damaged: ";
  for (const [what, [file, hash], spoilt, fault] of [
    ["missing", SLOTS, () => undefined, AGAIN],
    ["missing", ["vega/vega.min.js", "#draws/bound-7"], () => undefined, AGAIN],
    ["cut off", SLOTS, (text) => text.slice(0, 5000), "is damaged: it ends early"],
    [
      "of another version",
      SLOTS,
      (text) => text.replace('"version":4', '"version":0'),
      "is of version 0, this",
    ],
    ["without a part", SLOTS, (text) => text.replaceAll('"traits":[', '"trots":['), SENSELESS],
    [
      "without figures",
      ["data/draws.js", "#draws/bound-7"],
      (text) => text.replaceAll('"costNs"', '"costMs"'),
      SENSELESS,
    ],
  ] satisfies readonly (readonly [
    string,
    readonly [file: string, hash: string],
    (text: string) => string | undefined,
    string,
  ])[]) {
    it(`names ${file} where it is ${what}`, async () => {
      const path = join(folder, file);
      const whole = readFileSync(path, "utf8");
      const text = spoilt(whole);
      if (text === undefined) rmSync(path);
      else writeFileSync(path, text);
      const seen = faults.length;
      await show(hash);
      const told = (await page.getByRole("alert").first().textContent())!;
      assert.ok(told.startsWith(`${file} ${fault}`), told);
      // What cannot be parsed the browser tells of, too.
      faults.length = seen;
      writeFileSync(path, whole);
    });
  }

  for (const [name, hash] of [["questions", ""], ...SHOWS.map((show) => [show, WHERE[show]])] as [
    string,
    string,
  ][]) {
    it(`${name}: is in nobody's way, light and dark, and fits a phone`, async () => {
      await show(hash);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        // What is dark differs in its colours alone.
        const rules = colorScheme === "dark" ? ["color-contrast"] : undefined;
        assert.deepEqual(await obstaclesOn(page, rules), [], colorScheme);
        await picture(page, `${name}-${colorScheme}`);
      }
      await page.setViewportSize(NARROW);
      await picture(page, `${name}-phone`);
      const beyond = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      assert.ok(beyond <= 0, `${beyond} px wider than the window`);
      await page.setViewportSize(USUAL);
    });
  }

  it("has made no mistake meanwhile", () => assert.deepEqual(faults, []));
});

async function picture(page: Page, name: string): Promise<void> {
  const seen = process.env.HOTPATH_SCREENSHOTS;
  if (seen === undefined) return;
  mkdirSync(seen, { recursive: true });
  await page.screenshot({ path: join(seen, `${name}.png`), fullPage: true });
}
