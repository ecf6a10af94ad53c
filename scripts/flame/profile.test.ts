import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { golden } from "../../suites/engine/golden.trials.ts";
import type { Window } from "../../suites/engine/measure/plan/protocol.ts";
import { rowsOf, treeOf } from "../../suites/lab/schema/flame.ts";
import { type CpuProfile, mergedProfile, samplesWithin } from "./cpu-profile.ts";
import { flameOf } from "./flame-tree.ts";
import { parsePerf } from "./perf.ts";
import { type CodeFrame, readableFile, type WorkerSamples } from "./samples.ts";

const OURS = (path: string) => pathToFileURL(`${import.meta.dirname}/../../${path}`).href;

function node(id: number, functionName: string, url: string, lineNumber: number, children: number[] = []) {
  const callFrame = { functionName, scriptId: "7", url, lineNumber, columnNumber: 4 };
  return { id, callFrame, hitCount: 0, children };
}

/** Two functions, one called by the other, sampled in turn every 100 us. */
function profileFrom(startTime: number, samples: number[]): CpuProfile {
  return {
    nodes: [
      node(1, "(root)", "", -1, [2]),
      node(2, "run", OURS("suites/pick/suite.ts"), 162, [3]),
      node(3, "pick", OURS("structures/pick/competitors/cas-ring.ts"), 41),
    ],
    startTime,
    endTime: startTime + 100 * samples.length,
    samples,
    timeDeltas: samples.map(() => 100),
  };
}

const RUN: CodeFrame = { name: "run", file: "suites/pick/suite.ts", line: 163 };
const PICK: CodeFrame = { name: "pick", file: "structures/pick/competitors/cas-ring.ts", line: 42 };
const LOOP: CodeFrame = { name: "#runBatch", file: "suites/engine/measure/fork/worker.ts", line: 192 };
const START: CodeFrame = { name: "start_thread", file: "libc.so.6", line: 0 };

describe("samples of a V8 profile", () => {
  const clockUs = 5 * 2 ** 32 + 1_000;
  const windows = [
    { fromNs: 1000 * (clockUs + 150), toNs: 1000 * (clockUs + 250) },
    { fromNs: 1000 * (clockUs + 350), toNs: 1000 * (clockUs + 500) },
  ];
  const ended = { fromNs: 1000 * (clockUs + 600), toNs: 1000 * (clockUs + 700) };
  const expected = [
    { calls: [RUN, PICK], sinceUs: 100 },
    { calls: [RUN], sinceUs: 100 },
    { calls: [RUN, PICK], sinceUs: 100 },
  ];

  it("are the samples within the windows, with files of the repository and lines from 1", () => {
    const text = JSON.stringify(profileFrom(clockUs, [2, 3, 2, 2, 3, 2]));
    assert.deepEqual(samplesWithin({ text, ended }, windows), expected);
  });

  it("have line 0 where none is known", () => {
    const profile = profileFrom(clockUs, [2, 2, 2]);
    const [root, run, pick] = profile.nodes;
    const nodes = [root!, { ...run!, callFrame: { ...run!.callFrame, lineNumber: -1 } }, pick!];
    const text = JSON.stringify({ ...profile, nodes });
    const [sample] = samplesWithin({ text, ended }, windows);
    assert.deepEqual(sample!.calls, [{ ...RUN, line: 0 }]);
  });

  it("are the same where V8 writes the low 32 bits of its clock only, signed or not", () => {
    for (const start of [clockUs % 2 ** 32, (clockUs % 2 ** 32) - 2 ** 32]) {
      const text = JSON.stringify(profileFrom(start, [2, 3, 2, 2, 3, 2]));
      assert.deepEqual(samplesWithin({ text, ended }, windows), expected);
    }
  });

  it("are the same where V8's clock stood still for a night in which the machine slept", () => {
    const asleepUs = 8 * 3_600_000_000;
    const text = JSON.stringify(profileFrom(clockUs - asleepUs, [2, 3, 2, 2, 3, 2]));
    assert.deepEqual(samplesWithin({ text, ended }, windows), expected);
  });

  it("are the same where the clock passes a multiple of 2^32 us on the way", () => {
    const turnUs = 3 * 2 ** 32 - 300;
    const later = ({ fromNs, toNs }: Window) => ({
      fromNs: fromNs + 1000 * (turnUs - clockUs),
      toNs: toNs + 1000 * (turnUs - clockUs),
    });
    const { endTime, ...profile } = profileFrom(turnUs % 2 ** 32, [2, 3, 2, 2, 3, 2]);
    const text = JSON.stringify({ ...profile, endTime: endTime % 2 ** 32 });
    assert.deepEqual(samplesWithin({ text, ended: later(ended) }, windows.map(later)), expected);
  });

  it("refuse a file that is not a profile, in one line", () => {
    for (const text of ["", "{", "{}", '{"samples":[1],"timeDeltas":[]}']) {
      assert.throws(
        () => samplesWithin({ text, ended }, windows),
        /^Error: V8 gave no profile that can be read$/,
      );
    }
  });
});

