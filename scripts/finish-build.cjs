// What the compiler leaves to be done in dist.
const { globSync, readFileSync, writeFileSync } = require("node:fs");

// Modules import the .js that each .ts became. Declarations still say .ts, which the compiler finds and Deno does not.
for (const file of globSync("dist/**/*.d.ts")) {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"'));
}
