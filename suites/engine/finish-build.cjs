// What the compiler leaves to be done in dist: declarations, and the addresses of programs that processes and threads begin
// with, still say .ts.
const { globSync, readFileSync, writeFileSync } = require("node:fs");

for (const file of globSync("dist/**/*.{js,d.ts}")) {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll(/((?:from |import\(|new URL\()"\.[^"]*)\.ts"/g, '$1.js"'));
}
