// Builds dist: bundles of the programs that a call, its processes and its threads begin with, and the declarations of what
// programs import. Bundled and minified the package is a third of its size.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { build } from "esbuild";
import { rollup } from "rollup";
import { minify } from "terser";

const ADDRESS = /new URL\("(\.[^"?]*)\.ts", import\.meta\.url\)/g;

/** The program at an address in a file, as a path from here without its ending. */
const programAt = (file, address) => relative(".", resolve(dirname(file), address));
/** All programs lie in one folder. */
const nameOf = (program) => basename(program);

const entries = new Map([
  ["index", "index.ts"],
  ["command", "cli/command.ts"],
]);
for (const file of globSync("{capture,cli,measure/{fork,load,remote,run}}/**/*.ts")) {
  if (/\.(test|synthetic)\.ts$/.test(file)) continue;
  for (const [, address] of readFileSync(file, "utf8").matchAll(ADDRESS))
    entries.set(nameOf(programAt(file, address)), `${programAt(file, address)}.ts`);
}

/** Becomes dist when it is whole: a command that runs from dist may load more of it. */
const MADE = "dist.made";
rmSync(MADE, { recursive: true, force: true });
await build({
  entryPoints: Object.fromEntries(entries),
  outdir: MADE,
  bundle: true,
  splitting: true,
  chunkNames: "[hash]",
  minify: true,
  format: "esm",
  platform: "node",
  packages: "external",
  target: "node22.15",
  logLevel: "warning",
  plugins: [
    {
      name: "programs",
      setup({ onLoad }) {
        onLoad({ filter: /\/engine\/.*\.ts$/ }, ({ path }) => ({
          loader: "ts",
          contents: readFileSync(path, "utf8").replaceAll(
            ADDRESS,
            (_, address) => `new URL("./${nameOf(programAt(path, address))}.js", import.meta.url)`,
          ),
        }));
      },
    },
  ],
});

// Rollup joins small chunks, each of which is a file with imports of its own, and leaves out what nothing uses. Only programs do
// something when they are imported.
const isProgram = (file) => entries.has(basename(file, ".js"));
const made = globSync(`${MADE}/*.js`);
const bundle = await rollup({
  input: Object.fromEntries(made.filter(isProgram).map((file) => [basename(file, ".js"), resolve(file)])),
  external: (name) => !name.startsWith(".") && !isAbsolute(name),
  treeshake: { moduleSideEffects: isProgram },
  logLevel: "silent",
});
const { output } = await bundle.generate({
  chunkFileNames: "[hash:8].js",
  experimentalMinChunkSize: 4_000,
  hoistTransitiveImports: false,
});
for (const file of made) rmSync(file);
for (const { fileName, code } of output) writeFileSync(`${MADE}/${fileName}`, code);

// Of esbuild's names each chunk has its own; terser's are alike, and compress better. It changes nothing else: a function that
// it moved into its caller would be compiled there, and be measured with it.
// Chunks are named by what they hold. Such names do not compress, and there are hundreds of imports. In the order of their lengths
// they compress best.
const bytesOf = (name) => statSync(`${MADE}/${name}.js`).size;
const chunks = globSync(`${MADE}/*.js`)
  .map((file) => basename(file, ".js"))
  .sort((a, b) => bytesOf(a) - bytesOf(b));
const short = new Map(
  chunks
    .filter((name) => !entries.has(name))
    .map((name, place) => [name, `c${String(place).padStart(2, "0")}`]),
);
for (const name of chunks) {
  const text = readFileSync(`${MADE}/${name}.js`, "utf8");
  rmSync(`${MADE}/${name}.js`);
  const renamed = text.replaceAll(/["']\.\/([\w-]{8})\.js["']/g, (all, chunk) =>
    short.has(chunk) ? `"./${short.get(chunk)}.js"` : all,
  );
  const { code } = await minify(renamed, { module: true, compress: false });
  writeFileSync(`${MADE}/${short.get(name) ?? name}.js`, code);
}

execFileSync("tsc", ["-p", "tsconfig.json", "--outDir", MADE], { stdio: "inherit" });
const kept = new Set();
/** Keeps a declaration file and what it leads to. */
function keep(file) {
  if (kept.has(file)) return;
  kept.add(file);
  const text = readFileSync(file, "utf8").replaceAll(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"');
  writeFileSync(file, text);
  for (const [, to] of text.matchAll(/(?:from |import\()"(\.[^"]*)\.js"/g))
    keep(join(dirname(file), `${to}.d.ts`));
}
keep(`${MADE}/index.d.ts`);
for (const file of globSync(`${MADE}/**/*.d.ts`)) if (!kept.has(file)) rmSync(file);

rmSync("dist", { recursive: true, force: true });
renameSync(MADE, "dist");
