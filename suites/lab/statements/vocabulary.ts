import Type, { type Static, type TProperties } from "typebox";

/**
 * The vocabulary a `statements.json` is written in: what a source document says, and where in our records to look
 * whether it holds. It is written once, as a schema of the file and as types. judge-document.ts looks.
 */
const closed = { additionalProperties: false };
const Text = Type.String({ minLength: 1 });
const maybe = Type.Optional;
const Factor = Type.Number();
const Yes = maybe(Type.Literal(true));
const at = { scenario: Text, workers: Type.Integer({ minimum: 1 }) };
const TableKeySchema = Type.Object(at, closed);

function piece<Kind extends string, Fields extends TProperties>(kind: Kind, fields: Fields) {
  return Type.Object({ kind: Type.Literal(kind), competitor: Text, ...fields }, closed);
}

/** One competitor is faster than another, in the same scenario at the same worker count. */
const comparison = {
  ...at,
  than: Text,
  /** By so much: it costs at most this many times what the other does. Any difference if absent. */
  atMost: maybe(Factor),
};
/** No other competitor is slower: among these; among all where absent. */
const extreme = { ...at, among: maybe(Type.Array(Text)) };
/** What an operation costs a worker is at most, or at least, this many times as much in one table as in another. */
const growth = {
  from: TableKeySchema,
  to: TableKeySchema,
  is: Type.Enum(["at most", "at least"]),
  factor: Factor,
};
/** A competitor counts at least this number of something per operation: the key of a column of the scenario. */
const counted = { ...at, column: Text, atLeast: Factor };
/**
 * A survey's metric lies within these bounds. With `than`, `thanMetric` or both, the bounds are multiples of that
 * competitor's metric, or of that other metric.
 */
const surveyed = { scenario: Text, metric: Text, than: maybe(Text), thanMetric: maybe(Text) };
/**
 * A simulation's metric lies within these bounds, whatever the seed. It holds if at least 90 % of all seeds do, and not
 * if fewer than half do. A seed without the figure lies outside. If it lacks the figure because it never happened, it
 * counts as later than any, and so above any upper bound.
 */
const bound = {
  scenario: Text,
  metric: Text,
  /** The source's own figure, as it prints it: "about 180". */
  says: maybe(Text),
  /**
   * The bounds are one figure as it was rounded, from one run of the source's. Not every seed of ours must reach it,
   * but it must resemble the ones that do. It holds if at least 5 % of all seeds come as far up as the figure, 5 % as
   * far down, and 5 % within a tenth of it. It does not if one of these is none.
   */
  isOneRun: Yes,
};
const least = { atLeast: Factor, atMost: maybe(Factor) };
const most = { atMost: Factor, atLeast: maybe(Factor) };
const Pieces = Type.Array(
  Type.Union([
    piece("faster", comparison),
    piece("slowest", extreme),
    piece("growth", growth),
    // An operation costs a worker at most this number of nanoseconds, on this machine.
    piece("costs", { ...at, atMostNs: Factor }),
    piece("counted", counted),
    piece("metric", { ...bound, ...least }),
    piece("metric", { ...bound, ...most }),
    piece("surveyed", { ...surveyed, ...least }),
    piece("surveyed", { ...surveyed, ...most }),
  ]),
);
/** Of a remark: held to nothing, which is at most Infinity once it is read. */
const Seen = Type.Union([piece("metric", bound), piece("surveyed", surveyed), piece("costs", at)]);

/** Figures as the source prints them, to its own digits; the competitor is this method here. */
const Figure = { method: Text, mean: Text, error: Text, stdDev: Text, ratio: Text, competitor: Text };
/** The source's own table, to stand beside ours: the scenario of ours asks the same question. */
const Figures = Type.Object(
  { scenario: Text, unit: Text, rows: Type.Array(Type.Object(Figure, closed)) },
  closed,
);

const StatementSchema = Type.Object(
  {
    /** Word for word, as the source has it. */
    quote: Text,
    /** In English, where the source is not. */
    translation: maybe(Text),
    /** What the sentence comes to, so that it can be looked up. */
    reading: Text,
    /** What the sentence presupposes: where that is not so, it says nothing. */
    condition: maybe(Pieces.items),
    /**
     * The statement holds if all of these do, and does not hold if one does not. Empty where nothing was measured: `note`
     * says why.
     */
    evidence: Pieces,
    /** The text does not say how it was done, and what stands for it here was found by trying: open, whatever comes out. */
    isGuessed: Yes,
    /** The same under another rule than the source's own, with a finding of its own that is not counted. */
    otherwise: maybe(
      Type.Object({ rule: Text, evidence: Type.Array(Pieces.items, { minItems: 1 }) }, closed),
    ),
    /** What the source does not say but a reader will ask: shown, and without a say in the finding. */
    beyond: maybe(Pieces),
    /** Of what does not reproduce: how it differs, and why, as far as is known. Whole sentences. */
    note: maybe(Text),
  },
  closed,
);

/** A remark that belongs beside a source and is no statement of it: printed with what was seen, and not counted. */
const Remark = Type.Object({ text: Text, seen: Type.Array(Seen) }, closed);

export const StatementsFile = Type.Object(
  {
    primitive: Text,
    /** For readers of the file: of which part of the source it is, and why bounds are what they are. */
    about: maybe(Text),
    bounds: maybe(Type.Record(Text, Text)),
    /** The document, as a reader would find it. */
    source: Text,
    author: Text,
    /** How the source measured, in one sentence. */
    conditions: Text,
    /** Absent where the source has no table of times. */
    figures: maybe(Figures),
    /** Each sentence once. One that is also among those of another primitive, word for word, is judged by both and counted once. */
    statements: Type.Array(StatementSchema),
    remarks: maybe(Type.Array(Remark)),
  },
  closed,
);

type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T;
type File = Frozen<Static<typeof StatementsFile>>;
type Of<Kind> = Extract<Evidence, { readonly kind: Kind }>;

export type Evidence = Frozen<Static<typeof Pieces.items>>;
export type Comparison = Of<"faster">;
export type Extreme = Of<"slowest">;
export type Growth = Of<"growth">;
export type Cost = Of<"costs">;
export type Counted = Of<"counted">;
export type Bound = Of<"metric">;
export type Surveyed = Of<"surveyed">;
/** One of the two at least. */
export type Bounds = Readonly<{ atMost: number; atLeast?: number } | { atLeast: number; atMost?: number }>;
export type TableKey = Frozen<Static<typeof TableKeySchema>>;
export type Statement = File["statements"][number];
export type SourceFigures = NonNullable<File["figures"]>;

/** A file as it was read. */
export interface SourceDocument extends Omit<File, "about" | "bounds" | "remarks"> {
  readonly remarks?: readonly { readonly text: string; readonly seen: readonly Evidence[] }[];
}
