import { readFileSync } from "node:fs";
import { ALIVE_EVERY_MS, losePatience } from "../../engine/measure/machine/patience.ts";
import { howItEnded } from "../../engine/measure/machine/process-status.ts";
import { hung } from "../../engine/measure/plan/failures.ts";
import type { Failure } from "../../engine/measure/plan/protocol.ts";
import { startProcess } from "../../engine/measure/run/process.ts";
import { noOpinion, type Opinion } from "../schema/opinion.ts";
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
}

/**
 * What the process of a library reports: its progress before a batch, about once in ALIVE_EVERY_MS; at its end, what it
 * measured.
 */
export type OpinionAnswer =
  | { readonly kind: "alive" }
  | { readonly kind: "opinion"; readonly opinion: Opinion };

/** A million timers take this long to be set and settled at the most (crew.ts grants the same), and then are measured. */
const ATTACH_LIMIT_MS = 120_000;

export interface Asking {
  /** Ends the process at once; the opinion then is that it died. */
  readonly signal?: AbortSignal;
  /** A process that does not come to its first batch within this long counts as hung; by default ATTACH_LIMIT_MS. */
  readonly attachLimitMs?: number;
  /** And one that does not come from one batch to the next, as in `Plan`. */
  readonly patienceMs: number;
}

/**
 * Asks a library about one cell, in a process of its own. Never rejects: a competitor that throws, breaks its law,
 * hangs or takes its process along has an opinion with a failure in it.
 */
export function askOpinion(
  question: Question,
  { signal, attachLimitMs = ATTACH_LIMIT_MS, patienceMs }: Asking,
): Promise<Opinion> {
  return new Promise((resolve) => {
    const child = startProcess(new URL("./process.ts", import.meta.url), EXEC_FLAGS[question.engine]);
    let lost: Failure | undefined;
    const kill = () => child.kill("SIGKILL");
    const waitFor = (limitMs: number, failure: Failure) =>
      losePatience(limitMs, () => {
        lost = failure;
        kill();
      });
    let waiting = waitFor(attachLimitMs, hung("it did not attach", attachLimitMs));
    // Of an answer and the exit after it only the first counts: a promise settles once.
    const settle = (opinion: Opinion) => {
      waiting.end();
      signal?.removeEventListener("abort", kill);
      resolve(opinion);
    };
    signal?.addEventListener("abort", kill, { once: true });
    if (signal?.aborted) kill();
    child.on("message", (answer: OpinionAnswer) => {
      if (answer.kind === "opinion") return settle(answer.opinion);
      waiting.end();
      waiting = waitFor(ALIVE_EVERY_MS + patienceMs, hung("it did not finish a batch", patienceMs));
    });
    child.on("error", (error) => settle(noOpinion("fault", error.message)));
    child.on("close", (code, killedBy) => {
      settle(noOpinion("fault", lost?.reason ?? howItEnded(code, killedBy)));
    });
    // The exit of a process that is gone already shows it.
    child.send(question, () => {});
  });
}

/** Time that a library measures a cell for, in ms: several times as long as the machine stays in one state. */
export const CPU_MS = 200;

/** A process of a library without what it measures; how long setting up takes is not known beforehand. */
const OPINION_START_MS = 500;
/** Warming up, before and within the library. */
const WARM_UP_MS = 150;

/** Of one process of a library. */
export function opinionEstimateMs(cpuMs: number): number {
  return OPINION_START_MS + WARM_UP_MS + cpuMs;
}

/** Of an installed package; both keep their entry one folder below their package.json, which one does not export. */
export function versionOf(engine: OpinionEngine): string {
  const text = readFileSync(new URL("../package.json", import.meta.resolve(engine)), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
