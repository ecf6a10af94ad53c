import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import { envelope } from "../../engine/schema/envelope.ts";
import { Amount, CellName, Count, Line, misfitOf } from "../../engine/schema/values.ts";
import { checkEnvelope, readJson } from "./envelope-file.ts";
import { cellToday, type FormerNames } from "./names.ts";
import { jsonText } from "./record-file.ts";

/**
 * A flamegraph's record: how often a profiler found the workers of one cell in which calls. The picture beside it is
 * made from it alone. Unlike a race's record it is replaced when the same cell is profiled and published again. It
 * shows where time goes, and no verdict rests on it.
 */

const closed = { additionalProperties: false };

/**
 * What a frame's code is part of. `structure`: a competitor, what it imports from structures, and packages it stands
 * for. `engine`: suites and the instrument, the batch loop among it. `runtime`: Node, V8 and the kernel. `thread`: no
 * code, but the cell and its workers.
 */
const FramePart = Type.Union([
  Type.Literal("structure"),
  Type.Literal("engine"),
  Type.Literal("runtime"),
  Type.Literal("thread"),
]);

/** A frame below the last one before it that is less deep: a tree in the order in which it is drawn. */
const FrameRow = Type.Object(
  {
    /** 0 for the cell, 1 for its workers. */
    depth: Count,
    /** As a reader would look for it: a function's name, `(anonymous)`, `(garbage collector)`, `worker 0`. */
    name: Line,
    /**
     * File, from the repository's root, and line, from 1: `structures/pick/competitors/cas-ring.ts:42`; for code of Node's
     * own `node:internal/timers:580`. Absent where the profiler knows none.
     */
    place: Type.Optional(Line),
    part: FramePart,
    /** In it and in all that it called. */
    samples: Count,
  },
  closed,
);

const Profile = Type.Object(
  {
    cell: CellName,
    /** How long all workers were seen measuring at once, in ms. */
    windowsMs: Amount,
    oversubscribed: Type.Boolean(),
    frames: Type.Array(FrameRow, { minItems: 1 }),
  },
  closed,
);

export const FlameSchema = Type.Object(
  {
    ...envelope("flame"),
    sampler: Type.Union([Type.Literal("v8"), Type.Literal("perf")]),
    profiled: Profile,
    /** V8 inlined nothing, as it does in a race: each function has a frame of its own. */
    inlining: Type.Literal(false),
    /** The one that colours show the difference to. */
    against: Type.Optional(Profile),
  },
  closed,
);

export type FlameRecord = Static<typeof FlameSchema>;
export type ProfileRecord = Static<typeof Profile>;
export type FramePart = Static<typeof FramePart>;
type Row = Static<typeof FrameRow>;

/** A profile as a tree: its root is the cell, its second level the workers. */
export interface FlameNode extends Readonly<Omit<Row, "depth">> {
  /** What it called, the largest first; of the cell its workers by index. */
  readonly children: readonly FlameNode[];
}

const validator = Compile(FlameSchema);

/** Reads and checks a record. Throws an Error whose one-line message says what is wrong with the file. */
export function readFlame(path: string): FlameRecord {
  const value = readJson(path, "flame");
  checkEnvelope(value, "flame", path);
  if (validator.Check(value)) return value;
  throw new Error(`${path} is damaged: ${misfitOf(validator.Errors(value))}`);
}

/** A record with the names of today in place of former ones. */
export function flameToday(record: FlameRecord, formerNames: FormerNames): FlameRecord {
  const today = (profile: ProfileRecord): ProfileRecord => {
    return { ...profile, cell: cellToday(profile.cell, formerNames) };
  };
  const { profiled, against } = record;
  return {
    ...record,
    profiled: today(profiled),
    ...(against === undefined ? {} : { against: today(against) }),
  };
}

/** A record as text, a frame on each line. */
export function flameText(record: FlameRecord): string {
  return jsonText(record);
}

export function rowsOf(tree: FlameNode, depth = 0): Row[] {
  const { children, ...frame } = tree;
  return [{ depth, ...frame }, ...children.flatMap((child) => rowsOf(child, depth + 1))];
}

/** Throws an Error with one line if the rows are no tree. */
export function treeOf(rows: readonly Row[]): FlameNode {
  interface Growing extends Omit<FlameNode, "children"> {
    readonly children: Growing[];
  }
  const path: Growing[] = [];
  for (const { depth, ...frame } of rows) {
    if (depth > path.length || (depth === 0 && path.length > 0)) {
      throw new Error(`"${frame.name}" at depth ${depth} is below no frame`);
    }
    const node: Growing = { ...frame, children: [] };
    path.length = depth;
    path.at(-1)?.children.push(node);
    path.push(node);
  }
  return path[0]!;
}

/** `flame-uniform-8-cas-ring-2w`: the name, without ending, of what is kept of a cell's flamegraph. */
export function flameName({
  sampler,
  profiled,
  against,
}: Pick<FlameRecord, "sampler" | "profiled" | "against">): string {
  const [primitive] = profiled.cell.split("/");
  const words = (cell: string) => cell.replace(`${primitive}/`, "").replaceAll("/", "-");
  return [
    `flame-${words(profiled.cell)}`,
    ...(against === undefined ? [] : [`against-${words(against.cell)}`]),
    ...(sampler === "perf" ? ["kernel"] : []),
  ].join("-");
}
