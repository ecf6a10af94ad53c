import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { competitorsOf } from "../../../structures/catalog.ts";
import type { Scenario } from "../../shared/vocabulary.ts";
import { loadSuites } from "../suites.ts";
import { loadDocuments } from "./documents.ts";
import type { Evidence, SourceDocument } from "./vocabulary.ts";

const suites = await loadSuites();
const sources = loadDocuments();

/** What evidence names that is not there, and would never be measured. */
function missingIn({ primitive }: SourceDocument, piece: Evidence): string[] {
  const scenarios = suites.find((one) => one.suite.primitive === primitive)!.suite.scenarios;
  const names = new Set(competitorsOf(primitive).map(({ name }) => name));
  const placed = (piece.kind === "growth" ? [piece.from.scenario, piece.to.scenario] : [piece.scenario]).map(
    (name) => scenarios.find(({ scenario }) => scenario === name) ?? name,
  );
  const competitors = [
    piece.competitor,
    ...("than" in piece && piece.than !== undefined ? [piece.than] : []),
    ...(piece.kind === "slowest" ? (piece.among ?? []) : []),
  ];
  const metrics =
    piece.kind === "metric"
      ? [piece.metric]
      : piece.kind === "surveyed"
        ? [piece.metric, ...(piece.thanMetric === undefined ? [] : [piece.thanMetric])]
        : [];
  const known = placed.filter((one): one is Scenario => typeof one !== "string");
  return [
    ...placed.filter((one) => typeof one === "string").map((name) => `scenario ${name}`),
    ...competitors.filter((name) => !names.has(name)).map((name) => `competitor ${name}`),
    ...known.flatMap((scenario) => [
      ...("metrics" in scenario ? metrics.filter((key) => !Object.hasOwn(scenario.metrics, key)) : metrics),
      ...("competitors" in scenario && scenario.competitors !== undefined
        ? competitors.filter((name) => !scenario.competitors!.includes(name))
        : []),
    ]),
  ];
}

for (const document of sources) {
  const { primitive, source, statements, remarks = [] } = document;
  suite(`${primitive}: ${source}`, () => {
    test("each sentence is claimed once", () => {
      const quotes = statements.map(({ quote }) => quote);
      const twice = quotes.filter((quote, index) =>
        quotes.some((other, at) => at !== index && other.includes(quote)),
      );
      assert.deepEqual(twice, []);
    });

    test("evidence names scenarios, competitors and metrics that there are", () => {
      const pieces = [
        ...statements.flatMap(({ condition, evidence, beyond = [] }) => [
          ...(condition === undefined ? [] : [condition]),
          ...evidence,
          ...beyond,
        ]),
        ...remarks.flatMap(({ seen }) => seen),
      ];
      assert.deepEqual(
        pieces.flatMap((piece) =>
          missingIn(document, piece).map((name) => `${name}: ${JSON.stringify(piece)}`),
        ),
        [],
      );
    });
  });
}
