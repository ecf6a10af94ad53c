import type { ComponentChildren } from "preact";
import { type Column, formatNumber } from "../../../suites/reporter/src/index.ts";
import { NO_VALUE } from "../../../suites/reporter/src/table.ts";
import { Inline } from "./inline.tsx";

export interface ShownRow {
  readonly cells: Readonly<Record<string, ComponentChildren>>;
  /** Class of its style. */
  readonly name?: string;
  /** Verdicts that its cells have the colours of, column by column. */
  readonly colours?: readonly string[];
}

/**
 * A table with columns as the lab's reporter has them, and texts as it words them. Verdicts have their signs, and a ratio
 * stays in one piece. Its reader can move it to and fro where it is wide, by keys too.
 */
export function Table({
  label,
  caption,
  name,
  columns,
  rows,
}: {
  label: string;
  caption: ComponentChildren;
  name?: string;
  columns: readonly Column[];
  rows: readonly ShownRow[];
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled has to be reached by keys.
    <section class="wide" aria-label={label} tabIndex={0}>
      <table class={name}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ key, title, unit, align }) => (
              <th scope="col" key={key} class={align}>
                {title}
                {unit !== undefined && ` (${unit})`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index} class={row.name}>
              {columns.map((column, place) => (
                <Cell key={column.key} {...{ column, place, row }} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell({
  column: { key, align },
  place,
  row: { cells, colours = [] },
}: {
  column: Column;
  place: number;
  row: ShownRow;
}) {
  const value = cells[key] === null ? NO_VALUE : cells[key];
  const shown = align === "right" ? <Figure value={value} /> : <Shown value={value} />;
  if (place === 0) return <th scope="row">{shown}</th>;
  if (key !== "verdict" || typeof value !== "string")
    return <td class={`${align} ${key} ${colours[place] ?? ""}`}>{shown}</td>;
  const verdict = verdictIn(value);
  return (
    <td class={`verdict ${className(verdict)}`}>
      <VerdictMark of={verdict} /> {shown}
    </td>
  );
}

function Shown({ value }: { value: ComponentChildren }) {
  if (typeof value === "string") return <Inline text={value} />;
  return <>{value}</>;
}

/** A number, or a ratio with its interval: where both do not fit on a line, the line ends between them and not within. */
function Figure({ value }: { value: ComponentChildren }) {
  if (typeof value === "number") return <>{formatNumber(value)}</>;
  if (typeof value !== "string") return <>{value}</>;
  const [ratio, ...intervals] = value.split(/ (?=\(\d)/);
  return (
    <>
      <Inline text={ratio!} />
      {intervals.map((interval) => (
        <>
          {" "}
          <span class="whole">{interval}</span>
        </>
      ))}
    </>
  );
}

/** The sign of each verdict, for a reader who looks for it in a long table, and what it means. */
const VERDICTS: Readonly<Record<string, { readonly sign: string; readonly meaning?: string }>> = {
  baseline: { sign: "◆" },
  faster: { sign: "▼", meaning: "the whole interval lies below the noise floor" },
  slower: { sign: "▲", meaning: "the whole interval lies above it" },
  same: { sign: "=", meaning: "the whole interval lies within 3 %: no difference that matters" },
  "cannot tell": {
    sign: "?",
    meaning: "open: more processes might tell; a smaller difference than it sees would have gone unseen",
  },
  depends: {
    sign: "◫",
    meaning: "processes fall into two groups that answer differently; a remark says what tells them apart",
  },
  "no power": { sign: "∅", meaning: "open, beside a noise floor over 10 %" },
  "not judged": { sign: "·" },
};

/** Of a text of tables, which may be bold, and have more behind it. */
function verdictIn(text: string): string {
  return Object.keys(VERDICTS).find((verdict) => text.replace("**", "").startsWith(verdict)) ?? "not judged";
}

function className(verdict: string): string {
  return verdict.replace(" ", "-");
}

function VerdictMark({ of }: { of: string }) {
  return (
    <span class={`sign ${className(of)}`} aria-hidden="true">
      {VERDICTS[of]!.sign}
    </span>
  );
}

/** What each verdict means, as items of a list. */
export function VerdictMeanings() {
  return Object.entries(VERDICTS).map(
    ([verdict, { meaning }]) =>
      meaning !== undefined && (
        <li key={verdict}>
          <VerdictMark of={verdict} /> <b>{verdict}</b>: {meaning}.
        </li>
      ),
  );
}
