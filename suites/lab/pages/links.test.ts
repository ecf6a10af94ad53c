import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { anchorOf } from "../tables/markdown.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Folders whose files are not committed, and of pages that tests make up. */
const NOT_OURS = /(^|\/)(node_modules|dist|local|testdata)\//;

function pages(): string[] {
  const below = ["results", "suites", "structures", "scripts", "examples"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  );
  return [...readdirSync(ROOT), ...below].filter((file) => file.endsWith(".md") && !NOT_OURS.test(file));
}

/** A page without what is shown as it is: code in blocks and in lines. */
function prose(markdown: string): string {
  return markdown.replaceAll(/^```.*?^```/gms, "").replaceAll(/`[^`\n]*`/g, "");
}

/** Targets of a page's links and pictures that are not on another host. */
function targetsIn(markdown: string): string[] {
  const text = prose(markdown);
  return [...text.matchAll(/\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g), ...text.matchAll(/ src="([^"]*)"/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors that a code host gives a page's headings. */
function anchorsIn(markdown: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = markdown.replaceAll(/^```.*?^```/gms, "").matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    [...headings].map(([, heading]) => {
      const anchor = anchorOf(heading!);
      const times = seen.get(anchor) ?? 0;
      seen.set(anchor, times + 1);
      return times === 0 ? anchor : `${anchor}-${times}`;
    }),
  );
}

/** What is wrong with a link from a page, if anything. */
function faultOf(page: string, target: string): string | undefined {
  const [file, anchor] = target.split("#") as [string, string?];
  const path = file === "" ? join(ROOT, page) : join(ROOT, dirname(page), decodeURIComponent(file));
  if (relative(ROOT, path).startsWith("..")) return "leaves the repository";
  if (!existsSync(path)) return "no such file";
  if (anchor === undefined) return undefined;
  if (statSync(path).isDirectory() || !path.endsWith(".md")) return "an anchor of what is no page";
  return anchorsIn(readFileSync(path, "utf8")).has(anchor) ? undefined : "no such heading";
}

it("every link and picture of a committed page leads somewhere", () => {
  const faults = pages().flatMap((page) =>
    targetsIn(readFileSync(join(ROOT, page), "utf8")).flatMap((target) => {
      const fault = faultOf(page, target);
      return fault === undefined ? [] : [`${page}: ${target}: ${fault}`];
    }),
  );
  assert.deepEqual(faults, []);
});

it("a link that leads nowhere is found", () => {
  const text =
    "[a](results/none.md) ![b](README.md#nowhere) [c](#two-commands) `[d](none)` [e](https://example.com)\n" +
    '[f](none.md "row")\n';
  const targets = targetsIn(text);
  assert.deepEqual(targets, ["results/none.md", "README.md#nowhere", "#two-commands", "none.md"]);
  assert.deepEqual(
    targets.map((target) => faultOf("README.md", target)),
    ["no such file", "no such heading", undefined, "no such file"],
  );
  assert.equal(faultOf("README.md", "../elsewhere.md"), "leaves the repository");
  assert.equal(faultOf("results/README.md", "../package.json#x"), "an anchor of what is no page");
  assert.deepEqual([...anchorsIn("## Use it: `now`!\n\n## Use it: now\n")], ["use-it-now", "use-it-now-1"]);
});
