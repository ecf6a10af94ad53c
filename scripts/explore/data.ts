import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contractOf } from "../../structures/catalog.ts";
import type { AnyContract, Field } from "../../structures/shared/contract.ts";
import type { Traits } from "../../structures/shared/traits.ts";
import { present } from "../../suites/engine/words/present.ts";
import { ROOT } from "../../suites/lab/command/npm.ts";
import { orUsageError } from "../../suites/lab/command/usage.ts";
import { withoutLinks } from "../../suites/lab/pages/answer.ts";
import type { FormerNames } from "../../suites/lab/schema/names.ts";
import { partsOf } from "../../suites/lab/schema/record-file.ts";
import { readHistory } from "../../suites/lab/series/history.ts";
import { type Series, seriesOf } from "../../suites/lab/series/nights.ts";
import { readAnswer } from "../../suites/lab/store/answer.ts";
import { READING_ORDER, recordFiles } from "../../suites/lab/store/generated.ts";
import { loadFormerNames, traitsOf } from "../../suites/lab/store/labels.ts";
import { readBetweenRuns } from "../../suites/lab/store/repeats.ts";
import { RESULTS } from "../../suites/lab/store/results.ts";
import { loadSuites } from "../../suites/lab/suites.ts";
import { changesIn, isSlower } from "./page/nights.ts";
import {
  type CompetitorData,
  DATA_VERSION,
  type IndexEntry,
  type PrimitiveData,
  type TraitData,
} from "./page/site-data.ts";

/** What a site is made from: the published records, and what the lab says of competitors today. */
export interface Published {
  readonly entry: IndexEntry;
  readonly data: PrimitiveData;
}

/** Of each primitive that has published records, in the order in which they are read. */
export async function publishedData(historyPaths: readonly string[] = []): Promise<Published[]> {
  const suites = await loadSuites();
  const formerNames = await loadFormerNames();
  const trends = historyPaths.flatMap((path) => trendsIn(path, formerNames));
  const place = (primitive: string) => READING_ORDER.indexOf(primitive) + 1 || Number.MAX_VALUE;
  const all = await Promise.all(
    suites
      .map(({ suite }) => suite)
      .toSorted((a, b) => place(a.primitive) - place(b.primitive))
      .map(async ({ primitive, scenarios }): Promise<Published[]> => {
        const data = await dataOf(
          primitive,
          scenarios.map(({ scenario, headline }) => ({ scenario, isHeadline: headline === true })),
          formerNames,
          trends.filter(({ cell }) => cell.startsWith(`${primitive}/`)),
        );
        return data.records.length === 0 ? [] : [{ entry: await entryOf(data), data }];
      }),
  );
  return all.flat();
}

async function entryOf({ primitive, records, trends }: PrimitiveData): Promise<IndexEntry> {
  const { question } = await contractOf(primitive);
  const answer = readAnswer(join(RESULTS, primitive))?.inShort;
  const scenarios = new Set(records.flatMap(({ record }) => partsOf(record).map(({ scenario }) => scenario)));
  return {
    primitive,
    question,
    ...(answer === undefined ? {} : { answer: withoutLinks(answer) }),
    newest: records.at(-1)!.record.startedAt,
    scenarios: scenarios.size,
    ...(trends.length === 0 ? {} : { nights: nightsOf(trends) }),
  };
}

function nightsOf(trends: readonly Series[]): NonNullable<IndexEntry["nights"]> {
  const days = trends.flatMap(({ lines }) => lines.map(({ at }) => dayOf(at)));
  const slower = changesIn(trends).find(isSlower);
  return {
    last: days.reduce((last, day) => (day > last ? day : last)),
    ...(slower === undefined ? {} : { slowerSince: dayOf(slower.night.at) }),
  };
}

function dayOf(at: string): string {
  return at.slice(0, "2026-01-01".length);
}

