import Type, { type Static } from "typebox";

/** What another library measured for one competitor: see measure/opinions/opinion.ts. */
const closed = { additionalProperties: false };
const Count = Type.Integer({ minimum: 0 });

/** Time for one operation, in ns. */
export const FiguresSchema = Type.Object(
  {
    mean: Type.Number(),
    /** The interval that the library gives for its mean, where it gives one: tinybench's at 95 %. */
    low: Type.Optional(Type.Number()),
    high: Type.Optional(Type.Number()),
    median: Type.Number(),
    min: Type.Number(),
    p75: Type.Number(),
    p99: Type.Number(),
    max: Type.Number(),
    standardDeviation: Type.Optional(Type.Number()),
  },
  closed,
);

export const OpinionSchema = Type.Object(
  {
    /** Why there are no figures, where there are none. */
    failure: Type.Optional(
      Type.Object(
        { kind: Type.Union([Type.Literal("law"), Type.Literal("fault")]), reason: Type.String() },
        closed,
      ),
    ),
    /** Absent with a failure. */
    nsPerOperation: Type.Optional(FiguresSchema),
    /** What a core at full speed takes for a tag (see measure/tag.ts), as far as its process saw, in ns. */
    fullSpeedNs: Type.Optional(Type.Number()),
    /** The same of the samples alone around which the core ran at that speed; absent where they are too few. */
    quiet: Type.Optional(Type.Object({ nsPerOperation: FiguresSchema, samples: Count }, closed)),
    /** Samples that the figures were computed from, each the time of one batch (the lab's own: of one slice). */
    samples: Count,
    /** Operations that one batch counts. */
    batch: Count,
    /** mitata alone, where asked: what V8's heap grew by, less the same around an empty function. */
    heapBytesPerOperation: Type.Optional(Type.Number()),
    /** mitata alone, where asked: a full collection after a batch, less one after an empty function; 0 within noise. */
    gcNsPerOperation: Type.Optional(Type.Number()),
    /** What the library warned of, a few words each. */
    flags: Type.Array(Type.String()),
  },
  closed,
);

/** An opinion without figures. */
export function noOpinion(kind: "law" | "fault", reason: string): Opinion {
  return { failure: { kind, reason }, samples: 0, batch: 0, flags: [] };
}

export type Figures = Static<typeof FiguresSchema>;
export type Opinion = Static<typeof OpinionSchema>;
