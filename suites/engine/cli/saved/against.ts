import { contrast } from "../../judge/pairs.ts";
import {
  confidenceOf,
  differenceOf,
  intervalOf,
  judgementOf,
  robustScale,
  type Verdict,
  weighing,
} from "../../judge/verdict.ts";
import { aligned, digits, rangeOf } from "../../race-text.ts";
import { plainLine } from "../../schema/lines.ts";
import type { Contrast, Ratio } from "../../schema/verdict.ts";
import { type SavedRun, type TaskOfRun, tasksOf } from "./saved-run.ts";

/**
 * A run against one that was saved. The two did not run at the same time, so what changed may be the machine. Four things
 * keep a verdict honest:
 *
 * 1. A run counts as one process. What was otherwise in a run, such as a neighbour in the cache, is alike for all of its
 *    processes. So the mean of twelve is known no better than what one of them scatters by.
 * 2. The noise floors of both add up (see `differenceOf`).
 * 3. The control is the same work in every run. As far as its cost differs, in either direction, each interval reaches
 *    further, and by LEAST_SHIFT at least: a task may feel the machine's state where the control does not.
 * 4. On another processor or runtime, in another state of the machine, or where the control differs by more than
 *    MOST_SHIFT, ratios are shown without a verdict.
 *
 * Nine runs of four tasks on a busy machine of two cores, compared in pairs on 26 November 2026, were never called
 * different in 144 comparisons. With the processes as replicates it was six times, all of the task that waits for memory.
 */
export interface AgainstRun {
  /** By the order of the run. */
  readonly rows: readonly AgainstRow[];
  /** Labels of tasks that only one of the runs has. */
  readonly onlyNow: readonly string[];
  readonly onlyThen: readonly string[];
  /** Lines to print under the table. */
  readonly notes: readonly string[];
}

export interface AgainstRow {
  readonly label: string;
  /** Now / then. */
  readonly ratio: Ratio;
  readonly verdict: Verdict | "the machine differs";
}

/** How far two runs of one machine may be apart although neither processes nor controls show it. As a logarithm. */
const LEAST_SHIFT = Math.log1p(0.02);
/** A control that differs by more is that of another machine, or of another state of it. As a logarithm. */
const MOST_SHIFT = Math.log1p(0.05);

/** `name` is what the saved run was found by. */
export function against(now: SavedRun, then: SavedRun, name: string): AgainstRun {
  const [ours, theirs] = [tasksOf(now), tasksOf(then)];
  const both = [...ours.keys()].filter((id) => theirs.has(id));
  const unjudged = new Set([...now.unjudged, ...then.unjudged]);
  const labelsOf = (one: typeof ours, other: typeof ours) =>
    [...one].flatMap(([id, { label }]) => (other.has(id) || unjudged.has(label) ? [] : [label]));
  const confidence = confidenceOf({ rows: both.length, looks: 1 });
  const otherwise = differencesOf(now, then);
  const machine = new Set(otherwise);
  const rows = both.map((id): AgainstRow => {
    const [one, other] = [ours.get(id)!, theirs.get(id)!];
    const shift = shiftBetween(one, other);
    const differences = [...otherwise, ...stateDifferences(one, other, shift)];
    for (const difference of differences) machine.add(difference);
    const seen = differenceOf(contrastIn(one), contrastIn(other));
    const reach = Math.max(LEAST_SHIFT, Math.abs(shift));
    const { middle, low, high } = intervalOf(seen, confidence);
    const { ratio, verdict } = judgementOf({ middle, low: low - reach, high: high + reach }, seen.floor);
    return { label: one.label, ratio, verdict: differences.length > 0 ? "the machine differs" : verdict };
  });
  const [onlyNow, onlyThen] = [labelsOf(ours, theirs), labelsOf(theirs, ours)];
  return { rows, onlyNow, onlyThen, notes: notesOn(now, then, name, { onlyNow, onlyThen }, [...machine]) };
}

