// Builds dist: a module for each of the three that programs import and all that these lead to, and their declarations.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const tsc = (...options) => execFileSync("tsc", ["-p", "tsconfig.json", ...options], { stdio: "inherit" });

rmSync("dist", { recursive: true, force: true });
tsc();
// Editors show the comments of declarations. Those of the code are for its sources.
tsc("--declaration", "false", "--removeComments");

const kept = new Set();
/** Keeps a declaration file and what it leads to. It says .ts as its source does, which Deno would look for. */
function keep(file) {
  if (kept.has(file)) return;
  kept.add(file);
  const text = readFileSync(file, "utf8").replaceAll(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"');
  writeFileSync(file, text);
  for (const [, to] of text.matchAll(/(?:from |import\()"(\.[^"]*)\.js"/g))
    keep(join(dirname(file), `${to}.d.ts`));
}
for (const name of ["index", "model", "register"]) keep(`dist/${name}.d.ts`);
for (const file of globSync("dist/**/*.d.ts")) if (!kept.has(file)) rmSync(file);
// A seventh of what is packed would be spaces at the beginnings of lines.
for (const file of globSync("dist/**/*.js"))
  writeFileSync(
    file,
    readFileSync(file, "utf8").replaceAll(/^(?: {4})+/gm, (spaces) => "\t".repeat(spaces.length / 4)),
  );
