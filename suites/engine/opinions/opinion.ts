import Type, { type Static } from "typebox";
import { startProcess } from "../measure/process.ts";
import type { CellRef } from "./cell.ts";

/**
 * A second opinion: what another library measures for one competitor alone in one fresh process. One process, one
 * thread, no pairing: a figure to hold the lab's own against, not one to judge competitors by.
 */

/** The libraries, each with what its process has to be started with. mitata collects garbage itself. */
const EXEC_FLAGS = { mitata: ["--expose-gc"], tinybench: [] } as const;

export type OpinionEngine = keyof typeof EXEC_FLAGS;

export const OPINION_ENGINES: readonly OpinionEngine[] = ["mitata", "tinybench"];

/** What is asked of a library. */
export interface Question {
  readonly engine: OpinionEngine;
  readonly cell: CellRef;
  /** Time that the library may measure for, in ms of the operations' own time; preparing and set-up come on top. */
  readonly cpuMs: number;
  /** Whether mitata also measures heap and collections, which takes from 0.2 s to several seconds for a large heap. */
  readonly memory: boolean;
  /** Core to run on, as `RaceJob.firstCore`; any if absent. */
  readonly core?: number;
}

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

export type Figures = Static<typeof FiguresSchema>;
export type Opinion = Static<typeof OpinionSchema>;

/** An opinion without figures. */
export function noOpinion(kind: "law" | "fault", reason: string): Opinion {
  return { failure: { kind, reason }, samples: 0, batch: 0, flags: [] };
}

/** A million timers take this long to be set and settled at the most (crew.ts grants the same), and then are measured. */
const HANG_LIMIT_MS = 120_000;

export interface Asking {
  /** Ends the process at once; the opinion then is that it died. */
  readonly signal?: AbortSignal;
  /** After this long the process counts as hung and is killed; in ms, 120,000 if absent. */
  readonly limitMs?: number;
}

/**
 * Asks a library about one cell, in a process of its own. Never rejects: a competitor that throws, breaks its law,
 * hangs or takes its process along has an opinion with a failure in it.
 */
export function askOpinion(
  question: Question,
  { signal, limitMs = HANG_LIMIT_MS }: Asking = {},
): Promise<Opinion> {
  return new Promise((resolve) => {
    const child = startProcess(new URL("./process.ts", import.meta.url), EXEC_FLAGS[question.engine]);
    let lost: string | undefined;
    const kill = () => child.kill("SIGKILL");
    const hang = setTimeout(() => {
      lost = `its process did not answer within ${limitMs / 1000} s and was killed`;
      kill();
    }, limitMs);
    // Of an answer and the exit after it only the first counts: a promise settles once.
    const settle = (opinion: Opinion) => {
      clearTimeout(hang);
      signal?.removeEventListener("abort", kill);
      resolve(opinion);
    };
    signal?.addEventListener("abort", kill, { once: true });
    if (signal?.aborted) kill();
    child.on("message", (opinion: Opinion) => settle(opinion));
    child.on("error", (error) => settle(noOpinion("fault", error.message)));
    child.on("exit", (code, killedBy) => {
      const died = killedBy === null ? `exited with code ${code}` : `died of ${killedBy}`;
      settle(noOpinion("fault", lost ?? `its process ${died}`));
    });
    // A process that is gone already has its exit to tell of it.
    child.send(question, () => {});
  });
}
