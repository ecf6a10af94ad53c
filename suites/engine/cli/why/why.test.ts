import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { goldenCases } from "../../golden.trials.ts";
import { withScratch } from "../../measure/machine/scratch.ts";
import type { ReportedRace } from "../report.ts";
import { deoptsIn, flameText, framesIn } from "./flame.ts";
import { besideIn, explained, refuseUnknown } from "./why.ts";

const OURS = "file:///package/";

type Drawn = readonly [name: string, url: string, hits: number, ...below: Drawn[]];

/** A profile as V8 writes it. */
function profileOf(...roots: readonly Drawn[]) {
  const nodes: { id: number; callFrame: object; hitCount: number; children: number[] }[] = [];
  const add = ([functionName, url, hitCount, ...below]: Drawn): number => {
    const id = nodes.length + 1;
    const node = { id, callFrame: { functionName, url, lineNumber: 9 }, hitCount, children: [] as number[] };
    nodes.push(node);
    node.children.push(...below.map(add));
    return id;
  };
  for (const root of roots) add(root);
  return { nodes } as unknown as Parameters<typeof framesIn>[0];
}

const inner = (hits: number): Drawn => ["inner", "file:///bench/lib.js", hits, ["stringify", "", 10]];
const task = (hits: number): Drawn => [
  "task",
  "file:///bench/a.js",
  hits,
  inner(20),
  ["", "file:///bench/a.js", 1],
];
const loop = (...below: Drawn[]): Drawn => ["callMany", `${OURS}runner.js`, 3, ...below];

describe("why", () => {
  it("shows a task as a flame, without what its thread did before", (test) => {
    const importing: Drawn = ["run", "node:internal/modules", 500, ["a", "file:///bench/a.js", 100]];
    const collecting: Drawn = ["(garbage collector)", "", 19];
    const text = (...roots: Drawn[]) =>
      flameText("task: why-task.cpuprofile", framesIn(profileOf(...roots), OURS, "/bench"));
    goldenCases(test, "testdata/flame.md", {
      "a task that is called at two places": text(importing, loop(task(30)), loop(loop(task(0))), collecting),
      "a task in no sample": text(importing, loop()),
    });
  });

  it("says how often V8 gave up code of the task's, and why", () => {
    const frames = framesIn(profileOf(loop(task(30))), OURS, "/bench");
    const line = (reason: string, name: string) =>
      `[bailout (kind: deopt-eager, reason: ${reason}): begin. deoptimizing 0x1 <JSFunction ${name} (sfi = 0x2)>, 0x3\n`;
    const trace = [
      ...[line("wrong map", "inner"), line("not a Smi", "task"), line("wrong map", "inner")],
      ...[line("wrong map", "callMany"), line("prepare for on stack replacement (OSR)", "task")],
    ];
    assert.deepEqual(deoptsIn(trace.join(""), frames), [
      "deoptimised 2 x: inner, wrong map",
      "deoptimised 1 x: task, not a Smi",
    ]);
  });

  it("is asked of a task and of what it was compared with", () => {
    const race = {
      baseline: "a",
      rows: ["b", "a", "c"].map((name) => ({ task: name })),
    } as never as ReportedRace;
    assert.deepEqual(
      ["c", "a", "d"].map((name) => besideIn(race, name)),
      [["c", "a"], ["a", "b"], []],
    );
    assert.throws(() => refuseUnknown("d", []), {
      message: "--why d: no task has that name; --list shows all",
    });
  });

  it("profiles a task in a process of its own", () =>
    withScratch("why", async (folder) => {
      const path = join(folder, "a.mjs");
      writeFileSync(
        path,
        "let calls = 0; export const spin = () => { let s = calls++ < 3000 ? 0 : ''; for (let i = 0; i < 1e4; i++) s += i % 2; return s; };",
      );
      const file = pathToFileURL(path).href;
      const key = { groups: [], name: "spin", ordinal: 0 };
      const tasks = [{ label: "spin", address: { file, ending: "pause", key }, isBaseline: false } as const];
      const group = { file, title: "", workers: 1, tasks, importMs: 10, hasLaw: false };
      const text = await explained(group, ["spin"], {
        seed: 1,
        signal: new AbortController().signal,
        folder,
      });
      assert.match(
        text,
        /^spin: why-spin\.cpuprofile, \d+ samples\n\n.*█ +spin a\.mjs:1\n[\s\S]*deoptimised \d+ x: spin, /,
      );
      assert.deepEqual(readdirSync(folder).sort(), ["a.mjs", "why-spin.cpuprofile"]);
    }));
});
