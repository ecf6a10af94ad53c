import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callOf, helpText, type Request } from "./arguments.ts";

function requested(...args: string[]): Request {
  const call = callOf(args);
  assert.ok(call.kind === "race");
  return call.request;
}

describe("the words of a call", () => {
  it("are read into a request", () => {
    const request = requested(
      ...["a.js", "b/", "--group", "parse", "--group=print", "--task", "JSON", "--baseline", "JSON.parse"],
      ...[
        "--workers",
        "1,4,1",
        "--together",
        "--budget",
        "8m",
        "--precision",
        "1%",
        "--quick",
        "--seed",
        "7",
      ],
      ...["--allow-write", "--json", "-", "--markdown", "out.md", "--histogram"],
      ...["--save", "today", "--against", "before"],
    );
    assert.deepEqual(request, {
      paths: ["a.js", "b/"],
      list: false,
      groups: ["parse", "print"],
      tasks: ["JSON"],
      baseline: "JSON.parse",
      workers: [1, 4],
      isTogether: true,
      budgetMs: 480_000,
      precision: 0.01,
      isQuick: true,
      seed: 7,
      mayWrite: true,
      json: "-",
      markdown: "out.md",
      histogram: true,
      base: undefined,
      build: undefined,
      failOn: "slower",
      save: "today",
      against: "before",
    });
  });

  it("may ask for another commit", () => {
    const { base, build, failOn } = requested(
      ...["a.js", "--base", "origin/main", "--build", "npm run build", "--fail-on", "never"],
    );
    assert.deepEqual([base, build, failOn], ["origin/main", "npm run build", "never"]);
  });

  it("may ask for help, the version, or a command that reads its own words", () => {
    assert.deepEqual(callOf(["x.js", "-h"]), { kind: "help" });
    assert.deepEqual(callOf(["--version"]), { kind: "version" });
    assert.deepEqual(callOf(["judge", "--csv", "x"]), { kind: "judge", args: ["--csv", "x"] });
    assert.deepEqual(callOf(["init", "--ci", "github"]), { kind: "init" });
  });

  const refusals: readonly [readonly string[], string][] = [
    [[], "give a bench file or a folder of them: hotpath-race FILE; --help says more"],
    [
      ["a.js", "--budgte", "1m"],
      "there is no option --budgte, did you mean --budget? hotpath-race --help lists all",
    ],
    [["a.js", "--xylophone"], "there is no option --xylophone, hotpath-race --help lists all"],
    [
      ["a.js", "--group"],
      "--group needs a value: --group TEXT, only groups whose name contains this; may be repeated",
    ],
    [
      ["a.js", "--json", "--list"],
      "--json needs a value: --json FILE, write all figures, or the list, as JSON; - for stdout",
    ],
    [["a.js", "--markdown", "-"], "--markdown writes a file: give its name, as out.md"],
    [["a.js", "--list=yes"], "--list takes no value"],
    [["a.js", "--seed", "1", "--seed", "2"], "--seed is given twice"],
    [["init"], "init writes a workflow: hotpath-race init --ci github"],
    [["a.js", "--base", "x", "--save", "y"], "--save has no use with --base: leave one of them out"],
    [["a.js", "--build", "make"], "--build has no use without --base"],
    [
      ["a.js", "--list", "--markdown", "x"],
      "--list races nothing, so there is nothing to compare or show: leave one of them out",
    ],
    [["a.js", "--budget", "8"], "--budget 8 is not understood: give a time from 1s to 24h, as 90s or 8m"],
    [
      ["a.js", "--precision", "3"],
      "--precision 3 is not understood: give a share from 0.1% to 50%, as 3% or 0.03",
    ],
    [
      ["a.js", "--workers", "1,x"],
      "--workers 1,x is not understood: give whole numbers from 1 to 1024, as 1,2",
    ],
    [["a.js", "--seed", "-1"], "--seed -1 is not understood: give a whole number from 0 to 4294967295"],
    [["a.js", "--base", "x", "--fail-on", "y"], "--fail-on y is not understood: give slower or never"],
  ];
  for (const [args, message] of refusals)
    it(`are refused: ${args.join(" ") || "none"}`, () => assert.throws(() => callOf(args), { message }));
});

describe("the help text", () => {
  it("fits a terminal, and names each exit code", () => {
    const lines = helpText().trimEnd().split("\n");
    assert.ok(lines.length < 40, `${lines.length} lines`);
    assert.deepEqual(
      lines.filter((line) => line.length > 80),
      [],
    );
    for (const code of [0, 1, 2, 3, 130]) assert.match(helpText(), new RegExp(`\\b${code} [a-z]`));
  });
});
