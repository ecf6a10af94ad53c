import { type CodeFile, isTest } from "./budgets.ts";

const EXPORTED_TYPE = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm;

/** Files that `npm run new` copies. */
const COPIED = "scripts/new/starter/";

/** Types that two files export under one name: a reader of one would take it for the other. Once in a package, a primitive or a command. */
export function namedTwice(files: readonly CodeFile[]): string[] {
  const types = files
    .filter(({ name }) => !isTest(name) && !name.startsWith(COPIED))
    .flatMap(({ name, text }) =>
      [...text.matchAll(EXPORTED_TYPE)].map(([, type]) => ({ type: type!, name, scope: scopeOf(name) })),
    );
  return [...Map.groupBy(types, ({ type, scope }) => `${scope} ${type}`).values()].flatMap((same) => {
    const [first, ...others] = [...new Set(same.map(({ name }) => name))];
    return others.map((name) => `${name}: exports a type ${same[0]!.type}, as ${first} does: rename one`);
  });
}

function scopeOf(name: string): string {
  return name.split("/").slice(0, 2).join("/");
}

/** Scripts that any package may have. */
const COMMON_SCRIPTS: ReadonlySet<string> = new Set(["build", "test"]);

/** What the instrument must not know: this repository's folders, its commands and its primitives, by their paths. */
export function foreignWords(files: readonly CodeFile[], scripts: readonly string[]): string[] {
  const primitives = files.flatMap(
    ({ name }) => /^structures\/(\w+)\/\1\.contract\.ts$/.exec(name)?.[1] ?? [],
  );
  const folders = ["structures", "results", "scripts", "suites/lab", ...primitives];
  const paths = new RegExp(`(?<![\\w./:-])(?:${folders.join("|")})/\\w`);
  const commands = scripts.filter((script) => !COMMON_SCRIPTS.has(script));
  const calls = new RegExp(`\\bnpm run (?:-s )?(?:${commands.join("|")})\\b`);
  return files
    .filter(({ name }) => name.startsWith("suites/engine/") && !isTest(name))
    .flatMap(({ name, text }) =>
      text.split("\n").flatMap((line, index) => {
        const found = paths.exec(line)?.[0] ?? calls.exec(line)?.[0];
        return found === undefined
          ? []
          : [`${name}:${index + 1}: the instrument must not know ${found}: a lab hands it over`];
      }),
    );
}
