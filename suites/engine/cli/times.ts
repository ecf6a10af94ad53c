import { formatNumber } from "../../reporter/src/numbers.ts";

/** Times for people. */

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
