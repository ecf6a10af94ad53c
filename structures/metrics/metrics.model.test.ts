import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitors } from "../catalog.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { writtenIn } from "../shared/mutants.ts";
import type { MetricsCompetitor } from "./metrics.contract.ts";
import { exploreMetrics, type MetricsLaw, metricsLaws, unexplored } from "./metrics.model.ts";

const competitors = await loadCompetitors<MetricsCompetitor>("metrics");

const faults = writtenIn<MetricsCompetitor, MetricsLaw>(
  new URL("testdata/model-faults.txt", import.meta.url),
);

describe("metrics: in every interleaving of workers and a reader", () => {
  for (const { name, competitor } of competitors) {
    const skip = unexplored(competitor) ?? false;
    it(`${name}: the laws hold`, { skip }, () => assert.deepEqual(exploreMetrics(competitor), []));
  }

  findsFaults("metrics", metricsLaws, faults, (mutant, { breaks }) => exploreMetrics(mutant, breaks));
});
