import { plainLine } from "../../engine/schema/lines.ts";

/** What another library measured for one competitor: see opinions/opinion.ts. */
export interface Opinion {
  /** Why there are no figures, where there are none. */
  readonly failure?: { readonly kind: "law" | "fault"; readonly reason: string };
  /** Absent with a failure. */
  readonly nsPerOperation?: Figures;
  /** Samples that the figures were computed from, each the time of one batch. */
  readonly samples: number;
  /** Operations that one batch counts. */
  readonly batch: number;
  /** mitata alone, where asked: what V8's heap grew by, less the same around an empty function. */
  readonly heapBytesPerOperation?: number;
  /** mitata alone, where asked: a full collection after a batch, less one after an empty function; 0 within noise. */
  readonly gcNsPerOperation?: number;
  /** What the library warned of, a few words each. */
  readonly flags: readonly string[];
}

/** Time for one operation, in ns. */
export interface Figures {
  readonly mean: number;
  /**
   * The interval that the library gives for its mean, where it gives one: tinybench's at 95 %. Its mean less its error may
   * be below zero.
   */
  readonly low?: number;
  readonly high?: number;
  readonly median: number;
  readonly min: number;
  readonly p75: number;
  readonly p99: number;
  readonly max: number;
  readonly standardDeviation?: number;
}

/** An opinion without figures. */
export function noOpinion(kind: "law" | "fault", reason: string): Opinion {
  return { failure: { kind, reason: plainLine(reason) }, samples: 0, batch: 0, flags: [] };
}
