import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { command, helpText, parseCommand } from "./command.ts";
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

  --help       this text

exit codes: 0 weighed; 2 not
`,
  );
});

describe("a command line", () => {
  const usual = { unit: "gram", with: [], list: false, help: false };
  for (const [line, options, words] of [
    ["", {}, []],
    ["a --list b", { list: true }, ["a", "b"]],
    ["--with a --with=b --unit ton", { with: ["a", "b"], unit: "ton" }, []],
    ["--most -1", { most: "-1" }, []],
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
    ["--lst", /^Unknown option '--lst'; there are, nearest first: --list, --/],
    ["-l", /^Unknown option '-l'; there are, nearest first: --list/],
    ["--with --list", /^Option '--with' argument is ambiguous/],
    ["--most", /^Option '--most <value>' argument missing/],
    ["--list=yes", /^Option '--list' does not take an argument/],
  ] as const) {
    it(`is refused: ${line}`, () => {
      assert.throws(
        () => parseCommand(COMMAND, line.split(" ")),
        (error) => error instanceof UsageError && refusal.test(error.message),
      );
    });
  }
});
