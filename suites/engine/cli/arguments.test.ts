import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { golden } from "../golden.trials.ts";
import { COMMAND, callOf, type Request } from "./arguments.ts";
import { helpText } from "./command-line.ts";
import { UsageError } from "./usage.ts";

function requested(...args: string[]): Request {
  const call = callOf(args);
  assert.ok(call.kind === "race");
  return call.request;
}

describe("the words of a call", () => {
  it("are read into a request", () => {
    const words =
      "a.js b/ --group parse --group=print --task JSON --baseline JSON.parse --workers 1,4,1 --together --compiled-alike";
    const others =
      "--budget 8m --precision 1% --quick --seed 7 --allow-write --json - --markdown out.md --histogram";
    const request = requested(...`${words} ${others}`.split(" "));
    assert.deepEqual(request, {
      paths: ["a.js", "b/"],
      list: false,
      groups: ["parse", "print"],
      tasks: ["JSON"],
      baseline: "JSON.parse",
      workers: [1, 4],
      isTogether: true,
      isCompiledAlike: true,
      nodes: [],
      flags: [],
      budgetMs: 480_000,
      precision: 0.01,
      isQuick: true,
      seed: 7,
      mayWrite: true,
      json: "-",
      markdown: "out.md",
      why: undefined,
      histogram: true,
      base: undefined,
      build: undefined,
      failOn: "slower",
    });
  });

  it("may ask for another commit", () => {
    const { base, build, failOn } = requested(
      ...["a.js", "--base", "origin/main", "--build", "npm run build", "--fail-on", "never"],
    );
    assert.deepEqual([base, build, failOn], ["origin/main", "npm run build", "never"]);
  });

  it("may ask for runtimes", () => {
    const { nodes } = requested("a.js", "--node", "22, ./node,24");
    const { flags } = requested("a.js", "--with", "--no-opt", "--with=--jitless --no-lazy");
    assert.deepEqual(
      [nodes, flags],
      [
        ["22", "./node", "24"],
        ["--no-opt", "--jitless --no-lazy"],
      ],
    );
  });

  it("may ask for commands", () => {
    const common =
      "--budget 1m --precision 1% --quick --seed 7 --json - --markdown out.md --warmup 3 --ignore-failure";
    const call = callOf([
      "--command",
      "a -b",
      "--command=c",
      "--prepare",
      "make clean",
      ...common.split(" "),
    ]);
    assert.deepEqual(call, {
      kind: "commands",
      request: {
        commands: ["a -b", "c"],
        prepare: "make clean",
        warmUps: 3,
        ignoresFailure: true,
        budgetMs: 60_000,
        precision: 0.01,
        isQuick: true,
        seed: 7,
        json: "-",
        markdown: "out.md",
      },
    });
  });

  it("may ask for help, the version or workflows", () => {
    assert.deepEqual(callOf(["x.js", "-h"]), { kind: "help" });
    assert.deepEqual(callOf(["--version"]), { kind: "version" });
    assert.deepEqual(callOf(["init", "--ci", "github"]), { kind: "init", isReplacing: false });
    assert.deepEqual(callOf(["init", "--force", "--ci", "github"]), { kind: "init", isReplacing: true });
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
