import assert from "node:assert/strict";
import type { TopLevelSpec } from "vega-lite";
import { type SyntheticGroup, syntheticGroup, syntheticRecord } from "../../judge/judge.synthetic.ts";
import { judgedRecord } from "../../judge/judge.ts";
import type { BenchRecord, GroupRecord } from "../../schema/record.ts";
import { type AtAGlance, drawPictures } from "./charts.ts";

/** Races as tests of pages and pictures need them, and what is read from a picture that is drawn. */

/** Of the machine that `recordOf` says they ran on: more workers are oversubscribed. */
const CORES = 2;

/** What tests say of the competitors below. */
export const STANDINGS = {
  floors: new Set(["nothing"]),
  oracle: "obvious",
  variants: new Set(["varied"]),
  yardsticks: new Map<string, string>(),
} as const;

export function raceOf(
  costsNs: Readonly<Record<string, number>>,
  workers: number,
  truth: Partial<SyntheticGroup> = {},
): GroupRecord {
  const usual = { forks: 3, rounds: 5, sliceNoise: 0.02, forkNoise: 0.02, roundNoise: 0, seed: 5 };
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

/** One picture of a record, which must be there. */
export async function drawn(record: BenchRecord, file: string, atAGlance?: AtAGlance): Promise<string> {
  const svg = (await drawPictures(judgedRecord(record), "record.json", atAGlance)).get(file);
  assert.ok(svg !== undefined, `no ${file}`);
  return svg;
}

/** How wide a picture is with its margins, in pixels. */
export function widthOf(svg: string): number {
  return Number(/^<svg [^>]* width="(\d+)"/.exec(svg)?.[1]);
}

/** How high it is, likewise. */
export function heightOf(svg: string): number {
  return Number(/^<svg [^>]* height="(\d+)"/.exec(svg)?.[1]);
}

/** All that is written in a picture. */
export function textsOf(svg: string): string[] {
  return [...svg.matchAll(/<t(?:ext|span)[^>]*>([^<]+)</g)].map(([, text]) => text!);
}

/** The arrays of a specification's data. */
export function dataIn(spec: TopLevelSpec): Record<string, unknown>[][] {
  const found: Record<string, unknown>[][] = [];
  JSON.stringify(spec, (key, value) => {
    const isData = key === "values" && Array.isArray(value) && value.every((one) => typeof one === "object");
    if (isData) found.push(value);
    return value;
  });
  return found;
}

/** Holds a picture to what all have in common: whole tags, no broken number, and a width that a page has room for. */
export function assertWhole(svg: string): void {
  for (const tag of ["g", "text", "svg"]) {
    const opened = svg.split(`<${tag} `).length + svg.split(`<${tag}>`).length - 1;
    assert.equal(opened, svg.split(`</${tag}>`).length, tag);
  }
  assert.doesNotMatch(svg, /NaN|Infinity|undefined/);
  assert.ok(widthOf(svg) <= 1000);
}
