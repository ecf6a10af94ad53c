import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { it } from "node:test";
import { competitorsOf, primitives } from "../../../structures/catalog.ts";
import { syntheticGroup } from "../../engine/judge/judge.synthetic.ts";
import { UsageError } from "../command/usage.ts";
import type { Newest } from "../pages/newest.ts";
import { recordPage } from "../pages/pages.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import { judgedRecord } from "../verdicts/judge-record.ts";
import { outdatedAnswers, readAnswer } from "./answer.ts";
import { generatedFiles, loadPublished, SHELF, staleFiles, supersededRecords } from "./generated.ts";
import { loadFormerNames, traitsOf } from "./labels.ts";
import { publishedPath, publishedRecords, publishingMachines, RESULTS } from "./results.ts";

/** Judged and made once: judging every record takes as long as most tests together. */
const published = loadPublished();
const generated = published.then((judged) => generatedFiles(judged));

it("every generated file is committed as the lab makes it, byte for byte", async () => {
  for (const [path, text] of await generated) {
    // To try a competitor it is not necessary to write the shelf first: where the tests decide what is merged, it is in
    // step.
    if (path === SHELF && process.env.CI === undefined) continue;
    assert.equal(
      readFileSync(path, "utf8"),
      text,
      `${relative(RESULTS, path)} is stale: npm run report makes it again`,
    );
  }
});

it("every picture and page of a result is one that the lab makes", async () => {
  const stale = staleFiles((await generated).keys());
  assert.deepEqual(stale, [], "delete these, or give them back their scenarios");
});

it("something is made from every published record", async () => {
  assert.deepEqual(supersededRecords(await published), [], "delete these: the history keeps them");
});

it("no answer is older than a record in its tables", async () => {
  const advice = "read them beside their tables, and change their dates";
  assert.deepEqual(outdatedAnswers((await published).newest), [], advice);
});

it("an answer is outdated from the day after it was written", () => {
  const results = mkdtempSync(join(tmpdir(), "hotpath-outdated-"));
  const published = (startedAt: string) => {
    const record = { ...syntheticRecord([], 1), startedAt };
    return new Map([["pick", { sources: [{ record }] as unknown as Newest["sources"] }]]);
  };
  try {
    assert.deepEqual(outdatedAnswers(published("2026-11-21T00:00:00.000Z"), results), []);
    const path = join(results, "pick", "answer.md");
    mkdirSync(join(results, "pick"));
    writeFileSync(path, "Written on 2026-11-20.\n\nTake it.\n");
    assert.deepEqual(outdatedAnswers(published("2026-11-20T23:59:59.000Z"), results), []);
    assert.deepEqual(outdatedAnswers(published("2026-11-21T00:00:00.000Z"), results), [path]);
  } finally {
    rmSync(results, { recursive: true });
  }
});

it("a former name is of one competitor, and of none of today", async () => {
  for (const [primitive, names] of await loadFormerNames()) {
    const today = competitorsOf(primitive).map(({ name }) => name);
    const renamed = (await traitsOf(primitive)).filter(({ traits }) => traits.formerly !== undefined);
    assert.equal(names.size, renamed.length, primitive);
    for (const former of names.keys()) assert.ok(!today.includes(former), `${primitive}: ${former}`);
  }
});

