import { join, resolve } from "node:path";
import { writeWhole } from "../engine/measure/machine/write-whole.ts";
import { progressOf, readableTime } from "../engine/table/progress.ts";
import { present } from "../engine/words/present.ts";
import type { Table } from "../reporter/src/index.ts";
import { EXIT, NOTHING_FINISHED, parseName, sayWritten, UsageError } from "./command/usage.ts";
import { currentCommit } from "./git.ts";
import {
  askOpinion,
  CPU_MS,
  OPINION_ENGINES,
  type OpinionEngine,
  opinionEstimateMs,
  versionOf,
} from "./opinions/opinion.ts";
import { moduleUrlOf, type Request } from "./plan/asked.ts";
import { type Cell, chosenCells } from "./plan/cells.ts";
import { beginRun } from "./recorded-run.ts";
import type { Opinion } from "./schema/opinion.ts";
import { checkWritable, recordName } from "./store/results.ts";
import { printTable } from "./tables/terminal.ts";

/** `bench --engine`: the one-worker cells of a request, measured by another library. */

/** The value of --engine. */
export function parseEngine(name: string): OpinionEngine {
  return parseName("--engine", name, OPINION_ENGINES, " (without --engine the lab measures itself)");
}

interface Asked {
  readonly engine: OpinionEngine;
  readonly command: string;
  readonly argv: readonly string[];
  /** How long to wait for a quiet machine at most; not at all if absent. */
  readonly waitQuietMs: number | undefined;
  /** Prints one JSON document on stdout, and the tables on stderr. */
  readonly json: boolean;
  /** Where to keep that document; nowhere if absent: a single reading is no record. */
  readonly out: string | undefined;
}

interface AskedCell {
  readonly cell: string;
  readonly opinion: Opinion;
}

/** Measures, prints a table as each scenario is complete, and returns the exit code. */
export async function benchByLibrary(
  request: Request,
  { engine, command, argv, waitQuietMs, json, out }: Asked,
): Promise<number> {
  const cells = loneRaces(request);
  if (out !== undefined) checkWritable(out);
  const run = beginRun(request, { command, argv, commit: currentCommit(), waitQuietMs });
  await run.observe();
  const estimateMs = cells.length * opinionEstimateMs(CPU_MS);
  process.stderr.write(
    `seed ${request.seed}, about ${readableTime(estimateMs)}, and more for large structures\n`,
  );
  const progress = progressOf(run.progress, estimateMs);
  const tables = json ? process.stderr : process.stdout;
  const asked: AskedCell[] = [];
  for (const ofScenario of Map.groupBy(
    cells,
    ({ suite, scenario }) => `${suite.url} ${scenario.scenario}`,
  ).values()) {
    const rows: { competitor: string; opinion: Opinion }[] = [];
    for (const { name, suite, scenario, entry } of ofScenario) {
      const { size, seed } = request;
      const measured = { moduleUrl: moduleUrlOf(suite, scenario.scenario), scenario: scenario.scenario };
      const cell = { ...measured, competitorUrl: entry.url, size, seed, fork: 0, extraWork: 0 };
      const question = { engine, cell, cpuMs: CPU_MS, memory: true };
      const limits = { signal: run.signal, patienceMs: request.patienceMs };
      const opinion = await progress.during(opinionEstimateMs(CPU_MS), `${name} by ${engine}`, () => {
        return askOpinion(question, limits);
      });
      if (run.signal.aborted) break;
      rows.push({ competitor: entry.name, opinion });
      asked.push({ cell: name, opinion });
    }
    run.progress.clear();
    if (rows.length > 0) printTable(tables, tableOf(ofScenario[0]!, rows, engine));
    if (run.signal.aborted) break;
  }
  const document = {
    kind: "opinions",
    engine: { name: engine, version: versionOf(engine) },
    ...run.end(),
    cells: asked,
  };
  const text = `${JSON.stringify(document, null, 1)}\n`;
  if (out !== undefined) {
    const path = join(resolve(out), `${recordName(document, false)}-${engine}.json`);
    writeWhole(path, text);
    sayWritten([path]);
  }
  if (json) process.stdout.write(text);
  if (run.signal.aborted) {
    process.stderr.write(NOTHING_FINISHED);
    return EXIT.interrupted;
  }
  return asked.every(({ opinion }) => opinion.failure === undefined) ? EXIT.ok : EXIT.failed;
}

type ScenarioOfCell = ReturnType<typeof loneRaces>[number];

function tableOf(
  { suite, scenario }: ScenarioOfCell,
  rows: readonly { readonly competitor: string; readonly opinion: Opinion }[],
  engine: OpinionEngine,
): Table {
  const unit = `ns/${scenario.kind === "race" ? scenario.operation : "op"}`;
  const right = (key: string, title: string, of?: string) =>
    ({ key, title, align: "right", ...present({ unit: of }) }) as const;
  return {
    title: `${suite.suite.primitive}/${scenario.scenario} by ${engine}: ${scenario.title}`,
    provenance: [],
    columns: [
      { key: "competitor", title: "Competitor", align: "left" },
      right("mean", "Mean", unit),
      ...(engine === "tinybench" ? [right("error", "Error (95 %)")] : []),
      right("median", "Median", unit),
      right("p99", "p99", unit),
      right("min", "Min", unit),
      ...(engine === "mitata"
        ? [right("heap", "Heap", unit.replace("ns", "B")), right("gc", "gc", unit)]
        : []),
      right("samples", "Samples"),
      right("batch", "Batch"),
      { key: "flags", title: "Flags", align: "left" },
    ],
    rows: rows.map(({ competitor, opinion }) => ({ cells: rowOf(competitor, opinion, engine) })),
    legend: [
      "One process, no pairing: the figures of two rows may differ by what the machine did meanwhile, so there is no verdict.",
    ],
  };
}

function rowOf(competitor: string, opinion: Opinion, engine: OpinionEngine): Table["rows"][number]["cells"] {
  const { nsPerOperation: figures, failure } = opinion;
  if (figures === undefined) return { competitor, flags: `no number: ${failure?.reason ?? "unknown"}` };
  const { mean, high = mean, median, p99, min } = figures;
  return {
    competitor,
    mean,
    ...(engine === "tinybench" ? { error: `± ${((100 * (high - mean)) / mean).toFixed(1)} %` } : {}),
    median,
    p99,
    min,
    ...(engine === "mitata"
      ? { heap: opinion.heapBytesPerOperation ?? null, gc: opinion.gcNsPerOperation ?? null }
      : {}),
    samples: opinion.samples,
    batch: opinion.batch,
    flags: opinion.flags.join(", "),
  };
}

/**
 * The one-worker races among the cells that a request chooses. Throws a UsageError if there are none, where what was
 * asked for is simulated, surveyed, or needs company.
 */
export function loneRaces(request: Request): Cell[] {
  const cells = chosenCells(request).filter(
    ({ scenario, workers, absent }) => scenario.kind === "race" && workers === 1 && absent === undefined,
  );
  if (cells.length > 0) return cells;
  throw new UsageError(
    "none of the requested cells is a race of one worker, which is all that a library can measure: ask for others (npm run bench -- --list --all shows every one)",
  );
}
