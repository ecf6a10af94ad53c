import { plainLine } from "../schema/lines.ts";
import { counted, type FailedFile, groupOf, type ListedFile } from "./list-files.ts";

/** What `--list` prints: the files, their groups and their tasks. */
export function listText(files: readonly ListedFile[], failed: readonly FailedFile[]): string {
  const blocks = files.map(({ path, listed: { tasks, workerCounts } }) => {
    const groups = Map.groupBy(tasks, groupOf);
    const workers = workerCounts === undefined ? "" : `, at ${workerCounts.join(", ")} workers`;
    return [
      `${path}: ${counted(tasks.length, "task")} in ${counted(groups.size, "group")}${workers}`,
      ...[...groups].flatMap(([group, own]) => [
        `  ${group === "" ? "(no group)" : group}`,
        ...own.map(({ name, ordinal, isBaseline, refused }) => {
          const again = ordinal === 0 ? "" : ` (${ordinal + 1})`;
          const mark = isBaseline ? " (baseline)" : "";
          return `    ${name}${again}${mark}${refused === undefined ? "" : `: refused, ${refused}`}`;
        }),
      ]),
    ]
      .map(plainLine)
      .join("\n");
  });
  const lines = failed.map(({ reason }) => plainLine(reason));
  return `${[...blocks, ...(lines.length > 0 ? [lines.join("\n")] : [])].join("\n\n")}\n`;
}
