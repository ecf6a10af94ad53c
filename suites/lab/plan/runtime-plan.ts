import { crewsOf, rivalsPerGroup, shares } from "../../engine/measure/plan/crews.ts";
import type { Described } from "../../engine/measure/plan/described.ts";
import { withCrews } from "../../engine/measure/plan/groups.ts";
import {
  type CrewPlan,
  type GroupPlan,
  type RemotePlan,
  scenarioOf,
} from "../../engine/measure/plan/plan.ts";
import { budgetOf } from "../../engine/measure/plan/timing.ts";
import { REMOTE_CREWS } from "../../engine/measure/remote/orders.ts";
import type { Entry } from "../../engine/race.ts";
import type { RacedRuntime } from "../../engine/schema/verdict.ts";
import type { LabPlan, SurveyPlan } from "../kinds/plan.ts";
import { ABILITIES, type NamedRuntime } from "../runtimes/abilities.ts";
import type { HeldCounters } from "../runtimes/held-bytes.ts";
import type { Request } from "./asked.ts";
import { type Cell, chosenCells } from "./cells.ts";
import { makePlan } from "./make-plan.ts";

/**
 * Which cells are raced on several runtimes, and in which groups. Pure.
 *
 * Each competitor is raced against itself on every runtime: `uniform-8@cas-ring`, whose rivals are `cas-ring@bun` and so on.
 * There every runtime is a process of its own, and so is the A/A control, which then shows what crossing processes costs.
 * And on each runtime its competitors are raced against one another, in groups as everywhere: `uniform-8@bun`.
 *
 * Surveys of bytes are made on each runtime as on the lab's own: `bytes@bun`.
 */

/** A runtime that is to race, as a plan has to know it. */
export interface AskedRuntime extends Readonly<RacedRuntime>, NamedRuntime {
  /** What competitors say of themselves there, by URL. */
  readonly described: ReadonlyMap<string, Described>;
  /** What counts all that is held there; absent where nothing does. */
  readonly counters?: HeldCounters | undefined;
}

/** The first is what the others are compared with. Throws an Error with one line where no race is asked for. */
export function runtimesPlan(request: Request, runtimes: readonly AskedRuntime[]): LabPlan {
  const { lab, seed, profile, size, patienceMs } = request;
  const groups = [
    ...(runtimes.length > 1 ? groupsAcross(request, runtimes) : []),
    ...runtimes.flatMap((runtime) => groupsWithin(request, runtime)),
  ];
  const surveys = runtimes.flatMap((runtime) => surveysOn(request, runtime));
  if (groups.length === 0 && surveys.length === 0) {
    throw new Error(
      "--runtimes is for races and surveys of bytes, and none of the requested cells is one: ask for others (npm run bench -- --list --all shows every one)",
    );
  }
  const budgetMs = request.budgetMs ?? budgetOf(profile, groups);
  return { lab, seed, profile, size, patienceMs, budgetMs, groups, simulations: [], surveys, overviews: [] };
}

/** What competitors hold on one runtime; where nothing counts that, all are absent. */
function surveysOn(request: Request, runtime: AskedRuntime): SurveyPlan[] {
  const { described, counters } = runtime;
  const surveys = makePlan({ ...request, described }).surveys.filter(isOfBytes);
  return surveys.map((planned) => {
    const there = {
      ...planned,
      scenario: `${planned.scenario}@${runtime.name}`,
      runtimes: [factsOf(runtime)] as const,
      remote: remoteOf(runtime),
    };
    if (counters !== undefined) return { ...there, counters };
    const reason = `${runtime.version} has no ${ABILITIES.heldBytes}`;
    const absent = planned.entries.map(({ name: competitor }) => ({ competitor, reason }));
    return { ...there, entries: [], absent: [...planned.absent, ...absent] };
  });
}

function isOfBytes({ survey }: SurveyPlan): boolean {
  return Object.values(survey.metrics).some(({ unit }) => unit.startsWith("B/"));
}

