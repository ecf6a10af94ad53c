import type { ComponentChildren } from "preact";
import { MEANINGS, SIGNS, type Standing } from "./words.ts";

/** What the pictures of the page share. Each says the same as a table beside it, so that readers of the screen get those. */

/** The mark of a standing: its shape says what its colour says. */
export function Mark({ x, y, of, size = 5 }: { x: number; y: number; of: Standing; size?: number }) {
  const around = (points: readonly (readonly [number, number])[]) =>
    points.map(([dx, dy]) => `${x + dx * size},${y + dy * size}`).join(" ");
  const name = `mark ${of}`;
  switch (of) {
    case "faster":
      return (
        <polygon
          class={name}
          points={around([
            [-1, -0.8],
            [1, -0.8],
            [0, 1],
          ])}
        />
      );
    case "slower":
      return (
        <polygon
          class={name}
          points={around([
            [-1, 0.8],
            [1, 0.8],
            [0, -1],
          ])}
        />
      );
    case "baseline":
      return (
        <polygon
          class={name}
          points={around([
            [0, -1],
            [1, 0],
            [0, 1],
            [-1, 0],
          ])}
        />
      );
    case "same":
      return (
        <rect class={name} x={x - 0.8 * size} y={y - 0.8 * size} width={1.6 * size} height={1.6 * size} />
      );
    case "no-power":
      return (
        <path
          class={name}
          d={`M${x - size},${y - size}L${x + size},${y + size}M${x - size},${y + size}L${x + size},${y - size}`}
        />
      );
    default:
      return <circle class={name} cx={x} cy={y} r={0.8 * size} />;
  }
}

/** A scale, as d3 has it. */
export interface Scale {
  (value: number): number;
  ticks(count?: number): number[];
  range(): number[];
}

/** Grid lines and numbers of both axes. */
export function Axes({
  x,
  y,
  xTicks,
  yTicks,
  xText,
  yText,
  xTitle,
  yTitle,
}: {
  x: Scale;
  y: Scale;
  xTicks: readonly number[];
  yTicks: readonly number[];
  xText: (value: number) => string;
  yText: (value: number) => string;
  xTitle: string;
  yTitle: string;
}) {
  const [left, right] = x.range() as [number, number];
  const [bottom, top] = y.range() as [number, number];
  return (
    <g class="axes">
      {xTicks.map((tick) => (
        <g key={`x${tick}`}>
          <line x1={x(tick)} x2={x(tick)} y1={top} y2={bottom} />
          <text x={x(tick)} y={bottom + 16} text-anchor="middle">
            {xText(tick)}
          </text>
        </g>
      ))}
      {yTicks.map((tick) => (
        <g key={`y${tick}`}>
          <line x1={left} x2={right} y1={y(tick)} y2={y(tick)} />
          <text x={left - 6} y={y(tick) + 4} text-anchor="end">
            {yText(tick)}
          </text>
        </g>
      ))}
      <text class="title" x={(left + right) / 2} y={bottom + 34} text-anchor="middle">
        {xTitle}
      </text>
      <text class="title" x={left} y={top - 8}>
        {yTitle}
      </text>
    </g>
  );
}

/** Of many ticks of a logarithmic axis those that have room: powers of ten, or what stands for them where those are few. */
export function logTicks(scale: Scale): number[] {
  const all = scale.ticks();
  const leading = (tick: number) => Number(tick.toExponential()[0]);
  const within = (digits: readonly number[]) => all.filter((tick) => digits.includes(leading(tick)));
  return [[1], [1, 3], [1, 2, 5]].map(within).find((ticks) => ticks.length >= 3) ?? all;
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

export function VerdictMark({ of }: { of: Standing }) {
  return (
    <span class={`sign ${of}`} aria-hidden="true">
      {SIGNS[of]}
    </span>
  );
}

/** A ratio with its interval: where both do not fit on a line, the line ends between them and not within. */
export function RatioText({ text }: { text: string }) {
  const [ratio, interval] = text.split(/ (?=\()/);
  if (interval === undefined) return <>{ratio}</>;
  return (
    <>
      {ratio} <span class="whole">{interval}</span>
    </>
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