/** As a table of plain text. */
export function againstText({ rows, notes }: AgainstRun): string {
  const cells = rows.map(({ label, ratio, verdict }) => [
    plainLine(label),
    digits(ratio.value),
    rangeOf(ratio),
    verdict,
  ]);
  const table =
    rows.length === 0 ? [] : [...aligned([["task", "now / then", "interval", "verdict"], ...cells]), ""];
  return `${[...table, ...notes].map(plainLine).join("\n")}\n`;
}

/** The logarithm of what a task took, as known from one run. */
function contrastIn({ task, table }: TaskOfRun): Contrast {
  const logs = table.tasks.map(({ ns }) => ns.map(Math.log));
  const own = table.tasks.indexOf(task);
  const values = logs[own]!;
  const scale = robustScale(logs);
  const peers = logs.filter((_, place) => place !== own).map((peer) => weighing(peer, scale));
  const seen = {
    forks: [...values.keys()],
    values,
    states: values.map(() => "any" as const),
    processes: [],
    quiet: [],
    far: [],
  };
  const floor = table.floor ?? Number.POSITIVE_INFINITY;
  const ofProcesses = contrast(seen, { peers, scale, floor }, values.length);
  return { ...ofProcesses, squaredError: ofProcesses.squaredError * ofProcesses.forks };
}

/** By how much the control takes longer than then, as a logarithm. NaN, which no verdict can rest on, where one has none. */
function shiftBetween(one: TaskOfRun, other: TaskOfRun): number {
  return Math.log((one.table.controlNs ?? Number.NaN) / (other.table.controlNs ?? Number.NaN));
}

function stateDifferences({ table: now }: TaskOfRun, { table: then }: TaskOfRun, shift: number): string[] {
  const isFar = Math.abs(shift) > MOST_SHIFT;
  return [
    ...(now.state === then.state
      ? []
      : [`most slices are of the state "${now.state}", and were of "${then.state}"`]),
    ...(isFar ? [`the control takes ${(100 * Math.exp(shift)).toFixed(1)} % of what it took`] : []),
  ];
}

/** What of machine and runtime is not as it was, in words. */
function differencesOf(now: SavedRun, then: SavedRun): string[] {
  const facts = ({ machine, runtime }: SavedRun) => [
    ["the processor", machine.cpu],
    ["the number of cores", String(machine.cores)],
    ["the platform", machine.platform],
    ["the runtime", `${runtime.name} ${runtime.version}`],
    ["the runtime's flags", runtime.flags.join(" ")],
  ];
  const before = facts(then);
  return facts(now).flatMap(([what, is], place) => {
    const was = before[place]![1];
    return is === was ? [] : [`${what} is ${is || "none"}, and was ${was || "none"}`];
  });
}

function notesOn(
  now: SavedRun,
  then: SavedRun,
  name: string,
  { onlyNow, onlyThen }: Pick<AgainstRun, "onlyNow" | "onlyThen">,
  machine: readonly string[],
): string[] {
  const commit =
    then.commit === null
      ? ""
      : ` at ${then.commit.hash.slice(0, 10)}${then.commit.dirty ? " with changes" : ""}`;
  return [
    `Not paired: "${name}" ran on ${then.at.slice(0, 16).replace("T", " ")} UTC${commit}. Intervals include what the machine may have changed.`,
    `The noise floor is ${floorText(now)}, and was ${floorText(then)}.`,
    ...machine.map((difference) => `The machine differs: ${difference}.`),
    ...(now.unjudged.length === 0 ? [] : [`Not judged, so not compared: ${now.unjudged.join("; ")}.`]),
    ...(then.unjudged.length === 0 ? [] : [`Not judged in "${name}": ${then.unjudged.join("; ")}.`]),
    ...(onlyNow.length === 0 ? [] : [`Only in this run: ${onlyNow.join("; ")}.`]),
    ...(onlyThen.length === 0 ? [] : [`Only in "${name}": ${onlyThen.join("; ")}.`]),
  ];
}

/** The highest of all tables. */
function floorText({ tables }: SavedRun): string {
  const floors = tables.flatMap(({ floor }) => floor ?? []);
  return floors.length === 0 ? "not measured" : `${(100 * Math.max(...floors)).toFixed(1)} %`;
}
