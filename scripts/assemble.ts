import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assemble, assembledFile, assembledModule } from "../structures/shared/assemble.ts";
import { writeWhole } from "../suites/engine/measure/machine/write-whole.ts";
import { command, runCommand } from "../suites/lab/command/command.ts";
import { EXIT, sayWritten, UsageError } from "../suites/lab/command/usage.ts";

const COMMAND = command({
  about: "Assembles the WebAssembly of competitors.",
  usage: { "npm run assemble": "write structures/**/*.wasm.ts, each from the .wat beside it" },
  before: "A test assembles every text again and compares: commit both files.",
  options: {},
  exits: {
    0: "done",
    2: "a text is wrong",
  },
});
const STRUCTURES = fileURLToPath(new URL("../structures/", import.meta.url));

await runCommand(COMMAND, async ({ words }) => {
  if (words.length > 0) throw new UsageError(`assemble takes no words: remove ${words.join(", ")}`);
  const texts = readdirSync(STRUCTURES, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".wat"),
  );
  for (const text of texts.map((path) => join(STRUCTURES, path))) {
    const made = assembledFile(text);
    // Not left to print itself: its stack would quote a line of half a megabyte from wabt.
    const bytes = await assemble(text).catch(({ message }: Error) => {
      throw new UsageError(message);
    });
    writeWhole(made, assembledModule(text, bytes));
    sayWritten([made]);
  }
  return EXIT.ok;
});
