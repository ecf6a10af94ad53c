// What the compiler leaves to be done in dist, which is then the package: npm pack ./dist.
const { appendFileSync, globSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { basename, dirname, join, posix, resolve } = require("node:path");
const { fieldsOf, linked } = require("./repository.cjs");

// Modules import the .js that each .ts became. Declarations still say .ts, which the compiler finds and Deno does not.
for (const file of globSync("dist/**/*.d.ts")) {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"'));
}

const exported = (file) => require(resolve(file));
const namesIn = (pattern, ending) =>
  globSync(pattern)
    .map((file) => basename(file, ending))
    .sort();

// The list of what there is, made from the folders, as no source file keeps one. A lower bound does too little to be used, and
// an oracle is there to be slow and right: they race, and are no modules of the package.
const primitives = {};
const notExported = {};
for (const primitive of namesIn("dist/*/*.contract.js", ".contract.js")) {
  const { question, oracle } = exported(`dist/${primitive}/${primitive}.contract.js`).contract;
  const competitors = [];
  for (const name of namesIn(`dist/${primitive}/competitors/*.js`, ".js")) {
    const { default: competitor } = exported(`dist/${primitive}/competitors/${name}.js`);
    const { summary, source, progress, lowerBound } = competitor;
    if (lowerBound || name === oracle) notExported[`./${primitive}/${name}`] = null;
    else competitors.push({ name, module: `hotpath-lab/${primitive}/${name}`, summary, source, progress });
  }
  primitives[primitive] = { module: `hotpath-lab/${primitive}`, question, competitors };
}

// A module of its own, so that bundles of programs that do not use it are without it.
const names = Object.keys(primitives).map((name) => JSON.stringify(name));
writeFileSync("dist/primitives.js", `export const primitives = ${JSON.stringify(primitives, null, 2)};\n`);
writeFileSync(
  "dist/primitives.d.ts",
  `import type { Primitive } from "./index.js";
/** What the package has, by primitive: a list to choose from. */
export declare const primitives: Readonly<Record<${names.join(" | ")}, Primitive>>;
`,
);
for (const file of ["dist/index.js", "dist/index.d.ts"])
  appendFileSync(file, 'export { primitives } from "./primitives.js";\n');

// The package's own description: the repository's is private, and says more.
const { name, version, description, keywords, license, type, engines, ...root } = exported("package.json");
const inDist = Object.entries(root.exports).map(([door, file]) => [door, file.replace("./dist/", "./")]);
const manifest = {
  ...{ name, version, description, keywords, license, type },
  ...fieldsOf("examples"),
  exports: { ...Object.fromEntries(inDist), ...notExported },
  // What a thread begins with.
  sideEffects: globSync("*/parts/*.worker.js", { cwd: "dist" }).map((file) => `./${file}`),
  engines,
  publishConfig: { access: "public", provenance: true },
  dependencies: root.dependencies,
  peerDependencies: root.peerDependencies,
  peerDependenciesMeta: root.peerDependenciesMeta,
};
writeFileSync("dist/package.json", `${JSON.stringify(manifest, null, 2)}\n`);

// The pages of the package and the programs to copy: where they are in the repository, and where in the package.
const pages = { "examples/README.md": "README.md" };
for (const file of ["CHANGELOG.md", "LICENSE", "SECURITY.md"]) pages[file] = file;
for (const file of globSync(["examples/*.md", "examples/*/*", "results/choices.md"])) pages[file] ??= file;
for (const file of globSync("structures/*/*.example.ts")) pages[file] = `examples/${basename(file)}`;

for (const [from, to] of Object.entries(pages)) {
  const text = readFileSync(from, "utf8");
  const within = (file) => pages[file] && posix.relative(posix.dirname(to), pages[file]);
  mkdirSync(join("dist", dirname(to)), { recursive: true });
  writeFileSync(join("dist", to), from.endsWith(".md") ? linked(text, from, within) : text);
}
