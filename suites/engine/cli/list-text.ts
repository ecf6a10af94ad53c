import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { labelOf } from "../capture/task.ts";
import { plainName } from "../schema/lines.ts";
import { present } from "../words/present.ts";
import { type FailedFile, groupOf, type ListedFile } from "./list-files.ts";
import { counted } from "./usage.ts";

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
      .map(plainName)
      .join("\n");
  });
  const lines = failed.map(({ reason }) => plainName(reason));
  return `${[...blocks, ...(lines.length > 0 ? [lines.join("\n")] : [])].join("\n\n")}\n`;
}

/** Version of the form of `--list --json`. It grows when a field goes, or changes its name or meaning; fields may come at any time. */
const LIST_VERSION = 1;

/** What `--list --json` writes, for a program: names are as the files have them. */
export function listJson(files: readonly ListedFile[], failed: readonly FailedFile[], tool: string): object {
  return {
    version: LIST_VERSION,
    tool,
    files: files.map(({ listed: { file, tasks, workerCounts } }) => ({
      file,
      ...present({ workers: workerCounts }),
      tasks: tasks.map(({ groups, name, ordinal, isBaseline, refused }) => ({
        groups,
        task: labelOf({ groups: [], name, ordinal }),
        isBaseline,
        refused: refused ?? null,
      })),
    })),
    refused: failed.map(({ path, reason }) => ({ file: pathToFileURL(resolve(path)).href, reason })),
  };
}
