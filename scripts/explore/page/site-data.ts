import type { Change } from "../../../suites/engine/judge/nights.ts";
import type { FlameRecord } from "../../../suites/engine/schema/flame.ts";
import type { BenchRecord } from "../../../suites/engine/schema/record.ts";
import type { RacedRuntime } from "../../../suites/engine/schema/verdict.ts";

/** What the site's files hold: the index within the page, a file for each primitive, and one of its races on several runtimes. */
export const DATA_VERSION = 1;

export function primitiveFile(primitive: string): string {
  return `data/${primitive}.js`;
}

/** Of its races on several runtimes. */
export function runtimesFile(primitive: string): string {
  return `data/${primitive}-runtimes.js`;
}

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
  /** By scenario those that it was raced on, where it was raced on several. */
  readonly runtimes: RuntimesByScenario;
  /** Their records, once they are loaded: they stand in a file of their own. */
  readonly runtimeRecords?: readonly RecordFile[];
  readonly flames: readonly FlameFile[];
  /** Of the nights that the site was made with. */
  readonly trends: readonly TrendData[];
}

export type RuntimesByScenario = Readonly<Record<string, readonly RacedRuntime[]>>;

/** The races of a primitive on several runtimes: as much as all others, and fewer readers come for them. */
export interface RuntimeData {
  readonly version: typeof DATA_VERSION;
  readonly primitive: string;
  /** As those of the lab's own runtime. */
  readonly records: readonly RecordFile[];
}

export interface CompetitorData {
  readonly name: string;
  readonly summary: string;
  readonly memory: string;
  /** By the trait's key; what it does not say is absent. */
  readonly traits: Readonly<Record<string, string>>;
  readonly isFloor: boolean;
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

export interface FlameFile {
  /** Without ending. */
  readonly name: string;
  readonly record: FlameRecord;
}

/** A cell's ratio to its baseline night by night. */
export interface TrendData {
  readonly cell: string;
  readonly machine: string;
  readonly method: number;
  readonly profile: string;
  readonly baseline: string;
  readonly nights: readonly NightData[];
  /** By index of the first night of the new level; `confirmed` is an alert. */
  readonly changes: readonly Pick<Change, "index" | "before" | "after" | "standing">[];
}

export interface NightData {
  readonly at: string;
  readonly commit: string;
  readonly ratio: number;
  readonly floor: number;
}
