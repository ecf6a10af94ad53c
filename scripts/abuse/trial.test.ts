import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { blocksMarkdown } from "../../suites/engine/render/tables/blocks.ts";
import type { Abuse } from "./abuse.ts";
import { git } from "./clone.ts";
import { trialBlocks } from "./page.ts";
import { changedRecord } from "./planted-records.ts";
import { shellLine, terminalFaults } from "./terminal.ts";
import { tryAbuse } from "./trial.ts";

const skip = process.platform !== "linux" && "no /proc";

/** A checkout whose one command does what the file `does.mjs` in the folder where it is called says. */
const checkout = mkdtempSync(join(tmpdir(), "hotpath-abused-"));
after(() => rmSync(checkout, { recursive: true }));
before(() => {
  writeFileSync(join(checkout, "package.json"), JSON.stringify({ scripts: { run: "node run.mjs" } }));
  writeFileSync(
    join(checkout, "run.mjs"),
    'import { resolve } from "node:path";\nawait import(resolve("does.mjs"));\n',
  );
  git(checkout, "init", "--quiet");
  git(checkout, "add", "--all");
  git(checkout, "commit", "--quiet", "--message", "made up");
});

const RECORD = changedRecord({});

/** A command that does this. */
function doing(statements: string, more: Partial<Abuse> = {}): Abuse {
  const text = `import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
${statements}\n`;
  return {
    name: "made-up",
    command: ["run"],
    promised: { exit: 0 },
    ...more,
    files: { "does.mjs": text, "record.json": RECORD, ...more.files },
  };
}

const KEEP = 'mkdirSync("out"); writeFileSync("out/record.json", readFileSync("record.json"));';
const STAY = "setInterval(() => {}, 1000);";

describe("an abuse that ends as promised", { skip, concurrency: 2 }, () => {
  const asPromised: readonly [what: string, abuse: Abuse][] = [
    ["says what it should", doing('console.log("done");', { promised: { exit: 0, says: /^done$/m } })],
    [
      "refuses in one line",
      doing('console.error("no");process.exitCode = 2;', { promised: { exit: 2, says: /no/ } }),
    ],
    ["keeps a record", doing(KEEP, { promised: { exit: 0, kept: { groups: 1, interrupted: false } } })],
    [
      "prints a record",
      doing('console.log(readFileSync("record.json", "utf8"));', {
        promised: { exit: 0, json: true, kept: "nothing" },
      }),
    ],
    [
      "dies of a signal when its time has come",
      doing(`console.log("begun");${STAY}`, {
        moments: [{ when: /begun/, act: ({ signal }) => signal("SIGKILL") }],
        promised: { exit: "SIGKILL" },
      }),
    ],
    [
      "hears what is typed at its terminal when a file is there",
      doing(`process.on("SIGINT", () => process.exit(130)); writeFileSync("reached", "");${STAY}`, {
        inTerminal: true,
        moments: [{ when: { file: "reached" }, act: ({ type }) => type("\x03") }],
        promised: { exit: 130 },
      }),
    ],
    [
      "is called by a shell",
      doing("process.exitCode = 3;", { shell: '"$@"; exit $(($? + 1))', promised: { exit: 4 } }),
    ],
    [
      "is followed by another that has its record",
      doing(`if (process.argv[2] === undefined) { ${KEEP} } else readFileSync(process.argv[2]);`, {
        afterwards: [{ command: ["run", "$RECORD"], promised: { exit: 0 } }],
      }),
    ],
  ];
  for (const [what, abuse] of asPromised) {
    it(what, async () => assert.deepEqual((await tryAbuse(abuse, checkout)).broken, []));
  }
});

