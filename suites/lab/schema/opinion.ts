import Type, { type Static } from "typebox";
import { plainLine } from "../../engine/schema/lines.ts";
import { Amount, Count, Figure, Line } from "../../engine/schema/values.ts";

/** What another library measured for one competitor: see measure/opinions/opinion.ts. */
const closed = { additionalProperties: false };

/** Time for one operation, in ns. */
export const FiguresSchema = Type.Object(
  {
    mean: Amount,
    /**
     * The interval that the library gives for its mean, where it gives one: tinybench's at 95 %. Its mean less its error may
     * be below zero.
     */
    low: Type.Optional(Figure),
    high: Type.Optional(Amount),
    median: Amount,
    min: Amount,
    p75: Amount,
    p99: Amount,
    max: Amount,
    standardDeviation: Type.Optional(Amount),
  },
  closed,
);

export const OpinionSchema = Type.Object(
  {
    /** Why there are no figures, where there are none. */
    failure: Type.Optional(
      Type.Object({ kind: Type.Union([Type.Literal("law"), Type.Literal("fault")]), reason: Line }, closed),
    ),
    /** Absent with a failure. */
    nsPerOperation: Type.Optional(FiguresSchema),
    /** What a core at full speed takes for a tag (see measure/tag.ts), as far as its process saw, in ns. */
    fullSpeedNs: Type.Optional(Amount),
    /** The same of the samples alone around which the core ran at that speed; absent where they are too few. */
    quiet: Type.Optional(Type.Object({ nsPerOperation: FiguresSchema, samples: Count }, closed)),
    /** Samples that the figures were computed from, each the time of one batch (the lab's own: of one slice). */
    samples: Count,
    /** Operations that one batch counts. */
    batch: Count,
    /** mitata alone, where asked: what V8's heap grew by, less the same around an empty function. */
    heapBytesPerOperation: Type.Optional(Figure),
    /** mitata alone, where asked: a full collection after a batch, less one after an empty function; 0 within noise. */
    gcNsPerOperation: Type.Optional(Figure),
    /** What the library warned of, a few words each. */
    flags: Type.Array(Line),
  },
  closed,
);

/** An opinion without figures. */
export function noOpinion(kind: "law" | "fault", reason: string): Opinion {
  return { failure: { kind, reason: plainLine(reason) }, samples: 0, batch: 0, flags: [] };
}

export type Figures = Static<typeof FiguresSchema>;
export type Opinion = Static<typeof OpinionSchema>;
