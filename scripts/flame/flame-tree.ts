import { present } from "../../suites/engine/words/present.ts";
import type { FlameNode, FramePart } from "../../suites/lab/schema/flame.ts";
import type { CodeFrame, WorkerSamples } from "./samples.ts";

/** The worker's side of the instrument: what calls it is the thread's start and the same in every profile. */
const LOOP_FILE = "suites/engine/measure/fork/worker.ts";

/** The tree of all workers' samples. Calls that lead to the worker's loop are left out. */
export function flameOf(cell: string, workers: readonly WorkerSamples[]): FlameNode {
  const root = thread(cell);
  for (const { worker, samples } of workers) {
    const own = thread(worker);
    root.children.set(worker, own);
    for (const { calls } of samples) {
      const loop = calls.findIndex(({ file }) => file === LOOP_FILE);
      let node = own;
      for (const visited of [root, own]) visited.samples++;
      for (const frame of calls.slice(Math.max(0, loop))) {
        node = below(node, frame);
        node.samples++;
      }
    }
  }
  return settled(root);
}

interface Growing {
  readonly name: string;
  readonly place?: string;
  readonly part: FramePart;
  samples: number;
  readonly children: Map<string, Growing>;
}

function thread(name: string): Growing {
  return { name, part: "thread", samples: 0, children: new Map() };
}

function below({ children }: Growing, frame: CodeFrame): Growing {
  const name = frame.name === "" ? "(anonymous)" : frame.name;
  const place = placeOf(frame);
  const key = `${name}\n${place}`;
  const known = children.get(key);
  if (known !== undefined) return known;
  const node: Growing = {
    name,
    ...present({ place }),
    part: partOf(frame),
    samples: 0,
    children: new Map(),
  };
  children.set(key, node);
  return node;
}

function placeOf({ file, line }: CodeFrame): string | undefined {
  if (file === "") return undefined;
  return line > 0 ? `${file}:${line}` : file;
}

/** Workers stay in the order of their indices. */
function settled({ children, ...node }: Growing): FlameNode {
  const own = [...children.values()];
  const sorted = own[0]?.part === "thread" ? own : own.sort((a, b) => b.samples - a.samples);
  return { ...node, children: sorted.map(settled) };
}

/** Packages are what a competitor stands for, but for the one that holds the engine's threads. */
function partOf({ file }: CodeFrame): FramePart {
  if (/^suites\/|(^|\/)node_modules\/piscina\//.test(file)) return "engine";
  if (/^structures\/|^wasm:|^\(elsewhere\)\/|(^|\/)node_modules\/(?!node\/)/.test(file)) return "structure";
  return "runtime";
}
