// Builds dist: a module for each of the three that programs import, what these share, and the declarations of all.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rollup } from "rollup";

const DOORS = ["index", "model", "register"];
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
for (const name of DOORS) keep(`dist/${name}.d.ts`);
for (const file of globSync("dist/**/*.d.ts")) if (!kept.has(file)) rmSync(file);

// Thirty modules import one another by lines that serve nobody there, and each has a header in the package.
const bundle = await rollup({ input: DOORS.map((name) => `dist/${name}.js`) });
const { output } = await bundle.generate({
  chunkFileNames: ({ name }) => (name === "index" ? "explorer.js" : "[name].js"),
  hoistTransitiveImports: false,
  minifyInternalExports: false,
});
for (const file of globSync("dist/**/*.js")) rmSync(file);
for (const { fileName, code } of output) {
  // A seventh of what is packed would be spaces at the beginnings of lines.
  const indented = code.replaceAll(/^(?: {4})+/gm, (spaces) => "\t".repeat(spaces.length / 4));
  writeFileSync(join("dist", fileName), indented.replaceAll(/^((?:import|export) .*)'(.*)';$/gm, '$1"$2";'));
}
