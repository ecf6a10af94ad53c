import { runtimesOf } from "../../engine/judge/judge.ts";
import { scenarioOf } from "../../engine/measure/plan/plan.ts";
import type { HostNoiseRecord, MachineRecord, RunFacts } from "../../engine/schema/envelope.ts";
import { ascending } from "../../engine/statistics.ts";
import type { LabelledValue } from "../../reporter/src/index.ts";
import { disturbancesOf } from "../disturbance.ts";
import type { BenchRecord } from "../schema/record.ts";
import { codeSpan } from "../tables/as-written.ts";
import { list, type PagePart } from "../tables/markdown.ts";
import { commitHash, commitText, countsText } from "../tables/phrases.ts";
import { type Newest, type Source, sourcesOf } from "./newest.ts";

/** Where the numbers of a page come from, in words. Pure. */

export const PROVENANCE_HEADING = "## Where the numbers come from\n";

/** The provenance of a record, followed by `more`, as a list. */
export function provenanceText(record: RunFacts, more: readonly LabelledValue[] = []): string {
  return list([...provenanceOf(record), ...more].map(([label, value]) => `${label}: ${value}`));
}

/** Machine, commit, day, profile and method, which distinguish the numbers of two pages, in one line. */
export function shortProvenance(record: BenchRecord): string {
  const { commit, startedAt, profile, methodVersion, interrupted } = record;
  return [
    machineInShort(record),
    commitText(commit),
    startedAt.slice(0, 10),
    `profile ${profile}`,
    `method ${methodVersion}`,
    ...(interrupted ? ["interrupted"] : []),
    ...disturbedBy(record).map((by) => `disturbed by ${by}`),
  ].join(" · ");
}

function machineInShort({ machine: { cpu, cores, platform } }: BenchRecord): string {
  return `${cpu}, ${cores} cores, ${platform}`;
}

/** The same of several records on one page, which has a list of them. */
export function severalInShort(records: readonly BenchRecord[]): string {
  const days = records.map(({ startedAt }) => startedAt.slice(0, 10)).toSorted();
  const methods = records.map(({ methodVersion }) => methodVersion).toSorted(ascending);
  const disturbed = records.filter((record) => disturbedBy(record).length > 0).length;
  return [
    ...new Set(records.map(machineInShort)),
    `${records.length} records, ${[...new Set([days[0], days.at(-1)])].join(" to ")}`,
    `method ${[...new Set(methods)].join(" and ")}`,
    ...(disturbed === 0 ? [] : [`${disturbed} of them disturbed`]),
    "[which scenario is from which](#where-the-numbers-come-from)",
  ].join(" · ");
}

/** The provenance of a record, as labels and values. */
export function provenanceOf(record: RunFacts): LabelledValue[] {
  const { runtime, commit, before, after } = record;
  const disturbed = disturbedBy(record);
  const stolen =
    before.stealSeconds === null || after.stealSeconds === null
      ? ""
      : `, ${(after.stealSeconds - before.stealSeconds).toFixed(1)} s stolen`;
  return [
    ["Machine", machineText(record.machine)],
    ["Runtime", [`${runtime.name} ${runtime.version} (${runtime.engine})`, ...runtime.flags].join(" ")],
    ["Commit", commit === null ? "none" : commitHash(commit)],
    ["Date", record.startedAt],
    [
      "Load",
      `${before.loadAverage[0] ?? 0} before, ${after.loadAverage[0] ?? 0} after${stolen}${othersText(after)}`,
    ],
    ...disturbed.map((by) => ["Disturbed by", by] as const),
    ["Command", codeSpan(record.command)],
    ["Seed", String(record.seed)],
    ["Profile", `${record.profile}${record.size === "smoke" ? " at smoke size" : ""}`],
    ["Method", `version ${record.methodVersion}`],
    ...(record.interrupted ? [["Interrupted", "yes: only what was finished is here"] as const] : []),
  ];
}

/** The runtimes of the crews, unless they all ran on the record's own: the name asked for, and the actual version. */
export function racedOn({ groups, surveys = [] }: Pick<BenchRecord, "groups" | "surveys">): LabelledValue[] {
  return runtimesOf([...groups, ...surveys]).map(({ name, version, engine }) => [
    `Raced on ${name}`,
    `${version} (${engine})`,
  ]);
}

