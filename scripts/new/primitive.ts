import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A new primitive is a copy of the folder `starter` under its own name: the least that has all parts, which gives numbers
 * in turn. Each file is to be changed into what it is really about; their roles stay. By path from the repository's folder.
 */
export function primitiveFiles(name: string): ReadonlyMap<string, string> {
  const folder = join(import.meta.dirname, "starter");
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  );
  const type = name.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
  const renamed = (text: string) => text.replaceAll("starter", name).replaceAll("Starter", type);
  return new Map(
    files.map(({ parentPath, name: file }) => {
      const path = join(parentPath, file);
      return [
        renamed(path.slice(folder.length + 1)).replace(TEST, ".test.ts"),
        renamed(readFileSync(path, "utf8")),
      ];
    }),
  );
}

/** How the name of the starter's test ends, so that npm test does not run it where it is. */
const TEST = /_test\.ts$/;
