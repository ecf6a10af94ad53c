import { formatNumber } from "../../reporter/src/numbers.ts";
import type { Allocates } from "../judge/allocates.ts";

/** Times and bytes for people. */

export interface Unit {
  readonly name: string;
  readonly ns: number;
}

const UNITS: readonly Unit[] = [
  { name: "s", ns: 1e9 },
  { name: "ms", ns: 1e6 },
  { name: "us", ns: 1e3 },
];

/** The unit in which a time, once rounded to three digits, is 1 or more. */
export function unitOf(ns: number): Unit {
  return UNITS.find((unit) => Number(ns.toPrecision(3)) >= unit.ns) ?? { name: "ns", ns: 1 };
}

/** A time in ns as a number of this unit, with three digits. */
export function scaled(value: number, { ns }: Unit): string {
  return Number.isFinite(value) ? formatNumber(value / ns, 3) : "unknown";
}

/** A time in ns with its unit and three digits. */
export function timeText(ns: number): string {
  const unit = unitOf(ns);
  return `${scaled(ns, unit)} ${unit.name}`;
}

/** A time in ns with its unit and two digits: a first look knows no more. */
export function roughTime(ns: number): string {
  return timeText(Number(ns.toPrecision(2)));
}

/** `144 B`, `144 B, 48 B more`, `144 B, 48 B (40 B to 56 B) more`, `144 B, same`: a cell of a table. */
export function allocatesText(allocates: Allocates): string {
  const { bytes, verdict } = allocates;
  if (bytes === null) return "";
  return verdict === "baseline"
    ? bytesText(bytes.value)
    : `${bytesText(bytes.value)}, ${moreText(allocates)}`;
}

/** `48 B more`, `48 B (40 B to 56 B) less`, `same`, `cannot tell`. */
export function moreText({ more, verdict }: Allocates): string {
  if (more === null || (verdict !== "more" && verdict !== "less")) return verdict;
  const texts = [more.value, more.low!, more.high!].map((bytes) => bytesText(Math.abs(bytes)));
  const [value, ...ends] = texts;
  if (verdict === "less") ends.reverse();
  const range = ends[0] === ends[1] ? "" : ` (${ends.join(" to ")})`;
  return `${value}${range} ${verdict}`;
}

const BYTE_UNITS = [
  { name: "MB", bytes: 1e6 },
  { name: "kB", bytes: 1e3 },
];

/** Three digits; parts of a byte only where there are few. */
function bytesText(bytes: number): string {
  const unit = BYTE_UNITS.find((one) => bytes >= 0.9995 * one.bytes);
  if (unit !== undefined) return `${formatNumber(bytes / unit.bytes, 3)} ${unit.name}`;
  return `${Number(bytes.toFixed(bytes < 10 ? 1 : 0)) || 0} B`;
}
