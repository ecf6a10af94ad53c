// What the compiler leaves to be done in dist.
const { cpSync, globSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

// Some competitors read a file beside their own.
for (const file of globSync("**/*.wasm", { cwd: "structures" }))
  cpSync(join("structures", file), join("dist", file));

// Modules import the .js that each .ts became. Declarations still say .ts, which the compiler finds and Deno does not.
for (const file of globSync("dist/**/*.d.ts")) {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"'));
}
