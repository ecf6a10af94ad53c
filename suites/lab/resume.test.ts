import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { command, parseCommand } from "./command/command.ts";
import { ROOT } from "./command/npm.ts";
import { OPTIONS } from "./command/options.ts";
import { UsageError } from "./command/usage.ts";
import { resumed } from "./resume.ts";
import { syntheticRecord } from "./schema/record.synthetic.ts";

const COMMAND = command({
  about: "Weighs things.",
  usage: { "npm run weigh -- THING...": "" },
  options: {
    turns: { value: "N", help: "how often" },
    resume: OPTIONS.resume,
    out: { value: "DIR", isPath: true, help: "where to" },
    publish: { help: "where all can see" },
    json: { help: "for programs" },
  },
  exits: { 0: "weighed" },
});

describe("a run that is taken up again", () => {
  const asked = (line: string, argv?: readonly string[]) => {
    const { argv: _, ...record } = syntheticRecord([], 1);
    // Its contents are not read: a quote that is never closed does no harm.
    const command = 'npm run weigh -- "pears';
    const read = () => ({ ...record, command, ...(argv === undefined ? {} : { argv: [...argv] }) });
    return resumed(COMMAND, parseCommand(COMMAND, line.split(" ")), read);
  };

  it("is asked what its record was asked, and prints as is typed now", () => {
    const { options, words, previous } = asked("--resume place/a.json --json", ["pears", "--turns", "3"]);
    assert.deepEqual([options.turns, options.json, words], ["3", true, ["pears"]]);
    assert.equal(previous?.seed, syntheticRecord([], 1).seed);
    assert.equal(asked("--resume place/a.json", ["pears", "--json"]).options.json, false);
  });

  it("goes beside its record, unless it had a place or is published", () => {
    const outOf = (...argv: string[]) => asked("--resume place/a.json", argv).options.out;
    assert.equal(outOf("pears"), "place");
    // Recorded from the repository's folder, wherever it is taken up.
    assert.equal(resolve(outOf("pears", "--out", "other")!), join(ROOT, "other"));
    assert.equal(outOf("pears", "--publish"), undefined);
  });

  it("is not where none was named", () => {
    const typed = parseCommand(COMMAND, ["pears"]);
    assert.equal(asked("pears").previous, undefined);
    assert.deepEqual(asked("pears").options, typed.options);
  });

  it("is refused beside another request, or where its record does not say what was asked", () => {
    for (const [line, message] of [
      ["pears --resume a.json --turns 2 --json", /what its record was asked: remove pears, --turns$/],
      ["--resume a.json", /the record does not contain its request: start a new run$/],
    ] as const) {
      assert.throws(
        () => asked(line),
        (error) => error instanceof UsageError && message.test(error.message),
      );
    }
  });
});
