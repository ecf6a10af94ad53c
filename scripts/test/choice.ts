import { basename } from "node:path";
import { COMPETITOR, primitiveOf, type Sources } from "./reads.ts";

/**
 * Which test files have to be run again, and how much of each. A test that goes through every competitor need not do so
 * where one has changed. Its own part is run, and its tests of the others are left out.
 */

/** What a test file read when it last passed. */
export interface Passed {
  /** Hash of each file that it reads, but for the competitors that the catalog finds. */
  readonly files: Readonly<Record<string, string>>;
  /** Hash of what each competitor and mutant reads, by `primitive/name`, if the test depends on them. */
  readonly competitors: Readonly<Record<string, string>>;
}

export type Choice =
  | { readonly kind: "none" }
  | { readonly kind: "whole"; readonly because: string }
  /** Tests named after any of these are left out, or only those competitors are raced. */
  | { readonly kind: "part"; readonly changed: readonly string[]; readonly unchanged: readonly string[] };

/** A test that races only these competitors on request. */
const NARROWED_BY = "HOTPATH_COMPETITORS";
const CATALOG = "structures/catalog.ts";

/**
 * Simulations at full size and whole runs of commands, which take long. Others test their parts. These run by night, with
 * HOTPATH_THOROUGH=1, and where their path is given. Without their ending, or what reads this would seem to read them.
 */
export const BY_NIGHT: readonly string[] = [
  "scripts/calibrate/command",
  "scripts/compare/command",
  "scripts/flame/command",
  "scripts/flame/pass",
  "scripts/nightly/command",
  "structures/limits/limits.crowd",
  "structures/watchdog/watchdog.hangs",
  "suites/engine/cli/bytes-calibrated",
  "suites/heartbeats/figures",
  "suites/lab/kinds/remote/remote-crew",
  "suites/lab/library-bench",
  "suites/lab/opinions/opinion",
  "suites/lab/plan/runtime-plan",
  "suites/shared/placement",
];

export function isOfNight(test: string): boolean {
  return BY_NIGHT.includes(test.replace(/\.test\.ts$/, ""));
}

export function testFiles({ files }: Sources): string[] {
  return [...files].filter((file) => /^(structures|suites|scripts)\/.*\.test\.ts$/.test(file)).sort();
}

export function stateOf(sources: Sources, test: string): Passed {
  const files = sources.closureOf(test);
  const competitors: Record<string, string> = {};
  if (CATALOG in files) {
    const text = sources.text(test);
    const primitive = primitiveOf(test);
    const goneThrough = primitive === undefined ? primitivesIn(text) : [primitive];
    const alongOf = new Map<string, readonly string[]>();
    for (const file of sources.files) {
      const [, own, name] = COMPETITOR.exec(file) ?? [];
      if (own === undefined || name === undefined || (primitive ?? own) !== own) continue;
      // A test that only loads the others sees of them that they are there. What they do, their primitive's tests see.
      const isSeen =
        goneThrough === "all" ||
        goneThrough.includes(own) ||
        new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text);
      if (text.includes(NARROWED_BY) && !alongOf.has(own)) alongOf.set(own, racedAlong(sources, own));
      const read = [file, ...(alongOf.get(own) ?? [])];
      competitors[`${own}/${name}`] = isSeen
        ? read.flatMap((one) => Object.values(sources.closureOf(one))).join()
        : "";
    }
    for (const [name, madeOf] of primitive === undefined ? [] : mutantsIn(sources, primitive))
      competitors[`${primitive}/${name}`] = madeOf.map((one) => competitors[`${primitive}/${one}`]).join();
  }
  // A test that imports a competitor of its own primitive leaves the tests of the others out all the same.
  const isFound = (file: string) => {
    const [, own, name] = COMPETITOR.exec(file) ?? [];
    return own === primitiveOf(test) && `${own}/${name}` in competitors;
  };
  const others = Object.entries(files).filter(([file]) => !isFound(file));
  return { files: Object.fromEntries(others), competitors };
}

