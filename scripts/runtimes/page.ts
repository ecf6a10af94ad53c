import { ABILITIES, type Ability, type RuntimeFacts } from "../../suites/lab/runtimes/abilities.ts";
import type { Runtime } from "../../suites/lab/runtimes/runtimes.ts";
import type { Block } from "../../suites/lab/tables/blocks.ts";
import { left } from "../../suites/lab/tables/columns.ts";

/** What runtimes said of themselves, as a table: a column for each. Pure. */

/** What one said, or why it said nothing. */
export type Answer = { readonly runtime: Runtime } & (
  | { readonly facts: RuntimeFacts; readonly silence?: undefined }
  | { readonly facts?: undefined; readonly silence: string }
);

export function runtimeBlocks(answers: readonly Answer[]): Block[] {
  const answered = answers.flatMap(({ runtime, facts }) => (facts === undefined ? [] : [{ runtime, facts }]));
  const silent = answers.flatMap(({ silence }) => silence ?? []);
  const row = (asked: string, of: (facts: RuntimeFacts) => string) => ({
    cells: { asked, ...Object.fromEntries(answered.map(({ runtime, facts }) => [runtime, of(facts)])) },
  });
  const table = {
    title: "Runtimes",
    provenance: [],
    columns: [left("asked", "Asked"), ...answered.map(({ runtime }) => left(runtime, runtime))],
    rows: [
      row("version", ({ name, version }) => `${name} ${version}`),
      row("engine", ({ engine }) => engine),
      ...Object.entries(ABILITIES).map(([ability, title]) =>
        row(title, ({ has }) => (has[ability as Ability] ? "yes" : "**no**")),
      ),
    ],
    legend: [],
  };
  return [
    ...(answered.length === 0 ? [] : [table]),
    ...(silent.length === 0 ? [] : [{ title: "Left out", items: silent }]),
  ];
}
