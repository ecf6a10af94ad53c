import type { JudgedScenario } from "../../../engine/schema/verdict.ts";
import { sum } from "../../../engine/statistics.ts";
import type { BenchRecord } from "../../schema/record.ts";
import { left, type Of, right, tableOf } from "../../tables/columns.ts";
import { foldedText } from "../../tables/folded.ts";
import { foldedUnderHeading } from "../../tables/markdown.ts";
import { referenceConditions } from "../../tables/races.ts";
import { coresOf } from "../machine/machine.ts";
import type { CoresCell, CoresRecord } from "../record.ts";
import { DECIDING_WORKERS } from "./check.ts";
import { short } from "./tables.ts";

/** Why the competitors of a race differ: what an operation does in simulations, and the code that V8 made of it. Pure. */

/** By cell, the optimised code that each process ran (see suites/engine/measure/machine/compiled-code.ts). */
export type Codes = ReadonlyMap<string, readonly string[]>;

/** Of runs that noted it. */
export function codesIn(records: readonly Pick<BenchRecord, "groups">[]): Codes {
  const cells = records.flatMap(({ groups }) => groups.flatMap((group) => group.cells));
  return new Map(
    [...Map.groupBy(cells, ({ name }) => name)].map(([name, own]) => [
      name,
      own
        .flatMap(({ roles }) => Object.values(roles).flatMap(({ compiled = [] }) => compiled))
        .filter((code) => code !== ""),
    ]),
  );
}

type Figures = NonNullable<CoresCell["nominal"]>;

/** A simulated crew size of a race, and what each competitor did there. */
interface Crew {
  readonly workers: number;
  readonly title: string;
  readonly figures: ReadonlyMap<string, Figures>;
}

const MOST_SHOWN = 64;
const COUNTED = [
  ["atomicsPerOperation", "Atomic operations"],
  ["failuresPerOperation", "Failed compare-exchanges"],
  ["transfersPerOperation", "Lines moved"],
  ["sleepsPerOperation", "Sleeps"],
] as const;

/** A section of the race's page; none where nothing is known. */
export function whyText(race: JudgedScenario, cores: CoresRecord | undefined, codes: Codes): string[] {
  const { workers } = referenceConditions(race);
  const crews = cores === undefined ? [] : crewsOf(race, cores);
  const codesOf = (name: string) => codes.get(`${race.primitive}/${race.scenario}/${name}/${workers}w`) ?? [];
  const competing = race.rows.filter(({ kind }) => kind === "baseline" || kind === "rival");
  const known = [...new Set(competing.map(({ competitor }) => competitor))].filter(
    (name) => codesOf(name).length > 0 || crews.some(({ figures }) => figures.has(name)),
  );
  if (known.length === 0) return [];
  const columns: Of<string>[] = [
    [left("competitor", "Competitor"), (name) => name],
    ...(crews.length === 0 ? [] : COUNTED.map((count) => countedIn(crews, count))),
    [right("bytes", "Optimised code", "B"), (name) => bytesText(codesOf(name))],
    [right("versions", "Versions of it", "in processes"), (name) => versionsText(codesOf(name))],
  ];
  const shown = columns.filter(([, textOf]) => known.some((name) => textOf(name) !== null));
  const legend = [
    ...(crews.length === 0 ? [] : [simulatedLegend(crews)]),
    ...(known.some((name) => codesOf(name).length > 0) ? [CODE_LEGEND] : []),
  ];
  const table = tableOf("Why", known, shown, undefined, { legend });
  return [foldedUnderHeading("What an operation does, and its code", foldedText(table, 2))];
}

function simulatedLegend(crews: readonly Crew[]): string {
  const where = crews.map(({ workers, title }) => `${workers} workers of ${title}`).join(", and then with ");
  return `Counts are of an operation, [simulated](../cores/README.md) with ${where}: the structures' own code, in the order in which the model lets workers run. A wake ends each sleep.`;
}

const CODE_LEGEND =
  "Optimised code: of the loop that measures, with what V8 inlined, in [whole runs that noted it](../repeats/README.md), from the process with the least to the one with the most. Versions: the sizes that V8 made, and in how many processes.";

/** With two workers on the machine that measured, and with the most, up to 64, on the first that is larger. */
function crewsOf({ primitive, scenario }: JudgedScenario, { machines, cells }: CoresRecord): Crew[] {
  const [here, larger] = [
    machines.find((one) => coresOf(one) <= DECIDING_WORKERS),
    machines.find((one) => coresOf(one) > DECIDING_WORKERS),
  ];
  const own = cells.filter((cell) => cell.primitive === primitive && cell.scenario === scenario);
  const crewOf = (machine: typeof here, most: number): Crew[] => {
    const there = own.filter((cell) => cell.machine === machine?.name && cell.workers <= most);
    const workers = Math.max(...there.map((cell) => cell.workers));
    const figures = there.flatMap(({ competitor, nominal, workers: count }): [string, Figures][] =>
      count !== workers || nominal === undefined || nominal.broken !== undefined
        ? []
        : [[competitor, nominal]],
    );
    return figures.length === 0 ? [] : [{ workers, title: machine!.title, figures: new Map(figures) }];
  };
  return [...crewOf(here, DECIDING_WORKERS), ...crewOf(larger, MOST_SHOWN)];
}

function countedIn(crews: readonly Crew[], [key, title]: (typeof COUNTED)[number]): Of<string> {
  return [
    right(key, title, `${crews.map(({ workers }) => workers).join("; ")} workers`),
    (name) => {
      const counts = crews.map(({ figures }) => short(figures.get(name)?.[key]));
      return counts.every((count) => count === null) ? null : counts.map((count) => count ?? "–").join("; ");
    },
  ];
}

/** Of the workers of all processes; `+1700',4568'/4568'`: two functions of one worker, and one of the other. */
function bytesText(codes: readonly string[]): string | null {
  const bytes = codes.flatMap((code) =>
    code.split("/").map((own) => sum([...own.matchAll(/\d+/g)].map(([digits]) => Number(digits)))),
  );
  const [least, most] = [Math.min(...bytes), Math.max(...bytes)];
  return bytes.length === 0 ? null : least === most ? `${least}` : `${least} to ${most}`;
}

function versionsText(codes: readonly string[]): string | null {
  return codes.length === 0 ? null : `${new Set(codes).size} in ${codes.length}`;
}
