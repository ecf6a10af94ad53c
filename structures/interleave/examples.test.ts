import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { describe, it, mock } from "node:test";
import { Coverage } from "./check/coverage.ts";
import * as door from "./index.ts";
import { check, InterleavingError, ProgramError } from "./index.ts";

const README = pageOf("README.md");
const API = pageOf("API.md");
const TUTORIAL = pageOf("TUTORIAL.md");
/** Lines of the README that are not blank: it is read in five minutes. */
const MOST_LINES = 230;

/** In the order of the pages. */
const FAULTS = ["counter", "lost-wake-up", "aba", "seqlock", "publication", "bounded-queue"];
const MENDED = ["lost-wake-up", "aba", "seqlock", "publication", "awaited"];

// Examples import the package as its users do. Here they get the sources.
const SOURCES: Readonly<Record<string, string>> = {
  "interleave-shared": new URL("./index.ts", import.meta.url).href,
  "interleave-shared/model": new URL("./model.ts", import.meta.url).href,
};
registerHooks({ resolve: (name, context, next) => next(SOURCES[name] ?? name, context) });

function pageOf(name: string): string {
  return readFileSync(new URL(name, import.meta.url), "utf8");
}

const outputs = new Map<string, Promise<string>>();
/** What an example prints, or the message of the InterleavingError that it throws, in a run that takes no time. */
function outputOf(example: string): Promise<string> {
  // A module runs once.
  if (!outputs.has(example)) outputs.set(example, run(example));
  return outputs.get(example)!;
}

async function run(example: string): Promise<string> {
  const printed: string[] = [];
  const log = mock.method(console, "log", (line: string) => printed.push(line));
  try {
    await import(`./examples/${example}.ts`);
  } catch (error) {
    if (!(error instanceof InterleavingError)) throw error;
    printed.push(error.message);
  } finally {
    log.mock.restore();
  }
  return `${printed.join("\n")}\n`.replaceAll(/\b\d+\.\d s\b/g, "0.0 s");
}

interface Quoted {
  readonly language: string;
  readonly text: string;
  /** Of the example that its section links to. */
  readonly example: string;
}

/** The blocks of the sections that link to an example. */
function quotedIn(page: string): Quoted[] {
  return page.split(/^#+ /m).flatMap((section) => {
    const [, example] = /\]\(examples\/([\w-]+)\.ts\)/.exec(section) ?? [];
    const blocks = [...section.matchAll(/^```(\w+)\n(.*?\n)```$/gms)];
    if (example === undefined) return [];
    return blocks.map(([, language, text]) => ({ language: language!, text: text!, example }));
  });
}

const numberOfBlocks = (page: string) => page.match(/^```\w+$/gm)?.length;

describe("the pages of the package", () => {
  const quoted = [...quotedIn(README), ...quotedIn(API), ...quotedIn(TUTORIAL)];

  it("quote each fault, and nothing that is not in an example in the README", () => {
    for (const page of [README, TUTORIAL]) assert.equal(quotedIn(page).length, numberOfBlocks(page));
    const printing = quoted.filter(({ language }) => language === "text").map(({ example }) => example);
    assert.deepEqual([...new Set(printing)], FAULTS);
  });

  for (const { language, text, example } of quoted) {
    const what = language === "text" ? "what is printed by" : "the code of";
    it(`quote ${what} ${example}: ${text.split("\n")[0]}`, async () => {
      const whole = language === "text" ? await outputOf(example) : pageOf(`examples/${example}.ts`);
      assert.ok(`\n${whole}`.includes(`\n${text}`), `not in\n${whole}`);
    });
  }

  it("have examples that break no promise in any schedule once they are mended", async () => {
    for (const example of MENDED)
      assert.match(await outputOf(example), /(?:^|\n)Every schedule was visited: .*\n$/);
    const [, said] = /prints as\s+`([^`]+)`/.exec(README) ?? assert.fail();
    assert.ok((await outputOf("lost-wake-up")).endsWith(`\n${said!.replaceAll(/\s+/g, " ")}\n`));
  });

  it("say what a limit says", () => {
    const exploration = { states: 1, ends: 1, doomed: 0, deadlocks: 0, depth: 1 };
    for (const [cut, limits] of [
      ["preemptions", { preemptions: 2 }],
      ["random", { random: { schedules: 1000, seed: 1 } }],
      ["time", { timeLimitMs: 5000 }],
    ] as const) {
      const said = String(new Coverage({ ...exploration, cut }, limits, 0, { unmet: [], withoutAccess: [] }));
      const row = README.split("\n").find((line) => line.startsWith(`| \`${Object.keys(limits)[0]}: `));
      assert.equal(/`([^`]*)` \|$/.exec(row!)?.[1], said.slice(0, said.indexOf(":")));
    }
  });

  it("list every property of programs and limits, and every function", () => {
    const shared = new Int32Array(new SharedArrayBuffer(4));
    const unknown: object = { unknown: 0 };
    const refusals: Error[] = [];
    const keep = (error: Error) => refusals.push(error) > 0;
    assert.throws(() => check({ shared, threads: [() => {}], ...unknown }), keep);
    assert.throws(() => check({ shared, threads: [() => {}] }, unknown), keep);
    for (const { message } of refusals) {
      const [, properties] = /has no "unknown": it has (.+)$/.exec(message) ?? assert.fail(message);
      for (const property of properties!.split(", "))
        assert.match(API, new RegExp(`^\\| \`${property}\\??\` \\|`, "m"));
    }
    for (const name of Object.keys(door)) assert.match(API, new RegExp(`\`${name}\\b`), name);
  });

  it("say what to do about programs that cannot be explored", () => {
    const shared = new Int32Array(new SharedArrayBuffer(8));
    const add = (words: Int32Array) => Atomics.add(words, 0, 1);
    let runs = 0;
    const fickle = (words: Int32Array) => Atomics.add(words, runs++ % 2, 1);
    const polls = (words: Int32Array) => {
      while (words[0] === 0);
    };
    const explored = [
      () => check({ shared, threads: [fickle, add] }),
      () => check({ shared, threads: [polls, add] }),
      () => check({ shared, threads: [() => Math.max(1, 2)] }),
      () => check({ shared, threads: [add, add] }, { maxStates: 2 }),
      () => check({ shared, threads: [add, add] }, { replay: "0*3" }),
    ];
    const messages = explored.map((exploring) => {
      let message = "";
      assert.throws(exploring, (error) => {
        if (error instanceof ProgramError) message = error.message;
        return true;
      });
      return message;
    });
    const [, table] = /^### `ProgramError`\n(.*?)^## /ms.exec(API)!;
    const said = [...table!.matchAll(/^\| `(.+?)(?: \.\.\.)?` \|/gm)].map(([, start]) => start!);
    for (const [at, start] of said.entries()) assert.ok(messages[at]!.startsWith(start), messages[at]);
    assert.equal(said.length, messages.length);
  });

  it("link to files that are there", () => {
    for (const page of [README, API, TUTORIAL])
      for (const [, file] of page.matchAll(/\]\((?!https:|#)([^)#]+)[^)]*\)/g))
        assert.ok(existsSync(new URL(file!, import.meta.url)), file);
  });

  it("are short", () => {
    const lines = README.split("\n").filter((line) => line !== "");
    assert.ok(lines.length <= MOST_LINES, `${lines.length} lines`);
  });
});
