// What the compiler leaves to be done in dist. Declarations, and the addresses of programs that processes and threads begin
// with, still say .ts. And files stay that only their types were wanted of: nothing leads to them.
const { globSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { join, dirname } = require("node:path");

const texts = new Map(
  globSync("dist/**/*.{js,d.ts}").map((file) => {
    const text = readFileSync(file, "utf8");
    return [file, text.replaceAll(/((?:from |import\(|import |new URL\()"\.[^"]*)\.ts"/g, '$1.js"')];
  }),
);
/** What only plans of the lab lead to, by imports that are made when they are needed: no call of this package makes such a plan. */
const OF_THE_LAB =
  /^dist\/measure\/(run\/(simulate|survey)|fork\/(simulation|survey|profile|remote-crew))\.js$/;

const { bin, exports: exported } = require("./package.json");
const kept = new Set();

/** Keeps a file and what it leads to. */
function keep(file) {
  if (kept.has(file) || !texts.has(file) || OF_THE_LAB.test(file)) return;
  kept.add(file);
  for (const [, to] of texts.get(file).matchAll(/(?:from |import\(|import |new URL\()"(\.[^"]*)\.js"/g))
    keep(join(dirname(file), to + (file.endsWith(".d.ts") ? ".d.ts" : ".js")));
}

for (const entry of [exported["."].types, exported["."].default, ...Object.values(bin)]) keep(join(entry));
for (const [file, text] of texts)
  if (kept.has(file)) writeFileSync(file, text);
  else rmSync(file);
