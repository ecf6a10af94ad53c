import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { golden } from "../../engine/golden.trials.ts";
import { type SyntheticGroup, syntheticGroup } from "../../engine/judge/judge.synthetic.ts";
import type { GroupRecord } from "../../engine/schema/record.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import type { BenchRecord } from "../schema/record.ts";
import type { BetweenRuns } from "../verdicts/between-runs.ts";
import { judgedRecord } from "../verdicts/judge-record.ts";
import { type AtAGlance, drawCurve, drawScenarios } from "./charts.ts";
import { curvesOf } from "./curves.ts";
import { BOLD_LETTER_EM, FONT_PX, LETTER_PX } from "./drawing.ts";

/** Races as tests of pages and pictures need them, and what is read from a picture that is drawn. */

/** Of the machine that `recordOf` says they ran on: more workers are oversubscribed. */
const CORES = 2;

/** What tests say of the competitors below. */
export const LABELS = {
  lowerBounds: new Set(["nothing"]),
  oracle: "obvious",
  variants: new Set(["varied"]),
  yardsticks: new Map<string, string>(),
} as const;

/** What repeated runs of other scenarios show: how many times the variance between processes that between runs is. */
export const BETWEEN_RUNS: BetweenRuns = {
  runs: Array.from({ length: 7 }, (_, index) => ({ file: `${index}.json`, host: "made-up" })),
  workers: [1, 2, 4].map((workers) => ({
    workers,
    oversubscribed: workers > CORES,
    times: workers / 2,
    freedom: 6,
    runs: 7,
    tables: 9,
  })),
  tables: [],
};

/** Twelve processes that hardly differ. */
export const CALM = { forks: 12, rounds: 40, sliceNoise: 0.002, forkNoise: 0.002 };

export function raceOf(
  costsNs: Readonly<Record<string, number>>,
  workers: number,
  truth: Partial<SyntheticGroup> = {},
): GroupRecord {
  const usual = { forks: 4, rounds: 5, sliceNoise: 0.02, forkNoise: 0.02, roundNoise: 0, seed: 5 };
  return {
    ...syntheticGroup({ ...usual, ...truth, costsNs, workers }),
    oversubscribed: workers > CORES,
  };
}

export function recordOf(...groups: GroupRecord[]): BenchRecord {
  return syntheticRecord(groups, 9);
}

/** The group with one competitor, or all, having no number. */
export function broken(
  group: GroupRecord,
  competitor: string | undefined,
  reason = "it lost 3",
): GroupRecord {
  const failure = { kind: "law" as const, reason };
  const cells = group.cells.map((cell) =>
    competitor === undefined || cell.competitor === competitor ? { ...cell, failure } : cell,
  );
  return { ...group, cells };
}

/** What stands in the cells of the lines of tables, row by row. */
export function cellsOf(lines: readonly string[]): string[][] {
  return lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The group as if one competitor had been four times as slow in the first four processes. */
export function slowAtFirst(group: GroupRecord, competitor: string): GroupRecord {
  const cells = group.cells.map((cell) => {
    const times = cell.competitor === competitor ? 4 : cell.kind === "control" ? 2 : 1;
    const slowed = (column: readonly number[]) => column.map((ns, fork) => (fork < 4 ? times * ns : ns));
    const roles = Object.entries(cell.roles).map(([role, own]) => {
      const { p25, p50, mean } = own.any.costNs;
      const costNs = { ...own.any.costNs, p25: slowed(p25), p50: slowed(p50), mean: slowed(mean) };
      return [role, { ...own, any: { costNs } }];
    });
    return { ...cell, roles: Object.fromEntries(roles) };
  });
  return { ...group, cells };
}

const NOTHING_AT_A_GLANCE: AtAGlance = { headline: new Set(), labels: undefined };

/** Every picture of a record as SVG, by file name. Without `atAGlance` there are none of ratios. */
export async function drawAll(
  record: BenchRecord,
  atAGlance = NOTHING_AT_A_GLANCE,
): Promise<ReadonlyMap<string, string>> {
  const judged = judgedRecord(record);
  const curves = curvesOf(judged.verdicts.races).map((curve) => drawCurve(curve, record, "record.json"));
  return new Map([
    ...(await drawScenarios(judged, "record.json", atAGlance)),
    ...(await Promise.all(curves)),
  ]);
}

/** Compares pictures of records with files of `testdata/`, each behind its case's name. All must be whole. */
export async function goldenPictures(
  test: TestContext,
  cases: Readonly<Record<string, BenchRecord>>,
  atAGlance?: AtAGlance,
): Promise<void> {
  for (const [name, record] of Object.entries(cases)) {
    for (const [file, svg] of await drawAll(record, atAGlance)) {
      assertWhole(svg);
      golden(test, `testdata/${file.replace(".svg", "")}-${name.replaceAll(/\W+/g, "-")}.svg`, svg);
    }
  }
}

/** All that is written in a picture. */
export function textsOf(svg: string): string[] {
  return [...svg.matchAll(/<t(?:ext|span)[^>]*>([^<]+)</g)].map(([, text]) => text!);
}

/** How many pixels of a telephone that is 390 wide a page leaves to a picture. */
const TELEPHONE_PX = 358;
const LEAST_LETTER_PX = 11;

/**
 * Checks what all pictures have in common: whole tags, no broken number, and on a telephone legible letters and no text
 * beyond the edges.
 */
export function assertWhole(svg: string): void {
  for (const tag of ["g", "text", "svg"]) {
    const opened = svg.split(`<${tag} `).length + svg.split(`<${tag}>`).length - 1;
    assert.equal(opened, svg.split(`</${tag}>`).length, tag);
  }
  assert.doesNotMatch(svg, /NaN|Infinity|undefined/);
  const width = Number(/^<svg [^>]* width="(\d+)"/.exec(svg)![1]);
  for (const [, size] of svg.matchAll(/ font-size="([\d.]+)"/g)) {
    assert.ok((Number(size) * TELEPHONE_PX) / width >= LEAST_LETTER_PX, `${size} of ${width}`);
  }
  for (const { text, left, right } of textsPlaced(svg)) {
    assert.ok(left >= 0 && right <= width, `${text}: ${left} to ${right} of ${width}`);
  }
}

/** How far the texts of a picture reach, in the widest letters that a viewer is likely to have. */
function textsPlaced(svg: string): { text: string; left: number; right: number }[] {
  const shifts: number[] = [];
  const placed: { text: string; left: number; right: number }[] = [];
  let tag = "";
  for (const [, closing, opening, text] of svg.matchAll(
    /<\/(g|text)>|<((?:g|text|tspan)(?: [^>]*)?)>([^<]*)/g,
  )) {
    if (closing !== undefined) {
      shifts.pop();
      continue;
    }
    if (!opening!.startsWith("tspan")) {
      tag = opening!;
      shifts.push(Number(/translate\(([-\d.]+)/.exec(tag)?.[1] ?? 0));
    }
    if (text === "") continue;
    const at = shifts.reduce((sum, shift) => sum + shift, 0);
    const size = Number(/font-size="([\d.]+)"/.exec(tag)![1]);
    const letterEm = tag.includes('font-weight="bold"') ? BOLD_LETTER_EM : LETTER_PX / FONT_PX;
    const letters = text!.replaceAll(/&\w+;/g, "&").length;
    const length = letters * size * letterEm;
    const before = { start: 0, middle: 0.5, end: 1 }[/text-anchor="(\w+)"/.exec(tag)?.[1] ?? "start"]!;
    placed.push({ text: text!, left: at - before * length, right: at + (1 - before) * length });
  }
  return placed;
}
