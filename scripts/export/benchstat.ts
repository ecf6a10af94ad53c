import { basename } from "node:path";
import type { JudgedScenario } from "../../suites/engine/schema/verdict.ts";
import { present } from "../../suites/engine/words/present.ts";
import type { JudgedMetrics } from "../../suites/lab/schema/verdict.ts";
import { type Figures, type Format, originOf, type Source, type Written } from "./figures.ts";

/**
 * Go's benchmark text, which benchstat reads (golang/proposal, design/14313-benchmark-format.md; golang/perf,
 * benchfmt/reader.go). One line for each fork, the replicate of all statistics here. It holds the median of its slices
 * in the state of the machine that the table is judged in. Its iterations are these slices. Of a row that raced in some
 * processes of its table the judge's own figure is adjusted to the baseline's level in all of them; these lines are not.
 *
 * Configuration is what a table of benchstat has in common. So it holds only what keeps figures from being compared, or
 * is to be compared by: commit, machine, runtime, method. What else there is to know of a run stands in comments.
 * Simulations are left out: benchstat tests whether samples differ by chance, and theirs repeat to the last digit.
 */
export const benchstat: Format = {
  help: `
      Go's benchmark text: for each fork of a race one line, with its median over
      the rounds that count and its number of operations; for each process of a
      survey one line with its metrics. -N behind a name is the number of workers;
      rows with more workers than cores have /oversubscribed=yes. benchstat gives
      intervals from six samples on: --profile full. Simulations are not exported:
      their samples repeat to the last digit, so there is no chance to test for.
          benchstat -col /competitor FILE    compare competitors with their baseline
          benchstat -col commit FILE         compare the commits in one file
          benchstat -ignore commit OLD NEW   compare files`,
  holdsRuns: true,
  metrics: ["survey"],
  differences: ["commit", "machine", "runtime"],
  consequence: (differences) =>
    `the records differ in ${differences}: benchstat keeps them in tables of their own unless -col is given`,
  write,
};

/** By source and primitive, because a table of benchstat needs both its configuration and all processes. */
function write(_: Figures, sources: readonly Source[]): Written {
  const lines: string[] = [];
  let values = 0;
  for (const source of sources) {
    const { races, metrics } = source.verdicts;
    const surveys = metrics.filter(({ kind }) => kind === "survey");
    for (const primitive of new Set([...races, ...surveys].map((part) => part.primitive))) {
      const isOwn = (part: { readonly primitive: string }) => part.primitive === primitive;
      const results = [
        ...races.filter(isOwn).flatMap(raceLines),
        ...surveys.filter(isOwn).flatMap(surveyLines),
      ];
      if (results.length === 0) continue;
      lines.push(...configurationLines(source, primitive), "", ...results, "");
      values += results.length;
    }
  }
  return { text: lines.map((line) => `${line}\n`).join(""), values };
}

/**
 * `key: value`, where the key has no blank or upper case letter and the value no line break. All keys are written for
 * every primitive of every record, because a line holds until its key comes again; without a value it ends.
 */
function configurationLines({ name, record }: Source, primitive: string): string[] {
  const { commit, machine, runtime, method } = originOf(record);
  const configuration = {
    pkg: `hotpath-lab/${primitive}`,
    commit,
    cpu: record.machine.cpu,
    machine,
    runtime,
    method,
  };
  return [
    oneLine(
      `# ${basename(name)}: ${record.command}, profile ${record.profile}, seed ${record.seed}, ${record.startedAt}`,
    ),
    ...Object.entries(configuration).map(([key, value]) => oneLine(`${key}: ${value}`).trimEnd()),
  ];
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/**
 * The lines of a race's rows that have a number, at each worker count the baseline's first: benchstat compares with
 * what it saw first.
 */
function raceLines({ primitive, scenario, conditions, rows }: JudgedScenario): string[] {
  const isBaseline = (row: JudgedScenario["rows"][number]) => row.kind === "baseline";
  return conditions.flatMap(({ workers, oversubscribed }) =>
    rows
      .filter((row) => row.workers === workers && (isBaseline(row) || row.kind === "rival"))
      .toSorted((a, b) => Number(isBaseline(b)) - Number(isBaseline(a)))
      .flatMap((row) => {
        if (row.noNumber !== undefined) return [];
        const { competitor, role } = row;
        const name = benchmarkName(
          primitive,
          {
            scenario,
            competitor,
            ...present({ role }),
            ...(oversubscribed ? { oversubscribed: "yes" } : {}),
          },
          workers,
        );
        return row.processes.map(({ ns, slices }) => `${name} ${slices} ${ns} ns/op`);
      }),
  );
}

/** One line for each process, which did once what is surveyed; a metric that it has no number of is not in it. */
function surveyLines({ primitive, scenario, metrics, rows }: JudgedMetrics): string[] {
  return rows.flatMap(({ competitor, figures }) => {
    const name = benchmarkName(primitive, { scenario, competitor }, 1);
    const processes = Math.max(0, ...Object.values(figures).map(({ length }) => length));
    return Array.from({ length: processes }).flatMap((_, process) => {
      const pairs = Object.entries(metrics).flatMap(([key, { unit }]) => {
        const figure = figures[key]?.[process];
        return Number.isFinite(figure) ? [`${figure} ${unitOf(key, unit)}`] : [];
      });
      return pairs.length === 0 ? [] : [`${name} 1 ${pairs.join(" ")}`];
    });
  });
}

/** `bytesFilled-B/timer`: the unit of measure comes last, behind what is measured, and has no blank. */
function unitOf(key: string, unit: string): string {
  return [key, ...(unit === "" ? [] : [unit.replaceAll(/\s+/g, "_")])].join("-");
}

/**
 * `BenchmarkPick/scenario=uniform-8/competitor=cas-ring-2`. The number of workers always stands at the end: without it
 * the 15 of `jitter-15` would be taken for one. Throws an Error if one of the names has no place in such a name.
 */
function benchmarkName(
  primitive: string,
  parameters: Readonly<Record<string, string>>,
  workers: number,
): string {
  const pairs = Object.entries(parameters).map(([key, value]) => `/${key}=${value}`);
  const name = `Benchmark${primitive.slice(0, 1).toUpperCase()}${primitive.slice(1)}${pairs.join("")}-${workers}`;
  if (!/^Benchmark\p{Lu}[^\s/]*(\/[a-z]+=[^\s/=]+)+-\d+$/u.test(name)) {
    throw new Error(
      `${name} is no name in Go's benchmark format: names of primitives begin with a letter, and none has blanks, / or =`,
    );
  }
  return name;
}