/** The share of the cores that other processes used during a run, as far as is known. */
function othersText({ othersCores, waiting }: HostNoiseRecord): string {
  const cores = othersCores === undefined ? "" : `, other processes on ${othersCores.toFixed(2)} cores`;
  return waiting === undefined
    ? cores
    : `${cores}, some process waiting for a core ${Math.round(100 * waiting)} % of the time`;
}

/** Everything that disturbed a run, in one line; none if nothing did, or if a record is too old to know. */
function disturbedBy({ after, machine }: Pick<RunFacts, "after" | "machine">): string[] {
  const by = disturbancesOf(after, machine).map((one) => one.by);
  return by.length === 0 ? [] : [by.join(", ")];
}

function machineText({ cpu, cores, cpuQuotaCores, memoryBytes, platform, kernel }: MachineRecord): string {
  const quota = cpuQuotaCores === null ? "" : `, quota ${cpuQuotaCores} cores`;
  return `${cpu}, ${cores} cores${quota}, ${Math.round(memoryBytes / 2 ** 30)} GiB, ${platform}, kernel ${kernel}`;
}

/** The provenance of a scenario's numbers: a line or, for worker counts from several records, a list. */
export function scenarioProvenance(sources: readonly [Source, ...Source[]], scenario: string): string {
  if (sources.length === 1) return `${shortProvenance(sources[0].record)}.\n`;
  return [
    "Times of different records do not compare; each ratio is of one.\n",
    list(sources.map((source) => `${ownCountsText(source, scenario)}: ${shortProvenance(source.record)}`)),
  ].join("\n");
}

/** The provenance of the numbers, in one line. */
export function sourcesInShort(sources: readonly Source[]): string {
  const records = sources.map(({ record }) => record);
  return `${records.length === 1 ? shortProvenance(records[0]!) : severalInShort(records)}.\n`;
}

/** The provenance of each source, with its scenarios where there are several. */
function provenanceTexts(sources: readonly Source[]): string[] {
  const [{ record: only }] = sources as [Source];
  const raced = racedOn(only);
  if (sources.length === 1) return [provenanceText(only, raced)];
  return sources.map((source) => {
    const { file, record, scenarios } = source;
    const isShared = (scenario: string) =>
      sources.some((other) => other !== source && other.scenarios.has(scenario));
    const names = [
      ...[...scenarios.keys()].map((scenario) =>
        isShared(scenario) ? `${scenario} (${ownCountsText(source, scenario)})` : scenario,
      ),
      ...[...source.others.keys()].map((scenario) => `${scenario} (others)`),
      ...[...source.states.keys()].map((scenario) => `${scenario} (another state)`),
    ];
    const more = [...racedOn(record), ["Scenarios", names.join(", ")] as const];
    return `### ${file}\n\n${provenanceText(record, more)}`;
  });
}

/** The worker counts at which a source is the newest of a scenario. */
function ownCountsText({ scenarios }: Source, scenario: string): string {
  return countsText([...scenarios.get(scenarioOf(scenario))!].toSorted(ascending));
}

/** The files of a scenario, as a picture names them: with their worker counts where there are several. */
export function filesText(newest: Newest, scenario: string): string {
  const sources = sourcesOf(newest, scenario);
  return sources
    .map((source) =>
      sources.length === 1 ? source.file : `${source.file} (${ownCountsText(source, scenario)})`,
    )
    .join(" and ");
}

/** The end of a folder's page: the provenance of its numbers and the `legend` of its tables, folded, and its records. */
export function footParts(sources: readonly Source[], legend: readonly string[]): PagePart[] {
  return [
    {
      text: [PROVENANCE_HEADING, ...provenanceTexts(sources)].join("\n"),
      summary: "Machine, commit, load and command",
    },
    ...legend.map((text) => ({ text, summary: "What columns and words mean" })),
    madeFrom(...sources.map(({ file }) => file)),
  ];
}

/** The last line of a page. */
export function madeFrom(...sources: readonly string[]): string {
  const files = sources.map((source) => `\`${source}\``).join(", ");
  return `Made from ${files} by \`npm run report\`. Do not edit: change the lab and make it again.\n`;
}
