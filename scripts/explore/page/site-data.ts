import type { BenchRecord } from "../../../suites/lab/schema/record.ts";
import type { Series } from "../../../suites/lab/series/nights.ts";
import type { BetweenRuns } from "../../../suites/lab/verdicts/between-runs.ts";

/** What the site's files hold: the index within the page, and a file for each primitive. */
export const DATA_VERSION = 4;

export function primitiveFile(primitive: string): string {
  return `data/${primitive}.js`;
}

/** What draws pictures, in the order in which it is loaded. */
export const VEGA_FILES = ["vega/vega.min.js", "vega/vega-lite.min.js", "vega/vega-embed.min.js"] as const;

export interface SiteIndex {
  readonly version: typeof DATA_VERSION;
  /** Where the repository's files are, from the page's folder: what a link to one begins with. */
  readonly repository: string;
  /** In the order in which they are read. */
  readonly primitives: readonly IndexEntry[];
}

export interface IndexEntry {
  readonly primitive: string;
  readonly question: string;
  /** In markdown; absent where nobody has written one. */
  readonly answer?: string;
  /** When its newest record was begun, ISO 8601. */
  readonly newest: string;
  readonly scenarios: number;
  /** Of the nights that the site was made with; absent where there are none. Days, ISO 8601. */
  readonly nights?: {
    readonly last: string;
    /** Since when something of it is confirmed to be slower, the newest such day; absent where nothing is. */
    readonly slowerSince?: string;
  };
}

export interface PrimitiveData {
  readonly version: typeof DATA_VERSION;
  readonly primitive: string;
  readonly oracle: string;
  readonly competitors: readonly CompetitorData[];
  /** What can be asked of a competitor, and what the contract says of it. */
  readonly traits: readonly TraitData[];
  /** Today's, in the order of the suite. */
  readonly scenarios: readonly ScenarioData[];
  /** Published, of the lab's own runtime, with the names of today, the newest last. */
  readonly records: readonly RecordFile[];
  /** What repeated runs of its scenarios show; absent where there are none. */
  readonly betweenRuns?: BetweenRuns;
  /** Of the nights that the site was made with. */
  readonly trends: readonly Series[];
}

export interface CompetitorData {
  readonly name: string;
  readonly summary: string;
  readonly memory: string;
  /** By the trait's key; what it does not say is absent. */
  readonly traits: Readonly<Record<string, string>>;
  readonly isLowerBound: boolean;
  readonly isVariant: boolean;
  /** Name of the one whose steps it takes. */
  readonly yardstickOf?: string;
}

export interface TraitData {
  readonly key: string;
  readonly title: string;
  /** In markdown. */
  readonly meaning: string;
}

export interface ScenarioData {
  readonly scenario: string;
  readonly isHeadline: boolean;
}

export interface RecordFile {
  readonly file: string;
  readonly record: BenchRecord;
  /** Whether the reader brought it: it is published nowhere. */
  readonly isOwn?: true;
}
