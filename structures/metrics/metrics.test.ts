import { after } from "node:test";
import { testLaws } from "../shared/law-tests.ts";
import type { MetricsCompetitor } from "./metrics.contract.ts";
import { examination, examinationThreads } from "./metrics.examination.ts";
import * as laws from "./metrics.laws.ts";
import { mutants } from "./metrics.mutants.ts";

const threads = examinationThreads();
after(() => threads.destroy());

await testLaws<MetricsCompetitor>({
  primitive: "metrics",
  examination: { ...examination, examine: (url) => examination.examine(url, threads) },
  mutants,
  laws: { ...laws, badInputIsRefused: true },
  // Only the explorer stops a reader at each access: metrics.model.test.ts.
  without: ["sumCoversBuckets"],
  examineMutant: (url) => examination.examine(url, threads),
  tries: 10,
});
