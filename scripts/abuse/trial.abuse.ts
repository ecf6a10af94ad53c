import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { describe, it } from "node:test";
import { readRecord, recordText } from "../../suites/lab/schema/record-file.ts";
import { publishedRecords } from "../../suites/lab/store/results.ts";
import { tryAbuse } from "./trial.ts";

const skip = process.platform !== "linux" && "no /proc";
const record = readRecord(publishedRecords("draws").at(-1)!);
const files = { "record.json": recordText(record) };
const GROUPS = `groups: ${record.groups.length}`;
const BEGUN = { when: /begun/ };
const CTRL_C = (child: ChildProcess) => child.stdin!.write("\x03");
const KEEP = "mkdir out; cp record.json out;";

type Tried = Partial<Parameters<typeof tryAbuse>[0]> & { readonly line: string };
const brokenBy = async (abuse: Tried) => (await tryAbuse({ files, exit: 0, ...abuse })).broken;

describe("a line that ends as promised", { skip, concurrency: 2 }, () => {
  const kept: readonly Tried[] = [
    { line: "cat done", before: "echo done > done", says: /^done$/m },
    { line: "echo no >&2; exit 2", exit: 2, says: /no/ },
    { line: KEEP, kept: GROUPS, next: { line: "cat out/*.json", exit: 0, says: /groups/ } },
    { ...BEGUN, line: "echo begun; exec sleep 60", act: (child) => child.kill(), exit: "SIGTERM" },
    { ...BEGUN, line: "echo begun; read", act: CTRL_C, inTerminal: true, exit: 130 },
    { line: "printf '\\033[?25l50 %%\\r\\033[K\\033[1mx\\033[22m\\n\\033[?25h'", inTerminal: true },
    { line: "bench --help", says: /^usage: npm run bench/m },
  ];
  for (const abuse of kept) it(abuse.line, async () => assert.deepEqual(await brokenBy(abuse), []));
});

describe("a broken promise is reported", { skip, concurrency: 2 }, () => {
  const broken: readonly (readonly [promise: RegExp, abuse: Tried])[] = [
    [/^exit 3, not 0$/, { line: "exit 3" }],
    [/^exit SIGKILL, not 0$/, { line: "kill -KILL $$" }],
    [/^nothing printed is \/sorry\/$/, { line: "true", says: /sorry/ }],
    [/^what is printed is \/sorry\/$/, { line: "echo sorry", neverSays: /sorry/ }],
    [/^a stack is printed$/, { line: "node -e 'console.log(new Error().stack)'" }],
    [/^an escape sequence is printed$/, { line: "printf '\\033[2J'" }],
    [/^2 lines, not 1$/, { line: "echo no >&2; echo no >&2; exit 2", exit: 2 }],
    [/^0 lines, not 1$/, { line: "exit 2", exit: 2 }],
    [/^something is on stdout$/, { line: "echo so; echo no >&2; exit 2", exit: 2 }],
    [/^kept: groups: \d+, not nothing$/, { line: `${KEEP} echo no >&2; exit 2`, exit: 2 }],
    [/^kept: nothing, not groups: /, { line: "true", kept: GROUPS }],
    [/^kept: a, b, not nothing$/, { line: "mkdir out; touch out/b out/a", kept: "nothing" }],
    [/^kept: groups: \d+, not .*, interrupted$/, { line: KEEP, kept: `${GROUPS}, interrupted` }],
    [/^kept: .*damaged/, { line: "mkdir out; echo { > out/record.json", kept: GROUPS }],
    [/^it ended before anything/, { line: "true", when: /never printed/ }],
    [/^exit 3, not 0$/, { line: "true", next: { line: "exit 3", exit: 0 } }],
    [/^left: file scratch$/, { line: "touch $TMPDIR/scratch" }],
    [/^left: file rest$/, { line: "touch rest" }],
    [/^left: file .rest$/, { line: "touch ~/.rest" }],
    [/^left: process sleep 60$/, { line: "sleep 60 & disown" }],
    [/^left: the cursor is hidden$/, { line: "printf '\\033[?25l'", inTerminal: true }],
    [/^left: the alternate screen is shown$/, { line: "printf '\\033[?1049hx\\n'", inTerminal: true }],
    [/^left: text goes on in colours$/, { line: "printf '\\033[31mred\\n'", inTerminal: true }],
    [/^left: the last line is not cleared: 60 %$/, { line: "printf '50\\r\\033[K60 %%'", inTerminal: true }],
    [/^left: an escape sequence is not ended$/, { line: "printf 'red\\n\\033[3'", inTerminal: true }],
    [/^left: the terminal's settings are changed$/, { line: "stty -echo", inTerminal: true }],
  ];
  for (const [promise, abuse] of broken) {
    it(`${promise.source}: ${abuse.line}`, async () => {
      const found = await brokenBy(abuse);
      assert.equal(found.length, 1, found.join("; "));
      assert.match(found[0]!, promise);
    });
  }
});