/** Competitors that scenarios of a primitive import, and others' that these read: a change of theirs is one of all that take part. */
function racedAlong(sources: Sources, primitive: string): string[] {
  const read = [...sources.files]
    .filter((file) => file.startsWith(`suites/${primitive}/`) && !file.endsWith(".test.ts"))
    .flatMap((file) => [
      ...sources.readsOf(file),
      ...Object.keys(sources.closureOf(file)).filter((one) => primitiveOf(one) !== primitive),
    ]);
  return [...new Set(read)].filter((one) => COMPETITOR.test(one));
}

/** The primitives all of whose competitors a test asks the catalog for. */
function primitivesIn(text: string): readonly string[] | "all" {
  const calls = [...text.matchAll(/\b(?:competitorsOf|loadCompetitors(?:<\w+>)?)\((?:"([^"]+)")?/g)];
  const asked = calls.flatMap(([, primitive]) => primitive ?? []);
  return asked.length < calls.length ? "all" : asked;
}

/** The mutants of a primitive, each with the strings in its entry, among which is the competitor it is made of. */
function mutantsIn(sources: Sources, primitive: string): [name: string, strings: string[]][] {
  const textOf = (file: string) => (sources.files.has(file) ? sources.text(file) : "");
  const table = textOf(`structures/${primitive}/${primitive}.mutants.ts`);
  const [, ...parts] = table.split(/^ {2}"?([a-z][a-z0-9-]*)"?: (?=\w+\()/m);
  const coded = parts.flatMap((name, index): [string, string[]][] => {
    const strings = [...(parts[index + 1] ?? "").matchAll(/"([a-z0-9-]+)"/g)].map(([, one]) => one!);
    return index % 2 === 0 ? [[name, strings]] : [];
  });
  const written = textOf(`structures/${primitive}/testdata/mutants.txt`).matchAll(/^## (.+)$|^of: (.+)$/gm);
  const names = [...written].map(([, name, of]) => name ?? of!);
  return [
    ...coded,
    ...names.flatMap((name, at): [string, string[]][] => (at % 2 === 0 ? [[name, [names[at + 1]!]]] : [])),
  ];
}

export function choose(sources: Sources, test: string, passed: Passed | undefined, now: Passed): Choice {
  if (passed === undefined) return { kind: "whole", because: "it has not passed here" };
  const files = differing(passed.files, now.files);
  if (files.length > 0) return { kind: "whole", because: named(files, 2) };
  const changed = differing(passed.competitors, now.competitors);
  if (changed.length === 0) return { kind: "none" };
  const there = Object.keys(now.competitors);
  const part = {
    kind: "part",
    changed: there.filter((name) => changed.includes(name)),
    unchanged: there.filter((name) => !changed.includes(name)),
  } as const;
  if (sources.text(test).includes(NARROWED_BY)) return part;
  const isOracle = changed.some((name) => oracleOf(sources, name) === basename(name));
  return test.startsWith("structures/") && !isOracle ? part : { kind: "whole", because: named(changed, 2) };
}

/** The competitor of the same primitive that every other is held against, if there is one. */
function oracleOf(sources: Sources, competitor: string): string | undefined {
  const [primitive] = competitor.split("/");
  return /\boracle: "([^"]+)"/.exec(sources.text(`structures/${primitive}/${primitive}.contract.ts`))?.[1];
}

/** What is in one and not in the other, or not the same. */
function differing(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (key) => before[key] !== now[key],
  );
}

export function named(names: readonly string[], most: number): string {
  const rest = names.length - most;
  return names.slice(0, most).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** Matches the tests of these competitors, in a file that names a test `cas-ring`, `cas-ring keeps it` or `pick: cas-ring`. */
export function testsOf(competitors: readonly string[]): RegExp {
  return new RegExp(`^(?:[\\w.]+: )?(?:${competitors.map((name) => basename(name)).join("|")})(?: |$)`);
}
