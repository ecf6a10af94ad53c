import type { MetricsCompetitor } from "../../../structures/metrics/metrics.contract.ts";
import { survey } from "../../shared/vocabulary.ts";
import { METRICS, type ScrapeParams, scrape } from "../scraping.ts";

export default survey<MetricsCompetitor, ScrapeParams>({
  scenario: "scrape",
  title: "bringing the counts of two workers to one thread, idle and busy for 10 ms at a time",
  headline: false,
  baseline: "shared-atomics-add",
  params: { full: { scrapes: 200, stretchMs: 10 }, smoke: { scrapes: 4, stretchMs: 1 } },
  metrics: METRICS,
  secondsPerFork: 5,
  run: scrape,
  law: () => undefined,
});
