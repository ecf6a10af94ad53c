import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { judgeScenario } from "../../suites/engine/judge/judge.ts";
import { type JudgedScenario, readVerdicts } from "../../suites/engine/schema/verdict.ts";
import { SYNTHETIC_CORES } from "../../suites/lab/cores/page/scaling.synthetic.ts";
import { coresViews } from "../../suites/lab/cores/page/section.ts";
import { publishedRecords, RESULTS, writeAll } from "../../suites/lab/store/results.ts";
import { rebased } from "../../suites/lab/verdicts/rebase.ts";
import { formatRatio } from "../../suites/reporter/src/index.ts";
import { browserPath, obstaclesOn, openBrowser } from "./browser.ts";
import { type Published, publishedData } from "./data.ts";
import { hashOf, SHOWS, type Show, viewOf } from "./page/address.ts";
import { siteFiles } from "./site.ts";

/**
 * The page as a person has it: from a disk, in a real browser. With HOTPATH_SCREENSHOTS=DIR a picture of every view is
 * left there.
 */
const executable = browserPath();
const skip = executable === undefined && "no chromium, google-chrome or chrome is on the PATH";
const folder = mkdtempSync(join(tmpdir(), "hotpath-explore-"));
after(() => rmSync(folder, { recursive: true }));

const SEEN = process.env.HOTPATH_SCREENSHOTS;
const NARROW = { width: 390, height: 844 };
const USUAL = { width: 1280, height: 900 };

