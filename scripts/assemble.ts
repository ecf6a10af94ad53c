import { readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { assemble, assembledFile } from "../structures/shared/assemble.ts";
import { EXIT, orUsageError, runScript, UsageError } from "../suites/engine/schema/usage.ts";

const HELP = `Makes the WebAssembly of competitors from its text.

usage: npm run assemble
           write structures/**/*.wasm, each from the .wat beside it

A test assembles every text again and compares: commit both files.

exit codes: 0 done; 2 a text is wrong
`;

const OPTIONS = { help: { type: "boolean", default: false } } as const satisfies ParseArgsConfig["options"];
const STRUCTURES = fileURLToPath(new URL("../structures/", import.meta.url));

await runScript(async () => {
  const { values: options } = orUsageError(() =>
    parseArgs({ args: process.argv.slice(2), options: OPTIONS }),
  );
  if (options.help) {
    process.stdout.write(HELP);
    return EXIT.ok;
  }
  const texts = readdirSync(STRUCTURES, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".wat"),
  );
  for (const text of texts.map((path) => join(STRUCTURES, path))) {
    const made = assembledFile(text);
    // Not left to print itself: its stack would quote a line of half a megabyte from wabt.
    const bytes = await assemble(text).catch(({ message }: Error) => {
      throw new UsageError(message);
    });
    writeFileSync(made, bytes);
    process.stderr.write(`wrote ${relative(process.cwd(), made)}\n`);
  }
  return EXIT.ok;
});
