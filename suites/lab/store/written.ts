import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { primitives } from "../../../structures/catalog.ts";
import { ANSWER_FILE } from "../../engine/render/pages/answer.ts";
import { type Newest, withOthers } from "../../engine/render/pages/newest.ts";
import { faultsOf, requoted, type Written } from "../../engine/render/pages/quotes.ts";
import { RESULTS, writeAll } from "./results.ts";

/** What people wrote of the results: the README, answers and reviews. */
function written(root: string): Written[] {
  const files = [
    "README.md",
    ...primitives().map((primitive) => join("results", primitive, ANSWER_FILE)),
    ...readdirSync(join(root, "results", "reviews")).map((file) => join("results", "reviews", file)),
  ];
  return files.flatMap((path) => {
    const text = textOf(join(root, path));
    return text === undefined ? [] : [{ path, text }];
  });
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** What is wrong with their quotes, one line for each: see render/quotes.ts. */
export function writtenFaults(newest: ReadonlyMap<string, Newest>, root = join(RESULTS, "..")): string[] {
  const verdictsOf = knownOf(newest);
  return written(root).flatMap((text) => faultsOf(text, verdictsOf));
}

/** Writes the newest figures into their quotes; returns the paths of what changed. */
export function requote(newest: ReadonlyMap<string, Newest>, root = join(RESULTS, "..")): string[] {
  const verdictsOf = knownOf(newest);
  const changed = written(root).flatMap((old) => {
    const text = requoted(old, verdictsOf);
    return text === old.text ? [] : [[join(root, old.path), text] as const];
  });
  return writeAll(new Map(changed));
}

/** By primitive, with those that the newest tables leave out. */
function knownOf(newest: ReadonlyMap<string, Newest>) {
  const known = new Map([...newest].map(([primitive, own]) => [primitive, withOthers(own)]));
  return (primitive: string) => known.get(primitive);
}
