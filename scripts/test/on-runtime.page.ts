import type { RuntimeFacts } from "../../suites/lab/runtimes/abilities.ts";
import type { Block } from "../../suites/lab/tables/blocks.ts";
import { left, right } from "../../suites/lab/tables/columns.ts";
import type { Examined, Finding } from "./on-runtime.ts";

/** What examinations in a runtime came to. Pure. */

export function lineOf({ primitive, entry, finding }: Examined): string {
  return `${primitive}/${entry.name}: ${described(finding)}`;
}

function described(finding: Finding): string {
  if (finding.kind === "kept") return "keeps every law";
  return finding.kind === "absent" ? `absent: ${finding.reason}` : finding.sentences.join("; ");
}

export function examinedBlocks(
  { name, version, engine }: Pick<RuntimeFacts, "name" | "version" | "engine">,
  all: readonly Examined[],
): Block[] {
  const of = (kind: Finding["kind"], some: readonly Examined[]) =>
    some.filter(({ finding }) => finding.kind === kind);
  const noted = [...of("absent", all), ...of("broken", all)].map(lineOf).sort();
  return [
    {
      title: `Laws in ${name} ${version}, ${engine}`,
      provenance: [],
      columns: [
        left("primitive", "Primitive"),
        right("kept", "Keep every law"),
        right("absent", "Absent"),
        right("broken", "Break a law"),
      ],
      rows: [...Map.groupBy(all, ({ primitive }) => primitive)]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([primitive, some]) => ({
          cells: {
            primitive,
            kept: String(of("kept", some).length),
            absent: String(of("absent", some).length),
            broken: String(of("broken", some).length),
          },
        })),
      legend: [],
    },
    ...(noted.length === 0 ? [] : [{ title: "Absent, or in breach of a law", items: noted }]),
  ];
}
