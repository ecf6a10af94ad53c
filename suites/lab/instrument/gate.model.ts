import {
  brokenInTurn,
  brokenLaws,
  EVERYBODY_FINISHES,
  type Glimpse,
  type Law,
  type Part,
} from "../../../structures/shared/program-laws.ts";
import type * as gateModule from "../../engine/measure/fork/gate.ts";
import { InstrumentBroken } from "../../engine/measure/plan/failures.ts";
import { allocateRegion, type Region } from "../../engine/words/layout.ts";

/**
 * Every interleaving of a coordinator and the workers of one or two crews that run in turn, on the gate's own code. The
 * explorer's header says what is followed. Left out is what no thread waits for: the results, the opening time, the
 * batches of the ramp. Explored completely: at most some 600,000 states.
 */
interface Program {
  /** Of each crew. */
  readonly workers: readonly number[];
  /** Which crew runs, slice by slice. */
  readonly turns: readonly number[];
  /** Whether there are cores for all workers, which then wait awake. */
  readonly together: boolean;
  /** Whether workers also wait until all have read their end time, which decides what is measured and nothing else. */
  readonly isMeasured?: true;
}

const programs: readonly Program[] = [
  { workers: [1, 1], turns: [0, 1, 0, 1], together: true },
  { workers: [1, 1], turns: [0, 0, 1], together: false },
  { workers: [2], turns: [0], together: true, isMeasured: true },
  { workers: [2], turns: [0], together: false },
  { workers: [2], turns: [0, 0], together: true },
  { workers: [2, 1], turns: [0, 1], together: true },
];

export type Gate = typeof gateModule;

/** The laws that a gate must keep. */
export const gateLaws = [
  ...["onlyOrderedSlicesRun", "oneCrewAtATime", "stateIsCopiedAtRest", "windowIsShared"],
  ...["nothingIsFoundBroken", EVERYBODY_FINISHES],
] as const;
export type GateLaw = (typeof gateLaws)[number];

/** One sentence for each law that is broken. With `until`, ends where it finds that law broken. */
export function exploreGate(gate: Gate, until?: GateLaw): string[] {
  return brokenInTurn(programs, (program) => exploreProgram(gate, program, until), until);
}

/** What a worker notes in each slice, in this order; the copying is worker 0's. */
const COPIES_IN = 1;
const RUNS = 2;
const HAS_MEASURED = 3;
const COPIES_OUT = 4;
/** Before it parks, because others may go on as soon as it has. */
const IS_OUT = 5;
/** In the place of these, and of the coordinator's silence: that it found something broken. */
const GAVE_UP = 6;

type Seen = Glimpse["threads"][number];
const times = ({ notes }: Seen, what: number) => notes.filter((note) => note === what).length;
const isAt = ({ notes }: Seen, what: number) => notes.at(-1) === what;
const isRunning = (worker: Seen) => isAt(worker, RUNS) || isAt(worker, HAS_MEASURED);
const isInside = (worker: Seen) => isRunning(worker) || isAt(worker, COPIES_IN) || isAt(worker, COPIES_OUT);

/** The workers of each crew; the first thread is the coordinator. */
function crewsIn({ threads }: Glimpse, { workers }: Program): Seen[][] {
  return workers.map((count, crew) => {
    const first = 1 + sum(workers.slice(0, crew));
    return threads.slice(first, first + count);
  });
}

