import type { ComponentChildren } from "preact";
import {
  type Column,
  formatNumber,
} from "../../../suites/engine/render/benchmark-reporter-markdown/src/index.ts";
import { Inline } from "./inline.tsx";
import { MEANINGS, SIGNS, type Standing, standingOf } from "./words.ts";

/** A row of a table; `name` is a class of its style. */
export interface ShownRow {
  readonly cells: Readonly<Record<string, ComponentChildren>>;
  readonly name?: string;
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
    <Wide label={label}>
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
                <Cell key={column.key} {...{ column, place }} value={row.cells[column.key]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

function Cell({
  column: { key, align },
  place,
  value,
}: {
  column: Column;
  place: number;
  value: ComponentChildren;
}) {
  const shown = align === "right" ? <Figure value={value} /> : <Shown value={value} />;
  if (place === 0) return <th scope="row">{shown}</th>;
  if (key !== "verdict" || typeof value !== "string") return <td class={align}>{shown}</td>;
  const standing = standingOf(value);
  return (
    <td class={`verdict ${standing}`}>
      <VerdictMark of={standing} /> {shown}
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

/** A wide thing that its reader can move to and fro, by keys too. */
export function Wide({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled has to be reached by keys.
    <section class="wide" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

function VerdictMark({ of }: { of: Standing }) {
  return (
    <span class={`sign ${of}`} aria-hidden="true">
      {SIGNS[of]}
    </span>
  );
}

/** What each mark says, as items of a list. */
export function MarkMeanings() {
  return (
    <>
      {MEANINGS.map(([standing, meaning]) => (
        <li key={standing}>
          <VerdictMark of={standing} /> <b>{standing.replace("-", " ")}</b>: {meaning}.
        </li>
      ))}
    </>
  );
}
