import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { golden } from "../golden.trials.ts";
import { COMMAND, callOf } from "./arguments.ts";
import { helpText } from "./command-line.ts";
import { UsageError } from "./usage.ts";

/** As a shell reads a line in which quotes surround whole words. */
const wordsOf = (line: string) =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!);

describe("the words of a call", () => {
  it("are read into a request", (test) => {
    const calls = [
      "a.js b/ --group parse --group=print --task JSON --baseline JSON.parse --workers 1,4,1 --together --compiled-alike",
      "a.js --budget 8m --precision 1% --quick --seed 7 --allow-write --json - --markdown out.md --histogram",
      "a.js --base origin/main --build 'npm run build' --fail-on never",
      "a.js --node '22, ./node,24'",
      "a.js --with --no-opt '--with=--jitless --no-lazy'",
      "--command 'a -b' --command=c --prepare 'make clean' --warmup 3 --ignore-failure --budget 1m --seed 7 --json - --markdown out.md",
      "x.js -h",
      "--version",
      "init --ci github",
      "init --force --ci github",
    ];
    const read = calls.map((call) => `${call}\n${JSON.stringify(callOf(wordsOf(call)), undefined, 2)}\n`);
    golden(test, "testdata/calls.txt", read.join("\n"));
  });

  it("are refused in a line of their own", (test) => {
    const calls = [
      [],
      ["a.js", "--budgte", "1m"],
      ["a.js", "--xylophone"],
      ["a.js", "--group"],
      ["a.js", "--json", "--list"],
      ["a.js", "--markdown", "-"],
      ["a.js", "--list=yes"],
      ["a.js", "--seed", "1", "--seed", "2"],
      ["a.js", "--base", "x", "--histogram"],
      ["a.js", "--build", "make"],
      ["a.js", "--list", "--markdown", "x"],
      ["a.js", "--budget", "8"],
      ["a.js", "--precision", "51%"],
      ["a.js", "--workers", "1,x"],
      ["a.js", "--workers", "1025"],
      ["a.js", "--seed", "-1"],
      ["a.js", "--base", "x", "--fail-on", "y"],
      ["a.js", "--node", "22,24", "--base", "x"],
      ["a.js", "--with", "--no-opt", "--baseline", "x"],
      ["a.js", "--with", "--no-opt", "--node", "22,24"],
      ["--command", "a", "b.js", "--base", "x"],
      ["--command", "a", "--command", "a"],
      ["--command", "a", "--warmup", "0"],
      ["a.js", "--prepare", "a"],
      ["init"],
      ["init", "--ci", "gitlab"],
    ];
    const refusalOf = (args: readonly string[]): string => {
      try {
        return `accepted: ${callOf(args).kind}`;
      } catch (error) {
        if (error instanceof UsageError) return error.message;
        throw error;
      }
    };
    const said = calls.map((args) => `${args.join(" ") || "nothing"}\n    ${refusalOf(args)}\n`);
    golden(test, "testdata/refusals.txt", said.join(""));
  });
});

it("the help text fits a terminal", (test) => {
  golden(test, "testdata/help.txt", helpText(COMMAND));
  const lines = helpText(COMMAND).trimEnd().split("\n");
  assert.ok(lines.length < 40, `${lines.length} lines`);
  assert.deepEqual(
    lines.filter((line) => line.length > 80),
    [],
  );
});