it("an answer begins with its date, has a short first paragraph, or is refused by its path", () => {
  const folder = mkdtempSync(join(tmpdir(), "hotpath-answer-"));
  const path = join(folder, "answer.md");
  const written = (text: string) => {
    writeFileSync(path, text);
    return readAnswer(folder);
  };
  const refusal = (reason: RegExp) => (error: unknown) =>
    error instanceof UsageError && error.message.startsWith(path) && reason.test(error.message);
  try {
    assert.equal(readAnswer(folder), undefined);
    const date = "Written on 2026-11-20.\n";
    const body = "\n## Which\n\nTake *it*,\nnow.\n\n```sh\n# not a heading\n```\n\n## Why";
    const text = `${date}${body}\n`;
    const answer = { text, inShort: "Take *it*, now.", writtenOn: "2026-11-20" };
    assert.deepEqual(written(`${date}${body}`), answer);
    for (const undated of ["Take it.\n", "Written on Friday.\n", "Written on 2026-11-20 and later.\n", ""]) {
      assert.throws(
        () => written(undated),
        refusal(/let its first line be "Written on <year-month-day>\."$/),
      );
    }
    assert.throws(() => written(`${text}\n# Answer\n`), refusal(/heading of the first level/));
    const first = (paragraph: string) => written(`${date}\n${paragraph}\n`);
    assert.equal(first("x".repeat(400))?.inShort.length, 400);
    assert.equal(first(`[${"x".repeat(400)}](a.md "bytes")`)?.inShort.length, 416);
    assert.throws(
      () => first("x".repeat(401)),
      refusal(/has 401 characters\): let the first paragraph give/),
    );
    for (const none of ["", "## Which", "| a |\n| - |", "- a", "```\na\n```"]) {
      assert.throws(() => first(none), refusal(/begins with no paragraph/), none);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("a picture or page that the lab does not make is found, in whichever folder it lies", () => {
  const results = mkdtempSync(join(tmpdir(), "hotpath-results-"));
  const written = (folder: string, ...files: string[]) => {
    mkdirSync(join(results, folder));
    return files.map((file) => {
      writeFileSync(join(results, folder, file), "");
      return join(results, folder, file);
    });
  };
  try {
    const kept = written("pick", "README.md", "kept.md", "kept-ratios.svg");
    const stale = written(
      "locks",
      "renamed-ratios.svg",
      "renamed-series.svg",
      "simulated-renamed-server.svg",
    );
    written("reviews", "0001-by-people.md");
    for (const file of ["renamed.md", "answer.md", "flames.svg"]) {
      writeFileSync(join(results, "pick", file), "");
    }
    stale.push(join(results, "pick", "renamed.md"));
    assert.deepEqual(staleFiles(kept, results).toSorted(), stale.toSorted());
  } finally {
    rmSync(results, { recursive: true });
  }
});

it("what is raced on several runtimes is published apart, where no other page looks", () => {
  const identity = syntheticRecord([], 1);
  const [own, onRuntimes] = [false, true].map((flag) =>
    relative(RESULTS, publishedPath(identity, "pick", flag)),
  );
  assert.equal(own, join("pick", "2026-11-20-0123456-made-up-2c-1g.json.gz"));
  assert.equal(onRuntimes, join("runtimes", own));
});

it("all pages are of the machine with the most records, whatever others have published", () => {
  const results = mkdtempSync(join(tmpdir(), "hotpath-machines-"));
  const written = (folder: string, ...names: string[]) => {
    mkdirSync(join(results, folder), { recursive: true });
    for (const name of names) writeFileSync(join(results, folder, name), "");
  };
  try {
    assert.deepEqual(publishingMachines(results), []);
    written("locks", "2026-11-20-0123456-c-8c-1g.json.gz", "README.md", "2026-11-20-0123456-made.svg");
    written("pick", "2026-11-20-0123456-b-2c-1g.json.gz", "2026-11-21-nocommit-a-4c-1g.json.gz");
    assert.deepEqual(publishingMachines(results), ["a-4c-1g", "b-2c-1g", "c-8c-1g"]);
    written("runtimes/pick", "2026-11-22-0123456-c-8c-1g.json.gz");
    assert.deepEqual(publishingMachines(results), ["c-8c-1g", "a-4c-1g", "b-2c-1g"]);
  } finally {
    rmSync(results, { recursive: true });
  }
});

it("there is a published result to hold the pages to", () => {
  assert.ok(primitives().some((primitive) => publishedRecords(primitive).length > 0));
});

it("a page names machine, runtime, commit, date, command and seed, and no number without its floor", () => {
  const truth = { workers: 1, forks: 4, rounds: 10, sliceNoise: 0.01, forkNoise: 0, roundNoise: 0, seed: 3 };
  const group = syntheticGroup({ ...truth, costsNs: { baseline: 20, rival: 10 } });
  const page = recordPage("Results", judgedRecord(syntheticRecord([group], 77)), "record.json");
  for (const needed of [
    "Made Up, 2 cores",
    "Node.js 24.0.0",
    "0123456789ab",
    "2026-11-20T12",
    "`npm run bench -- synthetic`",
    "Seed: 77",
    "Noise floor",
    "record.json",
  ]) {
    assert.ok(page.includes(needed), `no "${needed}" in:\n${page}`);
  }
  assert.match(page, /\| rival +\| .*\| \*\*faster\*\* /);
});
