import { readFileSync } from "node:fs";
import type { Edit } from "./mutated.ts";

/** An edit of an honest source, by which it breaks a law. */
export interface Fault<Law extends string = string> {
  /** What is wrong. */
  readonly name: string;
  readonly breaks: Law;
  readonly edits: readonly Edit[];
  /** Name of the competitor, where there is one. */
  readonly of?: string;
  /** Path of the edited source, where that is not the competitor's own. */
  readonly in?: string;
}

/**
 * The faults in a file, in its order. Each begins with `## ` and its name. Prose follows, and fields, as in
 * `breaks: conserved`; `Field` are those of this file alone. Then come its edits, with a blank line between two: what
 * stands in the source, each line behind a `-`, and what takes its place, each behind a `+`.
 */
export function faultsIn<Law extends string, Field extends string = never>(
  file: URL,
): (Fault<Law> & Readonly<Record<Field, string>>)[] {
  const [, ...parts] = readFileSync(file, "utf8").split(/^## /m);
  return parts.map((part) => faultOf(part) as Fault<Law> & Readonly<Record<Field, string>>);
}

function faultOf(part: string) {
  const [name, ...lines] = part.replace(/\n+$/, "").split("\n");
  const fields = lines.map((line) => /^([a-z]+): (.+)$/.exec(line)).filter((field) => field !== null);
  const hunks = lines
    .filter((line) => /^[-+]|^$/.test(line))
    .join("\n")
    .trimStart();
  return {
    name,
    ...Object.fromEntries(fields.map(([, field, value]) => [field, value])),
    edits: hunks.split("\n\n").map(editOf),
  };
}

function editOf(hunk: string): Edit {
  const lines = hunk.split("\n");
  const behind = (sign: string) => lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1));
  return [behind("-").join("\n"), behind("+").join("\n")];
}
