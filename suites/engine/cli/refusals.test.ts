import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";

const textOf = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

/** Messages of the golden files: a line behind each call, or a block behind each bench file. */
const SAID = [
  ["testdata/refusals.txt", /^ {4}(.+)$/gm],
  ["runtimes/testdata/refusals.txt", /^ {4}(.+)$/gm],
  ["commits/testdata/mendings.txt", /^ {4}(.+)$/gm],
  ["../capture/testdata/import-refuses.md", /^```text\n(.+)\n```$/gm],
  ["../capture/testdata/typescript.md", /^(.+ has syntax .+)$/gm],
  ["../capture/testdata/probe.md", /^\S+: (three operations .+|a promise .+)$/gm],
  // "is a string" stands for any reason that a list gives.
  ["testdata/plans.md", /"refusals":\["a: (?!is a string)(.+?)"/g],
  ...["tinybench", "mitata", "vitest", "benchmark-js", "deno"].map(
    (harness) => [`../capture/testdata/${harness}.md`, / is refused: (.+)/g] as const,
  ),
] as const;

it("the page of refusals says of each message what to do, and of none that is not there", () => {
  const messages = SAID.flatMap(([path, form]) => [...textOf(path).matchAll(form)].map(([, said]) => said!));
  assert.ok(messages.length > 60);
  const patterns = [...textOf("../REFUSALS.md").matchAll(/^\| `(.+?)` \| .+ \|$/gm)].map(
    ([, pattern]) => new RegExp(`^${pattern!.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("…", ".+")}`),
  );
  const isTold = (message: string) => patterns.some((pattern) => pattern.test(message));
  assert.deepEqual(
    messages.filter((message) => !isTold(message)),
    [],
  );
  assert.deepEqual(
    patterns.filter((pattern) => !messages.some((message) => pattern.test(message))),
    [],
  );
});
