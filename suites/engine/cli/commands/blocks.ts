import { LOOKS } from "../../judge/verdict.ts";
import type { CrewKind } from "../../measure/plan/plan.ts";
import type { CellRecord, GroupRecord, QuartilesRecord } from "../../schema/record.ts";
import { ascending, mean, median, quantile } from "../../statistics.ts";
import type { Execution } from "./execution.ts";

/**
 * From executions to what the judge of races reads. A block of rounds stands for a process: in each round every command runs once, and
 * the first once more, which shows the noise. A block says one ratio. Neighbours in time share a state of the machine; blocks
 * are the replicates. Pure.
 */

/** What takes turns: the commands in their order, the first beside itself. */
export interface CommandTurn {
  readonly name: string;
  readonly kind: CrewKind;
  readonly command: string;
}

export function turnsOf(commands: readonly string[]): CommandTurn[] {
  const [first, ...rivals] = commands.map((command, place) => ({ name: `t${place}`, command }));
  return [
    { ...first!, kind: "baseline" },
    { ...first!, name: `${first!.name}~aa1`, kind: "aa-control" },
    ...rivals.map((rival) => ({ ...rival, kind: "rival" as const })),
  ];
}

/** The executions of a block, turn by turn. */
export type Block = readonly (readonly Execution[])[];

const ROLE = "worker";
const COLUMNS = {
  cpuNs: { title: "CPU", unit: "ns", reduce: "level" },
  peakBytes: { title: "peak memory", unit: "bytes", reduce: "level" },
} as const;

/**
 * As if each execution were a short slice of a lone worker: a disturbance can only lengthen it, so the lower quartile of a block
 * counts, and the mean where that is beyond doubt another.
 */
export function groupOf(turns: readonly CommandTurn[], blocks: readonly Block[]): GroupRecord {
  return {
    primitive: "commands",
    scenario: "commands",
    title: "commands",
    operation: "execution",
    workers: 1,
    roles: [ROLE],
    oversubscribed: false,
    sliceUs: 1,
    rounds: blocks[0]?.[0]?.length ?? 0,
    looks: LOOKS.length,
    placement: "own",
    pinned: false,
    columns: COLUMNS,
    lostForks: [],
    mostThreads: 0,
    mostRssBytes: 0,
    cells: turns.map((turn, place) =>
      cellOf(
        turn,
        blocks.map((block) => block[place]!),
      ),
    ),
  };
}

function cellOf({ name, kind }: CommandTurn, blocks: readonly (readonly Execution[])[]): CellRecord {
  const competitor = name;
  const sorted = blocks.map((own) => own.map(({ wallNs }) => wallNs).sort(ascending));
  const costNs: QuartilesRecord = {
    forks: [...blocks.keys()],
    counts: blocks.map(({ length }) => length),
    mean: sorted.map(mean),
    p25: sorted.map((own) => quantile(own, 1 / 4)),
    p50: sorted.map((own) => quantile(own, 1 / 2)),
    p75: sorted.map((own) => quantile(own, 3 / 4)),
  };
  const figures = Object.fromEntries(
    (Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]).flatMap((column) => {
      const known = blocks.map((own) => own.flatMap((one) => one[column] ?? []));
      return known.some(({ length }) => length === 0) ? [] : [[column, known.map(median)]];
    }),
  );
  return {
    name: `commands/commands/${name}/1w`,
    competitor,
    kind,
    forks: blocks.length,
    slices: sorted.flat().length,
    roles: { [ROLE]: { any: { costNs }, figures } },
  };
}

/** A block lasts about that long, in ms. */
const BLOCK_MS = 1_500;
/** Even, so that each order is followed by its reverse. */
const MOST_ROUNDS = 32;

/** Rounds of a block, where one execution of each turn takes `roundMs` together. */
export function roundsIn(roundMs: number): number {
  return Math.max(2, Math.min(MOST_ROUNDS, 2 * Math.round(BLOCK_MS / roundMs / 2)));
}
