export { measureClockTick } from "./clock.ts";
export { folded } from "./fold.ts";
export type { Statistic } from "./harness.ts";
export type { HarnessColumn } from "./harness-columns.ts";
export type { HarnessOptions } from "./harness-options.ts";
export type { Order } from "./harness-results.ts";
export {
  fromLab,
  type JudgedColumn,
  type JudgedRow,
  type JudgedTable,
  type MeasuredRow,
  type NumberlessRow,
  type Rank,
} from "./lab.ts";
export { machineLine } from "./machine.ts";
export {
  fromMitata,
  type MitataResult,
  type MitataRun,
  type MitataStats,
  type MitataTrial,
} from "./mitata.ts";
export {
  formatNumber,
  formatPercent,
  formatRatio,
  formatShare,
  formatThroughput,
  isIntervalKnown,
  type RatioInterval,
} from "./numbers.ts";
export { type ComparisonOptions, compareReports, fromReport } from "./reports.ts";
export { appendStepSummary } from "./step-summary.ts";
export {
  type Cell,
  type Column,
  type LabelledValue,
  type MarkdownOptions,
  type Row,
  type Table,
  toMarkdown,
} from "./table.ts";
export {
  type TerminalOptions,
  terminalList,
  terminalText,
  toTerminal,
} from "./terminal.ts";
export {
  fromTinybench,
  type TinybenchBench,
  type TinybenchLatency,
  type TinybenchResult,
  type TinybenchTask,
} from "./tinybench.ts";
export type { TimeUnit } from "./units.ts";
export {
  fromVitest,
  type VitestBenchmark,
  type VitestBenchReport,
  type VitestReport,
  type VitestTest,
  type VitestTestReport,
} from "./vitest.ts";
