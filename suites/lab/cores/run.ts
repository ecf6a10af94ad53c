import type { Entry } from "../../../structures/catalog.ts";
import { ReusedFork } from "../../engine/measure/run/process.ts";
import type { Alone, CellFigures } from "./cell-simulation.ts";
import { HERE } from "./data/machines.ts";
import { type Median, type Medians, publishedMedians } from "./data/measured.ts";
import type { CellAnswer, HostQuestion } from "./hosted.ts";
import { aloneSeed, type CoresPlan, cellsOf, type PlannedCell, type Structure } from "./plan.ts";
import { type CoresCell, kept } from "./record.ts";

/** A cell of 128 workers takes less than a tenth of it on a busy machine, in ms. A candidate may never end. */
const SILENCE_LIMIT_MS = 300_000;

/** How a plan is carried out. Nothing of it changes a digit. */
export interface Hosting {
  /** How many processes simulate. */
  readonly jobs: number;
  /** The cores they run on, in turn; any where it is empty. */
  readonly cores: readonly number[];
  /** Ends the run when aborted. */
  readonly signal: AbortSignal;
  /** What the processes do: simulate cells, by default. */
  readonly module?: URL;
  readonly silenceMs?: number;
}

export interface CoresListener {
  /** A structure begins at a worker count. */
  begun(structure: Structure, workers: number): void;
  /** A structure is at its end, with all its cells. */
  ended(structure: Structure, cells: readonly CoresCell[]): void;
}

const HOST = new URL("./host.ts", import.meta.url);

/** What was measured of a race: at the worker counts of its crews, and of one worker alone. */
export interface Measured {
  readonly own: Medians;
  readonly alone: Medians;
}

/** Of each race of the plan, by `primitive/scenario`. */
export async function measuredOf({ structures }: CoresPlan): Promise<ReadonlyMap<string, Measured>> {
  const races = new Set(structures.map(({ race }) => race));
  const measured = new Map<string, Measured>();
  for (const { primitive, scenario, role, alone } of races) {
    const own = await publishedMedians(primitive, scenario, role);
    measured.set(`${primitive}/${scenario}`, {
      own,
      alone: alone === undefined ? own : await publishedMedians(primitive, alone, role),
    });
  }
  return measured;
}

/**
 * Simulates these structures of a plan, begun in order; each process takes the next when it is done with one. A process
 * that is lost loses the rest of its structure. Where it is interrupted `listener` hears of no further structure.
 */
export async function simulateCores(
  plan: CoresPlan,
  structures: readonly Structure[],
  measured: ReadonlyMap<string, Measured>,
  { jobs, cores, signal, module = HOST, silenceMs = SILENCE_LIMIT_MS }: Hosting,
  listener: CoresListener,
): Promise<void> {
  const waiting = structures.values();
  const carryOut = async (core: number | undefined) => {
    const host = new ReusedFork();
    try {
      for (const structure of waiting) {
        const medians = measured.get(`${structure.race.primitive}/${structure.race.scenario}`)!;
        const ask = (cell: PlannedCell) => {
          listener.begun(structure, cell.nominal.workers);
          const argument: HostQuestion = { cell, alone: aloneOf(plan, structure, medians.alone), core };
          return host.ask(
            { kind: "call", module: module.href, argument },
            { estimateMs: 0, silenceMs, signal },
          );
        };
        const cells = await cellsFrom(plan, structure, medians.own, async (cell) => {
          const answer = await ask(cell);
          if (answer.kind === "called") return answer.value as CellAnswer;
          return { kind: "failed", reason: answer.kind === "lost" ? answer.failure.reason : answer.kind };
        });
        if (signal.aborted) return;
        listener.ended(structure, cells);
      }
    } finally {
      host.end();
    }
  };
  const lanes = Math.min(jobs, structures.length);
  await Promise.all(Array.from({ length: lanes }, (_, lane) => carryOut(cores[lane % cores.length])));
}

/** The cells of a structure; once one has failed the others fail for the same reason. */
async function cellsFrom(
  plan: CoresPlan,
  structure: Structure,
  medians: Medians,
  ask: (cell: PlannedCell) => Promise<CellAnswer>,
): Promise<CoresCell[]> {
  const cells: CoresCell[] = [];
  let failure: string | undefined;
  for (const planned of cellsOf(plan, structure)) {
    const { workers } = planned.nominal;
    const known = knownOf(structure, workers, medians);
    if (structure.absent !== undefined) {
      cells.push({ ...known, absent: structure.absent });
      continue;
    }
    if (failure === undefined) {
      const answer = await ask(planned);
      if (answer.kind === "simulated") {
        cells.push({ ...known, ...figuresOf(answer.cell) });
        continue;
      }
      failure = cells.length === 0 ? answer.reason : `${answer.reason} (with ${workers} workers)`;
    }
    cells.push({ ...known, failure });
  }
  return cells;
}

/** What is known of a cell without simulating it. */
function knownOf({ race, competitor, machine }: Structure, workers: number, medians: Medians): CoresCell {
  const median = machine.name === HERE.name ? medians.at(competitor, workers) : undefined;
  return {
    primitive: race.primitive,
    scenario: race.scenario,
    competitor,
    machine: machine.name,
    workers,
    ...(median === undefined
      ? {}
      : { measuredNs: median.ns, measuredIn: { file: median.file, commit: median.commit } }),
  };
}

function figuresOf({ nominal, draws, localNs }: CellFigures): Partial<CoresCell> {
  const figures = kept(nominal);
  const costs = [figures, ...draws.map(kept)].map(({ nsPerOperation }) => nsPerOperation);
  return {
    nominal: figures,
    localNs: Number(localNs.toPrecision(6)),
    ...(draws.length === 0
      ? {}
      : { band: { nsPerOperation: [Math.min(...costs), Math.max(...costs)] as [number, number] } }),
  };
}

/** Of the competitor where that was measured alone, else of its baseline. */
function aloneOf(
  plan: CoresPlan,
  { competitor, url, baseline, ...structure }: Structure,
  medians: Medians,
): Alone {
  const own = { name: competitor, url };
  const measuredOf = ({ name }: Entry): Median | undefined => medians.at(name, 1);
  const of = [own, baseline].find((entry) => measuredOf(entry) !== undefined) ?? own;
  return {
    scenario: structure.race.alone ?? structure.race.scenario,
    moduleUrl: structure.aloneUrl,
    seed: aloneSeed(plan),
    of: { competitor: of.name, url: of.url },
    measuredNs: measuredOf(of)?.ns,
  };
}
