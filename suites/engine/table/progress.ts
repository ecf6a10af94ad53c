import { plainLine } from "../schema/lines.ts";
import { fitting, lettersOf } from "../words/letters.ts";
import { type OutputStream, USUAL_COLUMNS } from "./stream.ts";

/** Progress of a long run for a person who waits: one line that is rewritten on a terminal, a line now and then elsewhere. */
const PLAIN_EVERY_MS = 10_000;

export function progressLine(stream: OutputStream) {
  let saidMs = Number.NEGATIVE_INFINITY;
  return {
    /** `leftMs` is undefined while it is unknown. */
    show(share: number, leftMs: number | undefined, what: string): void {
      const left = leftMs === undefined ? "" : `, ${readableTime(leftMs)} left`;
      const line = plainLine(`${Math.min(99, Math.floor(share * 100))} %${left}: ${what}`);
      if (stream.isTTY) {
        // A line as wide as the terminal may wrap, and what has wrapped cannot be rewritten.
        stream.write(`\r\x1b[K${fitting(lettersOf(line), (stream.columns || USUAL_COLUMNS) - 1).join("")}`);
      } else if (performance.now() - saidMs >= PLAIN_EVERY_MS) {
        saidMs = performance.now();
        stream.write(`${line}\n`);
      }
    },
    clear(): void {
      if (stream.isTTY) stream.write("\r\x1b[K");
    },
  };
}

/** `0.4 s`, `12 s`, `3 min 20 s`. */
export function readableTime(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** How far a run is whose pieces come one after the other, shown on its progress line. */
export function progressOf(line: ReturnType<typeof progressLine>, totalMs: number) {
  const startedMs = performance.now();
  let doneMs = 0;
  return {
    async during<T>(estimateMs: number, label: string, work: () => Promise<T>): Promise<T> {
      const pace = doneMs > 0 ? (performance.now() - startedMs) / doneMs : 1;
      line.show(doneMs / totalMs, Math.max(0, totalMs - doneMs) * pace, label);
      const result = await work();
      doneMs += estimateMs;
      return result;
    },
  };
}