const WORKERS: readonly WorkerSamples[] = [
  {
    worker: "worker 0",
    samples: [
      { calls: [START, LOOP, RUN, PICK], sinceUs: 100 },
      { calls: [START, LOOP, RUN], sinceUs: 110 },
      { calls: [START, LOOP], sinceUs: 120 },
    ],
  },
  { worker: "worker 1", samples: [{ calls: [], sinceUs: 90 }] },
];

it("a merged profile has a frame for each worker under one root, and every sample at its calls", (test) => {
  const { nodes, ...profile } = mergedProfile(WORKERS);
  const lines = nodes.map((node) => `${JSON.stringify(node)}\n`);
  golden(test, "testdata/merged.txt", `${lines.join("")}${JSON.stringify(profile)}\n`);
});

describe("a flame tree", () => {
  it("begins at the worker's loop, and says whose code each frame is", (test) => {
    const rows = rowsOf(flameOf("pick/a/b/2w", WORKERS)).map(
      ({ depth, name, place = "", part, samples }) =>
        `${"  ".repeat(depth)}${name} ${place} (${part}): ${samples}\n`,
    );
    golden(test, "testdata/tree.txt", rows.join(""));
  });

  it("distinguishes structures, packages and what lies elsewhere from the engine and the runtime", () => {
    const partOf = (file: string) => {
      const samples = [{ calls: [{ name: "f", file, line: 1 }], sinceUs: 1 }];
      const tree = flameOf("c", [{ worker: "worker 0", samples }]);
      return tree.children[0]!.children[0]!.part;
    };
    const parts = {
      structure: [
        "structures/timers/competitors/sweep.ts",
        "node_modules/flatqueue/index.js",
        "(elsewhere)/two-choices.ts",
        "wasm://wasm/0a1b2c3d",
      ],
      engine: ["suites/timers/crew.ts", "node_modules/piscina/dist/worker.js"],
      runtime: ["node:internal/timers", "node", "[kernel.kallsyms]", ""],
    };
    for (const [part, files] of Object.entries(parts)) {
      for (const file of files) assert.equal(partOf(file), part, file);
    }
  });

  it("is the same tree again from its rows, and invalid rows are refused", () => {
    const tree = flameOf("pick/a/b/2w", WORKERS);
    assert.deepEqual(treeOf(rowsOf(tree)), tree);
    const [root, worker] = rowsOf(tree);
    assert.throws(() => treeOf([root!, { ...worker!, depth: 2 }]), /"worker 0" at depth 2 is below no frame/);
    assert.throws(() => treeOf([root!, root!]), /at depth 0 is below no frame/);
  });
});

describe("what perf wrote down", () => {
  const text = `  711 58121.181357064:
	         16c13cf Builtins_AtomicsExchange (/usr/bin/node)
	    7efbf405baab JS:+'run ${OURS("suites/pick/suite.ts")}:163:8 (/tmp/perf-1312.map)
	    7efbf405c3c0 JS:^ ${OURS("structures/pick/parts/locked.ts")}:45:13 (/tmp/perf-1312.map)
	           891f5 std::f(int (*)(void*))::{lambda(void*)#1}::_FUN (/usr/lib/libc.so.6)

  712 58121.182000000:
	ffffffff8143ed5a futex_wake ([kernel.kallsyms])

  711 58121.183357064:
	    7efbf405baab [unknown] ([unknown])
`;
  const at = (seconds: number) => ({ fromNs: seconds * 1e9, toNs: seconds * 1e9 + 1e9 });

  it("is separated by thread, from the first call to the innermost, and named as other files are", (test) => {
    const path = fileURLToPath(OURS("node_modules/heap and more/heap.js"));
    const byPath = `  713 58121.500000000:\n\t    7efb JS:*'Heap.pop ${path}:430:30 (/tmp/perf-1312.map)\n`;
    const lines = [...parsePerf(`${text}\n${byPath}`, [at(58121)])].flatMap(([thread, samples]) =>
      samples.map((sample) => `${thread} ${JSON.stringify(sample)}\n`),
    );
    golden(test, "testdata/perf.txt", lines.join(""));
  });

  it("counts only within the windows, and the time between two of them for none", () => {
    const times = ["58120.900", "58121.000", "58121.001", "58121.002", "58123.000", "58123.001"];
    const blocks = times.map((time) => `  711 ${time}000000:\n\t    7efb [unknown] ([unknown])\n`);
    const sampled = blocks.join("\n");
    const seen = parsePerf(sampled, [at(58121), at(58123)]).get(711)!;
    assert.deepEqual(
      seen.map(({ sinceUs }) => Math.round(sinceUs)),
      [1000, 1000, 1000, 1000, 1000],
    );
    assert.deepEqual(parsePerf(sampled, [at(58125)]).get(711), []);
  });
});

it("files are named as in the repository, and not by where they lie elsewhere", () => {
  for (const [script, file] of [
    [OURS("structures/pick/competitors/cas-ring.ts"), "structures/pick/competitors/cas-ring.ts"],
    ["file:///somewhere/else/two-choices.ts", "(elsewhere)/two-choices.ts"],
    [fileURLToPath(OURS("node_modules/mnemonist/heap.js")), "node_modules/mnemonist/heap.js"],
    ["/somewhere/else/two-choices.cjs", "(elsewhere)/two-choices.cjs"],
    ["node:internal/timers", "node:internal/timers"],
  ] as const) {
    assert.equal(readableFile(script), file);
  }
});