async function dataOf(
  primitive: string,
  scenarios: PrimitiveData["scenarios"],
  formerNames: FormerNames,
  trends: readonly Series[],
): Promise<PrimitiveData> {
  const contract = await contractOf(primitive);
  const asked = askedOf(contract);
  const competitors = await traitsOf(primitive);
  return {
    version: DATA_VERSION,
    primitive,
    oracle: contract.oracle,
    competitors: competitors.map(({ name, traits }) => competitorData(name, traits, contract, asked)),
    traits: asked.map(({ key }) => traitData(primitive, key)),
    scenarios,
    records: orUsageError(() => recordFiles(primitive, false, formerNames)),
    ...present({ betweenRuns: betweenRunsOf(primitive) }),
    trends,
  };
}

/** What the primitive's tables borrow. */
function betweenRunsOf(primitive: string): PrimitiveData["betweenRuns"] {
  const known = readBetweenRuns();
  const isOwn = ({ scenario }: { readonly scenario: string }) => scenario.startsWith(`${primitive}/`);
  return known && { ...known, tables: known.tables.filter(isOwn) };
}

/** Every series of a history, with the changes that the nights reported. */
function trendsIn(path: string, formerNames: FormerNames): Series[] {
  const { lines } = orUsageError(() => readHistory(path, formerNames));
  const comparable = Map.groupBy(lines, ({ method, profile }) => `${method} ${profile}`);
  return [...comparable.values()].flatMap(seriesOf);
}

interface Asked {
  readonly key: string;
  readonly field: Field;
  readonly isOptional: boolean;
}

/** What can be required of a competitor: traits with a few values, and abilities that it may lack. */
function askedOf({ fields, optional }: AnyContract): Asked[] {
  const required = Object.entries(fields).filter(
    ([, field]) => typeof field === "object" || field === "boolean",
  );
  const abilities = Object.entries(optional).filter(([, field]) => field !== "string" && field !== "number");
  return [
    { key: "progress", field: "string", isOptional: false },
    ...required.map(([key, field]) => ({ key, field, isOptional: false })),
    ...abilities.map(([key, field]) => ({ key, field, isOptional: true })),
  ];
}

function competitorData(
  name: string,
  traits: Traits,
  contract: AnyContract,
  asked: readonly Asked[],
): CompetitorData {
  const said = traits as unknown as Readonly<Record<string, unknown>>;
  const { summary, lowerBound, variantOf, yardstickOf } = traits;
  return {
    name,
    summary,
    memory: contract.footprint(traits),
    traits: Object.fromEntries(asked.map(({ key, isOptional }) => [key, valueText(said[key], isOptional)])),
    isLowerBound: lowerBound === true,
    isVariant: variantOf !== undefined,
    ...present({ yardstickOf }),
  };
}

function valueText(value: unknown, isAbility: boolean): string {
  if (isAbility) return value === undefined ? "no" : "yes";
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

function traitData(primitive: string, key: string): TraitData {
  const file = key === "progress" ? "shared/traits.ts" : `${primitive}/${primitive}.contract.ts`;
  return {
    key,
    title: key.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    meaning: commentOn(readFileSync(join(ROOT, "structures", file), "utf8"), key),
  };
}

/** What a module's comments say of a property: the one above it or, where there is none, above its type. */
export function commentOn(source: string, property: string): string {
  const comment = String.raw`\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*`;
  const above = (declared: string) => new RegExp(`${comment}${declared}`).exec(source)?.[1];
  const type = new RegExp(String.raw`readonly ${property}\??: (\w+);`).exec(source)?.[1];
  const own = above(String.raw`(?:readonly )?${property}\??[:(]`);
  const text = own ?? (type === undefined ? undefined : above(`export type ${type}\\b`)) ?? "";
  const lines = text.split("\n").map((line) => line.replace(/^\s*\*/, "").trim());
  return lines.filter((line) => line !== "").join(" ");
}
