// What the compiler leaves to be done in dist.
const { globSync, readFileSync, writeFileSync } = require("node:fs");
const { basename, resolve } = require("node:path");

// Modules import the .js that each .ts became. Declarations still say .ts, which the compiler finds and Deno does not.
for (const file of globSync("dist/**/*.d.ts")) {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"'));
}

// The list of what there is: made from the folders, as no source file keeps one.
const exported = (file) => require(resolve(file));
const primitives = Object.fromEntries(
  globSync("dist/*/*.contract.js")
    .sort()
    .map((file) => {
      const primitive = basename(file, ".contract.js");
      const competitors = globSync(`dist/${primitive}/competitors/*.js`)
        .map((file) => basename(file, ".js"))
        .sort()
        .map((name) => {
          const { default: competitor } = exported(`dist/${primitive}/competitors/${name}.js`);
          const { summary, source, progress } = competitor;
          return { name, module: `hotpath-lab/${primitive}/${name}`, summary, source, progress };
        });
      const { question } = exported(file).contract;
      return [primitive, { module: `hotpath-lab/${primitive}`, question, competitors }];
    }),
);
writeFileSync(
  "dist/index.js",
  `/** What the package has, by primitive. */\nexport const primitives = ${JSON.stringify(primitives, null, 2)};\n`,
);
writeFileSync(
  "dist/index.d.ts",
  `/** What the package has, by primitive: a list to choose from. */
export declare const primitives: Readonly<Record<${Object.keys(primitives)
    .map((name) => JSON.stringify(name))
    .join(" | ")}, Primitive>>;

export interface Primitive {
  /** What a program imports to use any of its competitors. */
  readonly module: string;
  /** What its competitors are raced to answer. */
  readonly question: string;
  /** By name. */
  readonly competitors: readonly Listed[];
}

export interface Listed {
  readonly name: string;
  /** What a program imports to use this one: its default export. */
  readonly module: string;
  /** What it is, in one line. */
  readonly summary: string;
  /** Where the idea comes from: paper, project or document. */
  readonly source: string;
  /** The progress guarantee of its operations, in the standard sense. */
  readonly progress: "wait-free" | "lock-free" | "blocking";
}
`,
);
