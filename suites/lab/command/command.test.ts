import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, it } from "node:test";
import { command, helpText, parseCommand, refuse, runCommand } from "./command.ts";
import { ROOT } from "./npm.ts";
import { UsageError } from "./usage.ts";

const COMMAND = command({
  about: "Weighs things.",
  usage: { "npm run weigh -- THING... [options]": "weigh them", "npm run weigh -- --list": "" },
  before: `What is weighed has to be there: it is weighed as it stands, on the scales that are nearest, and put
    back afterwards.`,
  words: { THING: "what to weigh" },
  options: {
    unit: {
      group: "how",
      value: "UNIT",
      default: "gram",
      help: `one of these, of which the first is taken where none is given:
        gram  as it is said by whoever has no reason to say it in any other way
        ton   of 1,000 kg`,
    },
    with: { value: "FILE", multiple: true, help: "weigh this, too" },
    most: { value: "N", help: "stop after so many" },
    list: { group: "what else", help: "weigh nothing" },
    peel: { of: "apples", help: "without it" },
  },
  exits: {
    0: "weighed",
    2: "not",
  },
});

it("a help text has the options as they are described, wrapped below where they begin", () => {
  assert.equal(
    helpText(COMMAND),
    `Weighs things.

usage: npm run weigh -- THING... [options]
           weigh them
       npm run weigh -- --list

What is weighed has to be there: it is weighed as it stands, on the scales that
are nearest, and put back afterwards.

  THING        what to weigh

how
  --unit UNIT  one of these, of which the first is taken where none is given:
               gram  as it is said by whoever has no reason to say it in any
                     other way
               ton   of 1,000 kg
  --with FILE  weigh this, too
  --most N     stop after so many

what else
  --list       weigh nothing
  --peel       without it

  --help, -h   this text

exit codes: 0 weighed; 2 not
`,
  );
});

describe("a command line", () => {
  const usual = { unit: "gram", with: [], most: undefined, list: false, peel: false, help: false };
  for (const [line, options, words] of [
    ["", {}, []],
    ["a --list b", { list: true }, ["a", "b"]],
    ["--with a --with=b --unit ton", { with: ["a", "b"], unit: "ton" }, []],
    ["--most -1", { most: "-1" }, []],
    ["-h", { help: true }, []],
    ["-- --list", {}, ["--list"]],
  ] as const) {
    it(`is read: ${line}`, () => {
      const typed = parseCommand(
        COMMAND,
        line.split(" ").filter((word) => word !== ""),
      );
      assert.deepEqual({ ...typed.options }, { ...usual, ...options });
      assert.deepEqual(typed.words, words);
    });
  }

  for (const [line, refusal] of [
    ["--lst", /^there is no option --lst, did you mean --list\? npm run weigh -- --help lists all$/],
    ["-l", /^there is no option -l, did you mean --list\? npm run weigh -- --help lists all$/],
    ["--ounces", /^there is no option --ounces, npm run weigh -- --help lists all$/],
    ["--with --list", /^--with needs a value: --with FILE$/],
    ["--most", /^--most needs a value: --most N$/],
    ["--list=yes", /^--list takes no value$/],
  ] as const) {
    it(`is refused: ${line}`, () => {
      assert.throws(
        () => parseCommand(COMMAND, line.split(" ")),
        (error) => error instanceof UsageError && refusal.test(error.message),
      );
    });
  }
});

describe("a path that is typed", () => {
  const description = command({
    ...COMMAND,
    isPath: (word) => word.endsWith(".json"),
    options: { with: { ...COMMAND.options.with, isPath: true }, unit: COMMAND.options.unit },
  });
  const elsewhere = join(ROOT, "elsewhere");
  const line = "pears a.json --with b --with=../c --unit ton --with /d -- --with";

  it("begins where the person stands, and is read from where the process does", () => {
    const { options, words } = parseCommand(description, line.split(" "), elsewhere);
    const here = relative(process.cwd(), elsewhere);
    assert.deepEqual(options.with, [`${here}/b`, join(here, "../c"), "/d"]);
    assert.equal(options.unit, "ton");
    assert.deepEqual(words, ["pears", `${here}/a.json`, "--with"]);
  });

  it("is recorded as it would be typed in the repository's folder", () => {
    const { argv } = parseCommand(description, line.split(" "), elsewhere);
    const recorded = "pears elsewhere/a.json --with elsewhere/b --with=c --unit ton --with /d -- --with";
    assert.equal(argv.join(" "), recorded);
    assert.equal(parseCommand(description, line.split(" "), ROOT).argv.join(" "), line);
  });
});

describe("an option that has no use where it was typed", () => {
  const refusal = (line: string, words: readonly string[] = []) => {
    const typed = parseCommand(COMMAND, line.split(" "));
    refuse(COMMAND, typed, ["unit", "with", "list"], "nothing is weighed", words);
  };

  it("is refused by its name, behind words that have none either", () => {
    assert.throws(() => refusal("--list --unit ton"), /^Error: nothing .*: remove --unit, --list$/);
    assert.throws(() => refusal("--with a", ["pears"]), /remove pears, --with$/);
  });

  it("is not missed where it was not typed, or is as it would be then", () => {
    refusal("--most 3 --peel");
    refusal("--unit gram");
  });

  it("is refused with another first word than the one that it goes with, and parsed with any", async (context) => {
    const carriedOut = context.mock.fn(async () => 0);
    const lines = context.mock.method(process.stderr, "write", () => true);
    const { argv } = process;
    context.after(() => {
      process.argv = argv;
      process.exitCode = 0;
    });
    for (const line of ["apples --peel", "--peel", "pears"]) {
      process.argv = [...argv.slice(0, 2), ...line.split(" ")];
      await runCommand(COMMAND, carriedOut);
      assert.equal(process.exitCode, 0, line);
    }
    assert.equal(carriedOut.mock.callCount(), 3);
    process.argv = [...argv.slice(0, 2), "pears", "--peel"];
    await runCommand(COMMAND, carriedOut);
    assert.equal(process.exitCode, 2);
    assert.equal(carriedOut.mock.callCount(), 3);
    assert.deepEqual(lines.mock.calls.at(-1)?.arguments, ["--peel is for apples: remove it with pears\n"]);
  });
});

it("a text that no room is left for is a line of error, and no success", {
  skip: !existsSync("/dev/full"),
}, () => {
  const full = openSync("/dev/full", "w");
  const script = join(ROOT, "scripts", "report.ts");
  const { status, stderr } = spawnSync(process.execPath, [script, "--help"], {
    stdio: ["ignore", full, "pipe"],
    encoding: "utf8",
  });
  closeSync(full);
  assert.equal(stderr, "the output cannot be written (ENOSPC): make room there, or choose another place\n");
  assert.equal(status, 1);
});