/** All competitors on one runtime. */
function groupsWithin(request: Request, runtime: AskedRuntime): GroupPlan[] {
  return makePlan({ ...request, described: runtime.described }).groups.map((group) => ({
    ...group,
    scenario: `${group.scenario}@${runtime.name}`,
    race: offCurve(group.race),
    runtimes: [factsOf(runtime)],
    crews: group.crews.map((crew) => ({ ...crew, remote: remoteOf(runtime) })),
  }));
}

/** Each competitor on all runtimes that it runs on. */
function groupsAcross(request: Request, runtimes: readonly AskedRuntime[]): GroupPlan[] {
  const cells = runtimes.flatMap((runtime) =>
    chosenCells({ ...request, described: runtime.described })
      .filter(({ workers }) => workers !== undefined)
      .map((cell) => ({ runtime, cell })),
  );
  const groups = [...Map.groupBy(cells, ({ cell }) => cell.name).values()].flatMap((same) => {
    const there = same.filter(({ cell }) => cell.absent === undefined).map(({ runtime }) => runtime);
    if (there.length < 2) return [];
    const absent = same.flatMap(({ runtime, cell: { entry, absent: reason } }) =>
      reason === undefined ? [] : [{ competitor: nameOn(entry, runtime), reason }],
    );
    return groupsOf(request, same[0]!.cell, there).map((group) => ({ ...group, absent }));
  });
  // All competitors of a scenario are judged together, as cells of one matrix.
  const matrixOf = ({ primitive, scenario }: GroupPlan) => `${primitive}/${scenarioOf(scenario)}`;
  const matrices = Map.groupBy(groups, matrixOf);
  return groups.map((group) => ({ ...group, rows: rowsOf(matrices.get(matrixOf(group))!) }));
}

/** Rows of a table. An A/A control has one at each worker count, however many groups it is in. */
function rowsOf(table: readonly GroupPlan[]): number {
  const rows = table.flatMap(({ workers, crews }) =>
    crews.filter(({ kind }) => RIVALS.has(kind)).map(({ name }) => `${name}/${workers}w`),
  );
  return new Set(rows).size;
}

const RIVALS: ReadonlySet<CrewPlan["kind"]> = new Set(["aa-control", "rival"]);

/** As long as the cell's usual group, in the same memory, and with no more rivals than that may have. */
function groupsOf(
  request: Request,
  { name, entry, workers }: Cell,
  runtimes: readonly AskedRuntime[],
): GroupPlan[] {
  const [first, ...others] = runtimes as [AskedRuntime, ...AskedRuntime[]];
  const asked = { ...request, described: first.described };
  const usual = makePlan({ ...asked, filters: [name] }).groups.find(({ crews }) =>
    crews.some((crew) => crew.name === entry.name),
  )!;
  const { placement } = usual.crews.find((crew) => crew.name === entry.name)!;
  const on = (runtime: AskedRuntime): Entry => ({ ...entry, name: nameOn(entry, runtime) });
  const remotes = new Map(others.map((runtime) => [nameOn(entry, runtime), remoteOf(runtime)]));
  const remoteOfCrew = ({ name, kind }: CrewPlan) =>
    remotes.get(name) ?? remoteOf(first, kind === "aa-control" ? name : first.name);
  return shares(others, rivalsPerGroup(workers!, request, usual.placement)).map((rivals) => {
    const crews = crewsOf(on(first), rivals.map(on), workers!, () => placement).map((crew) => ({
      ...crew,
      remote: remoteOfCrew(crew),
    }));
    return {
      ...withCrews(usual, crews, asked),
      scenario: `${usual.scenario}@${entry.name}`,
      race: offCurve(usual.race),
      runtimes: [first, ...rivals].map(factsOf),
    };
  });
}

function nameOn({ name }: Entry, runtime: AskedRuntime): string {
  return `${name}@${runtime.name}`;
}

function remoteOf({ name: runtime, start }: AskedRuntime, name: string = runtime): RemotePlan {
  return { name, runtime, start, module: REMOTE_CREWS };
}

function factsOf({ name, version, engine }: AskedRuntime): RacedRuntime {
  return { name, version, engine };
}

/** A curve has the lab's own runtime alone. */
function offCurve({ point: _, ...race }: GroupPlan["race"]): GroupPlan["race"] {
  return race;
}