/** A scenario that has something to show in a view, and little of it, because all of it is looked through. */
const WHERE: Readonly<Record<Show, string>> = {
  ranking: "#locks/short-section",
  quality: "#ownership/flow",
  processes: "#locks/short-section",
  curve: "#timers/set-100k",
  records: "#draws/bound-7",
  runtimes: "#draws/bound-7",
  flames: "#locks/short-section",
  simulated: "#locks/short-section",
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
  let published: readonly Published[];
  const faults: string[] = [];

  before(async () => {
    const history = join(folder, "history.ndjson");
    writeFileSync(history, NIGHTS);
    browser = await openBrowser(executable!);
    const cores = { file: "made-up.json.gz", record: SYNTHETIC_CORES };
    published = (await publishedData([history])).map(({ entry, data }) => ({
      entry,
      data: { ...data, simulated: coresViews(cores, entry.primitive) },
    }));
    writeAll(await siteFiles(folder, published, "../../"));
    page = await browser.newPage({ viewport: USUAL });
    page.on("pageerror", ({ message }) => faults.push(message));
  });
  after(async () => await browser?.close());

  const show = async (hash: string) => {
    // An address that differs behind the # alone would be another view of the same page, with what was done there.
    await page.goto("about:blank");
    await page.goto(pathToFileURL(join(folder, "index.html")).href + hash);
  };
  /** Of the newest record that has it, with that many workers if they are given. */
  const newestRace = (primitive: string, scenario: string, workers?: number): JudgedScenario => {
    const { data } = published.find(({ entry }) => entry.primitive === primitive)!;
    const races = [...data.records, ...data.runtimeRecords].map(({ record }) =>
      record.groups.filter(
        (group) => group.scenario === scenario && (workers === undefined || group.workers === workers),
      ),
    );
    return judgeScenario(races.findLast((groups) => groups.length > 0)!);
  };
  /** From the view that is shown to another. */
  const go = async (hash: string) => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page
      .locator(hash === "" ? "dl" : `nav.shows a[aria-current][href=${JSON.stringify(hash)}]`)
      .waitFor();
  };
  /** The ratios in the table that is shown, by the names of those that compete. */
  const ratios = async () =>
    new Map(
      await page.evaluate<[name: string, ratio: string][]>(
        `[...document.querySelectorAll("table.ranking tbody tr:not(.apart)")].map(({ cells: [name, ratio] }) =>
          [name.querySelector("summary").textContent, ratio.textContent])`,
      ),
    );

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

  it("leads from the questions to who wins, with the figures of the verdicts", async () => {
    await show("");
    assert.doesNotMatch((await page.locator("dl").textContent())!, /\]\(/, "no markdown of a link");
    await page.getByRole("navigation", { name: "Primitives" }).getByRole("link", { name: "locks" }).click();
    await page.getByRole("heading", { name: /^locks\// }).waitFor();
    await page.getByLabel("Scenario").selectOption("short-section");
    await page.getByLabel("2", { exact: true }).check();
    const shown = await ratios();
    const race = newestRace("locks", "short-section", 2);
    const expected = race.rows.flatMap((row) =>
      row.noNumber === undefined && row.workers === 2 && row.ratio !== undefined
        ? [[row.competitor, formatRatio(row.ratio)] as const]
        : [],
    );
    assert.ok(shown.size > 8);
    for (const [name, ratio] of shown) {
      assert.equal(ratio, new Map(expected).get(name!) ?? "1", name);
    }
  });

  it("compares with any other competitor, and its address leads back to that", async () => {
    await show("#locks/short-section?workers=2");
    await page.getByRole("button", { name: "take ticket as baseline" }).click();
    await page.getByRole("columnheader", { name: "Ratio to ticket" }).waitFor();
    assert.match(page.url(), /#locks\/short-section\?workers=2&base=ticket$/);
    const to = rebased(newestRace("locks", "short-section", 2), "ticket");
    const expected = to.rows.find((row) => row.competitor === "futex-three-state" && row.workers === 2);
    assert.ok(expected?.noNumber === undefined && expected?.ratio !== undefined);
    const text = formatRatio(expected.ratio);
    assert.equal((await ratios()).get("futex-three-state"), text);
    await page.reload();
    await page.getByRole("columnheader", { name: "Ratio to ticket" }).waitFor();
    assert.equal((await ratios()).get("futex-three-state"), text);
  });

  it("goes along a curve with a slider, which the address follows", async () => {
    await show("#timers/set-1k?show=curve");
    await page.getByRole("slider").focus();
    await page.keyboard.press("End");
    await page.getByText("set-1m at 1,000,000 timers, the fastest first").waitFor();
    assert.match(page.url(), /#timers\/set-1m\?show=curve/);
    await page.keyboard.press("ArrowLeft");
    await page.getByText("set-100k at 100,000 timers, the fastest first").waitFor();
  });

  it("leaves out who is not what is required, and says how many", async () => {
    await show("#pick/uniform-8?workers=2");
    await page.getByText("What is required").click();
    await page.getByRole("group", { name: "order", exact: true }).getByLabel("rotation").check();
    await page.getByText(/are not what is required/).waitFor();
    const pick = published.find(({ entry }) => entry.primitive === "pick")!.data;
    const kept = [...(await ratios()).keys()].filter((name) => name !== "locked-random");
    const orders = kept.map((name) => pick.competitors.find((one) => one.name === name)!.traits.order);
    assert.ok(orders.length > 3);
    assert.ok(
      orders.every((order) => order === "rotation"),
      orders.join(),
    );
    assert.match(page.url(), /need\.order=rotation/);
  });

  it("shows a scenario on another runtime, and each competitor on all of them", async () => {
    await show("#draws/bound-7");
    await page.getByLabel("Runtime").selectOption("bun");
    await page.getByRole("heading", { name: /, on Bun / }).waitFor();
    assert.match(page.url(), /#draws\/bound-7\?runtime=bun$/);
    const rows = new Map(newestRace("draws", "bound-7@bun").rows.map((row) => [row.competitor, row]));
    for (const [name, ratio] of await ratios()) {
      const row = rows.get(name!);
      assert.ok(row !== undefined && row.noNumber === undefined);
      assert.equal(ratio, row.ratio === undefined ? "1" : formatRatio(row.ratio), name);
    }
    await page.getByRole("link", { name: "On other runtimes" }).click();
    await page.getByRole("columnheader", { name: "node26" }).waitFor();
  });

  it("says what a point of a picture is, under a pointer", async () => {
    await show("#locks/short-section?workers=2");
    await page.locator(".picture svg path[aria-label^='ticket, 2 workers: ratio ']").hover();
    await page.locator(".picture [title^='ticket, 2 workers: ratio ']").waitFor();
  });

  it("makes a frame of a flamegraph as wide as its picture, and goes back", async () => {
    await show("#locks/short-section?show=flames");
    const frame = page.locator(".picture svg text", { hasText: /^runSlice/ }).first();
    await frame.hover();
    await page.locator(".picture [title^='runSlice']").waitFor();
    await frame.click();
    await page.getByRole("img", { name: /, within runSlice\./ }).waitFor();
    await page.getByRole("button", { name: "Back from runSlice" }).click();
    await page.getByRole("img", { name: /, within serve\./ }).waitFor();
  });

  it("works by keys", async () => {
    await show("#draws/bound-7");
    await page.getByRole("heading", { name: /bound-7/ }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate("document.activeElement.id"), "content");
    await page.getByRole("combobox", { name: "Baseline" }).focus();
    await page.keyboard.press("l");
    await page.getByRole("columnheader", { name: "Ratio to lemire" }).waitFor();
    assert.equal(await page.evaluate("document.activeElement.tagName"), "SELECT", "the focus stays");
  });

  it("gives a table away as markdown, CSV and verdicts", async () => {
    await browser.contexts()[0]!.grantPermissions(["clipboard-read", "clipboard-write"]);
    await show("#draws/bound-7");
    await page.getByRole("button", { name: "Copy as markdown" }).click();
    await page.getByText("table copied").waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    const [row] = /^\| \*\*.*\|$/m.exec(copied)!;
    assert.ok(readFileSync(join(RESULTS, "draws", "bound-7.md"), "utf8").includes(row), row);
    const saved = async (name: string) => {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name }).click();
      return readFileSync(await (await download).path(), "utf8");
    };
    assert.match(await saved("CSV"), /^cell,kind,competitor,workers,median,.*\r\ndraws\/bound-7\//);
    const { races } = readVerdicts(await saved("Verdicts as NDJSON"), "download");
    assert.deepEqual(races[0]!.rows.length, newestRace("draws", "bound-7").rows.length);
  });

  it("tells what the nights confirmed", async () => {
    await show("");
    await page
      .getByText("Nights until 2026-11-09: draws is confirmed to have got slower in part since 2026-10-31.")
      .waitFor();
    await page.getByRole("status").getByRole("link", { name: "draws" }).click();
    await page
      .getByText("Nights have confirmed 1 time that something got slower, the last time on 2026-10-31.")
      .waitFor();
    await page.getByRole("cell", { name: /slower by 20 %/ }).waitFor();
  });

  it("says that it does not know, where there are no nights", async () => {
    const without = mkdtempSync(join(tmpdir(), "hotpath-explore-"));
    writeAll(await siteFiles(without, await publishedData([]), "../../"));
    await page.goto(pathToFileURL(join(without, "index.html")).href);
    await page.getByText("Whether anything got slower lately is not known").waitFor();
    rmSync(without, { recursive: true });
  });

  it("shows what was simulated in a view of its own, and offers none where nothing was", async () => {
    await show("#locks/short-section");
    await page.getByRole("link", { name: "With more cores (simulated)" }).click();
    const text = (await page.locator("div.simulated").textContent())!;
    assert.ok(text.startsWith("Simulated, not measured:"), text);
    assert.match(text, /With 2 workers \(simulated\) test-and-set leads\./);
    assert.doesNotMatch(text, /faster|slower/);
    await page.locator("div.simulated .picture svg").first().waitFor();
    await show("#draws/bound-7");
    await page.locator("nav.shows").waitFor();
    assert.equal(await page.locator("nav.shows a.simulated").count(), 0);
  });

  it("shows a record of the reader's own, and says in a line what is wrong with another", async () => {
    await show("");
    const file = page.locator("input[type=file]");
    await file.setInputFiles({ name: "bad.json", mimeType: "application/json", buffer: Buffer.from("{") });
    await page.getByText("bad.json is no record: it is not JSON").waitFor();
    await file.setInputFiles(publishedRecords("draws").at(-1)!);
    await page.getByText(/is shown among the records of draws; it has not left this browser/).waitFor();
    await page.getByText(/is yours\.$/).waitFor();
    await show("");
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
  const DRAWS = ["data/draws.js", "#draws/bound-7?show=runtimes"] as const;
  const VEGA = ["vega/vega.min.js", "#draws/bound-7"] as const;
  for (const [what, [file, hash], spoil, fault] of [
    ["missing", SLOTS, (path) => rmSync(path), "is missing, or cannot be read: make the site again"],
    ["missing", VEGA, (path) => rmSync(path), "is missing, or cannot be read: make the site again"],
    [
      "cut off",
      SLOTS,
      (path) => writeFileSync(path, readFileSync(path, "utf8").slice(0, 5000)),
      "is damaged: it ends early",
    ],
    [
      "of another version",
      SLOTS,
      (path) => spoilText(path, '"version":3', '"version":0'),
      "is of version 0, this page reads 3",
    ],
    [
      "without a part",
      SLOTS,
      (path) => spoilText(path, '"traits":[', '"trots":['),
      "cannot be shown, and may be damaged: ",
    ],
    [
      "without figures",
      DRAWS,
      (path) => spoilText(path, '"costNs"', '"costMs"'),
      "cannot be shown, and may be damaged: ",
    ],
  ] satisfies readonly (readonly [
    string,
    readonly [file: string, hash: string],
    (path: string) => void,
    string,
  ])[]) {
    it(`names ${file} where it is ${what}`, async () => {
      const path = join(folder, file);
      const whole = readFileSync(path, "utf8");
      spoil(path);
      const seen = faults.length;
      await show(hash);
      const told = (await page.getByRole("alert").textContent())!;
      assert.ok(told.startsWith(`${file} ${fault}`), told);
      // What cannot be parsed the browser tells of, too.
      faults.length = seen;
      writeFileSync(path, whole);
    });
  }

  describe("every view", () => {
    before(async () => await show(""));

    for (const [name, hash] of [
      ["questions", ""],
      ...SHOWS.map((show) => [show, hashOf({ ...viewOf(WHERE[show]), show })]),
    ] as const) {
      it(`${name}: is in nobody's way, light and dark, and fits a phone`, async () => {
        await go(hash);
        if (name !== "questions" && name !== "runtimes") await page.locator(".picture svg").first().waitFor();
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
        assert.deepEqual(await page.evaluate(ANSWERS_BEYOND), []);
        await page.setViewportSize(USUAL);
      });
    }
  });

  it("has made no mistake meanwhile", () => assert.deepEqual(faults, []));
});

/** A spoilt file is no file that the test can make sense of by itself: every occurrence is changed. */
function spoilText(path: string, from: string, to: string): void {
  const text = readFileSync(path, "utf8");
  assert.ok(text.includes(from));
  writeFileSync(path, text.replaceAll(from, to));
}

/** What says by how much and whether, where it begins or ends beyond the edge of the window: a name stands before it. */
const ANSWERS_BEYOND = `[...document.querySelectorAll("table:not(.matrix)")].flatMap((table) => {
  const headings = [...table.querySelectorAll("thead th")];
  const places = headings.flatMap((th, place) => (/^(Ratio to|Change$|Verdict$|What$)/.test(th.textContent.trim()) ? [place] : []));
  return [...table.rows].flatMap((row) =>
    places
      .map((place) => row.cells[place])
      .filter((cell) => cell.getBoundingClientRect().right > innerWidth)
      .map((cell) => row.cells[0].textContent + ": " + cell.textContent),
  );
})`;

async function picture(page: Page, name: string): Promise<void> {
  if (SEEN === undefined) return;
  mkdirSync(SEEN, { recursive: true });
  await page.screenshot({ path: join(SEEN, `${name}.png`), fullPage: true });
}
