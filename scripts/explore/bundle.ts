import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

/**
 * The page's code as one classic script, which works from a disk too, where modules are not loaded. esbuild binds it:
 * one package and its binary, a tenth of a second. Stripping types and wrapping modules by hand would be a second
 * bundler to keep, without the 2/3 of the code that it finds to be unused.
 */
export async function pageScript(): Promise<string> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(import.meta.dirname, "page", "main.ts")],
    absWorkingDir: import.meta.dirname,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    // The compiler's own settings are those of Node.
    tsconfigRaw: {},
    plugins: [WITHOUT_NODE],
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const [output] = Object.values(metafile.outputs);
  const left = output!.imports.map(({ path }) => path);
  if (left.length > 0) throw new Error(`the page uses what a browser does not have: ${left.join(", ")}`);
  return outputFiles[0]!.text;
}

/**
 * Modules of the lab do nothing when they are loaded, so what is not used of them is left out, and with it what they
 * import of Node's. What is left of that fails the build.
 */
const WITHOUT_NODE: Plugin = {
  name: "without-node",
  setup(build) {
    build.onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
      if (resolveDir.includes("node_modules")) return undefined;
      return { path: resolve(resolveDir, path), sideEffects: false };
    });
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

export function pageStyle(): string {
  return readFileSync(join(dirname(import.meta.filename), "page", "page.css"), "utf8");
}
