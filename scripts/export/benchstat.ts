import { basename } from "node:path";
import { prepareGroup, type State, statesOf, tableOf } from "../../suites/engine/judge/samples.ts";
import type { CellRecord, GroupRecord, SurveyRecord } from "../../suites/engine/schema/record.ts";
import {
  differencesIn,
  type Exported,
  originOf,
  racesOf,
  refuseCollisions,
  runOf,
  type Source,
  surveyedFigures,
} from "./figures.ts";

/**
 * Go's benchmark text, which benchstat reads (golang/proposal, design/14313-benchmark-format.md; golang/perf,
 * benchfmt/reader.go). One line for each fork, the replicate of all statistics here, with what it puts into them: the median
 * of its slices in the state of the machine that the table is judged in. Its iterations are these slices.
 *
 * Configuration is what a table of benchstat has in common, so it holds only what keeps figures from being compared or
 * is to be compared by: commit, machine, runtime, method. What else there is to know of a run stands in comments.
 * Simulations are left out: benchstat tests whether samples differ by chance, and theirs repeat to the last digit.
 */
export function benchstat(sources: readonly Source[]): Exported {
  const races = racesOf(sources);
  const surveys = surveyedFigures(sources);
  const remedy = "one run's samples count once, so give each record once";
  refuseCollisions([...races.figures, ...surveys.figures], runOf, remedy);

  const lines: string[] = [];
  let values = 0;
  for (const source of sources) {
    const { record } = source;
    const measured = new Set(races.figures.filter((race) => race.source === source).map(({ cell }) => cell));
    const parts = [...record.groups, ...(record.surveys ?? [])];
    const states = statesOf(record.groups);
    for (const [primitive, ofPrimitive] of Map.groupBy(parts, (part) => part.primitive)) {
      const results = ofPrimitive.flatMap((part) =>
        "rounds" in part ? raceLines(part, states.get(tableOf(part))!, measured) : surveyLines(part),
      );
      if (results.length === 0) continue;
      lines.push(...configurationLines(source, primitive), "", ...results, "");
      values += results.length;
    }
  }
  const differences = differencesIn(sources, ["commit", "machine", "runtime", "method"]);
  return {
    text: lines.map((line) => `${line}\n`).join(""),
    values,
    leftOut: [...races.leftOut, ...surveys.leftOut],
    remarks:
      differences === undefined
        ? []
        : [
            `the records differ in ${differences}: benchstat keeps them in tables of their own unless told -col`,
          ],
  };
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

/** The lines of a group's cells that have a number, the baseline's first: benchstat compares with what it saw first. */
function raceLines(group: GroupRecord, state: State, measured: ReadonlySet<string>): string[] {
  const hasRoles = new Set(group.roles).size > 1;
  const { entrants } = prepareGroup(group, state);
  const ofKind = (kind: CellRecord["kind"]) => entrants.filter(({ cell }) => cell.kind === kind);
  return [...ofKind("baseline"), ...ofKind("rival")].flatMap(({ cell, role, state: own, logCosts }) => {
    if (!measured.has(hasRoles ? `${cell.name}/${role}` : cell.name)) return [];
    const name = benchmarkName(
      group.primitive,
      {
        scenario: group.scenario,
        competitor: cell.competitor,
        ...(hasRoles ? { role } : {}),
        ...(group.oversubscribed ? { oversubscribed: "yes" } : {}),
      },
      group.workers,
    );
    const { forks, counts } = cell.roles[role]![own]!.costNs;
    const slicesOf = new Map(forks.map((fork, place) => [fork, counts[place]!]));
    return logCosts.forks.map(
      (fork, place) => `${name} ${slicesOf.get(fork)} ${Math.exp(logCosts.values[place]!)} ns/op`,
    );
  });
}

/** One line for each process, which did once what is surveyed; a metric that it has no number of is not in it. */
function surveyLines({ primitive, scenario, metrics, cells }: SurveyRecord): string[] {
  return cells
    .filter(({ failure }) => failure === undefined)
    .flatMap(({ competitor, forks }) => {
      const name = benchmarkName(primitive, { scenario, competitor }, 1);
      return forks.flatMap((fork) => {
        const pairs = Object.entries(metrics).flatMap(([key, { unit }]) =>
          Number.isFinite(fork[key]) ? [`${fork[key]} ${unitOf(key, unit)}`] : [],
        );
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
