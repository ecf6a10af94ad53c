import assert from "node:assert/strict";
import { test } from "node:test";
import { progressLine } from "../../engine/table/progress.ts";
import { terminalOf } from "../../engine/table/stream.ts";
import { blocksMarkdown, blocksTerminal } from "./blocks.ts";
import { printWhileRead } from "./terminal.ts";

const XTERM = { TERM: "xterm-256color" };

test("a terminal's own width, 40 at least; 80 where there is none or it does not know", () => {
  const widthOf = (isTTY: boolean, columns?: number) => terminalOf({ isTTY, columns }, XTERM).width;
  assert.deepEqual([widthOf(true, 72), widthOf(true, 200), widthOf(true, 30)], [72, 200, 40]);
  assert.deepEqual([widthOf(true, 0), widthOf(true), widthOf(false), widthOf(false, 200)], [80, 80, 80, 80]);
});

test("colour in a terminal alone, and not against NO_COLOR; FORCE_COLOR overrules", () => {
  const isColoured = (isTTY: boolean, env: NodeJS.ProcessEnv) => terminalOf({ isTTY }, env).colour;
  assert.equal(isColoured(true, XTERM), true);
  assert.equal(isColoured(false, XTERM), false);
  assert.equal(isColoured(true, { ...XTERM, NO_COLOR: "" }), true, "empty is unset");
  for (const NO_COLOR of ["1", "0", "false"]) assert.equal(isColoured(true, { ...XTERM, NO_COLOR }), false);
  assert.equal(isColoured(true, { TERM: "dumb" }), false);
  assert.equal(isColoured(false, { ...XTERM, FORCE_COLOR: "2" }), true);
  assert.equal(isColoured(true, { ...XTERM, FORCE_COLOR: "0" }), false);
});

test("blocks say the same as markdown and at a terminal", () => {
  const table = {
    title: "Race",
    provenance: [],
    columns: [{ key: "name", title: "Name", align: "left" as const }],
    rows: [{ cells: { name: "`a`" } }],
    legend: [],
  };
  const blocks = ["**one** two", table, { title: "List", items: ["three", "four"] }];
  assert.equal(
    blocksMarkdown(blocks),
    "**one** two\n\n## Race\n\n| Name |\n| :--- |\n| `a`  |\n\n## List\n\n- three\n- four\n",
  );
  assert.equal(
    blocksTerminal(blocks, { width: 40, colour: false }),
    "one two\n\nRace\n\nName\n----\na\n\nList\n\n- three\n- four\n",
  );
});

function written(terminal: { readonly isTTY?: boolean; readonly columns?: number }) {
  const texts: string[] = [];
  const stream = { ...terminal, write: (text: string | Uint8Array) => texts.push(String(text)) > 0 };
  return { texts, progress: progressLine(stream) };
}

test("progress at a terminal is one line, rewritten, that never reaches the last column", () => {
  for (const columns of [10, 20, 80]) {
    const { texts, progress } = written({ isTTY: true, columns });
    progress.show(0.5, 90_000, "pick/uniform-8 at 2 workers, fork 1 of 10".repeat(3));
    progress.clear();
    const [line, cleared] = texts;
    assert.ok(line!.startsWith("\r\x1b[K50 %, "), line);
    assert.equal(line!.slice("\r\x1b[K".length).length, columns - 1);
    assert.equal(cleared, "\r\x1b[K");
  }
  const { texts, progress } = written({ isTTY: true, columns: 0 });
  progress.show(0.5, 90_000, "x".repeat(200));
  assert.equal(texts[0]!.slice("\r\x1b[K".length).length, 79, "an unknown width is the usual one");
});

test("progress elsewhere is a whole line now and then, without signs for a terminal", () => {
  const { texts, progress } = written({});
  progress.show(1.5, 90_000, "the end");
  progress.show(1.5, 80_000, "too soon to be said");
  progress.clear();
  assert.deepEqual(texts, ["99 %, 1 min 30 s left: the end\n"]);
});

test("texts are made one by one, until no reader is left", async () => {
  const made: string[] = [];
  const stream = {
    write: (text: string, done: (error?: Error) => void) =>
      done(text === "b" ? new Error("EPIPE") : undefined),
  };
  await printWhileRead(stream, ["a", "b", "c"], (text) => {
    made.push(text);
    return text;
  });
  assert.deepEqual(made, ["a", "b"]);
});
