/**
 * The vocabulary a `claims.json` is written in: what a source document claims, and where in our records to look
 * whether it holds. Claims are data; claims.ts looks.
 */
export interface SourceClaims {
  readonly primitive: string;
  /** The document, as a reader would find it. */
  readonly source: string;
  readonly author: string;
  /** How the source measured, in one sentence. */
  readonly conditions: string;
  /** Absent where the source has no table of times. */
  readonly figures?: SourceFigures;
  /** Each sentence once. One that is also among those of another primitive, word for word, is judged by both and counted once. */
  readonly statements: readonly Statement[];
  readonly remarks?: readonly Remark[];
}

/** The source's own table, to stand beside ours. */
export interface SourceFigures {
  /** The scenario of ours that asks the same question. */
  readonly scenario: string;
  readonly unit: string;
  readonly rows: readonly SourceFigure[];
}

/** Figures as the source prints them, to its own digits. */
export interface SourceFigure {
  readonly method: string;
  readonly mean: string;
  readonly error: string;
  readonly stdDev: string;
  readonly ratio: string;
  /** The competitor that is this method here. */
  readonly competitor: string;
}

export interface Statement {
  /** Word for word, as the source has it. */
  readonly quote: string;
  /** In English, where the source is not. */
  readonly translation?: string;
  /** What the sentence comes to, so that it can be looked up. */
  readonly reading: string;
  /** What the sentence presupposes: where that is not so, it says nothing. */
  readonly condition?: Evidence;
  /**
   * The statement holds if all of these do, and does not hold if one does not. Empty where nothing was measured: `note` says
   * why.
   */
  readonly evidence: readonly Evidence[];
  /** The text does not say how it was done, and what stands for it here was found by trying: open, whatever comes out. */
  readonly isGuessed?: true;
  /** The same under another rule than the source's own, with a finding of its own that is not counted. */
  readonly otherwise?: { readonly rule: string; readonly evidence: readonly Evidence[] };
  /** What the source does not claim but a reader will ask: shown, and without a say in the finding. */
  readonly beyond?: readonly Evidence[];
  /** Of what does not reproduce: how it differs, and why, as far as is known. Whole sentences. */
  readonly note?: string;
}

/** A remark that belongs beside a source and is no claim of it: printed with what was seen, and not counted. */
export interface Remark {
  /** Whole sentences. */
  readonly text: string;
  /** Held to nothing: at most Infinity. */
  readonly seen: readonly Evidence[];
}

export type Evidence = Comparison | Extreme | Growth | Cost | Counted | Bound | Surveyed;

/** One competitor is faster than another, in the same scenario at the same worker count. */
export interface Comparison extends Place {
  readonly kind: "faster";
  readonly competitor: string;
  readonly than: string;
  /** By so much: it costs at most this many times what the other does. Any difference if absent. */
  readonly atMost?: number;
}

/** No other competitor is slower. */
export interface Extreme extends Place {
  readonly kind: "slowest";
  readonly competitor: string;
  /** Among these; among all where absent. */
  readonly among?: readonly string[];
}

/** What an operation costs a worker is at most, or at least, this many times as much in one place as in another. */
export interface Growth {
  readonly kind: "growth";
  readonly competitor: string;
  readonly from: Place;
  readonly to: Place;
  readonly is: "at most" | "at least";
  readonly factor: number;
}

/** An operation costs a worker at most this number of nanoseconds, on this machine. */
export interface Cost extends Place {
  readonly kind: "costs";
  readonly competitor: string;
  readonly atMostNs: number;
}

/** A competitor counts at least this number of something per operation. */
export interface Counted extends Place {
  readonly kind: "counted";
  readonly competitor: string;
  /** Key of a column of the scenario. */
  readonly column: string;
  readonly atLeast: number;
}

/**
 * A survey's metric lies within these bounds. With `than`, `thanMetric` or both, the bounds are multiples of that
 * competitor's metric, or of that other metric.
 */
export type Surveyed = {
  readonly kind: "surveyed";
  readonly scenario: string;
  readonly competitor: string;
  readonly metric: string;
  readonly than?: string;
  readonly thanMetric?: string;
} & Bounds;

/**
 * A simulation's metric lies within these bounds, whatever the seed. It holds if at least 90 % of all seeds do, and not
 * if fewer than half do. A seed without the figure lies outside. If it lacks the figure because it never happened, it
 * counts as later than any, and so above any upper bound.
 */
export type Bound = {
  readonly kind: "metric";
  readonly scenario: string;
  readonly competitor: string;
  readonly metric: string;
  /** The source's own figure, as it prints it: "about 180". */
  readonly says?: string;
  /**
   * The bounds are one figure as it was rounded, from one run of the source's. Not every seed of ours must reach it,
   * but it must resemble the ones that do. It holds if at least 5 % of all seeds come as far up as the figure, 5 % as
   * far down, and 5 % within a tenth of it. It does not if one of these is none.
   */
  readonly isOneRun?: true;
} & Bounds;

/** One of the two at least. */
export type Bounds =
  | { readonly atMost: number; readonly atLeast?: number }
  | { readonly atLeast: number; readonly atMost?: number };

export interface Place {
  readonly scenario: string;
  readonly workers: number;
}
