import { shown } from "../check/results.ts";
import type { Call } from "./promised.ts";

/** A call as the row of its thread shows it. What is to the left of another call's beginning ended before that. */
interface Bar {
  readonly call: Call;
  readonly from: number;
  readonly to: number;
}

export function labelOf({ name, given, returned }: Call): string {
  const call = `${name}(${given.map(shown).join(", ")})`;
  if (returned === undefined) return `${call} died?`;
  return returned.value === undefined ? call : `${call} -> ${shown(returned.value)}`;
}

/** The least number of columns in which calls overlap as they did: what began after another ended has a later column. */
function barsOf(calls: readonly Call[]): { readonly bars: readonly Bar[]; readonly columns: number } {
  const sumOf = ({ before }: Call) => before.reduce((sum, count) => sum + count, 0);
  const sums = [...new Set(calls.map(sumOf))].sort((one, other) => one - other);
  const columns = sums.length;
  const bars = calls.map((call, at): Bar => {
    const nth = calls.slice(0, at).filter(({ thread }) => thread === call.thread).length;
    const later = calls
      .filter(({ before }) => before[call.thread]! > nth)
      .map((other) => sums.indexOf(sumOf(other)));
    const to = call.returned === undefined ? columns : Math.min(columns, ...later);
    return { call, from: sums.indexOf(sumOf(call)), to };
  });
  return { bars, columns };
}

/** A row for each thread, with its calls from their beginning to their end. */
export function pictureOf(calls: readonly Call[]): string[] {
  const { bars, columns } = barsOf(calls);
  const starts = [0];
  for (let column = 1; column <= columns; column++) {
    const needed = bars
      .filter(({ to }) => to === column)
      .map(({ call, from }) => starts[from]! + labelOf(call).length + 4);
    starts.push(Math.max(starts[column - 1]! + 2, ...needed));
  }
  const threads = [...new Set(calls.map(({ thread }) => thread))];
  return threads.map((thread) => {
    let line = `thread ${thread}  `;
    const margin = line.length;
    for (const { call, from, to } of bars)
      if (call.thread === thread)
        line = `${line.padEnd(margin + starts[from]!)}|${labelOf(call).padEnd(starts[to]! - starts[from]! - 3, "-")}|`;
    return line;
  });
}

const ROW = 36;
const LETTER = 8;

/** The same as an image. */
export function svgOf(calls: readonly Call[]): string {
  const rows = pictureOf(calls);
  const width = Math.max(...rows.map(({ length }) => length)) * LETTER;
  const parts = rows.flatMap((row, at) => {
    const y = at * ROW + ROW / 2;
    const bars = [...row.matchAll(/\|([^|]*)\|/g)].map(({ index, 0: bar, 1: label }) => {
      const x = index * LETTER;
      const box = `<rect x="${x}" y="${y - 12}" width="${bar.length * LETTER}" height="24" rx="4"/>`;
      return `${box}<text x="${x + LETTER}" y="${y + 5}">${escaped(label!.replace(/-+$/, ""))}</text>`;
    });
    return [`<text x="0" y="${y + 5}">${row.slice(0, row.indexOf("  "))}</text>`, ...bars];
  });
  const style = "text{font:13px monospace}rect{fill:#e8eef7;stroke:#456}";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${rows.length * ROW}"><style>${style}</style>${parts.join("")}</svg>`;
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