function lawsOf(gate: Gate, program: Program): Law<GateLaw>[] {
  const { turns } = program;
  const crewsOf = (seen: Glimpse) => crewsIn(seen, program);
  return [
    {
      name: "onlyOrderedSlicesRun",
      state(seen) {
        for (const [crew, members] of crewsOf(seen).entries()) {
          const run = Math.max(...members.map((worker) => times(worker, RUNS)));
          const ordered = gateOf(gate, program, seen.memory, crew)[gate.GENERATION]!;
          if (run > ordered) return `crew ${crew} runs its slice ${run}, and ${ordered} were ordered`;
        }
        return undefined;
      },
      once: (seen) =>
        crewsOf(seen).every((members, crew) =>
          members.every((worker) => times(worker, IS_OUT) === slicesOf(turns, crew)),
        ),
    },
    {
      name: "oneCrewAtATime",
      state(seen) {
        const inside = crewsOf(seen).flatMap((members, crew) => (members.some(isInside) ? [crew] : []));
        return inside.length > 1 ? `inside are crews ${inside}` : undefined;
      },
    },
    {
      name: "stateIsCopiedAtRest",
      state(seen) {
        for (const [first, ...others] of crewsOf(seen)) {
          for (const worker of others.filter(isRunning)) {
            const slice = times(worker, RUNS);
            if (isAt(first!, COPIES_IN) || times(first!, COPIES_IN) < slice)
              return "one runs before its crew's state is copied in";
            if (times(first!, COPIES_OUT) >= slice) return "one runs while its crew's state is copied out";
          }
        }
        return undefined;
      },
    },
    {
      name: "windowIsShared",
      state(seen) {
        for (const members of crewsOf(seen)) {
          const measured = Math.max(...members.map((worker) => times(worker, HAS_MEASURED)));
          const run = Math.min(...members.map((worker) => times(worker, RUNS)));
          if (measured > run) return "one has measured before all ran";
        }
        return undefined;
      },
    },
    {
      name: "nothingIsFoundBroken",
      state({ threads }) {
        const thread = threads.findIndex((seen) => isAt(seen, GAVE_UP));
        return thread === -1 ? undefined : `thread ${thread} gave up`;
      },
    },
  ];
}

function exploreProgram(gate: Gate, program: Program, until: GateLaw | undefined): string[] {
  const { workers, turns } = program;
  const memory = allocateRegion(sum(workers.map(gate.wordsOfGate)));
  const coordinator = turns.map((crew, slice) => coordinatorPart(gate, program, crew, turns[slice - 1]));
  const members = workers.flatMap((count, crew) =>
    Array.from({ length: count }, (_, worker) =>
      new Array<Part>(slicesOf(turns, crew)).fill(workerPart(gate, program, crew, worker)),
    ),
  );
  return brokenLaws({ memory, threads: [coordinator, ...members] }, lawsOf(gate, program), until);
}

function coordinatorPart(gate: Gate, program: Program, crew: number, ranLast: number | undefined): Part {
  const { together } = program;
  return (memory, { note }) => {
    const own = gateOf(gate, program, memory, crew);
    const last = ranLast === undefined ? undefined : gateOf(gate, program, memory, ranLast);
    try {
      gate.openGate(own, { sliceUs: 1, rampUs: 0, calibrating: false, account: false, together }, last);
    } catch (error) {
      if (!(error instanceof InstrumentBroken)) throw error;
      note(GAVE_UP);
      return;
    }
    gate.sleepUntilParked(own, Number.POSITIVE_INFINITY);
  };
}

function workerPart(gate: Gate, program: Program, crew: number, worker: number): Part {
  const { together, isMeasured } = program;
  return (memory, { note }) => {
    const own = gateOf(gate, program, memory, crew);
    const isFirst = worker === 0;
    const run = () => {
      // Worker 0 before it lets the others run, they afterwards.
      if (isFirst) note(RUNS);
      gate.beginRamp(own, worker, together);
      if (!isFirst) note(RUNS);
      gate.arrive(own);
      if (isFirst) {
        while (!gate.allArrived(own));
        gate.openWindow(own);
      }
      while (!gate.isWindowOpen(own));
      if (isMeasured) {
        note(HAS_MEASURED);
        gate.finish(own);
        while (!gate.allFinished(own));
      }
      gate.stop(own);
      if (!isFirst) note(IS_OUT);
    };
    const enter = () => {
      note(COPIES_IN);
      return gate.NOTHING;
    };
    const leave = () => {
      note(COPIES_OUT);
      note(IS_OUT);
    };
    try {
      gate.serveSlice(own, worker, { enter, run, leave });
    } catch (error) {
      if (!(error instanceof InstrumentBroken)) throw error;
      note(GAVE_UP);
    }
  };
}

/** The words of one crew's gate: gates lie one behind the other. */
function gateOf(gate: Gate, { workers }: Program, memory: Region, crew: number): Region {
  const from = sum(workers.slice(0, crew).map(gate.wordsOfGate));
  return memory.subarray(from, from + gate.wordsOfGate(workers[crew]!));
}

function slicesOf(turns: readonly number[], crew: number): number {
  return turns.filter((turn) => turn === crew).length;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
