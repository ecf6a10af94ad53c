import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rollup } from "rollup";
import { stripped } from "../../suites/engine/measure/load/written.ts";
import { copyOf, fileOf, type Starter } from "./competitor.ts";

/** The module that brings both together, which is in no file. */
const BOTH = "both";

/**
 * The primitive's oracle with all that it imports, as one module of JavaScript: it can lie anywhere, and be moved. Rollup
 * binds it, because it keeps comments; esbuild, which the lab has too, drops them.
 */
export async function candidateText(starter: Starter): Promise<string> {
  const { root, primitive, oracle } = starter;
  const layout = join(root, "structures/shared/layout.ts");
  const text = await bound(starter, "");
  // What allocates does so as the lab tells it to, from memory that all crews of a race use in turn.
  const allocates = /\ballocator\b/.test(text);
  const whole = allocates ? await bound(starter, `export { allocateWith } from "${layout}";`) : text;
  const note = `// A candidate for ${primitive}: a copy of ${oracle}, at the end, and above it what it uses.\n\n`;
  return formatted(root, note + whole);
}

async function bound(starter: Starter, besides: string): Promise<string> {
  const copied = join(starter.root, fileOf(starter.primitive, starter.oracle));
  const bundle = await rollup({
    input: BOTH,
    external: (id) => /^node:/.test(id),
    treeshake: { moduleSideEffects: false },
    plugins: [
      {
        name: "types are stripped",
        resolveId: (id) => (id === BOTH ? id : null),
        load(id) {
          if (id === BOTH) return `export { default } from "${copied}";\n${besides}`;
          return stripped(id === copied ? copyOf(starter) : readFileSync(id, "utf8"));
        },
      },
    ],
  });
  const { output } = await bundle.generate({ format: "es" });
  return output[0].code;
}

/** Stripping leaves blanks where types were. */
function formatted(root: string, text: string): string {
  const biome = join(root, "node_modules/.bin/biome");
  const args = ["format", "--stdin-file-path", "structures/candidate.js"];
  const { stdout, stderr, status } = spawnSync(biome, args, { cwd: root, input: text, encoding: "utf8" });
  if (status !== 0) throw new Error(`biome cannot format it: ${stderr}`);
  return stdout;
}
