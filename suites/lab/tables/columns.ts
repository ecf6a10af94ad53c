import type { Column } from "../../reporter/src/index.ts";

/** A column of words. */
export function left(key: string, title: string): Column {
  return { key, title, align: "left" };
}

/** A column of figures; `unit` stands behind its title unless it is empty. */
export function right(key: string, title: string, unit = ""): Column {
  return { key, title, unit: unit === "" ? undefined : unit, align: "right" };
}