describe("a broken promise is reported", { skip, concurrency: 2 }, () => {
  const told: readonly [what: RegExp, abuse: Abuse][] = [
    [/^exit 3, not 0$/, doing("process.exitCode = 3;")],
    [/^exit SIGKILL, not 0$/, doing('process.kill(process.pid, "SIGKILL");')],
    [/^nothing printed is \/sorry\/$/, doing("", { promised: { exit: 0, says: /sorry/ } })],
    [
      /^what is printed is \/sorry\/$/,
      doing('console.log("sorry");', { promised: { exit: 0, neverSays: /sorry/ } }),
    ],
    [/^a stack is printed$/, doing("console.error(new Error().stack);")],
    [/^2 lines, not 1$/, doing('console.error("no\\nno");process.exitCode = 2;', { promised: { exit: 2 } })],
    [/^0 lines, not 1$/, doing("process.exitCode = 2;", { promised: { exit: 2 } })],
    [
      /^something is on stdout$/,
      doing('console.log("so");console.error("no");process.exitCode = 2;', { promised: { exit: 2 } }),
    ],
    [
      /^kept, and should not be: record.json$/,
      doing(`${KEEP}console.error("no");process.exitCode = 2;`, { promised: { exit: 2 } }),
    ],
    [/^stdout is no record: /, doing('console.log("{}");', { promised: { exit: 0, json: true } })],
    [/^no record is kept$/, doing("", { promised: { exit: 0, kept: { groups: 0 } } })],
    [/^\d+ groups are kept of 1000$/, doing(KEEP, { promised: { exit: 0, kept: { groups: 1000 } } })],
    [
      /^the record says not that it was interrupted$/,
      doing(KEEP, { promised: { exit: 0, kept: { groups: 1, interrupted: true } } }),
    ],
    [
      /^the record cannot be read: .*damaged/,
      doing('mkdirSync("out"); writeFileSync("out/record.json", "{");', {
        promised: { exit: 0, kept: { groups: 1 } },
      }),
    ],
    [
      /^it ended before everything was done to it$/,
      doing("", { moments: [{ when: /never printed/, act: ({ signal }) => signal("SIGKILL") }] }),
    ],
    [
      /^call 2: exit 3, not 0$/,
      doing("process.exitCode = process.argv[2];", {
        afterwards: [{ command: ["run", "3"], promised: { exit: 0 } }],
      }),
    ],
    [/^left: temporary file scratch$/, doing('writeFileSync(join(tmpdir(), "scratch"), "");')],
    [/^left: file rest$/, doing('writeFileSync("rest", "");')],
    [/^left: file .rest in the person's home$/, doing('writeFileSync(join(homedir(), ".rest"), "");')],
    [/^left: the cursor is hidden$/, doing('process.stdout.write("\\x1b[?25l");', { inTerminal: true })],
    [
      /^left: the terminal's settings are changed$/,
      doing("", { inTerminal: true, shell: '"$@"; stty -echo' }),
    ],
  ];
  for (const [what, abuse] of told) {
    it(what.source, async () => {
      const { broken } = await tryAbuse(abuse, checkout);
      assert.equal(broken.length, 1, broken.join("; "));
      assert.match(broken[0]!, what);
    });
  }

  it("of a process that is left, which is ended then", async () => {
    const statements = `const args = ["-e", "${STAY}", "still-here-${process.pid}"];
      spawn(process.execPath, args, { detached: true, stdio: "ignore" }).unref();`;
    const { broken, left } = await tryAbuse(doing(statements), checkout);
    assert.equal(broken.length, 1, broken.join("; "));
    assert.match(left[0]!, /^process .* still-here-/);
    const running = readdirSync("/proc").filter((pid) =>
      commandLineOf(pid).includes(`still-here-${process.pid}`),
    );
    assert.deepEqual(running, []);
  });

  it("of a file in the checkout", async () => {
    const path = join(checkout, "grown");
    const { broken } = await tryAbuse(doing(`writeFileSync(${JSON.stringify(path)}, "");`), checkout);
    rmSync(path);
    assert.deepEqual(broken, ["left: in the checkout ?? grown"]);
  });
});

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

describe("what a terminal is left as", () => {
  const faults: readonly [printed: string, fault: RegExp][] = [
    ["50 %\r\x1b[K60 %", /the last line is not cleared: 60 %/],
    ["\x1b[31mred\n", /goes on in colours/],
    ["\x1b[?1049hscreen\n", /alternate screen/],
    ["\x1b[?25lline\n", /cursor is hidden/],
    ["line\n\x1b[3", /escape sequence/],
  ];
  for (const [printed, fault] of faults) {
    it(fault.source, () => assert.match(terminalFaults(printed).join("; "), fault));
  }

  it("and where nothing is wrong with it", () => {
    const printed = "\x1b[?25l50 %\r\x1b[K^C\x1b[1m\x1b[32mfaster\x1b[39m\x1b[22m\n\x1b[?25h\r\x1b[K";
    assert.deepEqual(terminalFaults(printed), []);
  });
});

it("words are quoted for a shell", { skip }, () => {
  const words = ["it's", 'a "b"', "$HOME", "", "a\nb", "*"];
  const line = shellLine(["printf", "%s\\0", ...words]);
  assert.deepEqual(execFileSync("bash", ["-c", line], { encoding: "utf8" }).split("\0").slice(0, -1), words);
});

it("the table has a row for each, and names first what was not as promised", () => {
  const common = { ends: [], commands: ["bench | x"], kept: "nothing", left: [], exits: ["2"] };
  const page = blocksMarkdown(
    trialBlocks([
      { ...common, name: "flags/good", printed: ["no `such` option"], broken: [] },
      {
        ...common,
        name: "flags/bad",
        printed: [""],
        exits: ["1"],
        broken: ["exit 1, not 2"],
        ends: ["sorry"],
      },
      { ...common, name: "disks/none", printed: [], broken: [], skipped: "only root may" },
    ]),
  );
  assert.match(page, /^1 of 2 abuses end as promised, 1 cannot be tried here\.\n/);
  assert.match(page, /^## flags\/bad: not as promised\n\n- exit 1, not 2\n\n```\nsorry\n```$/m);
  assert.match(page, /^- disks\/none: only root may$/m);
  assert.match(
    page,
    /^\| flags\/good \| `bench \\\| x` +\| `no 'such' option` +\| 2 +\| nothing +\| nothing +\| yes/m,
  );
});
